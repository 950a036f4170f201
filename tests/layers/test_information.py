"""Information covers all that an agent receives: observation, info and mask."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.testing.play import wild_actions

STEPS = 12


def information(*blurs, intensity=1.0, **more):
    return {"layers.information": {"intensity": intensity, "blurs": list(blurs), **more}}


def castes(*hidden, permissions=("*",)):
    low = {"hidden": list(hidden), "permissions": list(permissions)}
    members = {"castes": {"high": {}, "low": low}, "assign": {"harvester": ["high", "low"]}}
    return {"layers.power": {"intensity": 1.0, **members}}


def play(preset, layers, *, num_envs=6, steps=STEPS):
    """Play a plain and a layered env with the same actions; give both steps each time."""
    plain, layered = (
        meso.make(preset, overrides, num_envs=num_envs, seed=3, target="python")
        for overrides in ({}, layers)
    )
    told = [env.reset() for env in (plain, layered)]
    for t in range(steps):
        yield t, *told, layered
        actions = wild_actions(plain, np.random.default_rng(t), told[0], odd=0.0)
        told = [env.step(actions) for env in (plain, layered)]


def test_writing_into_the_mask_that_was_handed_out_allows_nothing():
    env = meso.make("commons", {"core.initial_wealth": 0.0}, target="python", num_envs=2)
    step = env.reset()
    assert not np.array(step.mask)[..., 1].any()  # nobody can give
    env.buffers["harvester"].mask[:] = True
    action = env.spec.roles["harvester"].action.noop((2, 6))
    action.choice[..., 0] = 1
    env.step(action)
    assert (env.violations == 1).all()
    assert (env.copy(env.driver.f.choice)[..., 0] == 0).all()


def test_an_action_that_waits_is_judged_by_the_engines_own_mask():
    late = {"layers.temporal": {"intensity": 1.0, "latency": 1}}
    env = meso.make("probe/line", late | {"core.hazard": 1000}, target="python", num_envs=8)
    env.reset(seed=1)
    place = env.state("pos")
    place[:] = 1
    env.set_state("pos", place)
    env.load(env.save())
    left = env.spec.roles["walker"].action.noop((8, 4)) + 1
    for _ in range(4):
        env.buffers["walker"].mask[:] = True
        env.step(left)
    moved = env.copy(env.driver.f.choice)[..., 0]
    assert (env.state("pos") == 0).all()
    assert (moved == 0).all()  # at the edge, a move that waited is not valid any more


def test_noise_reaches_info_and_stays_in_range():
    changed = 0
    for _, plain, step, _ in play("commons", information({"features": "neighb*", "noise": 0.3})):
        count = step.info["neighbours"]
        assert (count >= 0).all()
        assert (count <= 4).all()
        changed += (count != plain.info["neighbours"]).sum()
        assert (step.obs == plain.obs).all()
    assert changed > 50


def test_late_info_shows_what_was_told_earlier():
    then = []
    for t, plain, step, _ in play("townlet/L7", information({"features": "age", "delay": 3})):
        then.append(np.array(plain.info["age"]))
        if t < 3:
            assert (step.info["age"] == 0).all()
        else:
            assert (step.info["age"] == then[t - 3]).all()
    assert then[-1].any()


def test_dropout_of_info_gives_its_absent_value():
    gone = total = 0
    for _, plain, step, _ in play("commons", information({"features": "neigh*", "dropout": 0.5})):
        same = step.info["neighbours"] == plain.info["neighbours"]
        assert (step.info["neighbours"][~same] == 0).all()
        gone, total = gone + (~same).sum(), total + same.size
    assert 0.35 < gone / total < 0.65


def test_a_castes_hidden_globs_cover_info():
    for _, plain, step, _ in play("commons", castes("neighbours")):
        told = step.info["neighbours"]
        assert (told[:, 1::2] == 0).all()
        assert (told[:, ::2] == plain.info["neighbours"][:, ::2]).all()


@pytest.mark.parametrize("how", ["noise", "dropout"])
def test_a_feature_of_like_name_in_info_gets_the_same_draws(how):
    differs = 0
    for _, plain, step, env in play("beacon/table", information({"features": "oil", how: 0.4})):
        span = env.spec.roles["keeper"].observation.span("oil")
        shown = np.array(step.obs)[..., span.start]
        assert shown.tolist() == step.info["oil"].astype(np.float32).tolist()
        differs += (shown != np.array(plain.obs)[..., span.start]).sum()
    assert differs > 20


def test_masks_at_half_intensity_take_the_same_numbers_of_twins():
    blur = information({"features": "oil", "mask": True}, intensity=0.5)
    for _, plain, step, env in play("beacon/table", blur, steps=2):
        at = env.spec.roles["keeper"].observation.span("oil").start
        hidden = (np.array(step.obs)[..., at] == 0).all()
        assert (step.info["oil"] == 0).all() == hidden
        assert plain.info["oil"].any()


@pytest.mark.parametrize("how", [{"mask": True}, {"noise": 0.2}, {"delay": 2}, {"dropout": 0.5}])
def test_info_beside_tokens_is_blurred_by_the_same_globs(how):
    changed = 0
    for _, plain, step, _ in play("beacon/tokens", information({"features": "oil", **how})):
        changed += (step.info["oil"] != plain.info["oil"]).sum()
    assert changed > 5


@pytest.mark.parametrize("preset", ["commons", "beacon/tokens"])
def test_a_blur_that_matches_neither_observation_nor_info_is_refused(preset):
    near = {"commons": "neighbors", "beacon/tokens": "oils"}[preset]
    with pytest.raises(ConfigError, match=r"blurs.0: .* matches nothing. Did you mean"):
        meso.load_config(preset, information({"features": near, "mask": True}))


def test_a_caste_cannot_hide_what_none_of_its_members_is_shown():
    with pytest.raises(ConfigError, match=r"castes.low.hidden: 'neighbors' matches nothing. Did"):
        meso.load_config("commons", castes("neighbors"))


def neighbours_of(env):
    """Give the part of a harvester's mask that says which neighbours are there."""
    action = env.spec.roles["harvester"].action
    at = action.mask_offset("target")
    return slice(at, at + len(action.choices[1].options))


POOR = {"core.initial_wealth": 1.0, "core.upkeep": 0.9}


@pytest.mark.parametrize("how", [{"mask": True}, {"noise": 0.1}, {"dropout": 0.1}, {"delay": 1}])
def test_a_hidden_neighbour_does_not_show_in_the_mask(how):
    settings = POOR | information({"features": "near_alive", **how})
    env = meso.make("commons", settings, num_envs=16, seed=1, target="python")
    step, rng = env.reset(), np.random.default_rng(0)
    wrong = 0
    for _ in range(20):
        acting = np.array(step.acting)
        assert np.array(step.mask)[..., neighbours_of(env)][acting].all()
        valid = env.copy(env.buffers["harvester"].valid)[..., neighbours_of(env)]
        wrong += (~valid[acting]).sum()
        step = env.step(wild_actions(env, rng, odd=0.0))
    assert wrong > 0  # some were dead, and it did not show


def test_an_option_shown_as_allowed_is_still_refused():
    blur = information({"features": "wealth", "mask": True})
    settings = blur | {"core.initial_wealth": 0.0, "core.invalid": "penalty"}
    env = meso.make("commons", settings, target="python")
    step = env.reset()
    assert np.array(step.mask)[..., :3].all()
    action = env.spec.roles["harvester"].action.noop((1, 6))
    action.choice[..., 0] = 1
    step = env.step(action)
    assert (env.violations == 1).all()
    assert all(env.explain(env=0, agent=a)["invalid_action"] < 0 for a in range(6))


def test_only_the_caste_from_which_it_is_hidden_has_an_open_mask():
    env = meso.make("commons", {"core.initial_wealth": 0.0} | castes("wealth"), target="python")
    seen = np.array(env.reset().mask)[0, :, :3]
    assert seen[::2].tolist() == [[True, False, False]] * 3
    assert seen[1::2].all()
    assert not env.copy(env.buffers["harvester"].valid)[0, :, 1:3].any()


def test_what_a_role_or_caste_may_not_do_is_never_shown_as_allowed():
    allowed = ["deal.none", "deal.give", "target.*"]
    ban = {"agents.roles.harvester.permissions": allowed}
    for settings in (ban | castes("wealth"), castes("wealth", permissions=allowed)):
        env = meso.make("commons", settings, target="python")
        mask = np.array(env.reset().mask)[0, 1]
        assert mask[:3].tolist() == [True, True, False]


def test_a_scope_that_hides_a_feature_opens_the_mask_and_says_so():
    spec = meso.config_spec("commons", {"agents.roles.harvester.scope": {"wealth": "hidden"}})
    assert spec.roles["harvester"].shown_open == ((1, 2),) * 6
    (note,) = spec.notes
    assert note.what == "harvester: mask of deal"
    assert note.how == "give, sanction: shown as allowed where wealth is hidden"


def test_notes_name_the_masks_that_are_opened_and_to_how_many():
    notes = meso.config_spec("commons", castes("wealth")).notes
    told = {note.what: note.how for note in notes}
    what = told["harvester: mask of deal"]
    assert what == "give, sanction: shown as allowed to 3 of 6 where wealth is hidden"


def test_masks_stay_true_where_no_impaired_feature_reads_their_fields():
    blur = information({"features": "stock", "noise": 0.2})
    assert meso.config_spec("commons", blur).roles["harvester"].shown_open == ()
    masked = information({"features": "last_action", "mask": True})
    role = meso.config_spec("mettagrid", masked).roles["cog"]
    assert len(role.shown_open) == role.num_agents  # tokens are one feature: all that they read
    assert 0 not in role.shown_open[0]
