"""What a scripted resident reckons: how much good each place does for the time it takes."""

import numpy as np

from mesocosm.core.spec import Role
from mesocosm.worlds.townlet.config import DAY, Affordance, Core, effects_row
from mesocosm.worlds.townlet.declare import ENERGY, FITNESS, HEALTH, HYGIENE, MONEY, SATIATION

TIMED = (False, True)
# energy, satiation, mood, hygiene, social, fitness, health, money
WEIGHTS = np.array([3.0, 2.0, 1.0, 1.0, 1.5, 1.0, 3.0, 2.0])
SOFTNESS = 0.1  # keeps the worth of an empty meter finite
RESERVE = 0.03  # what a plan must leave of the meters that kill


class Plan:
    """Judges places by the default tables, matched to the role's places by name.

    Limits: it knows no config, so changed tables, costs of moving or difficulty are not seen, and
    a place that the default tables lack is never used; it looks one visit ahead; and of the low
    meters that drag others down it knows only that low is bad.
    """

    def __init__(self, spec: Role) -> None:
        core = Core(deployed=["Bed"])
        table = {place.name: place for place in core.affordances}
        names = spec.observation.feature("affordance").labels[:-1]
        places = [table.get(name) for name in names]
        self._usable = np.array([place is not None for place in places])
        known = [place or core.affordances[0] for place in places]
        # the first axis is whether visits take time
        self._ticks = np.array([[1] * len(known), [place.ticks for place in known]])
        self._fee = np.array([[_fee(place, timed=t) for place in known] for t in TIMED])
        self._gain = np.array([[_gain(place, timed=t) for place in known] for t in TIMED])
        self._queue = np.array([[_wait(place, hour) for place in known] for hour in range(DAY)])
        self._decay = np.array([meter.decay for meter in core.meters])
        self._walk = np.zeros(len(self._decay))
        self._walk[[ENERGY, HYGIENE, SATIATION]] = (
            core.move_energy,
            core.move_hygiene,
            core.move_satiation,
        )
        self._idle = np.zeros(len(self._decay))
        self._idle[ENERGY] = core.wait_energy
        self._unfit = core.fitness_base * np.array([core.fitness_low, core.fitness_span])

    def score(
        self, meters: np.ndarray, distance: np.ndarray, hour: np.ndarray, *, timed: bool
    ) -> np.ndarray:  # float64 [env, agent, place]
        """Return the good that going to each place does per tick; -inf where it cannot be done.

        Args:
            meters: [env, agent, meter].
            distance: [env, agent, place], in steps; infinite where the place is unknown.
            hour: [env, agent].
            timed: Whether places have hours and visits take ticks.
        """
        reachable = np.isfinite(distance) & self._usable
        walk = np.where(reachable, distance, 0.0)
        arrival = (hour[..., None] + walk).astype(int) % DAY
        wait = self._queue[arrival, np.arange(walk.shape[-1])] if timed else np.zeros_like(walk)
        span = walk + wait + self._ticks[int(timed)]
        decay = np.broadcast_to(self._decay, meters.shape).copy()
        decay[..., HEALTH] += self._unfit[0] + self._unfit[1] * (1.0 - meters[..., FITNESS])
        idle = meters[..., None, :] - span[..., None] * decay[..., None, :]
        before = idle - walk[..., None] * self._walk - wait[..., None] * self._idle
        after = np.clip(before, 0.0, 1.0) + self._gain[int(timed)]
        feasible = reachable & (meters[..., MONEY, None] >= self._fee[int(timed)])
        feasible &= (before[..., [ENERGY, HEALTH]] > 0.0).all(-1)
        feasible &= (after[..., [ENERGY, HEALTH]] > RESERVE).all(-1)
        good = (worth(after) - worth(idle)) / span
        return np.where(feasible, good, -np.inf)


def worth(meters: np.ndarray) -> np.ndarray:
    """Return how good a life is: each meter counts the more, the emptier it is."""
    total: np.ndarray = np.log(np.clip(meters, 0.0, 1.0) + SOFTNESS) @ WEIGHTS
    return total


def _fee(place: Affordance, *, timed: bool) -> float:
    return place.tick_cost * place.ticks if timed else place.cost


def _gain(place: Affordance, *, timed: bool) -> list[float]:
    """Sum up what a whole visit changes, its price included."""
    row = np.array(effects_row(place.effects))
    if timed:
        row = place.ticks * np.array(effects_row(place.tick_effects))
        row += np.array(effects_row(place.bonus))
    row[MONEY] -= _fee(place, timed=timed)
    return [float(change) for change in row]


def _wait(place: Affordance, hour: int) -> int:
    """Count the hours until a whole visit fits into the opening hours."""
    length = place.closes - place.opens
    for wait in range(DAY):
        since = (hour + wait - place.opens) % DAY
        if length == DAY or since + place.ticks <= length or (since == 0 and place.ticks > length):
            return wait
    return 0
