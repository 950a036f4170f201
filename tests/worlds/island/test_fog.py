"""Fog: what no sensor holds cannot matter, and what is declared is all that leaks."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.testing import audit

from .war import put, wait, war

SCORE = {"enemy_casualties_norm", "force_ratio_norm", "enemy_capture_possible_flag"}


def undetected(env):
    """Find a living enemy of Legacy that it knows nothing of, and that knows nothing either."""
    free = (env.truth("tier")[0, 0] == 0) & (env.truth("hp")[0, 1] > 0)
    return int(np.flatnonzero(free)[-1])


def test_moving_an_undetected_enemy_changes_no_byte_of_the_observation():
    env = war("standard")
    j = undetected(env)
    saved = env.save()
    before = [wait(env).obs["legacy"].tobytes() for _ in range(4)]
    for change in ({"pos": (550.0, 500.0)}, {"fuel": 0.4}, {"ammo": 1}, {"heading": (0.0, 1.0)}):
        env.load(saved)
        put(env, **{name: {(1, j): value} for name, value in change.items()})
        assert [wait(env).obs["legacy"].tobytes() for _ in range(4)] == before


def test_killing_an_undetected_enemy_changes_the_scoreboard_alone():
    env = war("standard")
    j = undetected(env)
    saved = env.save()
    layout = env.spec.roles["legacy"].observation
    before = np.array(wait(env).obs["legacy"])[0, 0]
    env.load(saved)
    strength = env.truth("strength")[0, 1] - 0.05
    put(env, hp={(1, j): 0}, casualties={(1,): 1}, strength={(1,): strength})
    after = np.array(wait(env).obs["legacy"])[0, 0]
    changed = {layout.names()[number] for number in np.flatnonzero(before != after)}
    assert changed == {"enemy_casualties_norm", "force_ratio_norm"}
    assert changed <= SCORE


def test_confirmed_scoreboard_hides_the_loss_of_an_undetected_enemy():
    env = war("standard", {"scoreboard": "confirmed"})
    j = undetected(env)
    saved = env.save()
    before = wait(env).obs["legacy"].tobytes()
    env.load(saved)
    put(env, hp={(1, j): 0}, casualties={(1,): 1}, strength={(1,): 0.9})
    assert wait(env).obs["legacy"].tobytes() == before


@pytest.mark.parametrize("preset", meso.presets("island"))
def test_the_audit_finds_no_leak(preset):
    audit(preset, states=6).require_clean()


def test_options_that_change_what_is_seen_leak_nothing():
    options = {
        "core.scoreboard": "confirmed", "core.ego_flag": True, "core.mirror_view": True,
        "core.quantize_positions": True, "core.orders_per_step": 3,
    }  # fmt: skip
    audit("island/skirmish", overrides=options, states=6).require_clean()
