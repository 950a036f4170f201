"""Each layer touches the parts of a step that it declares, and no other."""

import numpy as np
import pytest
from layer_settings import LAYERS, SETTINGS, overrides

import mesocosm as meso
from mesocosm.core.layer import LAYERS as DECLARED
from mesocosm.sim import rng as draws
from mesocosm.sim.targets.cells import wrap
from mesocosm.testing.play import by_role, join_roles, wild_actions

TOUCHES = {layer.name: set(layer.touches) for layer in DECLARED}
PRESETS = tuple(SETTINGS)


def fingerprint(*arrays):
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


class Twin:
    """A layered env and the plain one beside it, which starts each step from the same state."""

    def __init__(self, preset, name):
        how = {"num_envs": 2, "target": "python", "seed": 4, "autoreset": "off"}
        self.layered = meso.make(preset, overrides(preset, name), **how)
        self.plain = meso.make(preset, **how)
        self.plain.reset()
        self.step = self.layered.reset()
        self.rng = np.random.default_rng(2)

    def settle(self):
        """Bring the plain env to the layered one's state."""
        saved, mine = self.layered.save(), self.plain.save()
        self.plain.load({key: saved[key] if key != "_meta" else mine[key] for key in mine})

    def play(self):
        """Play one step in both; give the plain env's actions as it took them."""
        self.settle()
        actions = wild_actions(self.layered, self.rng, self.step, odd=0.1)
        self.step = self.layered.step(actions)
        self.plain.step(actions)

    def replay(self):
        """Let the plain env do what the layered one did, from the same state."""
        f = self.layered.driver.f
        given = {}
        for name, role in self.plain.spec.roles.items():
            choice = f.choice[:, role.span, : len(role.action.choices)].copy()
            level = f.level[:, role.span, : len(role.action.levels)].astype(np.float32)
            both = meso.core.action.Action(choice, level)
            alone = choice if role.action.choices else level
            given[name] = both if role.action.choices and role.action.levels else alone
        self.plain.step(join_roles(self.plain, given))


def actions_of(env):
    return fingerprint(env.driver.f.choice, env.driver.f.level)


def truth_of(env):
    return fingerprint(*(env.truth(entry.name) for entry in env.inner.truth))


def observed(env, step):
    return fingerprint(*(by_role(env, step.obs).values()))


def test_the_declared_layers_are_the_ones_there_are():
    assert tuple(TOUCHES) == LAYERS


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_touches_no_other_part_than_it_declares(preset, name):
    twin, touches = Twin(preset, name), TOUCHES[name]
    for _ in range(12):
        before = twin.layered.save()
        twin.play()
        if "action" not in touches:
            assert actions_of(twin.plain) == actions_of(twin.layered)
        if not touches & {"state", "transition"}:
            mine = twin.plain.save()
            twin.plain.load({k: before[k] if k != "_meta" else mine[k] for k in mine})
            twin.replay()
            assert truth_of(twin.plain) == truth_of(twin.layered)
        _check_judgement(twin, touches)
        _check_view(twin, touches)


def _check_judgement(twin, touches):
    """Judge the layered state by the world's own rules."""
    env = twin.layered
    frame = env.host_frame()
    terms, reward = frame.terms.copy(), frame.reward.copy()
    ended = (frame.ended.copy(), frame.episode_ending.copy())
    count = len(env.inner.all_roles[0].terms)
    if "reward" not in touches:
        assert terms.shape[2] == twin.plain.driver.f.terms.shape[2]
        total = np.zeros(reward.shape)
        for k in range(terms.shape[2]):
            total += terms[:, :, k]
        assert fingerprint(total.astype(np.float32)) == fingerprint(reward)
    assert count
    assert "termination" not in touches
    state, params = wrap(env.host_state()), wrap(env.host_params)
    frame.ending[:] = 0
    frame.episode_ending[:] = 0
    frame.active[:] |= ended[0]
    for e in range(env.num_envs):
        env.world.rules.ending(state, wrap(frame), params, e)
    over = (frame.ending != 0) | (frame.episode_ending != 0)[:, None]
    stays = frame.active & ~over
    assert fingerprint(env.driver.f.active & ~frame.birth) == fingerprint(stays & ~frame.birth)


def _check_view(twin, touches):
    """Look at the layered state with the world's own eyes."""
    if "observation" in touches:
        return
    saved, mine = twin.layered.save(), twin.plain.save()
    shown = observed(twin.layered, twin.step)
    step = twin.plain.load({k: saved[k] if k != "_meta" else mine[k] for k in mine})
    active = twin.layered.driver.f.active
    for role in twin.plain.spec.roles.values():
        rows = by_role(twin.layered, twin.step.obs)[role.name][active[:, role.span]]
        again = by_role(twin.plain, step.obs)[role.name][active[:, role.span]]
        assert fingerprint(rows) == fingerprint(again)
    assert shown


@pytest.mark.parametrize("preset", PRESETS)
def test_at_the_baseline_the_very_same_function_runs(preset):
    off = overrides(preset, *LAYERS, intensity=0.0)
    plain, layered = (meso.make(preset, o, num_envs=2) for o in ({}, off))
    assert layered.layering is None
    assert plain.driver.drive is layered.driver.drive
    on = meso.make(preset, overrides(preset, "power"), num_envs=2)
    assert on.driver.drive is not plain.driver.drive
    other = meso.make(preset, overrides(preset, "temporal"), num_envs=2)
    assert other.driver.drive is on.driver.drive  # one compilation for every setting


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("number", range(7))
def test_a_layer_draws_from_its_own_streams_only(preset, number, monkeypatch):
    used = set()
    original = draws.draw

    def spy(word, t, stream, index):
        used.add(stream)
        return original(word, t, stream, index)

    monkeypatch.setattr(draws, "draw", spy)

    def streams(names):
        used.clear()
        env = meso.make(preset, overrides(preset, *names), num_envs=2, target="python", seed=1)
        rng, step = np.random.default_rng(0), env.reset()
        for _ in range(12):
            step = env.step(wild_actions(env, rng, step))
        return {stream for stream in used if stream >= 1000}

    assert streams(()) == set()
    own = range(1000 * (number + 1), 1000 * (number + 2))
    assert all(stream in own for stream in streams((LAYERS[number],)))
