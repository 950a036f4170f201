"""The PettingZoo adapters give every agent what the raw env gives it, in either order of play."""

import sys

import numpy as np
import pytest
from driving import (
    DEADLY,
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

import mesocosm
from mesocosm.adapters import ZooAECEnv, ZooParallelEnv
from mesocosm.core.errors import ActionError, MissingExtra, UnknownName

STEPS = 40


@pytest.mark.parametrize("kind", [ZooAECEnv, ZooParallelEnv])
def test_an_adapter_takes_archetypes(kind):
    env = kind("commons/turns", target="python", archetypes=["fog:0.5"])
    assert env._env._engine.provenance["archetypes"] == ["fog:0.5"]
    assert env._env._engine.config.layers.information.intensity == 0.5


class Mirror:
    """The raw env, addressed by the names of agents."""

    def __init__(self, adapter):
        how = {"target": adapter._env._engine.target, "autoreset": "off"}
        self.raw = mesocosm.make(adapter._env._engine.config, **how)
        self.slots = {
            f"{role.name}_{i}": (role, i)
            for role in self.raw.spec.roles.values()
            for i in range(role.num_agents)
        }

    def reset(self, seed):
        self.last = self.raw.reset(seed=seed)

    def step(self, drawn):
        given = {
            name: halves(role, role.action.noop((1, role.num_agents)))
            for name, role in self.raw.spec.roles.items()
        }
        for agent, both in drawn.items():
            role, i = self.slots[agent]
            put([part[0, i] for part in given[role.name]], both)
        self.vacant = {agent for agent in self.slots if self.get("terminated", agent)}
        self.last = self.raw.step(join(self.raw, given))

    def get(self, entry, agent):
        role, i = self.slots[agent]
        return np.array(per_role(getattr(self.last, entry), self.raw, role.name)[0, i])

    def end(self, agent):
        """Give termination and truncation; a slot that respawns ends with the episode only."""
        if self.slots[agent][0].respawn:
            if not self.last.episode_over[0]:
                return False, False
            if agent in self.vacant:
                cut = self.raw.spec.reasons[self.last.episode_reason[0] - 1].truncates
                return not cut, cut
        return bool(self.get("terminated", agent)), bool(self.get("truncated", agent))

    def acting(self):
        return [agent for agent in self.slots if self.get("acting", agent)]

    def draw(self, rng, agents):
        """Draw for some agents: as samples of their spaces, and as choices and levels."""
        drawn = {agent: wild(rng, self.slots[agent][0]) for agent in agents}
        return {agent: to_sample(self.slots[agent][0], drawn[agent]) for agent in agents}, drawn


def episodes(env, mirror):
    """Start a few episodes in both; give what the adapter's reset gave."""
    for seed in (7, None, None, None):
        mirror.reset(seed)
        yield env.reset(seed=seed)


def check_info(info, mirror, agent):
    role, _ = mirror.slots[agent]
    assert np.array_equal(flat_mask(role, info), mirror.get("mask", agent))
    assert info["acting"] == mirror.get("acting", agent)
    if any(mirror.end(agent)) and not role.respawn:
        wanted = names(mirror.raw, mirror.get("reason", agent), mirror.get("outcome", agent))
        assert (info["reason"], info["outcome"]) == wanted


def test_a_parallel_env_equals_the_raw_env_for_any_actions(case):
    env = ZooParallelEnv(**case)
    mirror, rng, reasons = Mirror(env), np.random.default_rng(1), set()
    for observations, first in episodes(env, mirror):
        assert env.agents == env.possible_agents == list(mirror.slots)
        for agent in env.agents:
            assert np.array_equal(observations[agent], mirror.get("obs", agent))
            check_info(first[agent], mirror, agent)
        for _ in range(STEPS):
            before = list(env.agents)
            actions, drawn = mirror.draw(rng, before)
            results = env.step(actions)
            mirror.step(drawn)
            assert all(list(entry) == before for entry in results)
            seen, rewards, terminations, truncations, infos = results
            for agent in before:
                assert np.array_equal(seen[agent], mirror.get("obs", agent))
                assert rewards[agent] == mirror.get("reward", agent)
                assert (terminations[agent], truncations[agent]) == mirror.end(agent)
                check_info(infos[agent], mirror, agent)
            ended = [agent for agent in before if terminations[agent] or truncations[agent]]
            assert env.agents == [agent for agent in before if agent not in ended]
            assert bool(env.agents) != mirror.last.episode_over[0]
            reasons |= {infos[agent]["reason"] for agent in ended}
            if not env.agents:
                break
    assert reasons or not ends_soon(case)


def pay(mirror, collected, owed):
    """Play a step and add up what everybody is owed."""
    mirror.step(collected)
    for each in owed:
        owed[each] += float(mirror.get("reward", each))


def move_on(mirror, owed):
    """Play steps in which nobody can act."""
    while not mirror.acting() and not mirror.last.episode_over[0]:
        pay(mirror, {}, owed)


def test_an_aec_env_equals_the_raw_env_for_any_actions(case):
    env = ZooAECEnv(**case)
    mirror, rng, reasons = Mirror(env), np.random.default_rng(1), set()
    for _ in episodes(env, mirror):
        owed, collected = dict.fromkeys(mirror.slots, 0.0), {}
        move_on(mirror, owed)
        for agent in env.agent_iter(STEPS * len(owed)):
            obs, reward, *end, info = env.last()
            gone = mirror.get("terminated", agent) or mirror.get("truncated", agent)
            lost = gone and not mirror.slots[agent][0].respawn
            assert np.array_equal(obs, mirror.get("final_obs" if lost else "obs", agent))
            assert reward == owed[agent]
            assert tuple(end) == mirror.end(agent)
            check_info(info, mirror, agent)
            if any(end):
                reasons.add(info["reason"])
                env.step(None)
                continue
            assert agent == mirror.acting()[len(collected)]
            actions, drawn = mirror.draw(rng, [agent])
            env.step(actions[agent])
            collected |= drawn
            owed[agent] = 0.0
            if len(collected) == len(mirror.acting()):
                pay(mirror, collected, owed)
                collected = {}
                move_on(mirror, owed)
        assert bool(env.agents) != mirror.last.episode_over[0]
    assert reasons or not ends_soon(case)


@pytest.mark.parametrize("make_env", [ZooParallelEnv, ZooAECEnv])
def test_starved_agents_leave_while_the_others_live_on(make_env):
    env = make_env("commons", DEADLY)
    env.reset(seed=7)
    idle = {"choice": np.zeros(2, int), "level": np.zeros(2)}
    busy = {"choice": np.zeros(2, int), "level": np.array([1.0, 0.0])}
    for _ in range(40):
        chosen = {agent: idle if agent == "harvester_2" else busy for agent in env.agents}
        if make_env is ZooParallelEnv:
            env.step(chosen)
        else:
            agent = env.agent_selection
            env.step(None if env.terminations[agent] else chosen[agent])
        if "harvester_2" not in env.agents:
            break
    assert "harvester_2" not in env.agents
    assert "harvester_0" in env.agents


@pytest.mark.parametrize("preset", ["commons/turns", "commons/scarce"])
def test_in_a_world_with_turns_each_action_is_one_step(preset):
    env = ZooAECEnv(preset)
    env.reset(seed=1)
    for steps in range(1, 10):
        env.step(env.action_space(env.agent_selection).sample())
        assert env._env._engine.truth("clock")[0] == steps


def test_in_a_parallel_env_with_turns_only_the_acting_agents_action_counts():
    one, two = ZooParallelEnv("commons/turns"), ZooParallelEnv("commons/turns")
    _, infos = one.reset(seed=1)
    two.reset(seed=1)
    for agent in one.agents:
        one.action_space(agent).seed(0)
        two.action_space(agent).seed(0 if infos[agent]["acting"] else 1)
    assert sum(info["acting"] for info in infos.values()) == 1
    ones, twos = (
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
        for env in (one, two)
    )
    assert all(np.array_equal(ones[0][agent], twos[0][agent]) for agent in one.agents)


def test_actions_must_be_given_for_exactly_the_agents_that_take_part():
    env = ZooParallelEnv("commons", target="python")
    env.reset(seed=0)
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    with pytest.raises(ActionError, match=r"missing \['harvester_0'\]"):
        env.step({agent: actions[agent] for agent in env.agents[1:]})
    with pytest.raises(ActionError, match=r"not taking part \['nobody_0'\]"):
        env.step(actions | {"nobody_0": 0})
    with pytest.raises(ActionError, match="an action must have shape"):
        env.step(actions | {"harvester_0": {"choice": [0], "level": [0.0, 0.0]}})
    with pytest.raises(UnknownName, match="Did you mean 'harvester_0'"):
        env.action_space("harvester0")


def test_a_refused_action_leaves_the_turn_where_it_was():
    env = ZooAECEnv("commons", target="python")
    env.reset(seed=0)
    with pytest.raises(ActionError):
        env.step(None)
    assert env.agent_selection == "harvester_0"


def test_an_action_that_is_changed_after_it_was_given_stays_as_it_was_given():
    one, two = (ZooAECEnv("commons", target="python") for _ in range(2))
    for env in (one, two):
        env.reset(seed=0)
        for _ in env.possible_agents:
            action = {"choice": np.array([0, 0]), "level": np.array([0.5, 0.0])}
            env.step(action)
            if env is two:
                action["level"][:] = 1.0
    assert np.array_equal(one.observe("harvester_0"), two.observe("harvester_0"))


def test_observations_are_copies():
    env = ZooAECEnv("commons", target="python")
    env.reset(seed=0)
    first = env.observe("harvester_0")
    first[:] = -5.0
    assert env.observe("harvester_0").min() >= -1.0


def fly(env, steps):
    """Let every agent of a parallel env play 1 or its like; give what the first one got."""
    rest = {"stone_0": np.zeros(2, np.float32), "clerk_0": np.zeros(2, np.int64)}
    got = []
    for _ in range(steps):
        actions = {agent: rest.get(agent, 1) for agent in env.agents}
        got.append([entry.get("mayfly_0") for entry in env.step(actions)])
    return got


def test_a_life_ends_in_the_info_and_the_slot_stays_until_the_episode_ends(mayfly):
    env = ZooParallelEnv(mayfly(), target="python")
    env.reset(seed=0)
    got = fly(env, 11)
    infos = [entry[4] for entry in got]
    # three steps of life, then born in the second step after its end; time cuts the third short
    assert [info["life_ended"] for info in infos] == [k in (2, 7, 10) for k in range(11)]
    assert [info["generation"] for info in infos] == [0] * 4 + [1] * 5 + [2] * 2
    assert [entry[1] for entry in got] == [2.0] * 3 + [0.0] * 2 + [2.0] * 3 + [0.0] * 2 + [2.0]
    assert [info["acting"] for info in infos[:6]] == [True, True, False, False, True, True]
    assert infos[2]["reason"] == "died"
    assert infos[2]["final_observation"][0] == pytest.approx(0.5)
    assert not any(entry[2] for entry in got)
    assert [entry[3] for entry in got] == [False] * 10 + [True]
    assert infos[10]["reason"] == "timeout"
    assert env.agents == []


def test_a_slot_that_is_vacant_when_the_episode_ends_ends_with_it(mayfly):
    env = ZooParallelEnv(mayfly(max_steps=4), target="python")
    env.reset(seed=0)
    last = fly(env, 4)[-1]
    assert (last[2], last[3]) == (False, True)
    assert last[4]["reason"] == "timeout"
    assert not last[4]["life_ended"]


def test_in_aec_order_the_end_of_a_life_is_told_at_the_agents_next_turn(mayfly):
    env = ZooAECEnv(mayfly(same_age=True, turns="state"), target="python")
    env.reset(seed=0)
    told = []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        if agent == "mayfly_0":
            told.append((reward, info["life_ended"], info["generation"]))
        env.step(None if terminated or truncated else 1)
    # nobody can act while all mayflies await rebirth, so the world moves on to it alone
    first = [(0.0, False, 0), (2.0, False, 0), (2.0, False, 0)]
    second = [(2.0, True, 1), (2.0, False, 1), (2.0, False, 1)]
    assert told == [*first, *second, (2.0, True, 2), (2.0, True, 2)]


def test_an_agent_that_ends_while_the_world_moves_on_alone_keeps_its_last_moment(mayfly):
    env = ZooAECEnv(mayfly(same_age=True, turns="state", stone_end=4), target="python")
    env.reset(seed=0)
    for agent in env.agent_iter():
        obs, _, terminated, _, info = env.last()
        if agent == "stone_0":
            break
        env.step(1)
    assert (
        env._env._engine.truth("age")[0, 0] == 0
    )  # two steps were played alone, up to the rebirth
    assert terminated
    assert info["reason"] == "died"
    assert obs[1] == 1.0
    env.step(None)
    assert env.agents == ["mayfly_0", "mayfly_1", "clerk_0"]
    assert env.agent_selection == "mayfly_0"


@pytest.mark.parametrize(
    ("library", "module", "name"),
    [("gymnasium", "gymnasium", "Gymnasium"), ("pettingzoo", "pettingzoo", "PettingZoo")],
)
def test_a_missing_library_is_named_with_its_extra(monkeypatch, library, module, name):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"mesocosm.adapters.{module}", raising=False)
    wanted = rf"the {name} adapter needs {library}: pip install .*\[gym\]'"
    with pytest.raises(MissingExtra, match=wanted):
        __import__(f"mesocosm.adapters.{module}")
