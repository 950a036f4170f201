"""A policy plays by names: what is elsewhere is found, what is unknown is dropped and said."""

from dataclasses import replace

import numpy as np
import pytest
from bundle_samples import sample_bundle, sample_network

import mesocosm as meso
from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.core.errors import BundleError
from mesocosm.core.observation import Feature, Layout
from mesocosm.core.spec import Role
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.policies.bundle_policy import BundlePolicy
from mesocosm.learning.policies.fit_action import ActionFit
from mesocosm.learning.policies.fit_observation import fit_observation


def role_with(features, choices=None, levels=()):
    choices = (Choice("act", ("wait", "go")),) if choices is None else choices
    return Role("worker", 2, Layout(tuple(features)), ActionSpec(tuple(choices), tuple(levels)))


def policy_for(role, tmp_path, **network):
    """Write a bundle for any role, and load it."""
    made, settings = sample_network(role, **network)
    card = make_card(role, meso.load_config("commons"), Training(settings))
    write_bundle(tmp_path / "role.mesop", made, card)
    return BundlePolicy(tmp_path / "role.mesop", greedy=True)


def tokens_of(role, rng, num_envs):
    """Draw rows of tokens, used ones first."""
    tokens = role.observation.tokens
    obs = np.full((num_envs, role.num_agents, tokens.num, 3), tokens.empty, np.uint8)
    used = tokens.num // 2
    ids = np.array([kind.id for kind in tokens.kinds], np.uint8)
    obs[..., :used, 0] = rng.integers(0, 100, (*obs.shape[:2], used))
    obs[..., :used, 1] = rng.choice(ids, (*obs.shape[:2], used))
    obs[..., :used, 2] = rng.integers(0, 3, (*obs.shape[:2], used))
    return obs


def permute_ids(role, rng):
    """Give a role whose tokens have each other's ids, and the new id of each."""
    kinds = role.observation.tokens.kinds
    new_id = np.arange(256, dtype=np.uint8)
    new_id[[kind.id for kind in kinds]] = [kinds[k].id for k in rng.permutation(len(kinds))]
    moved = tuple(kind._replace(id=int(new_id[kind.id])) for kind in kinds)
    tokens = replace(role.observation.tokens, kinds=moved)
    return replace(role, observation=replace(role.observation, tokens=tokens)), new_id


def test_part_learnt_as_unused_stays_at_its_noop_and_that_is_said():
    deal, whom = Choice("deal", ("no", "give")), Choice("whom", ("me", "you"))
    known = ActionSpec((deal, replace(whom, used_with={"deal": ("give",)})))
    fit = ActionFit(known, ActionSpec((deal, whom)))
    assert fit.same
    assert fit.notes == ["action: whom: learnt to count only with deal: give"]
    assert ActionFit(known, known).notes == []
    assert ActionFit(ActionSpec((deal, whom)), known).notes == []  # an earlier bundle


def test_permuted_feature_ids_play_the_same_episodes(tmp_path):
    sample_bundle(tmp_path / "a.mesop", "mettagrid/forage", memory="gru")
    env = meso.make("mettagrid/forage", num_envs=2, target="python", seed=1)
    role = env.spec.roles["cog"]
    other, new_id = permute_ids(role, np.random.default_rng(2))
    plain, through = (BundlePolicy(tmp_path / "a.mesop") for _ in range(2))
    plain.reset(role, 2, 7)
    through.reset(other, 2, 7)
    step, beginnings = env.reset(), meso.Beginnings(env)
    for _ in range(12):
        began, permuted = beginnings.follow(step), step.obs.copy()
        used = permuted[..., 0] != 255
        permuted[used, 1] = new_id[permuted[used, 1]]
        assert not np.array_equal(permuted, step.obs)
        actions = plain.act(step.obs, step.mask, step.info, began)
        assert np.array_equal(actions, through.act(permuted, step.mask, step.info, began))
        step = env.step(actions)


@pytest.mark.parametrize("memory", ["none", "gru"])
def test_permuted_feature_ids_give_identical_actions(memory, tmp_path):
    sample_bundle(tmp_path / "a.mesop", "mettagrid/forage", memory=memory)
    role = meso.config_spec("mettagrid/forage").roles["cog"]
    rng = np.random.default_rng(0)
    other, new_id = permute_ids(role, rng)
    plain, through = (BundlePolicy(tmp_path / "a.mesop") for _ in range(2))
    plain.reset(role, 32, 7)
    through.reset(other, 32, 7)
    mask = np.ones((32, role.num_agents, role.action.mask_size), bool)
    began = np.zeros((32, role.num_agents), bool)
    seen = set()
    for _ in range(8):
        obs = tokens_of(role, rng, 32)
        permuted = obs.copy()
        used = obs[..., 0] != 255
        permuted[..., 1] = np.where(used, new_id[obs[..., 1]], obs[..., 1])
        assert not np.array_equal(obs, permuted)
        chosen = plain.act(obs, mask, {}, began)
        assert np.array_equal(chosen, through.act(permuted, mask, {}, began))
        assert np.array_equal(plain.entropy(), through.entropy())
        seen |= set(chosen.ravel().tolist())
    assert through.notes == []
    assert len(seen) > 3


def test_permuted_values_that_are_names_and_places_give_identical_tokens():
    tokens = meso.config_spec("mettagrid/forage").roles["cog"].observation.tokens
    last = next(kind for kind in tokens.kinds if kind.name == "last_action")
    flipped = tuple(
        kind._replace(labels=kind.labels[::-1]) if kind is last else kind for kind in tokens.kinds
    )
    here = replace(tokens, kinds=flipped, places=tokens.places[::-1])
    layout = meso.config_spec("mettagrid/forage").roles["cog"].observation
    fit = fit_observation(layout, replace(layout, tokens=here))
    obs = np.full((1, tokens.num, 3), 255, np.uint8)
    obs[0, 0] = 3, last.id, 1
    obs[0, 1] = 254, 12, 7
    there = fit.translate(obs)
    size, places = len(last.labels), len(tokens.places)
    assert there[0, 0].tolist() == [places - 4, last.id, size - 2]
    assert there[0, 1].tolist() == [254, 12, 7]
    assert (there[0, 2:] == 255).all()


def test_unknown_tokens_are_dropped_and_said():
    layout = meso.config_spec("mettagrid/forage").roles["cog"].observation
    kinds = layout.tokens.kinds
    renamed = (kinds[0]._replace(name="weather"), *kinds[1:])
    fit = fit_observation(layout, replace(layout, tokens=replace(layout.tokens, kinds=renamed)))
    assert fit.notes == [
        "observation: tokens: dropped weather",
        "observation: tokens: missing here agent:group",
    ]
    obs = np.full((1, layout.tokens.num, 3), 255, np.uint8)
    obs[0, 0], obs[0, 1] = (5, kinds[0].id, 1), (6, kinds[1].id, 2)
    made = fit.translate(obs)
    assert made[0, 0].tolist() == [6, kinds[1].id, 2]  # used ones first
    assert (made[0, 1:] == 255).all()


def test_numbers_are_found_by_name_dropped_filled_and_said(tmp_path):
    known = role_with(
        [
            Feature("warmth", "", (2,), labels=("hand", "foot")),
            Feature("fog", "", absent=0.25),
            Feature("map", "", (3, 3)),
        ]
    )
    here = role_with(
        [
            Feature("map", "", (4, 4)),
            Feature("noise", ""),
            Feature("warmth", "", (3,), high=2.0, labels=("foot", "head", "hand")),
        ]
    )
    fit = fit_observation(known.observation, here.observation)
    row = np.arange(20, dtype=np.float32)[None]
    assert fit.translate(row).tolist() == [[19.0, 17.0, 0.25] + [0.0] * 9]
    assert fit.notes == [
        "observation: warmth: learnt in 0..1, here in 0..2",
        "observation: fog: missing here, 1 of 1 numbers taken as 0.25",
        "observation: map: missing here, 9 of 9 numbers taken as 0",
        "observation: map: dropped, 16 of 16 numbers that the policy does not know",
        "observation: noise: dropped, 1 of 1 numbers that the policy does not know",
        "observation: warmth: dropped, 1 of 3 numbers that the policy does not know",
    ]
    assert policy_for(known, tmp_path).check_role(here) == fit.notes


def test_permuted_numbers_give_identical_actions(tmp_path):
    features = [Feature("a", ""), Feature("b", "", (3,), labels=("x", "y", "z")), Feature("c", "")]
    known = role_with(features, [Choice("act", ("wait", "left", "right"))])
    other = role_with(
        [features[2], replace(features[1], labels=("z", "x", "y")), features[0]],
        [Choice("act", ("right", "wait", "left"), noop=1)],
    )
    policy, rng = policy_for(known, tmp_path), np.random.default_rng(0)
    obs = rng.random((100, 2, 5), np.float32)
    moved = obs[..., [4, 3, 1, 2, 0]]
    mask = np.ones((100, 2, 3), bool)
    mask[:30, :, 1] = False  # left
    began = np.zeros((100, 2), bool)
    policy.reset(known, 100, 1)
    first = np.array(["wait", "left", "right"])[policy.act(obs, mask, {}, began)]
    policy.reset(other, 100, 1)
    second = np.array(["right", "wait", "left"])[policy.act(moved, mask[..., [2, 0, 1]], {}, began)]
    assert policy.notes == []
    assert np.array_equal(first, second)
    assert set(first[:30].ravel()) == {"wait", "right"} or "left" not in first[:30]
    assert len(set(first.ravel())) > 1


def test_tables_match_by_row_and_label():
    known = Layout((Feature("others", "", (2, 2), labels=("x", "y"), table=True, absent=0.5),))
    here = Layout((Feature("others", "", (3, 3), labels=("y", "hat", "x"), table=True),))
    fit = fit_observation(known, here)
    assert fit.translate(np.arange(9, dtype=np.float32)[None]).tolist() == [[2, 0, 5, 3]]
    back = fit_observation(here, known)
    row = np.arange(4, dtype=np.float32)[None]
    assert back.translate(row).tolist() == [[1, 0, 0, 3, 0, 2, 0, 0, 0]]
    assert back.notes == ["observation: others: missing here, 5 of 9 numbers taken as 0"]


def test_options_that_are_not_there_are_never_chosen(tmp_path):
    known = ActionSpec((Choice("act", ("wait", "fly", "go")), Choice("say", ("no", "yes"))))
    here = ActionSpec(
        (Choice("act", ("go", "swim", "wait"), noop=2), Choice("look", ("off", "on"))),
        (Level("speed", 1.0, 3.0, noop=2.0),),
    )
    fit = ActionFit(known, here)
    assert fit.notes == [
        "action: act: not there: fly",
        "action: act: never chosen: swim",
        "action: say: missing here, decides nothing",
        "action: look: unknown to the policy, always off",
        "action: speed: unknown to the policy, always 2",
    ]
    mask = np.array([[1, 1, 1, 1, 1], [0, 1, 1, 1, 1], [0, 1, 0, 1, 1]], bool)
    assert fit.translate_mask(mask).tolist() == [
        [True, False, True, True, False],
        [True, False, False, True, False],
        [True, False, False, True, False],  # nothing is left: it does nothing
    ]
    choice = np.array([[2, 1], [0, 0], [0, 0]], np.int32)
    picked, levels = fit.translate_action(choice, np.zeros((3, 0), np.float32), mask)
    assert picked.tolist() == [[0, 0], [2, 0], [2, 0]]
    assert levels.tolist() == [[2.0], [2.0], [2.0]]


def test_forbidden_and_unmasked_options_are_respected():
    known = ActionSpec((Choice("act", ("wait", "a", "b", "c"), masked=False, forbidden=(1,)),))
    here = ActionSpec((Choice("act", ("wait", "a", "b", "c"), masked=False, forbidden=(3,)),))
    fit = ActionFit(known, here)
    nothing = np.zeros((2, 0), bool)
    assert fit.translate_mask(nothing).tolist() == [[True, False, True, False]] * 2
    picked, _ = fit.translate_action(np.array([[2], [3]]), np.zeros((2, 0)), nothing)
    assert picked.tolist() == [[2], [0]]
    assert fit.notes == ["action: act: never chosen: a"]


def test_levels_are_kept_in_the_range_of_the_role():
    known = ActionSpec(levels=(Level("speed", 0.0, 10.0), Level("angle")))
    fit = ActionFit(known, ActionSpec(levels=(Level("speed", 1.0, 3.0, noop=1.0),)))
    given = np.array([[0.0, 1.0], [2.5, 0.0], [9.0, 0.0]], np.float32)
    _, levels = fit.translate_action(np.zeros((3, 0), np.int32), given, np.zeros((3, 0), bool))
    assert levels.tolist() == [[1.0], [2.5], [3.0]]
    assert fit.notes == [
        "action: speed: learnt in 0..10, kept in 1..3",
        "action: angle: missing here, decides nothing",
    ]


@pytest.mark.parametrize(
    ("preset", "role", "message"),
    [
        ("commons/wardens", "harvester", r"no number that the policy sees \(grid, meters"),
        ("mettagrid/forage", "cog", "the policy sees numbers, the role is shown tokens"),
    ],
)
def test_nothing_in_common_is_refused_with_the_reason(preset, role, message, tmp_path):
    sample_bundle(tmp_path / "a.mesop", "townlet/L3")
    policy = BundlePolicy(tmp_path / "a.mesop")
    spec = meso.config_spec(preset).roles[role]
    who = f"a policy for 'resident' of townlet/L3 cannot play '{role}': "
    with pytest.raises(BundleError, match=who + message):
        policy.reset(spec, 2, 0)


def test_actions_without_anything_in_common_are_refused(tmp_path):
    known = role_with([Feature("a", "")])
    here = role_with([Feature("a", "")], [Choice("deed", ("wait", "go"))])
    with pytest.raises(
        BundleError, match=r"nothing that the policy does \(act\) is an action of the role \(deed\)"
    ):
        policy_for(known, tmp_path).check_role(here)


@pytest.mark.parametrize(
    ("learnt", "played"), [("townlet/L3", "townlet/L5"), ("townlet/L7", "townlet/L3")]
)
def test_policy_of_another_level_plays_with_notes(learnt, played, tmp_path):
    sample_bundle(tmp_path / "a.mesop", learnt, memory="gru")
    policy = BundlePolicy(tmp_path / "a.mesop")
    env = meso.make(played, num_envs=3, target="python", seed=1)
    policy.reset(env.spec.roles["resident"], 3, 0)
    assert any("missing here" in note for note in policy.notes)
    step, beginnings = env.reset(), meso.Beginnings(env)
    for _ in range(3):
        began = beginnings.follow(step)
        step = env.step(policy.act(step.obs, step.mask, step.info, began))
    assert int(env.violations.sum()) == 0
