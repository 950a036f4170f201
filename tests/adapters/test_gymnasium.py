"""The Gymnasium adapters give what the raw env gives, and end when their agent ends."""

import numpy as np
import pytest
from driving import (
    DEADLY,
    Recorder,
    ends_soon,
    flat_mask,
    halves,
    join,
    names,
    per_role,
    put,
    to_sample,
    wild,
)
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv

import mesocosm
from mesocosm.adapters import GymEnv, GymVectorEnv
from mesocosm.adapters.gymnasium import AUTORESET_MODES
from mesocosm.core.errors import ActionError, MesocosmError, UnknownName

NUM_ENVS, STEPS = 4, 40


class Mirror:
    """The raw env i of a batch, played with what the adapter's policies played."""

    def __init__(self, adapter, env, recorders):
        self.role, self.at = adapter._controlled.role, adapter._controlled._at[1]
        how = {"target": adapter._env._engine.target, "first_env": env, "autoreset": "off"}
        self.raw = mesocosm.make(adapter._env._engine.config, **how)
        self.env, self.recorders = env, recorders

    def reset(self, seed=None):
        obs, reward, *_ = self._mine(self.raw.reset(seed=seed))
        return obs, reward, False, False  # a slot that waits for its first life is not over

    def step(self, drawn):
        actions = {
            name: [part[[self.env]] for part in self._played(self.raw.spec.roles[name], player)]
            for name, player in self.recorders.items()
        }
        put([part[0, self.at] for part in actions[self.role.name]], drawn)
        return self._mine(self.raw.step(join(self.raw, actions)))

    def _played(self, role, player):
        if self.raw.spec.num_agents == 1:  # nobody is left for the policy to play
            assert not hasattr(player, "played")
            return halves(role, role.action.noop((self.env + 1, 1)))
        return halves(role, player.played)

    def _mine(self, step):
        def pick(entry):
            return np.array(per_role(entry, self.raw, self.role.name)[0, self.at])

        self.names = names(self.raw, pick(step.reason), pick(step.outcome))
        self.mask = pick(step.mask)
        return pick(step.obs), pick(step.reward), pick(step.terminated), pick(step.truncated)


def recorders(source):
    return {name: Recorder() for name in mesocosm.config_spec(mesocosm.load_config(source)).roles}


def test_a_single_env_equals_the_raw_env_for_any_actions(seat):
    players = recorders(seat["source"])
    env = GymEnv(policies=players, **seat)
    mirror, rng = Mirror(env, 0, players), np.random.default_rng(1)
    over, reasons = True, set()
    for k in range(2 * STEPS):
        if over:
            seed = 7 if k == 0 else None
            assert np.array_equal(env.reset(seed=seed)[0], mirror.reset(seed)[0])
        drawn = wild(rng, mirror.role)
        *results, info = env.step(to_sample(mirror.role, drawn))
        same([[entry] for entry in results], mirror.step(drawn), 0)
        assert np.array_equal(flat_mask(mirror.role, info), mirror.mask)
        over = results[2] or results[3]
        assert ("reason" in info) == over
        if over:
            assert (info["reason"], info["outcome"]) == mirror.names
            reasons.add(info["reason"])
    assert reasons or not ends_soon(seat)


def test_a_starved_agent_is_over_while_the_others_live_on():
    env = GymEnv("commons", DEADLY)
    env.reset(seed=7)
    over = False
    while not over:
        *_, over, _, info = env.step({"choice": [0, 0], "level": [0.0, 0.0]})
    assert (info["reason"], info["outcome"]) == ("starved", "failure")
    assert not env._env._engine._step.episode_over[0]
    obs, _ = env.reset()
    assert obs[0] == 0.0
    assert env._env._engine.episode[0] == 1


def vector(seat, mode, seed=7):
    players = recorders(seat["source"])
    env = GymVectorEnv(num_envs=NUM_ENVS, autoreset=mode, policies=players, seed=seed, **seat)
    return env, [Mirror(env, k, players) for k in range(NUM_ENVS)]


def draw(rng, env):
    """Draw for a batch: as one sample, and for each env."""
    drawn = wild(rng, env._controlled.role, (NUM_ENVS,))
    return to_sample(env._controlled.role, drawn), list(zip(*drawn, strict=True))


def same(results, expected, k):
    assert all(np.array_equal(got[k], want) for got, want in zip(results, expected, strict=True))


def test_same_step_gives_the_last_moment_and_the_next_episode_at_once(seat):
    env, mirrors = vector(seat, "same_step")
    obs, _ = env.reset(seed=3)
    same([obs], [np.stack([mirror.reset(3)[0] for mirror in mirrors])], slice(None))
    rng, ended = np.random.default_rng(2), 0
    for _ in range(STEPS):
        actions, drawn = draw(rng, env)
        obs, *results, infos = env.step(actions)
        for k, mirror in enumerate(mirrors):
            last, *expected = mirror.step(drawn[k])
            same(results, expected, k)
            over = bool(expected[1] or expected[2])
            assert bool("_final_obs" in infos and infos["_final_obs"][k]) == over
            if over:
                ended += 1
                assert np.array_equal(infos["final_obs"][k], last)
                final = infos["final_info"]
                assert (final["reason"][k], final["outcome"][k]) == mirror.names
                last = mirror.reset()[0]
            assert np.array_equal(obs[k], last)
            assert np.array_equal(flat_mask(mirror.role, infos, k), mirror.mask)
    assert ended > NUM_ENVS or not ends_soon(seat)


def test_next_step_ignores_one_action_and_begins_the_next_episode(seat):
    env, mirrors = vector(seat, "next_step")
    env.reset()
    for mirror in mirrors:
        mirror.reset(7)
    rng, over, ended = np.random.default_rng(2), np.zeros(NUM_ENVS, bool), 0
    for _ in range(STEPS):
        actions, drawn = draw(rng, env)
        obs, *results, infos = env.step(actions)
        for k, mirror in enumerate(mirrors):
            expected = mirror.reset() if over[k] else mirror.step(drawn[k])
            same([obs, *results], expected, k)
            over[k] = expected[2] or expected[3]
            assert bool("reason" in infos and infos["_reason"][k]) == over[k]
            if over[k]:
                ended += 1
                assert (infos["reason"][k], infos["outcome"][k]) == mirror.names
    assert ended > NUM_ENVS or not ends_soon(seat)


def test_without_autoreset_the_caller_resets_the_envs_that_are_over(seat):
    env, mirrors = vector(seat, "off")
    env.reset(seed=0)
    for mirror in mirrors:
        mirror.reset(0)
    rng, ended = np.random.default_rng(2), 0
    for _ in range(STEPS):
        actions, drawn = draw(rng, env)
        obs, *results, _ = env.step(actions)
        for k, mirror in enumerate(mirrors):
            same([obs, *results], mirror.step(drawn[k]), k)
        over = results[1] | results[2]
        if over.any():
            ended += over.sum()
            with pytest.raises(MesocosmError, match="are over: reset them first"):
                env.step(actions)
            before = obs
            obs, infos = env.reset(options={"reset_mask": over})
            assert np.array_equal(infos["_acting"], over)
            assert np.array_equal(obs[~over], before[~over])
            for k in np.flatnonzero(over):
                assert np.array_equal(obs[k], mirrors[k].reset()[0])
    assert ended > NUM_ENVS or not ends_soon(seat)


@pytest.mark.parametrize("mode", AUTORESET_MODES)
def test_a_batch_of_one_behaves_as_gymnasiums_own_vector_env(mode):
    how = {"policies": {"harvester": "steady"}}
    ours = GymVectorEnv("commons", DEADLY, num_envs=1, autoreset=mode, **how)
    theirs = SyncVectorEnv(
        [lambda: GymEnv("commons", DEADLY, **how)], autoreset_mode=AUTORESET_MODES[mode]
    )
    assert ours.metadata == theirs.metadata
    assert ours.action_space == theirs.action_space
    ours.action_space.seed(0)
    pairs = [(ours.reset(seed=9), theirs.reset(seed=9))]
    for _ in range(STEPS):
        action = ours.action_space.sample()
        pairs.append((ours.step(action), theirs.step(action)))
        if mode == "off" and (pairs[-1][0][2] | pairs[-1][0][3]).any():
            pairs.append(
                tuple(env.reset(options={"reset_mask": np.array([True])}) for env in (ours, theirs))
            )
    for mine, their in pairs:
        assert data_equivalence(mine[:-1], their[:-1], exact=True)
        assert set(mine[-1]) == set(their[-1])
        assert data_equivalence(mine[-1].get("final_obs"), their[-1].get("final_obs"), exact=True)
        info, wanted = (infos.get("final_info", infos) for infos in (mine[-1], their[-1]))
        assert set(info) == set(wanted)
        for name in set(info) & {"neighbours", "_neighbours", "reason", "_reason", "acting"}:
            assert data_equivalence(info[name], wanted[name], exact=True)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_an_agent_that_lives_as_long_as_the_episode_sees_the_engines_own_autoreset(mode):
    players = recorders("commons/wardens")
    env = GymVectorEnv(
        "commons/wardens", DEADLY, num_envs=NUM_ENVS, agent=6, policies=players, autoreset=mode
    )
    raw = mesocosm.make("commons/wardens", DEADLY, num_envs=NUM_ENVS, autoreset=mode)
    env.reset(seed=5)
    raw.reset(seed=5)
    role, rng = env._controlled.role, np.random.default_rng(3)
    ended = 0
    for _ in range(STEPS):
        drawn = wild(rng, role, (NUM_ENVS,))
        obs, *results, infos = env.step(to_sample(role, drawn))
        given = {name: player.played for name, player in players.items()}
        put([part[:, 0] for part in given["warden"]], drawn)
        step = raw.step(given)
        entries = (step.reward, step.terminated, step.truncated)
        same([obs], [step.obs["warden"][:, 0]], slice(None))
        same(results, [entry["warden"][:, 0] for entry in entries], slice(None))
        for k in np.flatnonzero(step.episode_over):
            ended += 1
            if mode == "same_step":
                assert np.array_equal(infos["final_obs"][k], step.final_obs["warden"][k, 0])
    assert ended >= NUM_ENVS


def test_seeds_repeat_a_run_and_zero_is_one():
    def run(seed):
        env = GymEnv("commons/wardens", DEADLY, agent=3)
        seen = [env.reset(seed=seed)[0]]
        env.action_space.seed(1)
        return [*seen, *(env.step(env.action_space.sample())[0] for _ in range(3))]

    assert data_equivalence(run(0), run(0), exact=True)
    assert not data_equivalence(run(0), run(1), exact=True)


def test_a_seed_repeats_what_the_others_play_also_on_a_used_env():
    env = GymEnv("commons")
    env.action_space.seed(1)
    action = env.action_space.sample()
    seen = []
    for _ in range(2):
        env.reset(seed=0)
        seen.append([env.step(action)[0] for _ in range(5)])
        env.reset()
    assert data_equivalence(seen[0], seen[1], exact=True)


def test_resetting_some_of_the_envs_that_are_over_leaves_the_others_over():
    env = GymVectorEnv("commons", {"core.max_steps": 1}, num_envs=2, autoreset="off")
    env.reset(seed=0)
    env.step(env.action_space.sample())
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(MesocosmError, match=r"envs \[1\] are over"):
        env.step(env.action_space.sample())


def test_the_first_reset_without_a_seed_uses_the_configs_and_the_next_goes_on():
    env, raw = GymEnv("commons", {"identity.seed": 4}), mesocosm.make("commons", seed=4)
    for _ in range(3):
        assert np.array_equal(env.reset()[0], raw.reset().obs[0, 0])
    assert np.array_equal(env.reset(seed=0)[0], raw.reset(seed=0).obs[0, 0])


def test_threads_change_nothing():
    one, two = (GymVectorEnv("commons", num_envs=4, threads=threads) for threads in (1, 2))
    one.action_space.seed(0)
    assert data_equivalence(one.reset(seed=1), two.reset(seed=1), exact=True)
    for _ in range(5):
        action = one.action_space.sample()
        assert data_equivalence(one.step(action), two.step(action), exact=True)


def test_results_are_copies():
    env = GymVectorEnv("commons", num_envs=2, target="python")
    env.action_space.seed(0)
    obs, infos = env.reset(seed=1)
    kept = obs.copy(), infos["neighbours"].copy()
    obs2, *_ = env.step(env.action_space.sample())
    assert np.array_equal(obs, kept[0])
    assert np.array_equal(infos["neighbours"], kept[1])
    assert not np.array_equal(obs2, obs)


def test_policies_are_taken_by_name_and_privileged_ones_get_the_truth():
    env = GymEnv("commons", policies={"harvester": "oracle"}, target="python")
    env.reset(seed=0)
    assert env.step(env.action_space.sample())[1] is not None
    with pytest.raises(UnknownName, match="no role named 'warden'"):
        GymEnv("commons", policies={"warden": "random"}, target="python")
    with pytest.raises(UnknownName, match="Did you mean 'same_step'"):
        GymVectorEnv("commons", num_envs=1, autoreset="samestep", target="python")


BAD = [None, 3, {"choice": [0, 0]}, {"choice": [0, 0], "level": [0.5]}]
BAD += [{"choice": [0.0, 0.0], "level": [0.5, 0.5]}, {"choice": [0, 0, 0], "level": [0.5, 0.5]}]


@pytest.mark.parametrize("action", BAD, ids=str)
def test_actions_of_the_wrong_form_are_refused(action):
    env = GymEnv("commons", target="python")
    env.reset(seed=0)
    with pytest.raises(ActionError):
        env.step(action)


def test_stepping_outside_an_episode_is_refused():
    env = GymEnv("commons", {"core.max_steps": 1}, target="python")
    with pytest.raises(MesocosmError, match=r"call reset\(\)"):
        env.step(env.action_space.sample())
    env.reset(seed=0)
    env.step(env.action_space.sample())
    with pytest.raises(MesocosmError, match=r"call reset\(\)"):
        env.step(env.action_space.sample())


def test_one_life_of_an_agent_that_respawns_is_one_episode(mayfly):
    env = GymEnv(mayfly(), target="python")
    env.reset(seed=0)
    results = [env.step(1) for _ in range(3)]
    assert [(result[1], result[2]) for result in results] == [
        (2.0, False),
        (2.0, False),
        (2.0, True),
    ]
    assert results[-1][4]["reason"] == "died"
    obs, _ = env.reset()
    assert obs[0] == pytest.approx(0.2)


def test_an_agent_that_is_not_born_yet_waits_for_its_life(mayfly):
    env = GymEnv(mayfly(unborn=1), target="python")
    _, info = env.reset(seed=0)
    assert not info["acting"]
    results = [env.step(1) for _ in range(5)]
    assert [result[1] for result in results] == [0.0, 0.0, 2.0, 2.0, 2.0]
    assert [result[2] for result in results] == [False] * 4 + [True]


def test_an_episode_that_ends_before_the_agent_is_born_ends_for_it_too(mayfly):
    env = GymEnv(mayfly(unborn=1, max_steps=1), target="python")
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step(1)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["reason"], info["outcome"]) == ("timeout", "timeout")
