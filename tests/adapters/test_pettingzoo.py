"""The PettingZoo adapters give every agent what the raw env gives it, in either order of play."""

import sys

import numpy as np
import pytest
from beside import DEADLY, join, per_role, to_raw, wild

import mesocosm
from mesocosm.adapters import ZooAECEnv, ZooParallelEnv
from mesocosm.core.action import Action
from mesocosm.core.errors import ActionError, MissingExtra, UnknownName
from mesocosm.core.spec import OUTCOMES

each_preset = pytest.mark.parametrize("preset", mesocosm.presets())


class Mirror:
    """The raw env, addressed by the names of agents."""

    def __init__(self, preset, overrides):
        self.raw = mesocosm.make(preset, overrides, autoreset="off")
        self.slots = {
            f"{role.name}_{i}": (role, i)
            for role in self.raw.spec.roles.values()
            for i in range(role.num_agents)
        }

    def reset(self, seed):
        self.last = self.raw.reset(seed=seed)

    def step(self, actions):
        given = {
            name: Action(*(part.copy() for part in role.action.noop((1, role.num_agents))))
            for name, role in self.raw.spec.roles.items()
        }
        for agent, action in actions.items():
            role, i = self.slots[agent]
            for all_, mine in zip(given[role.name], to_raw(role, action, ()), strict=True):
                all_[0, i] = mine
        self.last = self.raw.step(join(self.raw, given))

    def get(self, entry, agent):
        role, i = self.slots[agent]
        return np.array(per_role(getattr(self.last, entry), self.raw, role.name)[0, i])

    def acting(self):
        return [agent for agent in self.slots if self.get("acting", agent)]

    def draw(self, rng, agents):
        return {agent: wild(rng, self.slots[agent][0]) for agent in agents}


def episodes(env, mirror):
    """Start a few episodes in both; give what the adapter's reset gave."""
    for seed in (7, None, None, None):
        mirror.reset(seed)
        yield env.reset(seed=seed)


def check_infos(infos, mirror):
    for agent, info in infos.items():
        choice = info["action_mask"]["choice"]
        parts = choice if isinstance(choice, tuple) else (choice,)
        assert np.array_equal(np.concatenate(parts), mirror.get("mask", agent))
        assert info["acting"] == mirror.get("acting", agent)
        if mirror.get("terminated", agent) or mirror.get("truncated", agent):
            reason = mirror.raw.spec.reason_name(int(mirror.get("reason", agent)))
            outcome = OUTCOMES[int(mirror.get("outcome", agent))]
            assert (info["reason"], info["outcome"]) == (reason, outcome)


@each_preset
def test_a_parallel_env_equals_the_raw_env_for_any_actions(preset):
    env, mirror = ZooParallelEnv(preset, DEADLY), Mirror(preset, DEADLY)
    rng, reasons = np.random.default_rng(1), set()
    for observations, first in episodes(env, mirror):
        assert env.agents == env.possible_agents == list(mirror.slots)
        assert all(np.array_equal(observations[k], mirror.get("obs", k)) for k in env.agents)
        check_infos(first, mirror)
        while env.agents:
            actions = mirror.draw(rng, env.agents)
            before = list(env.agents)
            results = env.step(actions)
            mirror.step(actions)
            seen, rewards, terminations, truncations, infos = results
            assert all(list(entry) == before for entry in results)
            entries = {"obs": seen, "reward": rewards}
            entries |= {"terminated": terminations, "truncated": truncations}
            for name, entry in entries.items():
                for agent, got in entry.items():
                    assert np.array_equal(got, mirror.get(name, agent))
            check_infos(infos, mirror)
            ended = [agent for agent in before if terminations[agent] or truncations[agent]]
            assert env.agents == [agent for agent in before if agent not in ended]
            reasons |= {infos[agent]["reason"] for agent in ended}
        assert mirror.last.episode_over[0]
    assert "starved" in reasons


@each_preset
def test_an_aec_env_equals_the_raw_env_for_any_actions(preset):
    env, mirror = ZooAECEnv(preset, DEADLY), Mirror(preset, DEADLY)
    rng, reasons = np.random.default_rng(1), set()
    for _ in episodes(env, mirror):
        owed, collected, ended = dict.fromkeys(mirror.slots, 0.0), {}, []
        for agent in env.agent_iter():
            obs, reward, terminated, truncated, info = env.last()
            assert np.array_equal(obs, mirror.get("obs", agent))
            assert reward == owed[agent]
            assert terminated == mirror.get("terminated", agent)
            assert truncated == mirror.get("truncated", agent)
            check_infos({agent: info}, mirror)
            if terminated or truncated:
                ended.append(agent)
                reasons.add(info["reason"])
                env.step(None)
                continue
            assert agent == mirror.acting()[len(collected)]
            collected |= mirror.draw(rng, [agent])
            env.step(collected[agent])
            owed[agent] = 0.0
            if len(collected) == len(mirror.acting()):
                mirror.step(collected)
                collected = {}
                for each in owed:
                    owed[each] += float(mirror.get("reward", each))
        assert sorted(ended) == sorted(env.possible_agents)
        assert mirror.last.episode_over[0]
    assert "starved" in reasons


@pytest.mark.parametrize("preset", ["commons/turns", "commons/scarce"])
def test_in_a_world_with_turns_each_action_is_one_step(preset):
    env = ZooAECEnv(preset)
    env.reset(seed=1)
    for steps in range(1, 10):
        env.step(env.action_space(env.agent_selection).sample())
        assert env.raw.truth("clock")[0] == steps


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
    assert env.raw.truth("age")[0, 0] == 0  # two steps were played alone, up to the rebirth
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
    monkeypatch.delitem(sys.modules, f"mesocosm.adapters.{module}")
    wanted = rf"the {name} adapter needs {library}: pip install 'mesocosm\[gym\]'"
    with pytest.raises(MissingExtra, match=wanted):
        __import__(f"mesocosm.adapters.{module}")
