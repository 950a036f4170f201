"""Changes of Numba's behaviour are made for one thread, and undone."""

import threading

import numpy as np
import pytest

from mesocosm.sim.compile.numba_patches import Patch, applied, exact_kernels, linked_once


class Target:
    """Something to patch."""

    def answer(self):
        return "original"

    @property
    def name(self):
        return "original"


PATCHES = [
    Patch(Target, "answer", lambda original: lambda self: "patched"),
    Patch(Target, "name", lambda original: lambda self: "patched"),
]


def seen(into):
    into.append((Target().answer(), Target().name))


def test_patch_acts_in_the_thread_that_applied_it_only():
    here, there = [], []
    with applied(PATCHES):
        seen(here)
        other = threading.Thread(target=seen, args=(there,))
        other.start()
        other.join()
    assert here == [("patched", "patched")]
    assert there == [("original", "original")]


def test_patches_are_undone_after_an_error():
    before = dict(vars(Target))
    with pytest.raises(ZeroDivisionError), applied(PATCHES):
        1 / 0  # noqa: B018
    assert dict(vars(Target)) == before


@pytest.mark.parametrize("make", [lambda: linked_once("any"), exact_kernels])
def test_every_patch_of_numba_is_undone(make):
    patches = make()
    assert patches
    before = [vars(patch.owner)[patch.name] for patch in patches]
    with applied(patches):
        now = [vars(patch.owner)[patch.name] for patch in patches]
        assert all(one is not other for one, other in zip(before, now, strict=True))
    assert [vars(patch.owner)[patch.name] for patch in patches] == before


def test_numba_compiles_as_ever_after_a_world_was_compiled(tmp_path, monkeypatch):
    import mesocosm as meso

    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    from numba import njit

    meso.make("commons", num_envs=1).reset()

    @njit
    def last(x):
        return x[-1] + min(x[0], 3)

    assert last(np.array([5, 6, 7])) == 10


def test_rules_compile_by_themselves_after_a_world_was_compiled():
    import mesocosm as meso
    from mesocosm.sim.rng import uniform
    from mesocosm.sim.rule import rule
    from mesocosm.sim.targets.launch import launch

    meso.make("commons", num_envs=1).reset()

    @rule
    def draw(out):
        for k in range(out.shape[0]):
            out[k] = uniform(5, k, 3, k)

    plain, compiled = np.zeros(9), np.zeros(9)
    launch(draw, "python")(plain)
    launch(draw, "cpu")(compiled)
    assert (plain == compiled).all()
