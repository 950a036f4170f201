"""Entrants of the tournament that break its rules, each in its own way."""

import time


class Idle:
    """Does nothing."""

    privileged = False

    def reset(self, spec, num_envs, seed):
        self.nothing, self.calls = spec.action.noop((num_envs, spec.num_agents)), 0

    def act(self, obs, mask, info, began):
        self.calls += 1
        return self.nothing


class Crashes(Idle):
    """Raises in its tenth step."""

    def act(self, *seen):
        super().act(*seen)
        if self.calls == 10:
            raise ZeroDivisionError("the sky fell")
        return self.nothing


class IsSlow(Idle):
    """Takes a minute for its third step."""

    def act(self, *seen):
        if self.calls == 2:
            time.sleep(60.0)
        return super().act(*seen)


class AnswersNonsense(Idle):
    """Answers what is no action."""

    def act(self, *seen):
        return "go left"
