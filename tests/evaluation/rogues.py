"""Programs for matches that break the rules, each in its own way."""

import os
import time

import numpy as np

from mesocosm.core.policy import NoopPolicy


class Sleeper(NoopPolicy):
    """Falls asleep at its third move."""

    moves = 0

    def act(self, obs, mask, info, began):
        self.moves += 1
        if self.moves == 3:
            time.sleep(60)
        return super().act(obs, mask, info, began)


class Raiser(NoopPolicy):
    """Raises at its second move, after printing what is no message."""

    moves = 0

    def act(self, obs, mask, info, began):
        self.moves += 1
        print("thinking aloud")
        if self.moves == 2:
            raise ValueError("no idea what to do")
        return super().act(obs, mask, info, began)


class Quitter(NoopPolicy):
    """Leaves without a word."""

    def act(self, obs, mask, info, began):
        os._exit(3)


class Babbler(NoopPolicy):
    """Gives actions of the wrong shape."""

    def act(self, obs, mask, info, began):
        return np.zeros((2, 2), np.int32)


class Forgetful(NoopPolicy):
    """Does not take what says where a war begins."""

    def act(self, obs, mask, info):
        return self._action


class Startled(NoopPolicy):
    """Raises unless its first move alone begins a war."""

    moves = 0

    def act(self, obs, mask, info, began):
        if began.tolist() != [[self.moves == 0]]:
            raise ValueError(f"move {self.moves} began {began.tolist()}")
        self.moves += 1
        return super().act(obs, mask, info, began)


class Peeker(NoopPolicy):
    """Wants the truth."""

    privileged = True
