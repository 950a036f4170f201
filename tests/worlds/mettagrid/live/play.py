"""Play one config in MettaGrid itself and in ours, and say where they first differ.

Compared are observations, rewards, success, endings, all statistics that MettaGrid reports, and
where all things are, what they hold, and their tags and vibes.
"""

import json
from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
from mesocosm.worlds.mettagrid.upstream import read_config

MOVING = 0.9  # of all actions
STRAY = (-1, -7, 4000)  # ids of no action


def whole(config: dict[str, Any]) -> Any:
    """Return MettaGrid's own config object, with the handlers of moves as it needs them."""
    from mettagrid.config.handler_config import Handler
    from mettagrid.config.mettagrid_config import MettaGridConfig

    made = MettaGridConfig.model_validate(config)
    moves = made.game.actions.move
    moves.handlers = [Handler.model_validate(entry) for entry in moves.handlers]
    return made


class Wheel:
    """MettaGrid itself, playing one config."""

    def __init__(self, config: Any, seed: int) -> None:
        from mettagrid.simulator import Simulator

        self._simulation = Simulator().new_simulation(config, seed=seed)
        self._core = self._simulation._c_sim
        self.names = list(self._simulation.action_names)

    def step(self, ids: np.ndarray) -> None:
        """Act as a user of MettaGrid does: vibes have a buffer of their own."""
        vibe = np.array([0 <= k < len(self.names) and "vibe" in self.names[k] for k in ids])
        self._core.actions()[:] = np.where(vibe, 0, ids)
        self._core.vibe_actions()[:] = np.where(vibe, ids, 0)
        self._simulation.step()

    def view(self) -> dict[str, Any]:
        core = self._core
        return {
            "obs": core.observations().copy(), "reward": core.rewards().copy(),
            "success": np.array(core.action_success()),
            "done": core.terminals() | core.truncations(),
        }  # fmt: skip

    def stats(self) -> dict[str, float]:
        found = self._core.get_episode_stats()
        made = {f"game.{name}": x for name, x in found["game"].items()}
        for k, entry in enumerate(found["agent"]):
            # which invalid ids were tried is counted there, and only their number here
            made |= {f"{k}.{name}": x for name, x in entry.items() if "invalid_index." not in name}
        return {name: float(np.float32(x)) for name, x in made.items()}

    def things(self) -> tuple[list[tuple[Any, ...]], set[int]]:
        """Return where all things are, their tags, what they hold, their vibes; which agents.

        Agents that ever vanished are not listed there again.
        """
        made = []
        agents = set()
        for entry in self._core.grid_objects(-1, -1, -1, -1, []).values():
            held = tuple(sorted((int(k), int(x)) for k, x in entry["inventory"].items() if x))
            where = int(entry["r"]), int(entry["c"])
            made.append((*where, tuple(sorted(entry["tag_ids"])), held, int(entry.get("vibe", 0))))
            agents.add(entry.get("agent_id", -1))
        return sorted(made), agents


def draw(rng: np.random.Generator, names: list[str], agents: int) -> np.ndarray:
    """Draw actions: mostly moves, some of anything, a few invalid."""
    ids = rng.integers(0, len(names), agents)
    moves = [k for k, name in enumerate(names) if name.startswith("move")] or [0]
    moving = rng.random(agents) < MOVING
    ids[moving] = rng.choice(moves, int(moving.sum()))
    stray = rng.random(agents) < 0.02
    ids[stray] = rng.choice(STRAY, int(stray.sum()))
    return ids.astype(np.int32)


def our_stats(env: Any) -> dict[str, float]:
    """Return our statistics by the same names."""
    labels = env.spec.state_field("game_stat").labels
    made = dict(zip([f"game.{x}" for x in labels], env.truth("game_stat")[0].tolist(), strict=True))
    for k, row in enumerate(env.truth("stat")[0].tolist()):
        labels = env.spec.state_field("stat").labels
        made |= dict(zip([f"{k}.{x}" for x in labels], row, strict=True))
    return made


def our_things(env: Any, listed: set[int]) -> list[tuple[Any, ...]]:
    """Return the same of our things and the agents that are listed; what never changes is none."""
    fields = [env.truth(name)[0] for name in ("row", "col", "tag", "amount", "vibe")]
    made = []
    for k, (r, c, words, amounts, vibe) in enumerate(zip(*fields, strict=True)):
        tags = tuple(
            WORD_BITS * i + bit
            for i, word in enumerate(words.tolist())
            for bit in range(WORD_BITS)
            if word >> bit & 1
        )
        held = tuple((i, int(x)) for i, x in enumerate(amounts) if x)
        if r >= 0 and (k >= env.spec.num_agents or k in listed):
            made.append((int(r), int(c), tags, held, int(vibe)))
    return sorted(made)


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Return the first difference of two views, or nothing."""
    for key, got in ours.items():
        odd = np.argwhere(np.asarray(got) != theirs[key])
        if len(odd):
            at = tuple(int(x) for x in odd[0][:2])
            return f"{key} {at}: {theirs[key][at].tolist()} but {np.asarray(got)[at].tolist()}"
    return ""


def missing(env: Any, wheel: Wheel) -> str:
    """Return the first statistic or thing that differs, or nothing."""
    mine, theirs = our_stats(env), wheel.stats()
    for name in sorted(set(mine) | set(theirs)):
        if mine.get(name, 0.0) != theirs.get(name, 0.0):
            return f"statistic {name}: {theirs.get(name, 0.0)} but {mine.get(name, 0.0)}"
    found, listed = wheel.things()
    made = our_things(env, listed)
    still = {entry[:2] for entry in made}
    odd = [entry for entry in found if entry[:2] in still and entry not in made]
    odd += [entry for entry in made if entry not in found]
    return f"thing {odd[0]} is on one side only" if odd else ""


def compare(config: dict[str, Any], *, seed: int, steps: int, target: str = "python") -> str:
    """Play a config on both sides; return the first difference, or nothing."""
    whole_config = whole(config)
    ours = read_config(whole_config).config
    rehearsal = Wheel(whole_config, seed)
    agents = len(rehearsal.view()["obs"])
    plays = np.random.default_rng(seed)
    acts = [draw(plays, rehearsal.names, agents) for _ in range(steps)]
    names = set(rehearsal.stats())
    for ids in acts:
        rehearsal.step(ids)
        names |= set(rehearsal.stats())
    kept = {x if x.startswith("game.") else x.partition(".")[2] for x in names}
    ours["core"]["stats"] = sorted(kept)
    env = meso.make(ours, target=target, seed=seed, autoreset="off")
    wheel = Wheel(whole_config, seed)
    step = env.reset()
    for t in range(steps + 1):
        view = {"obs": np.asarray(step.obs)[0]}
        if t:
            view["reward"] = np.asarray(step.reward)[0].astype(np.float32)
            view["success"] = np.asarray(step.info["success"])[0] != 0
            view["done"] = np.asarray(step.terminated)[0] | np.asarray(step.truncated)[0]
        found = differences(view, wheel.view()) or missing(env, wheel)
        if found:
            return f"step {t}: {found}"
        if t == steps or np.asarray(wheel.view()["done"]).all():
            return ""
        wheel.step(acts[t])
        step = env.step(acts[t][None, :, None])
    return ""


def load(text: str) -> dict[str, Any]:
    """Read a config from JSON."""
    made: dict[str, Any] = json.loads(text)
    return made
