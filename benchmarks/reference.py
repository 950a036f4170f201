"""A plain Python town: one person after the other, nothing batched, to measure ours against.

It plays the rules of townlet's level 7 and builds the observation as its specification does, from
the same config: blocks of [agent, number], each filled person by person, then concatenated. For
each person that is a loop over the cells of the window and the places, and twice a loop over
everybody else with a distance between two rows of an array, a sort and a cut: once for where they
are and once for their cues. The specification writes this with torch; NumPy stands in for it, so
that the base install can run it. Cues that read habits, the terminal score and retirement are left
out.
"""

import math

import numpy as np

from benchmarks import peers
from mesocosm import bench
from mesocosm.build import load_config
from mesocosm.worlds.townlet.config import METERS

PRESET, NUM_AGENTS, NUM_ENVS, STEPS = "townlet/L7", 16, 256, 64
UP, DOWN, LEFT, RIGHT, INTERACT, WAIT = range(6)
STEP = {UP: (0, -1), DOWN: (0, 1), LEFT: (-1, 0), RIGHT: (1, 0)}


class Person:
    """Someone who lives in the town."""

    def __init__(self, x, y, meters):
        self.x, self.y, self.meters = x, y, meters
        self.alive, self.gone, self.progress, self.doing = True, False, 0, None
        self.using = False

    def change(self, meter, amount):
        self.meters[meter] = min(max(self.meters[meter] + amount, 0.0), 1.0)


class Town:
    """Places, people and a clock."""

    def __init__(self, core, places, people, hour=0):
        self.core, self.places, self.people, self.hour = core, places, people, hour
        self.rules = {place.name: place for place in core.affordances}
        by_name = {cue.name: cue for cue in core.cues}
        self.cues = [by_name[name] for name in core.shown_cues]
        ranked = sorted(self.cues, key=lambda cue: (-cue.priority, cue.name))
        self.ranked = [cue for cue in ranked if cue.visibility == "public"]

    @classmethod
    def found(cls, core, rng):
        """Put places and people somewhere."""
        side = core.grid_size
        cells = rng.permutation(side * side).tolist()
        homes = rng.integers(0, side * side, core.num_agents).tolist()
        places = {
            name: (cell % side, cell // side)
            for name, cell in zip(core.deployed, cells, strict=False)
        }
        initial = {meter.name: meter.initial for meter in core.meters}
        return cls(core, places, [Person(c % side, c // side, dict(initial)) for c in homes])

    @classmethod
    def copy(cls, core, saved, env=0):
        """Take over one env of a snapshot."""
        names = [place.name for place in core.affordances]
        spots = saved["affordance_position"][env].tolist()
        places = {name: tuple(at) for name, at in zip(names, spots, strict=True) if at[0] >= 0}
        people = []
        for a in range(core.num_agents):
            values = saved["meters"][env, a].tolist()
            person = Person(
                *saved["position"][env, a].tolist(), dict(zip(METERS, values, strict=True))
            )
            person.alive, person.progress = saved["alive"][env, a], int(saved["progress"][env, a])
            person.gone, person.using = not person.alive, bool(saved["using"][env, a])
            doing = saved["doing"][env, a]
            person.doing = names[doing] if doing >= 0 else None
            people.append(person)
        return cls(core, places, people, int(saved["hour"][env]))

    def step(self, actions):
        """Live one tick; give what everyone sees and gets."""
        for person in self.people:
            person.gone = not person.alive  # who dies now still gets a last look
        pairs = [(p, act) for p, act in zip(self.people, actions, strict=True) if not p.gone]
        for person, act in pairs:
            self.move(person, act)
        users = dict.fromkeys(self.places, 0)
        guests = [person for person, act in pairs if act == INTERACT]
        for person in sorted(guests, key=lambda guest: not guest.using):
            self.interact(person, users)
        for person, _ in pairs:
            self.decay(person)
        if self.core.temporal:
            self.hour = (self.hour + 1) % 24
        living = [p.meters["energy"] * p.meters["health"] * p.alive for p in self.people]
        return self.observe(), living

    def move(self, person, act):
        core = self.core
        person.using = person.using and act == INTERACT
        if act == WAIT:
            person.change("energy", -core.wait_energy)
        if act not in STEP:
            return
        x, y = person.x + STEP[act][0], person.y + STEP[act][1]
        if 0 <= x < core.grid_size and 0 <= y < core.grid_size:
            person.x, person.y, person.progress, person.doing = x, y, 0, None
        person.change("energy", -core.move_energy)
        person.change("hygiene", -core.move_hygiene)
        person.change("satiation", -core.move_satiation)

    def interact(self, person, users):
        name, slow, person.using = self.place_of(person), self.core.temporal, False
        if name is None:
            return
        place = self.rules[name]
        cost = place.tick_cost if slow else place.cost
        full = 0 < place.capacity <= users[name]
        if (
            not self.is_open(place)
            or person.meters["money"] < cost - self.core.payment_slack
            or full
        ):
            return
        users[name] += 1
        if person.doing != name:
            person.progress = 0
        person.doing, person.progress = name, person.progress + 1
        done = not slow or person.progress >= place.ticks
        gains = dict(place.tick_effects if slow else place.effects)
        if slow and done:
            for meter, amount in place.bonus.items():
                gains[meter] = gains.get(meter, 0.0) + amount
        gains["money"] = gains.get("money", 0.0) - cost
        for meter, amount in gains.items():
            person.change(meter, amount)
        person.using = not done
        if done:
            person.progress, person.doing = 0, None

    def is_open(self, place):
        if not self.core.temporal:
            return True
        return place.opens <= self.hour < place.closes or self.hour < place.closes - 24

    def decay(self, person):
        core = self.core
        for meter in core.meters:
            person.change(meter.name, -meter.decay * core.difficulty)
        unfit = 1.0 - person.meters["fitness"]
        person.change("health", -core.fitness_base * (core.fitness_low + core.fitness_span * unfit))
        for cascade in core.cascades:
            source, threshold = person.meters[cascade.source], cascade.threshold
            if source < threshold:
                lack = (threshold - source) / threshold
                person.change(cascade.target, -cascade.strength * lack)
        person.alive = all(person.meters[m.name] > 0.0 for m in core.meters if m.lethal)

    def place_of(self, person):
        for name, at in self.places.items():
            if at == (person.x, person.y):
                return name
        return None

    def observe(self):
        """Build everybody's observation, block by block, as the specification does."""
        core, people = self.core, self.people
        at = np.array([(person.x, person.y) for person in people])  # [agent, 2]
        angle = 2.0 * math.pi * self.hour / 24.0
        blocks = [
            np.array([self.window(position) for position in at]),
            at / (core.grid_size - 1),
            np.array([[person.meters[meter] for meter in METERS] for person in people]),
            np.array([self.standing(person) for person in people]),
            np.array([[math.sin(angle), math.cos(angle)]] * len(people)),
            np.array([[min(person.progress / 10.0, 1.0)] for person in people]),
            self.other_positions(at),
            self.other_cues(at, [self.shown(person) for person in people]),
        ]
        seen = np.concatenate(blocks, axis=1)
        seen[[person.gone for person in people]] = 0.0
        return seen

    def window(self, position):
        core, reach = self.core, self.core.vision_range
        width = 2 * reach + 1
        cells = np.zeros(width * width)
        for dy in range(-reach, reach + 1):
            for dx in range(-reach, reach + 1):
                x, y = position[0] + dx, position[1] + dy
                inside = 0 <= x < core.grid_size and 0 <= y < core.grid_size
                if inside and any(at == (x, y) for at in self.places.values()):
                    cells[(dy + reach) * width + dx + reach] = 1.0
        return cells

    def standing(self, person):
        name = self.place_of(person)
        return [place.name == name for place in self.core.affordances] + [name is None]

    def other_positions(self, at):
        """Write where the nearest others are, relative to each person."""
        out = np.zeros((len(at), 2 * self.core.max_visible_agents))
        for me, position in enumerate(at):
            for slot, (_, other) in enumerate(self.visible(me, at)):
                out[me, 2 * slot : 2 * slot + 2] = at[other] - position
        return out

    def other_cues(self, at, cues):
        """Write what can be read off the nearest others, found once more."""
        width, index = len(self.cues), {cue.name: k for k, cue in enumerate(self.cues)}
        out = np.zeros((len(at), width * self.core.max_visible_agents))
        for me in range(len(at)):
            for slot, (away, other) in enumerate(self.visible(me, at)):
                for name in cues[other]:
                    if away <= self.cues[index[name]].distance:
                        out[me, slot * width + index[name]] = 1.0
        return out

    def visible(self, me, at):
        """List the nearest others as (distance, index): measure everybody, sort, cut."""
        found = []
        for index, other in enumerate(self.people):
            if index == me or not other.alive:
                continue
            gaps = np.abs(at[me] - at[index])
            away = gaps.max() if self.core.visibility_metric == "chebyshev" else gaps.sum()
            if away <= self.core.vision_range:
                found.append((away, index))
        found.sort(key=lambda pair: pair[0])
        return found[: self.core.max_visible_agents]

    def shown(self, person):
        """Name the cues that can be read off someone."""
        if not person.alive:
            return []
        holding = [cue.name for cue in self.ranked if all(self.holds(person, t) for t in cue.when)]
        return holding[: self.core.max_cues]

    def holds(self, person, test):
        if test.at is not None:
            return self.place_of(person) == test.at
        level = person.meters[test.meter]
        return level < test.below if test.below is not None else level > test.above


def config():
    """Give the town that both play."""
    return load_config(PRESET, {"core.num_agents": NUM_AGENTS})


def measure(effort):
    """Time the plain town, and ours right after it; every counted agent is alive."""
    core, rng = config().core, np.random.default_rng(0)
    drawn = rng.integers(0, 6, (peers.NUM_ACTIONS, NUM_AGENTS)).tolist()
    town = Town.found(core, rng)

    def play(steps):
        nonlocal town
        for k in range(steps):
            if not all(person.alive for person in town.people):
                town = Town.found(core, rng)
            town.step(drawn[k % peers.NUM_ACTIONS])

    plain = peers.rate(play, effort, agents=NUM_AGENTS)["agent_steps_per_cpu_second"]
    workload = bench.Workload(config(), NUM_ENVS, steps=STEPS, seconds=effort.seconds)
    ours = workload.result([workload.time() for _ in range(effort.repeats)], None)
    rate = ours["agent_steps_per_cpu_second"]
    return {
        "preset": PRESET,
        "num_agents": NUM_AGENTS,
        "num_envs": NUM_ENVS,
        "agent_steps_per_cpu_second": plain,
        "ours": rate,
        "ours_ratio": rate / plain,
    }
