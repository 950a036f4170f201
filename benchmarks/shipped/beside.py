"""Play one game in MettaGrid and in ours, in a process of its own, and tell where they differ."""

import json
import logging
import multiprocessing
import random
from typing import Any, NamedTuple

import numpy as np

from benchmarks.shipped.raids import Raids
from benchmarks.shipped.walkers import Errands, RandomWalkers

Json = dict[str, Any]
ARRAYS = ("obs", "reward", "success", "terminals", "truncations")
WALKERS: Json = {"random": RandomWalkers, "errands": Errands, "raids": Raids}
NOTE_EVERY = 25  # steps between two looks at all statistics and objects
PATIENCE_S = 900.0


class Job(NamedTuple):
    """A game to play on both sides.

    Args:
        theirs: The config that the wheel plays.
        ours: Our config of it.
    """

    theirs: Json
    ours: Json
    steps: int
    seed: int
    walker: str
    target: str


def play(job: Job, player: "Player | None" = None) -> Json:
    """Play the wheel in a child, which may crash, then ours with the same actions."""
    theirs = ask_child(job)
    if "status" in theirs:
        return theirs
    found: Json = {"steps": len(theirs["actions"]), "stats": _nonzero(theirs["notes"][-1][1])}
    found["raised"] = theirs["raised"]
    try:
        odd = (player or Player()).find_difference(job, theirs)
    except Exception as error:
        return found | {"status": "failed", "why": f"{type(error).__name__}: {error}"}
    return found | ({"status": "differs", "first": odd} if odd else {"status": "equal"})


def ask_child(job: Job) -> Json:
    """Return what the wheel played, or a status if it did not."""
    import mettagrid.simulator  # noqa: F401 (once, before any fork)

    context = multiprocessing.get_context("fork")
    mine, other = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(other, job))
    child.start()
    other.close()
    found: Json = {"status": "not played by the wheel", "why": "it hangs"}
    if mine.poll(PATIENCE_S):
        try:
            found = mine.recv()
        except EOFError:
            child.join()
            found["why"] = f"it crashes with exit status {child.exitcode}"
    child.kill()
    child.join()
    return found


def _answer(pipe: Any, job: Job) -> None:
    logging.disable(logging.CRITICAL)
    try:
        pipe.send(_play_wheel(job))
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        pipe.send({"status": "not played by the wheel", "why": why})


def _play_wheel(job: Job) -> Json:
    from mettagrid.config.handler_config import Handler
    from mettagrid.config.mettagrid_config import MettaGridConfig
    from mettagrid.simulator import Simulator

    config = MettaGridConfig.model_validate(job.theirs)
    moves = config.game.actions.move
    moves.handlers = [Handler.model_validate(entry) for entry in moves.handlers]
    random.seed(0)  # one builder of maps draws from the global generator
    simulation = Simulator().new_simulation(config, seed=job.seed)
    names = list(simulation.action_names)
    walker = WALKERS[job.walker](names, simulation.num_agents, job.seed)
    made: Json = {"views": [_view(simulation)], "actions": [], "notes": [_note(simulation, 0)]}
    made["raised"] = ""
    for t in range(1, job.steps + 1):
        ids = walker.act(simulation)
        is_vibe = np.array([0 <= k < len(names) and "vibe" in names[k] for k in ids])
        simulation._c_sim.actions()[:] = np.where(is_vibe, 0, ids)
        simulation._c_sim.vibe_actions()[:] = np.where(is_vibe, ids, 0)
        try:
            simulation._c_sim.step()
        except RuntimeError as error:  # it gives up when tokens do not fit
            made["raised"] = str(error)[:200]
            break
        made["actions"].append(ids)
        made["views"].append(_view(simulation))
        over = made["views"][-1]["terminals"].all() or made["views"][-1]["truncations"].all()
        if t % NOTE_EVERY == 0 or t == job.steps or over:
            made["notes"].append(_note(simulation, t))
        if over:
            break
    made["objects"] = {key: entry.name for key, entry in config.game.objects.items()}
    return made


def _view(simulation: Any) -> dict[str, np.ndarray]:
    core = simulation._c_sim
    found = [core.observations(), core.rewards(), core.action_success()]
    found += [core.terminals(), core.truncations()]
    return dict(zip(ARRAYS, (np.array(array) for array in found), strict=True))


def _note(simulation: Any, t: int) -> tuple[int, Json, dict[Any, Any]]:
    """Return the time, all statistics, and what is on each cell: type, vibe, tags, inventory."""
    stats = simulation._c_sim.get_episode_stats()
    things = {}
    for entry in simulation.grid_objects().values():
        held = {int(k): int(v) for k, v in entry["inventory"].items() if v}
        agent = int(entry.get("agent_id", -1))
        kind = "agent" if agent >= 0 else entry["type_name"]
        tags = tuple(sorted(int(k) for k in entry["tag_ids"]))
        things[int(entry["r"]), int(entry["c"])] = (
            kind,
            agent,
            int(entry.get("vibe", 0)),
            tags,
            held,
        )
    stats = {"game": dict(stats["game"]), "agent": [dict(entry) for entry in stats["agent"]]}
    return t, stats, things


def _nonzero(stats: Json) -> list[str]:
    """List the statistics that are not 0 for anybody."""
    names = {f"game.{name}" for name, x in stats["game"].items() if x}
    return sorted(names | {name for entry in stats["agent"] for name, x in entry.items() if x})


class Player:
    """Our side; it keeps its env while jobs have the same config."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._env: Any = None

    def _make(self, job: Job, stats: Json) -> Any:
        """Return an env that counts everything that the wheel counted."""
        import mesocosm as meso

        names = {name for entry in stats["agent"] for name in entry if is_counted(name)}
        names |= {f"game.{name}" for name in stats["game"]}
        if self._env is None or not names <= self._names:
            self._names |= names
            config = json.loads(json.dumps(job.ours))
            config["core"]["stats"] = sorted(self._names)
            settings: Json = {"target": job.target, "autoreset": "off"}
            self._env = meso.make(config, {"core.budget_info": False}, **settings)
        return self._env

    def find_difference(self, job: Job, theirs: Json) -> str:
        """Play what the wheel played; return the first difference."""
        env = self._make(job, theirs["notes"][-1][1])
        notes = {entry[0]: entry for entry in theirs["notes"]}
        step = env.reset(seed=job.seed)
        for t, view in enumerate(theirs["views"]):
            if t:
                step = env.step(theirs["actions"][t - 1][None, :, None])
            odd = _odd_array(view, step, t) or (t in notes and _odd_note(env, notes[t], theirs))
            if odd:
                return str(odd)
        return ""


def is_counted(name: str) -> bool:
    """Whether ours counts a statistic: of ids that do not exist only how many there were."""
    return not name.startswith("action.invalid_index.")


def _odd_array(view: Json, step: Any, t: int) -> str:
    mine = {"obs": step.obs, "reward": step.reward, "success": step.info["success"]}
    mine |= {"terminals": step.terminated, "truncations": step.truncated}
    for key in ARRAYS if t else ARRAYS[:1]:
        got = np.asarray(mine[key])[0]
        odd = view[key] != (got.astype(bool) if key == "success" else got)
        if odd.any():
            at = tuple(int(k) for k in np.argwhere(odd)[0][:2])
            return f"step {t} {key} {at}: {view[key][at].tolist()} but {got[at].tolist()}"
    return ""


def _odd_note(env: Any, note: tuple[int, Json, dict[Any, Any]], theirs: Json) -> str:
    t, stats, things = note
    own, game = ([*env.spec.state_field(name).labels] for name in ("stat", "game_stat"))
    shared = np.asarray(env.truth("game_stat"))[0]
    pairs = [("game", stats["game"], dict(zip(game, shared, strict=False)))]
    for a, row in enumerate(np.asarray(env.truth("stat"))[0]):
        pairs.append((f"agent {a}", stats["agent"][a], dict(zip(own, row, strict=False))))
    for who, want, got in pairs:
        for name in filter(is_counted, sorted({*want, *got})):
            one, other = np.float32(want.get(name, 0.0)), np.float32(got.get(name, 0.0))
            if one != other:
                return f"step {t} statistic {name} of {who}: {one} but {other}"
    found = our_things(env, theirs["objects"])
    for place in sorted({*things, *found}):
        if not _is_same(things.get(place), found.get(place)):
            return f"step {t} object at {place}: {things.get(place)} but {found.get(place)}"
    return ""


def _is_same(one: Any, other: Any) -> bool:
    """Whether two things are; of what can never change only the type is compared."""
    if one is None or other is None:
        return one is other
    return one[0] == other[0] and (len(other) == 1 or one == other)


def our_things(env: Any, names: dict[str, str]) -> dict[Any, Any]:
    """Return what is on each cell of our game, as the wheel tells it."""
    from mesocosm.worlds.mettagrid.arithmetic.bits import WORD_BITS
    from mesocosm.worlds.mettagrid.compile.geometry import PAD
    from mesocosm.worlds.mettagrid.compile.plan import plan

    core = env.config.core
    made = plan(core)
    fields = ("row", "col", "amount", "vibe", "tag", "ground")
    truth = {name: np.asarray(env.truth(name))[0] for name in fields}
    kinds = [made.kinds[int(k)].name for k in made.kind_of]
    base = truth["ground"].reshape(made.height + 2 * PAD, made.width + 2 * PAD)
    found: dict[Any, Any] = {}
    for r, c in np.argwhere(base[PAD:-PAD, PAD:-PAD] > 0).tolist():
        kind = kinds[made.num_things + int(base[r + PAD, c + PAD]) - 1]
        found[r, c] = (names.get(kind, kind),)
    for slot in range(made.num_things):
        r, c = int(truth["row"][slot]), int(truth["col"][slot])
        if r < 0 or c < 0:
            continue
        agent = slot if slot < core.num_agents else -1
        kind = "agent" if agent >= 0 else names.get(kinds[slot], kinds[slot])
        words = [int(word) for word in truth["tag"][slot]]
        bits = range(WORD_BITS * len(words))
        tags = tuple(k for k in bits if words[k // WORD_BITS] >> (k % WORD_BITS) & 1)
        held = {k: int(x) for k, x in enumerate(truth["amount"][slot]) if x}
        found[r, c] = (kind, agent, int(truth["vibe"][slot]), tags, held)
    return found
