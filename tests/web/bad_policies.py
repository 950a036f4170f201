"""Policies that ruin the process they play in, after some steps."""

import ctypes
import os
import signal
import time

import numpy as np


class Bad:
    privileged = False

    def reset(self, spec, num_envs, seed):
        self._noop, self._steps = spec.action.noop((num_envs, spec.num_agents)), 0

    def act(self, obs, mask, info, began):
        self._steps += 1
        if self._steps > 2:
            self.ruin()
        return self._noop


class Raises(Bad):
    def ruin(self):
        raise ValueError("no idea what to do")


class Exits(Bad):
    def ruin(self):
        os._exit(3)


class ExitsQuietly(Bad):
    def ruin(self):
        os._exit(0)


class Forks(Bad):
    """Leaves a child that holds on to everything, and ends."""

    def ruin(self):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            time.sleep(600.0)
        os._exit(4)


class SpeaksGarbage(Bad):
    def ruin(self):
        raise RuntimeError("boom \x00\ud800")


class Segfaults(Bad):
    def ruin(self):
        ctypes.string_at(0)


class Hangs(Bad):
    def ruin(self):
        while True:
            pass


class Hoards(Bad):
    def ruin(self):
        self.hoard = [np.zeros(1 << 26) for _ in range(64)]
