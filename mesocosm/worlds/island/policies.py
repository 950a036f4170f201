"""Scripted sides: each step they look at what they know and give one order, or a few."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.policy import NoopPolicy, Policy
from mesocosm.core.spec import Role
from mesocosm.worlds.island import declare, observe, state, tables
from mesocosm.worlds.island.agent.masks import (
    GIVES,
    TAKES,
    engageable,
    entity_rows,
    group_domains,
    group_rows,
)
from mesocosm.worlds.island.declare import ORDERS, PARTS

NEVER = -np.inf
FULL, SHORT_OF_FUEL = 0.95, 0.35
IDLE_TASKS = (state.IDLE, state.PATROL)


class View(NamedTuple):
    """What a side knows, for every env."""

    unit: np.ndarray  # float32 [env, id, 52]
    group: np.ndarray  # float32 [env, id, 12]
    orders: np.ndarray  # int64 [env, id]: bits
    weapons: np.ndarray  # float64 [env, id, 3]
    packages: np.ndarray  # int64 [env, id]
    hoses: np.ndarray  # int64 [env, id, 2]
    can: np.ndarray  # bool [env, id, group]
    domain: np.ndarray  # int64 [env, group]
    task: np.ndarray  # int64 [env, id]
    steps: np.ndarray  # int64 [env]


class Intent(NamedTuple):
    """Orders that could be given: how good each unit is for it, and how the order reads."""

    score: np.ndarray  # float64 [env, id]; -inf where it does not apply
    fill: Callable[[np.ndarray, np.ndarray], dict[str, Any]]  # (envs, units) -> parts


class Commander(ABC):
    """Gives the first order that its intents offer, in their order."""

    privileged = False

    def reset(self, spec: Role, num_envs: int, seed: int) -> None:
        self._spec, self._lead = spec, (num_envs, spec.num_agents)
        names = [part.name for part in spec.action.choices]
        self._numbers = len(names) // len(PARTS)
        cells = len(spec.action.choices[declare.CENTRE].options)
        self._grid = round(cells**0.5)
        self._rng = np.random.default_rng(seed)
        num_units = spec.observation.feature("entities").shape[0]
        self._home = np.zeros((num_envs, 2))
        self._asked = np.zeros((num_envs, num_units))

    def act(
        self, obs: np.ndarray, mask: np.ndarray, info: dict[str, np.ndarray], began: np.ndarray
    ) -> Any:
        told = {name: np.asarray(values)[:, 0] for name, values in info.items()}
        now = self._view(np.asarray(obs)[:, 0], told)
        self._start_wars(now, np.asarray(began)[:, 0])
        action = self._spec.action.noop(self._lead)
        free = np.ones(now.orders.shape, bool)
        for number in range(self._numbers):
            waiting = np.ones(self._lead[0], bool)
            for intent in self.intents(now):
                score = np.where(free, intent.score, NEVER)
                unit = score.argmax(-1)
                envs = np.flatnonzero(waiting & (score.max(-1) > NEVER))
                if envs.size:
                    parts = {"entity_id": unit[envs], **intent.fill(envs, unit[envs])}
                    for name, value in parts.items():
                        action[envs, 0, number * len(PARTS) + PARTS.index(name)] = value
                    waiting[envs] = False
                    free[envs, unit[envs]] = False
                    self._asked[envs, unit[envs]] = now.steps[envs] + 1
                if not waiting.any():
                    break
        return action

    @abstractmethod
    def intents(self, now: View) -> Iterator[Intent]:
        """Offer orders, the most urgent first."""

    def _view(self, obs: np.ndarray, told: dict[str, np.ndarray]) -> View:
        unit = entity_rows(self._spec, obs)
        return View(
            unit,
            group_rows(self._spec, obs),
            told["orders"].astype(int),
            told["weapons"],
            told["packages"].astype(int),
            told["hoses"].astype(int),
            engageable(self._spec, obs, told),
            group_domains(self._spec, obs),
            np.rint(unit[..., observe.MANOEUVER] * state.DECK).astype(int),
            told["steps"].astype(int),
        )

    def _start_wars(self, now: View, began: np.ndarray) -> None:
        """Note where home is in wars that begin, and that nobody got an order there yet."""
        alive = now.unit[..., observe.HEALTH] > 0
        for axis, column in enumerate((observe.GRID_X, observe.GRID_Y)):
            middle = (now.unit[..., column] * alive).sum(-1) / np.maximum(alive.sum(-1), 1)
            self._home[began, axis] = middle[began]
        self._asked[began] = 0

    def rested(self, now: View, steps: int) -> np.ndarray:
        """Return which units got no order for some steps."""
        return (self._asked == 0) | (now.steps[:, None] - self._asked >= steps)

    def is_free(self, now: View) -> np.ndarray:
        """Return which units have nothing better to do, or are ready on deck."""
        full = (now.task == state.DECK) & (now.unit[..., observe.FUEL] >= FULL)
        return np.isin(now.task, IDLE_TASKS) | full

    def able(self, now: View, order: int) -> np.ndarray:
        """Return which units can take an order."""
        return (now.orders >> order & 1) == 1

    def engage(
        self,
        now: View,
        allowed: np.ndarray | None = None,
        *,
        usage: int = declare.FREE,
        level: int = declare.ASSERTIVE,
    ) -> Intent:
        """Send the unit that is nearest to a group it can hit; `allowed` is [env, id, group]."""
        x = now.unit[..., None, observe.GRID_X] - now.group[:, None, :, state.GROUP_X]
        y = now.unit[..., None, observe.GRID_Y] - now.group[:, None, :, state.GROUP_Y]
        away = np.sqrt(x * x + y * y)
        away[~(now.can if allowed is None else now.can & allowed)] = np.inf
        target = away.argmin(-1)
        nearest = away.min(-1)
        ready = self.is_free(now) & self.able(now, declare.ENGAGE_ORDER) & self.rested(now, 12)
        ready &= np.isfinite(nearest)

        def fill(envs: np.ndarray, units: np.ndarray) -> dict[str, Any]:
            group = target[envs, units]
            count = now.weapons[envs, units, now.domain[envs, group]].astype(int)
            return {
                "action_type": declare.ENGAGE_ORDER,
                "target_group_id": group,
                "weapon_selection": (1 << count) - 2,
                "weapon_usage": usage,
                "weapon_engagement": level,
            }

        return Intent(np.where(ready, -nearest, NEVER), fill)

    def simple(self, score: np.ndarray, order: int, **parts: Any) -> Intent:
        """Order one thing, with fixed parts."""
        return Intent(score, lambda envs, units: {"action_type": order, **parts})

    def capture(self, now: View) -> Intent:
        """Send settlers to the island."""
        ready = self.able(now, declare.CAPTURE_ORDER) & (now.task != state.CAPTURE)
        return self.simple(np.where(ready, 1.0, NEVER), declare.CAPTURE_ORDER)

    def launch(self, now: View) -> Intent:
        """Launch the next package of a wing."""
        return self.simple(np.where(self.able(now, declare.SPAWN), 1.0, NEVER), declare.SPAWN)

    def patrol(self, now: View, who: np.ndarray, x: float, y: float, size: int = 4) -> Intent:
        """Send units round a place, given as shares of the map."""
        ready = who & (now.task == state.IDLE) & self.able(now, declare.MOVE) & self.rested(now, 30)
        column, row = (min(int(at * self._grid), self._grid - 1) for at in (x, y))
        parts = {"move_center_grid": row * self._grid + column, "move_long_axis_km": size}
        return self.simple(np.where(ready, 1.0, NEVER), declare.MOVE, **parts)

    def refuel(self, now: View) -> Intent:
        """Send those who are short of fuel to a tanker."""
        short = (now.unit[..., observe.FUEL] < SHORT_OF_FUEL) & self.able(now, declare.REFUEL_ORDER)
        short &= ~np.isin(now.task, (state.REFUEL, state.DECK, state.CAPTURE))
        fits = (now.hoses[:, :, None, TAKES] & now.hoses[:, None, :, GIVES]) > 0
        tanker = fits.argmax(-1)
        score = np.where(short & fits.any(-1), 1.0 - now.unit[..., observe.FUEL], NEVER)
        return Intent(
            score,
            lambda envs, units: {
                "action_type": declare.REFUEL_ORDER,
                "refuel_target_id": tanker[envs, units],
            },
        )

    def jam(self, now: View) -> Intent:
        """Let jammers screen the next friend towards the enemy's side."""
        idle = (
            self.able(now, declare.JAM)
            & (now.unit[..., observe.ABILITY] == 0)
            & self.rested(now, 60)
        )
        enemy = 0.95 if self._spec.name == "legacy" else 0.05
        cell = self._grid // 2 * self._grid + int(enemy * self._grid)
        alive = now.unit[..., observe.HEALTH] > 0

        def fill(envs: np.ndarray, units: np.ndarray) -> dict[str, Any]:
            others = alive[envs].copy()
            others[np.arange(len(envs)), units] = False
            friend = others.argmax(-1)
            return {
                "action_type": declare.JAM,
                "jam_target_grid": cell,
                "entity_to_protect_id": friend,
            }

        return Intent(np.where(idle & self.rested(now, 60), 1.0, NEVER), fill)

    def focus(self, now: View) -> Intent:
        """Let early-warning radars look at the island."""
        wide = (now.unit[..., observe.SCOUTING] >= 1.0) & (now.unit[..., observe.DOMAIN_AIR] > 0)
        ready = wide & self.able(now, declare.SENSE) & (now.unit[..., observe.RADAR_FOCUS] == 0)
        middle = self._grid // 2 * self._grid + self._grid // 2
        return self.simple(np.where(ready, 1.0, NEVER), declare.SENSE, sensing_position_grid=middle)

    def silence(self, now: View) -> Intent:
        """Switch off the radars of stealthy attackers."""
        attack = (now.unit[..., observe.SURFACE_AMMO] > 0) & (now.unit[..., observe.DOMAIN_AIR] > 0)
        ready = attack & (now.unit[..., observe.RADAR_ON] > 0) & self.able(now, declare.STEALTH)
        return self.simple(np.where(ready, 1.0, NEVER), declare.STEALTH, stealth_enabled=1)


class RandomValid(Commander):
    """Gives a random order that will be accepted."""

    def intents(self, now: View) -> Iterator[Intent]:
        draw = self._rng.random(now.orders.shape)
        score = np.where(now.orders > 0, draw, NEVER)
        yield Intent(score, lambda envs, units: self._draw(now, envs, units))

    def _draw(self, now: View, envs: np.ndarray, units: np.ndarray) -> dict[str, Any]:
        bits = (now.orders[envs, units][:, None] >> np.arange(len(ORDERS))) & 1
        order = np.where(bits == 1, self._rng.random(bits.shape), -1.0).argmax(-1)
        parts = {
            part.name: self._rng.integers(0, len(part.options), len(envs))
            for part in self._spec.action.choices[: len(PARTS)]
            if part.name not in ("action_type", "entity_id")
        }
        group = np.where(now.can[envs, units], self._rng.random((len(envs), now.can.shape[-1])), -1)
        chosen = group.argmax(-1)
        count = now.weapons[envs, units, now.domain[envs, chosen]].astype(int)
        most = np.maximum((1 << count) - 1, 1)
        alive = now.unit[envs][..., observe.HEALTH] > 0
        alive[np.arange(len(envs)), units] = False
        fits = (now.hoses[envs, units, TAKES][:, None] & now.hoses[envs][:, :, GIVES]) > 0
        return parts | {
            "action_type": order,
            "target_group_id": chosen,
            "weapon_selection": (self._rng.random(len(envs)) * most).astype(int),
            "refuel_target_id": np.where(fits, self._rng.random(fits.shape), -1.0).argmax(-1),
            "entity_to_protect_id": np.where(alive, self._rng.random(alive.shape), -1.0).argmax(-1),
            "spawn_component_idx": (
                self._rng.random(len(envs)) * np.maximum(now.packages[envs, units], 1)
            ).astype(int),
        }


class EngageAll(Commander):
    """Attacks whatever is known with whatever can hit it."""

    def __init__(self, usage: int = declare.FREE, level: int = declare.ASSERTIVE) -> None:
        self._usage, self._level = usage, level

    def intents(self, now: View) -> Iterator[Intent]:
        yield self.engage(now, usage=self._usage, level=self._level)
        yield self.launch(now)
        yield self.refuel(now)
        fighters = (now.unit[..., observe.AIR_WEAPONS] > 0) & (
            now.unit[..., observe.DOMAIN_AIR] > 0
        )
        yield self.patrol(now, fighters, 0.5, 0.5, 6)


class Rush(EngageAll):
    """Sends every settler at once, and fights with the rest."""

    def intents(self, now: View) -> Iterator[Intent]:
        yield self.capture(now)
        yield from super().intents(now)


class Escort(EngageAll):
    """Clears the way with fighters and jammers, then sends the settlers."""

    def __init__(self, wait: int = 90) -> None:
        super().__init__()
        self._wait = wait

    def intents(self, now: View) -> Iterator[Intent]:
        late = self.capture(now)
        yield Intent(np.where(now.steps[:, None] >= self._wait, late.score, NEVER), late.fill)
        yield self.jam(now)
        yield self.focus(now)
        yield from super().intents(now)


class AntiShip(EngageAll):
    """Strikes ships first, silently and from afar, fleets and bombers together."""

    def intents(self, now: View) -> Iterator[Intent]:
        ships = (now.domain == tables.SEA)[:, None, :]
        yield self.silence(now)
        yield self.engage(now, np.broadcast_to(ships, now.can.shape), level=declare.CAUTIOUS)
        yield from super().intents(now)


class Turtle(Commander):
    """Stays at home and fights only what comes near it."""

    def __init__(self, reach: float = 0.22) -> None:
        self._reach = reach

    def intents(self, now: View) -> Iterator[Intent]:
        x = now.group[..., state.GROUP_X] - self._home[:, None, 0]
        y = now.group[..., state.GROUP_Y] - self._home[:, None, 1]
        near = np.sqrt(x * x + y * y) < self._reach
        yield self.engage(
            now,
            np.broadcast_to(near[:, None, :], now.can.shape),
            usage=declare.TIGHT,
            level=declare.DEFENSIVE,
        )
        hurt = (
            (now.unit[..., observe.FUEL] < 0.5) & self.able(now, declare.RTB) & self.rested(now, 30)
        )
        hurt &= ~np.isin(now.task, (state.RETURN, state.DECK))
        yield self.simple(np.where(hurt, 1.0, NEVER), declare.RTB)


POLICIES: dict[str, Callable[[], Policy]] = {
    "noop": NoopPolicy,
    "random_valid": RandomValid,
    "engage_all": EngageAll,
    "rush": Rush,
    "escort": Escort,
    "anti_ship": AntiShip,
    "turtle": Turtle,
}
