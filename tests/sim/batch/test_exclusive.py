"""One env is one thread's at a time: another gets an error, and nothing is torn."""

import threading

import numpy as np
import pytest

from mesocosm.build import make
from mesocosm.core.errors import ThreadError
from mesocosm.sim.batch.exclusive import Exclusive
from mesocosm.testing.play import wild_actions

CALLS = {
    "step": lambda env, actions: env.step(actions),
    "reset": lambda env, _: env.reset(),
    "save": lambda env, _: env.save(),
    "load": lambda env, _: env.load(env.snapshot),
    "truth": lambda env, _: env.truth("stock"),
    "events": lambda env, _: env.events(),
    "aim": lambda env, _: env.aim(seed=1, episode=1),
}


def made(**settings):
    env = make("commons", num_envs=2, target="python", seed=1, **settings)
    env.reset()
    env.snapshot = env.save()
    return env


def in_a_thread(call):
    """Call something in another thread; give what it raised."""
    found = []

    def run():
        try:
            call()
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0] if found else None


@pytest.mark.parametrize("name", CALLS)
def test_a_call_while_another_thread_steps_is_refused_and_changes_nothing(name):
    env = made()
    actions = wild_actions(env, np.random.default_rng(0))
    found = []

    class Meddler:
        def after_step(self):
            found.append(in_a_thread(lambda: CALLS[name](env, actions)))

    env.watcher = Meddler()
    env.step(actions)
    env.watcher = None
    assert isinstance(found[0], ThreadError)
    assert "used by two threads at once" in str(found[0])
    other = made()
    other.step(actions)
    assert env.digest() == other.digest()


@pytest.mark.parametrize("name", CALLS)
def test_threads_may_take_turns(name):
    env = made()
    actions = wild_actions(env, np.random.default_rng(0))
    assert in_a_thread(lambda: CALLS[name](env, actions)) is None
    CALLS[name](env, actions)


def test_a_watcher_may_read_the_env_in_the_same_thread():
    env = made()
    found = []

    class Reader:
        def after_step(self):
            found.append(env.save())

    env.watcher = Reader()
    env.step(wild_actions(env, np.random.default_rng(0)))
    assert len(found) == 1


def test_an_error_leaves_the_env_free():
    env = made()
    with pytest.raises(Exception, match="actions"):
        env.step(None)
    assert in_a_thread(env.save) is None


def test_many_threads_at_once_get_steps_or_errors_and_no_other_state():
    env = make("commons", num_envs=64, target="cpu", seed=1)
    env.reset()
    actions = wild_actions(env, np.random.default_rng(0))
    counts = {"played": 0, "refused": 0}

    def run():
        for _ in range(200):
            try:
                env.step(actions)
                counts["played"] += 1
            except ThreadError:
                counts["refused"] += 1

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other = make("commons", num_envs=64, target="cpu", seed=1, threads=2)
    other.reset()
    for _ in range(counts["played"]):
        other.step(actions)
    assert counts["played"] + counts["refused"] == 800
    assert env.digest() == other.digest()


def test_a_context_that_was_left_can_be_entered_by_another_thread():
    alone = Exclusive()
    with alone, alone:
        pass
    assert in_a_thread(alone.__enter__) is None
