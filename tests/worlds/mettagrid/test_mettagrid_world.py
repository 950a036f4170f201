"""The contract of every preset, and mettagrid's policies, text and picture."""

import numpy as np
import pytest

import mesocosm as meso
from mesocosm.core.errors import MesocosmError
from mesocosm.precompile import list_variants
from mesocosm.testing import audit
from mesocosm.worlds.mettagrid.client.speech import with_talk
from mesocosm.worlds.mettagrid.policies import Seeker

PRESETS = meso.presets("mettagrid")


# as configured, every preset is checked with those of all worlds
@pytest.mark.parametrize("preset", [variant.presets[-1] for variant in list_variants(PRESETS)])
def test_each_set_of_rules_keeps_the_contract_in_short_episodes(preset):
    short = {"core.max_steps": 15}
    report = meso.check_world("mettagrid", presets=[preset], overrides=short, steps=20)
    assert "leaks_nothing" in report.passed[preset]


def returns(preset, policy, steps=150, num_envs=8):
    env = meso.make(preset, num_envs=num_envs, seed=3)
    player = meso.policy("mettagrid", policy)
    player.reset(env.spec.roles["cog"], num_envs, seed=1)
    step, total, beginnings = env.reset(), 0.0, meso.Beginnings(env)
    for _ in range(steps):
        step = env.step(player.act(step.obs, step.mask, step.info, beginnings.follow(step)))
        total += float(np.asarray(step.reward).sum())
    return total / num_envs


def test_forager_earns_more_than_random_policy():
    assert returns("mettagrid/forage", "forager") > 1.5 * returns("mettagrid/forage", "random")


def test_assembler_earns_eight_times_the_random_policy():
    assert returns("mettagrid/assembly", "assembler") > 8 * returns("mettagrid/assembly", "random")


def test_seeker_refuses_a_role_without_tokens():
    role = meso.make("commons", target="python").spec.roles["harvester"]
    with pytest.raises(MesocosmError, match="does not see tokens"):
        Seeker(("inv:",)).reset(role, 1, 0)


def test_text_and_scene_show_the_grid_and_speech():
    env = meso.make("mettagrid/talk", target="python")
    env.reset(seed=0)
    env.step(with_talk(np.zeros((1, 4)), {(0, 2): {"talk": "here"}}))
    truth = {entry.name: env.truth(entry.name)[0] for entry in env.spec.truth}
    core = env.config.core
    lines = env.world.text(truth, core).splitlines()
    assert lines[0] == "mettagrid (cogs), step 1 of 200"
    assert len(lines) == 1 + 13 + 4
    assert lines[1] == "#" * 17
    assert lines[-2].endswith('"here"')
    picture = env.world.scene(truth, core)
    labels = [getattr(primitive, "label", "") for primitive in picture.primitives]
    assert "cog 2: here" in labels
    assert labels.count("lode: ore 9") == 5
    assert (picture.width, picture.height) == (17, 13)


def test_fog_hides_tokens_and_toll_lowers_rewards():
    for preset, feature in (("fog", "inv:energy"), ("toll", None)):
        plain = meso.make("mettagrid/forage", num_envs=4, seed=5)
        layered = meso.make(f"mettagrid/{preset}", num_envs=4, seed=5)
        one, other = plain.reset(), layered.reset()
        rng = np.random.default_rng(0)
        for _ in range(5):
            actions = rng.integers(0, 5, (4, 8, 1)).astype(np.int32)
            one, other = plain.step(actions), layered.step(actions)
        if feature is None:
            assert np.asarray(other.reward).sum() < np.asarray(one.reward).sum()
        else:
            assert (np.asarray(other.obs) == 255).sum() > (np.asarray(one.obs) == 255).sum()


def test_observed_protocol_leaks_no_agent_beyond_a_seen_assembler():
    recipes = [
        {"vibes": ["make"], "outputs": {"ore": 1}},
        {"inputs": {"ore": 1}, "outputs": {"heart": 2}},
    ]
    crowd = {
        "core.obs.width": 3, "core.obs.height": 3, "core.obs.compass": False, "core.num_agents": 8,
        "core.objects": {"press": {"kind": "assembler", "protocols": recipes}},
        "core.map": {"width": 7, "height": 7, "border": 0, "objects": {"press": 8}, "layouts": 4},
    }  # fmt: skip
    audit("mettagrid/assembly", overrides=crowd).require_clean()


def test_observation_and_events_are_decoded_to_names():
    env = meso.make("mettagrid/assembly", target="python", seed=0)
    step = env.reset()
    layout = env.spec.roles["cog"].observation
    here = layout.decode(step.obs[0, 0])["tokens"]["here"]
    assert (here["tag"], here["last_action"], here["inv:energy"]) == ("agent", "noop", 20)
    assert here["goal"] == ["inv:gear", "inv:heart"]
    vibed = env.spec.roles["cog"].action.choices[0].options.index("change_vibe_store")
    env.step(np.full((1, 6, 1), vibed, np.int32))
    assert env.events()[0]["text"].endswith("took on the vibe store")


def test_seeker_forgets_where_an_episode_begins():
    env = meso.make("mettagrid/forage", num_envs=2, target="python")
    player, step = Seeker(("inv:",)), env.reset(seed=0)
    player.reset(env.spec.roles["cog"], 2, seed=1)
    player._bored[:] = 7
    began = np.zeros(step.reward.shape, bool)
    began[0] = True
    player.act(step.obs, step.mask, step.info, began)
    assert (player._bored[0] == 0).all()
    assert (player._bored[1] == 6).all()
