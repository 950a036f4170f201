"""The agents section: counts agree with core; scopes, permissions and attribution take effect."""

import numpy as np
import pytest

from mesocosm.build import config_spec, load_config, make
from mesocosm.config.agents import apply_agents, check_counts
from mesocosm.core.complete import complete
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.registry import find

ROLE = "agents.roles.harvester"
NOTHING = (0, 0)


def env_with(preset="commons", **settings):
    """Make a small env on the python target, with settings of the harvester role."""
    overrides = {f"{ROLE}.{key}": value for key, value in settings.items()}
    overrides |= {"core.drought_prob": 0.0}
    env = make(preset, overrides, num_envs=2, target="python", seed=3)
    return env, env.reset()


def play(env, choice=NOTHING, level=(0.0, 0.0)):
    """Let every harvester do the same."""
    lead = (env.num_envs, 6)
    return env.step(
        (
            np.broadcast_to(np.array(choice, np.int32), (*lead, 2)),
            np.broadcast_to(np.array(level, np.float32), (*lead, 2)),
        )
    )


def refused(path, value):
    with pytest.raises(ConfigError) as caught:
        load_config("commons/wardens", {path: value})
    return str(caught.value)


def test_counts_that_are_left_out_come_from_core():
    roles = load_config("commons/wardens").agents.roles
    assert {name: role.count for name, role in roles.items()} == {"harvester": 6, "warden": 2}


def test_counts_follow_core_when_left_out():
    roles = load_config("commons", {"core.num_agents": 9, "core.num_wardens": 3}).agents.roles
    assert {name: role.count for name, role in roles.items()} == {"harvester": 6, "warden": 3}


@pytest.mark.parametrize(("role", "wanted"), [("harvester", 6), ("warden", 2)])
def test_a_count_that_disagrees_with_core_is_refused(role, wanted):
    assert refused(f"agents.roles.{role}.count", 5) == (
        f"commons/wardens: agents.roles.{role}.count: core has {wanted} of them, got 5; "
        f"change core, set the count to {wanted}, or leave it out"
    )


def test_changing_core_alone_in_a_resolved_config_is_refused():
    config = load_config("commons")
    with pytest.raises(ConfigError, match=r"agents\.roles\.harvester\.count: core has 8 of them"):
        load_config(config, {"core.num_agents": 8})


def test_changing_core_and_counts_together_is_accepted():
    changes = {"core.num_agents": 8, f"{ROLE}.count": 8}
    assert load_config(load_config("commons"), changes).core.num_agents == 8


def test_an_unknown_role_is_refused_with_the_nearest_one():
    assert refused("agents.roles.wardn", {"count": 1}) == (
        "commons/wardens: agents.roles.wardn: no such role. "
        "Did you mean 'warden'? Available: harvester, warden"
    )


def test_a_role_without_settings_is_refused_where_a_spec_is_made():
    config = load_config("commons")
    agents = config.agents.model_copy(update={"roles": {}})
    spec = complete(find("commons").spec(config.core))
    for check in (check_counts, lambda *a: apply_agents(a[1], a[0], a[2])):
        with pytest.raises(ConfigError, match=r"x: agents\.roles\.harvester: is required"):
            check(agents, spec, "x")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "scope", {"stok": "hidden"},
            "scope: 'stok' matches nothing. Did you mean 'stock'? Available: catch, clock,",
        ),
        (
            "permissions", ["deal.giv"],
            "permissions: 'deal.giv' matches nothing. Did you mean 'deal.give'? Available: *,",
        ),
        (
            "attribution", {"colapse": "shared"},
            "attribution: 'colapse' matches nothing. Did you mean 'collapse'? Available: catch,",
        ),
    ],
)  # fmt: skip
def test_a_glob_that_matches_nothing_is_refused(key, value, message):
    assert refused(f"{ROLE}.{key}", value).startswith(f"commons/wardens: {ROLE}.{message}")


def test_hidden_features_show_the_absent_value_and_nothing_else_changes():
    env, step = env_with(scope={"stock": "hidden", "near_*": "hidden"})
    plain, seen = env_with()
    layout = env.spec.roles["harvester"].observation
    hidden = [layout.span(name) for name in ("stock", "near_alive", "near_catch", "near_standing")]
    for _ in range(3):
        for span in hidden:
            assert (step.obs[..., span] == layout.absent[span]).all()
        rest = np.ones(layout.size, bool)
        for span in hidden:
            rest[span] = False
        assert np.array_equal(step.obs[..., rest], seen.obs[..., rest])
        step, seen = play(env, level=(1.0, 0.0)), play(plain, level=(1.0, 0.0))
        assert env.digest() == plain.digest()
    assert (seen.obs[..., layout.span("stock")] > 0).all()


def test_hidden_features_stay_hidden_in_the_final_observation():
    config = {"core.max_steps": 1, f"{ROLE}.scope": {"wealth": "hidden"}}
    env = make("commons", config, target="python")
    env.reset()
    step = play(env)
    span = env.spec.roles["harvester"].observation.span("wealth")
    assert step.episode_over.all()
    assert (step.final_obs[..., span] == 0.0).all()


def test_scopes_are_told_by_the_spec():
    spec = config_spec("commons", {f"{ROLE}.scope": {"stock": "private"}})
    features = spec.roles["harvester"].observation.features
    assert {f.name for f in features if f.visibility == "private"} >= {"skill", "stock"}


@pytest.mark.parametrize("turned", [False, True])
def test_the_most_specific_glob_wins_in_any_order(turned):
    globs = [("*", "hidden"), ("near_*", "private"), ("near_catch", "public"), ("ne*", "hidden")]
    scope = dict(reversed(globs) if turned else globs)
    spec = config_spec(load_config("commons", {f"{ROLE}.scope": scope}))
    found = {f.name: f.visibility for f in spec.roles["harvester"].observation.features}
    assert found["near_catch"] == "public"
    assert found["near_alive"] == found["near_standing"] == "private"
    assert found["stock"] == found["wealth"] == "hidden"


def test_forbidden_options_are_masked():
    env, step = env_with(permissions=["deal.give", "target.*"])
    deal = env.spec.roles["harvester"].action.mask_parts(step.mask)["deal"]
    _, free = env_with()
    assert not deal[..., 2].any()
    assert free.mask[..., 2].all()
    assert deal[..., :2].all()


@pytest.mark.parametrize("invalid", ["noop", "clamp", "penalty"])
def test_forbidden_options_are_refused_and_counted(invalid):
    changes = {f"{ROLE}.permissions": ["deal.give", "target.*"], "core.invalid": invalid}
    env = make("commons", changes | {"core.drought_prob": 0.0}, target="python")
    env.reset()
    play(env, choice=(2, 0))
    assert (env.violations == 1).all()
    assert (env.truth("fined") == 0).all()
    assert not [event for event in env.events() if event["kind"] == "sanction"]


def test_permitted_options_still_work():
    env, _ = env_with(permissions=["deal.sanction", "target.*"])
    play(env, choice=(2, 0))
    assert (env.violations == 0).all()
    assert env.truth("fined").sum() == 12


def test_no_permissions_leave_the_no_ops():
    env, step = env_with(permissions=[])
    parts = env.spec.roles["harvester"].action.mask_parts(step.mask)
    for mask in parts.values():
        assert mask[..., 0].all()
        assert not mask[..., 1:].any()
    play(env)
    assert (env.violations == 0).all()


def test_sampled_actions_respect_permissions():
    env, _ = env_with(permissions=["deal.give", "target.right1"])
    action = env.spec.roles["harvester"].action
    drawn = action.sample(np.random.default_rng(0), (500,))
    assert set(drawn.choice[:, 0]) == {0, 1}


def test_shared_terms_are_averaged_over_the_active_agents():
    env, _ = env_with(attribution={"catch": "shared"})
    plain, _ = env_with()
    play(env, level=(1.0, 0.0))
    play(plain, level=(1.0, 0.0))
    own = [plain.explain(env=0, agent=a)["catch"] for a in range(6)]
    shared = [env.explain(env=0, agent=a)["catch"] for a in range(6)]
    assert len(set(own)) > 1
    assert len(set(shared)) == 1
    assert shared[0] == pytest.approx(sum(own) / 6)
    assert env.digest() == plain.digest()


def test_a_term_that_a_world_shares_can_be_made_individual():
    spec = config_spec(load_config("commons", {f"{ROLE}.attribution": {"*": "individual"}}))
    assert {term.attribution for term in spec.roles["harvester"].terms} == {"individual"}


def test_the_price_of_invalid_actions_can_be_shared():
    changes = {"core.invalid": "penalty", f"{ROLE}.attribution": {"invalid_action": "shared"}}
    env = make("commons", changes | {"core.invalid_penalty": 0.6}, target="python")
    env.reset()
    level = np.zeros((1, 6, 2), np.float32)
    level[0, 2, 0] = np.nan
    env.step((np.zeros((1, 6, 2), np.int32), level))
    costs = [env.explain(env=0, agent=a)["invalid_action"] for a in range(6)]
    assert costs == pytest.approx([-0.1] * 6)


def test_the_settings_of_one_role_leave_the_other_alone():
    changes = {"agents.roles.warden.scope": {"stock": "hidden"}}
    spec = config_spec(load_config("commons/wardens", changes))
    assert spec.roles["warden"].observation.feature("stock").visibility == "hidden"
    assert spec.roles["harvester"].observation.feature("stock").visibility == "public"
