"""Hostile Python that our player plays: `codes.py:NAME`."""

import os
import sys
import time

import numpy as np

from mesocosm.core.policy import NoopPolicy

REASONS = {}  # what a result says of each class; nothing: it plays to the end


def hostile(reason):
    def register(kind):
        REASONS[kind.__name__] = reason
        return kind

    return register


@hostile("raised ValueError: no idea")
class Raiser(NoopPolicy):
    def act(self, obs, mask, info, began):
        print("thinking aloud")
        raise ValueError("no idea")


class UnprintableError(Exception):
    def __str__(self):
        raise RuntimeError("nor can this be shown")


@hostile("exited with status 1")
class RaisesWhatCannotBeShown(NoopPolicy):
    def act(self, obs, mask, info, began):
        raise UnprintableError


@hostile("was ended by SIGINT")
class Interrupter(NoopPolicy):
    def act(self, obs, mask, info, began):
        raise KeyboardInterrupt


@hostile("RecursionError")
class Recursive(NoopPolicy):
    def act(self, obs, mask, info, began):
        return self.act(obs, mask, info, began)


@hostile("must be integers")
class AnswersObjects(NoopPolicy):
    def act(self, obs, mask, info, began):
        return np.full((1, 1, 16), 0.5)


@hostile("must be of shape")
class WrongShape(NoopPolicy):
    def act(self, obs, mask, info, began):
        return np.zeros((2, 2), np.int32)


@hostile("is privileged")
class Peeker(NoopPolicy):
    privileged = True


@hostile("act must take (obs, mask, info, began), it takes (obs, mask, info)")
class Forgetful(NoopPolicy):
    def act(self, obs, mask, info):
        return self._action


@hostile("no answer within")
class SleepsWhenReset(NoopPolicy):
    def reset(self, spec, num_envs, seed):
        time.sleep(60)


@hostile("before it was asked|more than one line")
class WritesToEveryHandle(NoopPolicy):
    def reset(self, spec, num_envs, seed):
        super().reset(spec, num_envs, seed)
        for number in range(3, 64):
            try:
                os.write(number, b'{"kind": "ready"}\n{"kind": "ready"}\n')
            except OSError:
                continue


@hostile("")
class ReplacesItsStreams(NoopPolicy):
    def act(self, obs, mask, info, began):
        sys.stdout = sys.stderr = sys.stdin = None
        return super().act(obs, mask, info, began)
