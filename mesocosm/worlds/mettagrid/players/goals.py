"""What the agents of a crew want: a goal for each by its role and state, and what that is about."""

import numpy as np

from mesocosm.worlds.mettagrid.players.memory import STALE_WEIGHT, Wanted
from mesocosm.worlds.mettagrid.players.sight import Sight, Window

ROLES = ("miner", "aligner", "scrambler", "scout")
MINER, ALIGNER, SCRAMBLER, SCOUT = range(4)
MIX = ("miner", "aligner", "miner", "scrambler", "aligner", "miner", "scrambler", "scout")
EXPLORE, PATROL, HEAL, DRESS, HUB, MINE, DELIVER, ALIGN, SCRAMBLE, LIGHT = range(10)
ALONE, ALONE_WEIGHT = (PATROL, ALIGN, SCRAMBLE, LIGHT), 20.0  # goals that one at a time is after
NEUTRAL_LAND, OWN_LAND, FOREIGN_LAND = range(3)
SPARE_HULL, GOOD_HULL, FOREIGN_WEAR = 8, 45, 3
MINER_LOAD, HAND_LOAD, MAX_HEARTS = 18, 4, 3
HEART_PRICE, GEAR_PRICE = 4, 2
SIGHT, SCOUT_SIGHT = 4, 6
HOMEWARD = 0.5  # what the way from the hub counts beside the own way


class Goals:
    """Chooses goals for all agents of a batch from what each sees."""

    def __init__(self, sight: Sight, mix: np.ndarray, agents: int) -> None:
        self._sight, self._mix = sight, mix
        self._healing = np.zeros(agents, bool)
        self._refuge = np.zeros((agents, 2), np.int64)  # where it was last on land of its own

    def begin(self, who: np.ndarray) -> None:
        """Forget what was before."""
        self._healing[who], self._refuge[who] = False, 0

    def own(self, window: Window, name: str) -> np.ndarray:  # int64 [agent]
        """Return a number that agents are told of themselves."""
        return np.asarray(window.own[:, self._sight.feature(name)])

    def position(self, window: Window) -> np.ndarray:  # int64 [agent, 2]
        """Return where agents are, from where they began."""
        down = self.own(window, "lp:south") - self.own(window, "lp:north")
        return np.stack([down, self.own(window, "lp:east") - self.own(window, "lp:west")], -1)

    def radius(self, window: Window) -> np.ndarray:  # int64 [agent]
        """Return how far agents see."""
        far = np.where(self.own(window, "inv:scout") > 0, SCOUT_SIGHT, SIGHT)
        return np.minimum(far, self._sight.radius)

    def role(self, window: Window) -> np.ndarray:  # int64 [agent]
        """Return the roles of agents, by their ids."""
        return np.asarray(self._mix[self.own(window, "agent_id") % len(self._mix)])

    def team(self, window: Window) -> np.ndarray:  # int64 [agent]
        """Return the tags of agents' own teams, as bits."""
        half = window.tags.shape[1] // 2
        return np.asarray(window.tags[:, half, half] & self._sight.tags_with("team:"))

    def holding(self, window: Window) -> np.ndarray:  # int64 [agent]
        """Number what agents hold, so that it shows whether a use changed something."""
        total = np.zeros(len(window.own), np.int64)
        for k, name in enumerate(("copper", "silica", "heart", *ROLES)):
            total += self.own(window, f"inv:{name}") << (5 * k)
        return total

    def choose(self, window: Window, at: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Choose what each agent is up to, int64 [agent]."""
        self._tend(window, at)
        role, hearts = self.role(window), self.own(window, "inv:heart")
        gear = np.stack([self.own(window, f"inv:{name}") for name in ROLES], -1)
        dressed = np.take_along_axis(gear, role[:, None], 1)[:, 0] > 0
        cargo = self.own(window, "inv:copper") + self.own(window, "inv:silica")
        stock = np.minimum(self.own(window, "team:copper"), self.own(window, "team:silica"))
        load = np.where(dressed & (role == MINER), MINER_LOAD, HAND_LOAD)
        hauling = (cargo >= load) | ((last == DELIVER) & (cargo > 0))
        mining = np.where(hauling, DELIVER, MINE)
        can_get = (self.own(window, "team:heart") > 0) | (stock >= HEART_PRICE)
        wants = (hearts == 0) | ((last == HUB) & (hearts < MAX_HEARTS))
        errand = np.where(role == ALIGNER, ALIGN, SCRAMBLE)
        fighting = np.where(wants & can_get, HUB, np.where(hearts > 0, errand, mining))
        working = np.select([role == MINER, role == SCOUT], [mining, LIGHT], fighting)
        dressing = np.where(stock >= GEAR_PRICE, DRESS, mining)
        return np.where(self._healing, HEAL, np.where(dressed, working, dressing))

    def _tend(self, window: Window, at: np.ndarray) -> None:
        """Decide who must go back to land of its own before its hull breaks."""
        land, hull = self.own(window, "territory:here"), self.own(window, "inv:hull")
        self._refuge = np.where((land == OWN_LAND)[:, None], at, self._refuge)
        wear = np.where(land == FOREIGN_LAND, FOREIGN_WEAR, 1)
        need = SPARE_HULL + wear * np.abs(at - self._refuge).sum(-1)
        self._healing = np.where(self._healing, hull < GOOD_HULL, hull <= need)

    def instead(self, window: Window) -> np.ndarray:  # int64 [2, agent]
        """Return what agents do if what they want is nowhere: first this, else that."""
        role = self.role(window)
        guards = (role == ALIGNER) | (role == SCRAMBLER)
        return np.where(guards, [[PATROL], [EXPLORE]], [[EXPLORE], [PATROL]])

    def wanted(self, goal: np.ndarray, window: Window) -> Wanted:
        """Say by tags what each goal is about."""
        tag, team = self._sight.tag, self.team(window)
        teams = self._sight.tags_with("team:")
        short = self.own(window, "team:copper") <= self.own(window, "team:silica")
        lode = np.where(short, tag("type:copper_lode"), tag("type:silica_lode"))
        station = np.array([tag(f"type:{name}_station") for name in ROLES])[self.role(window)]
        junction, hub, lit = tag("type:junction"), tag("hub"), tag("lit")
        rules = {  # all of these, one of these, none of these
            PATROL: (junction, 0, team),
            HEAL: (team, junction | hub, 0),
            DRESS: (station, 0, 0),
            HUB: (team | hub, 0, 0),
            MINE: (lode, 0, 0),
            DELIVER: (team, junction | hub, 0),
            ALIGN: (junction, 0, teams),
            SCRAMBLE: (junction, teams & ~team, team),
            LIGHT: (team | junction, 0, lit),
        }
        parts = [np.zeros_like(team) for _ in range(3)]
        for kind, rule in rules.items():
            for part, bits in zip(parts, rule, strict=True):
                np.copyto(part, bits, where=goal == kind)
        home = np.where((goal == ALIGN) | (goal == SCRAMBLE), HOMEWARD, 0.0)
        stale = np.where(goal == PATROL, STALE_WEIGHT, 0.0)
        alone = np.where(np.isin(goal, ALONE), ALONE_WEIGHT, 0.0)
        return Wanted(parts[0], parts[1], parts[2], home, stale, alone)
