"""Policies that break the rules of a tournament, each in its own way."""

import os
import signal
import time
from pathlib import Path

KILL = Path(__file__).with_name("kill-now")  # beside a copy of this file: whoever acts next dies


class Idle:
    privileged = False

    def reset(self, spec, num_envs, seed):
        self.nothing, self.calls = spec.action.noop((num_envs, spec.num_agents)), 0

    def act(self, obs, mask, info, began):
        self.calls += 1
        return self.nothing


class Crashes(Idle):
    def act(self, *seen):
        super().act(*seen)
        if self.calls == 4:
            raise ZeroDivisionError("the sky fell")
        return self.nothing


class IsSlow(Idle):
    def act(self, *seen):
        if self.calls == 2:
            time.sleep(60)
        return super().act(*seen)


class AnswersNonsense(Idle):
    def act(self, *seen):
        return "go left"


class FailsToStart(Idle):
    def reset(self, spec, num_envs, seed):
        raise ValueError("no thanks")


class Exits(Idle):
    def act(self, *seen):
        raise SystemExit(3)


class Killable(Idle):
    def act(self, *seen):
        if KILL.exists():
            left = int(KILL.read_text())
            KILL.write_text(str(left - 1)) if left else KILL.unlink()
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().act(*seen)
