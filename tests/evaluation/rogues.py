"""Programs for matches that break the rules, each in its own way."""

import os
import time

import numpy as np

from mesocosm.core.policy import NoopPolicy


class Sleeper(NoopPolicy):
    """Falls asleep at its third move."""

    moves = 0

    def act(self, obs, mask, info):
        self.moves += 1
        if self.moves == 3:
            time.sleep(60)
        return super().act(obs, mask, info)


class Raiser(NoopPolicy):
    """Raises at its second move, after printing what is no message."""

    moves = 0

    def act(self, obs, mask, info):
        self.moves += 1
        print("thinking aloud")
        if self.moves == 2:
            raise ValueError("no idea what to do")
        return super().act(obs, mask, info)


class Quitter(NoopPolicy):
    """Leaves without a word."""

    def act(self, obs, mask, info):
        os._exit(3)


class Babbler(NoopPolicy):
    """Gives actions of the wrong shape."""

    def act(self, obs, mask, info):
        return np.zeros((2, 2), np.int32)


class Peeker(NoopPolicy):
    """Wants the truth."""

    privileged = True
