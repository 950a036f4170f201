"""The scripted crew: it plays the whole game, better than random, and as well from both sides."""

import numpy as np
import pytest
from cogs_vs_clips import PRESET

import mesocosm as meso
from mesocosm.core.errors import MesocosmError
from mesocosm.core.policy import RandomPolicy
from mesocosm.worlds.mettagrid.compile.plan import plan
from mesocosm.worlds.mettagrid.players.crew import Crew
from mesocosm.worlds.mettagrid.players.goals import MIX, ROLES
from mesocosm.worlds.mettagrid.players.sides import Sides

STEPS, TEAM = 500, 8


class Game:
    """Steps a policy through a game, one batch step at a time."""

    def __init__(self, policy, num_envs, seed=100, **options):
        self.env = meso.make(PRESET, num_envs=num_envs, seed=seed, **options)
        self.policy, self.beginnings = policy, meso.Beginnings(self.env)
        policy.reset(self.env.spec.roles["cog"], num_envs, seed)
        self.step = self.env.reset()

    def play(self):
        step = self.step
        began = self.beginnings.follow(step)
        self.action = self.policy.act(step.obs, step.mask, step.info, began)
        self.step = self.env.step(self.action)
        return self.step


def returns(policy, num_envs):
    """Return what the mean agent of each team earned in an episode, float64 [env, team]."""
    game = Game(policy, num_envs)
    total = np.zeros((num_envs, 2))
    for _ in range(STEPS):
        total += np.asarray(game.play().reward).reshape(num_envs, 2, TEAM).mean(-1)
    return total


def lowest(values):
    """Return the lower end of the 95 % interval of a mean."""
    return values.mean() - 1.96 * values.std(ddof=1) / np.sqrt(len(values))


@pytest.mark.parametrize("side", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_crew_beats_random_from_either_side_in_twenty_games(side):
    players = [Crew(), RandomPolicy()]
    earned = returns(Sides(*(players if side == 0 else players[::-1])), 20)
    assert lowest(earned[:, side] - earned[:, 1 - side]) > 35.0
    assert (earned[:, side] > earned[:, 1 - side]).all()


@pytest.mark.slow
def test_crews_of_both_sides_earn_alike_in_twenty_games():
    earned = returns(Crew(), 20)
    lead = earned[:, 0] - earned[:, 1]
    assert lowest(lead) < 0.0 < -lowest(-lead)
    assert earned.mean() > 10.0


@pytest.mark.slow
@pytest.mark.parametrize("lacks", ROLES[:3])
def test_crew_without_a_role_is_beaten_by_a_whole_one(lacks):
    other = "scout" if lacks != "scout" else "miner"
    mix = tuple(other if name == lacks else name for name in MIX)
    earned = returns(Sides(Crew(), Crew(mix)), 12)
    assert lowest(earned[:, 0] - earned[:, 1]) > 0.0


class Witness:
    """Notes which things of the game happen at all."""

    def __init__(self, env):
        self.env, self.made, self.seen = env, plan(env.config.core), set()
        self.names = env.spec.extras["tags"]
        kinds = [self.made.kinds[k].name for k in self.made.kind_of[: self.made.num_things]]
        self.slots = {name: [k for k, x in enumerate(kinds) if x == name] for name in set(kinds)}
        self.last = None

    def amounts(self, now, things, *resources):
        columns = [self.env.config.core.resources.index(name) for name in resources]
        return now["amount"][:, things][:, :, columns].sum(-1)

    def tagged(self, now, things, tag):
        return (now["tag"][:, things, 0] >> self.names.index(tag) & 1).astype(bool)

    def look(self):
        now = {name: self.env.truth(name) for name in ("amount", "tag", "row", "col", "clock")}
        if self.last is not None:
            self.compare(self.last, now)
        self.last = now

    def note(self, name, happened):
        if np.any(happened):
            self.seen.add(name)

    def compare(self, last, now):
        cogs, junctions = slice(0, 16), self.slots["junction"]
        for role in ROLES:
            more = self.amounts(now, cogs, role) > self.amounts(last, cogs, role)
            self.note(f"{role} station", more)
        for metal in ("copper", "silica"):
            self.note(
                f"{metal} mined", self.amounts(now, cogs, metal) > self.amounts(last, cogs, metal)
            )
            self.note(f"{metal} lode gone", now["row"][:, self.slots[f"{metal}_lode"]] < 0)
        for team in ("amber", "teal"):
            hub = self.slots[f"hub_{team}"]
            stock = [self.amounts(x, hub, "copper", "silica")[:, 0] for x in (last, now)]
            self.note(f"{team} delivered", stock[1] > stock[0])
            empty = (self.amounts(last, hub, "heart") == 0) & (self.amounts(now, hub, "heart") == 0)
            gained = self.amounts(now, cogs, "heart") > self.amounts(last, cogs, "heart")
            self.note(
                f"{team} heart made", empty[:, 0] & gained.any(1) & (stock[0] - stock[1] >= 8)
            )
            self.note(f"{team} aligned", self.tagged(now, junctions, f"team:{team}"))
            lost = self.tagged(last, junctions, f"team:{team}") & ~self.tagged(
                now, junctions, f"team:{team}"
            )
            self.note(f"{team} lost", lost)
            self.note(f"{team} lost several at once", lost.sum(1) > 1)
        self.note("clips spread", self.tagged(now, junctions, "team:clips"))
        freed = self.tagged(last, junctions, "team:clips") & ~self.tagged(
            now, junctions, "team:clips"
        )
        self.note("clips scrambled", freed)
        self.note("lit", self.tagged(now, junctions, "lit"))
        self.note(
            "burnt out", self.tagged(last, junctions, "lit") & ~self.tagged(now, junctions, "lit")
        )
        sun = self.amounts(now, cogs, "solar") - self.amounts(last, cogs, "solar")
        self.note("dusk", sun < 0)
        self.note("dawn", sun > 0)
        hull = self.amounts(now, cogs, "hull") - self.amounts(last, cogs, "hull")
        self.note("mended", hull == 4)
        self.note("worn by others' land", hull == -3)
        far = abs(now["row"][:, cogs] - last["row"][:, cogs]) + abs(
            now["col"][:, cogs] - last["col"][:, cogs]
        )
        self.note("towed", far > 1)


def test_every_station_event_and_handler_is_seen_when_the_crew_plays():
    game = Game(Crew(), 8, seed=7, autoreset="off")
    witness = Witness(game.env)
    for _ in range(STEPS):
        witness.look()
        game.play()
    teams = ("delivered", "heart made", "aligned", "lost", "lost several at once")
    expected = {f"{team} {what}" for team in ("amber", "teal") for what in teams}
    expected |= {f"{role} station" for role in ROLES}
    expected |= {
        f"{metal} {what}" for metal in ("copper", "silica") for what in ("mined", "lode gone")
    }
    expected |= {"clips spread", "clips scrambled", "lit", "burnt out", "dusk", "dawn", "mended"}
    expected |= {"worn by others' land", "towed"}
    assert witness.seen == expected


def test_crew_plays_the_same_actions_again_with_the_same_seed():
    games = [Game(Crew(), 2) for _ in range(2)]
    for _ in range(60):
        for game in games:
            game.play()
        assert np.array_equal(games[0].action, games[1].action)


def test_crew_begins_anew_in_the_next_episode():
    game = Game(Crew(), 2)
    for _ in range(STEPS + 150):
        game.play()
    stats = game.env.truth("game_stat")
    assert (stats.max(1) > 2).all()


def test_sides_play_each_group_by_its_own_policy():
    class Fixed:
        privileged = False

        def __init__(self, number):
            self.number = number

        def reset(self, spec, num_envs, seed):
            pass

        def act(self, obs, mask, info, began):
            return np.full((*began.shape, 1), self.number)

    game = Game(Sides(Fixed(1), Fixed(2)), 3)
    game.play()
    assert (game.action[:, :TEAM] == 1).all()
    assert (game.action[:, TEAM:] == 2).all()


def test_crew_refuses_a_role_without_tokens():
    role = meso.make("commons", target="python").spec.roles["harvester"]
    with pytest.raises(MesocosmError, match="does not see tokens"):
        Crew().reset(role, 1, 0)
