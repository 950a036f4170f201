"""All programs of a game, and where each begins."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mesocosm.worlds.mettagrid import scan
from mesocosm.worlds.mettagrid.config import AgentKind, Core, Handler, Thing
from mesocosm.worlds.mettagrid.plan import TAG_BITS, Plan, plan
from mesocosm.worlds.mettagrid.program import FIRST_WAY, Assembler

NONE = -1
# what a kind of agent does by itself
AFTER_USE, ON_TICK = 0, 1
MOST_WAYS = 4


class Script(NamedTuple):
    """Programs and what they refer to."""

    program: np.ndarray  # int32 [row, 6]
    masks: np.ndarray  # int64 [mask, word]: sets of tags
    rays: np.ndarray  # int32 [ray, 12]
    deltas: np.ndarray  # int32 [delta, 2]
    fights: np.ndarray  # int32 [entry, 3]
    uses: np.ndarray  # int32 [kind]: what happens to who uses it
    own: np.ndarray  # int32 [kind, 2]: what an agent does after a use, and at every step
    moves: np.ndarray  # int32 [handler, 3]: program, greatest distance, whether a free cell does
    events: np.ndarray  # int32 [event, 5]: targets, their list, what happens, how many, fallback
    times: np.ndarray  # int32 [time, 2]: step and event, in order
    made: np.ndarray  # int32 [materialized]: programs that tag the things of a query
    tick: int  # program of every step, or -1
    use: int  # program of using the target
    kept: np.ndarray  # int16 [tag]: place of a tag whose holders are listed, or -1
    num_kept: int
    num_lists: int


@lru_cache(maxsize=64)
def _script(text: str) -> Script:
    core = Core.model_validate_json(text)
    made = plan(core)
    tags = made.ids.tag_names()
    kinds = {kind.name: k for k, kind in enumerate(made.kinds) if isinstance(kind.entry, Thing)}
    work = Assembler(core, tags, kinds)
    starts = [work.add_tagging(entry.query, entry.tag) for entry in core.materialized]
    shared = limits_of(core)
    uses, own = _kinds(made, work, shared)
    events, times = _events(core, work, shared)
    kept = {work.tag(name): k for k, name in enumerate(sorted(scan.asked_tags(core)))}
    script = {
        "moves": _table([_move(work, x, shared) for x in core.actions.handlers], 3),
        "tick": NONE if core.on_tick is None else work.add(core.on_tick, shared),
        "use": work.add_use(),
    }
    return Script(
        program=work.table(),
        masks=_masks(work.masks, made),
        rays=_table([x + [0] * (FIRST_WAY + 2 * MOST_WAYS - len(x)) for x in work.rays], 12),
        deltas=_table(work.deltas, 2),
        fights=_table(work.fights, 3),
        uses=uses,
        own=own,
        events=events,
        times=times,
        made=np.array(starts, np.int32),
        kept=np.array([kept.get(k, NONE) for k in range(len(tags))], np.int16),
        num_kept=len(kept),
        num_lists=work.num_lists,
        **script,  # type: ignore[arg-type]
    )


def script_of(core: Core) -> Script:
    """Write the programs of a game, once per config."""
    return _script(core.model_dump_json())


def limits_of(core: Core, thing: Thing | None = None) -> dict[str, Any]:
    """The named groups that a handler can clear: the first agent's that has one, else its own."""
    found: dict[str, Any] = {} if thing is None else dict(thing.inventory.limits)
    for kind in reversed(core.kinds):
        found |= kind.inventory.limits
    return found


def _kinds(made: Plan, work: Assembler, shared: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Write what the kinds of things do."""
    uses, own = [], []
    for kind in made.kinds:
        entry = kind.entry
        if isinstance(entry, AgentKind):
            uses.append(_one(work, entry.on_use, shared))
            own.append([_one(work, x, shared) for x in (entry.on_after_use, entry.on_tick)])
        else:
            mode = "first" if entry.on_use_mode == "first" else "all"
            whole = Handler(mode=mode, handlers=entry.on_use) if entry.on_use else None
            if len(entry.on_use) == 1:
                whole = entry.on_use[0]
            uses.append(_one(work, whole, limits_of(work.core, entry)))
            own.append([NONE, NONE])
    return np.array(uses, np.int32), np.array(own, np.int32)


def _one(work: Assembler, handler: Handler | None, limits: dict[str, Any]) -> int:
    return NONE if handler is None else work.add(handler, limits)


def _move(work: Assembler, handler: Handler, limits: dict[str, Any]) -> list[int]:
    """Write a handler of moves, and how far along the way it looks for a target."""
    far = [x.radius or 1 for x in handler.filters if x.kind == "max_distance" and not x.negate]
    empty = any(x.kind == "target_loc_empty" and not x.negate for x in handler.filters)
    return [work.add(handler, limits), far[-1] if far else 1, int(empty)]


def _events(
    core: Core, work: Assembler, limits: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Write the events by name, and list when they happen."""
    names = sorted(core.events)
    rows, times = [], []
    for k, name in enumerate(names):
        event = core.events[name]
        start, found = work.add_query(event.targets)
        effect = work.add_effect(event.filters, event.mutations, limits)
        after = names.index(event.fallback) if event.fallback in names else NONE
        rows.append([start, found, effect, event.most, after])
        times += [(step, event.priority, k) for step in event.steps]
    order = sorted(times, key=lambda entry: (entry[0], entry[1]))
    return _table(rows, 5), _table([(max(step, 1), k) for step, _, k in order], 2)


def _table(rows: list[Any], width: int) -> np.ndarray:
    return np.array(rows, np.int32).reshape(-1, width)


def _masks(masks: list[int], made: Plan) -> np.ndarray:  # int64 [mask, word]
    bits = (1 << TAG_BITS) - 1
    rows = [[(mask >> (TAG_BITS * k)) & bits for k in range(made.tag_words)] for mask in masks]
    return np.array(rows, np.int64).reshape(-1, made.tag_words)
