"""The seven layers: orthogonal dimensions of complexity that modulate any world."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mesocosm.config.layers import Layers
from mesocosm.core.observation import Feature, Layout, Read, Token
from mesocosm.core.spec import LAYER, Spec
from mesocosm.layers import dials as k
from mesocosm.layers import (
    hierarchy,
    incentives,
    information,
    interaction,
    power,
    temporal,
    uncertainty,
)
from mesocosm.layers.dials import Dials, Own
from mesocosm.layers.draft import Draft, RoleDraft, begin
from mesocosm.layers.hooks import HOOKS
from mesocosm.sim.handles import COMPARES, KEEPS_VIEWS, Handles, View
from mesocosm.sim.layering import DIALS, FRAME, OWN, Added, Layering

ORDER: tuple[tuple[str, Callable[[Any, Draft], None]], ...] = (
    ("information", information.apply),
    ("temporal", temporal.apply),
    ("hierarchy", hierarchy.apply),
    ("interaction", interaction.apply),
    ("power", power.apply),
    ("incentives", incentives.apply),
    ("uncertainty", uncertainty.apply),
)
IN_FRAME = {"repute": "standing", "trust": "pair_standing"}


def layer(spec: Spec, layers: Layers, where: str) -> tuple[Spec, Layering | None]:
    """Give the spec that agents know with the layers on, and what the engine needs for them."""
    if not layers.are_active:
        return spec, None
    draft = begin(spec, layers, where)
    for name, apply in ORDER:
        settings = getattr(layers, name)
        if settings.is_active:
            apply(settings, draft)
    whole: dict[str, Any] = {"dtype": "int64", "low": 0, "high": 2**53}
    draft.remember("since", "when a life began", (draft.agents,), **whole)
    if "lag" in draft.sizes:
        shape = (draft.agents, draft.sizes["lag"], len(draft.columns))
        draft.remember("coming", "changes on their way", shape, visibility="hidden")
    roles = tuple(_finish(entry, draft) for entry in draft.roles)
    made = replace(
        spec,
        all_roles=roles,
        events=tuple(draft.events),
        layer_fields=tuple(draft.fields),
        notes=tuple(draft.notes),
    )
    groups = tuple(draft.tables["group"].tolist()) if "group" in draft.tables else ()
    return made, Layering(spec, HOOKS, partial(_arrays, draft), groups)


def _finish(entry: RoleDraft, draft: Draft) -> Any:
    """Give a role its whole layout: the newest row, earlier ones, and what layers add."""
    layout = entry.layout
    entry.extra[k.WHOLE] = int(np.dtype(layout.dtype).kind in "iu")
    features = [*layout.features]
    past = (Read(f"{LAYER}frames_{entry.role.name}", "self"), Read(f"{LAYER}since", "self"))
    for back in range(1, entry.history):
        features += [
            replace(feature, name=f"{feature.name}@{back}", reads=past if feature.reads else ())
            for feature in layout.features
        ]
    size = layout.size * entry.history
    if layout.tokens is not None:
        return _finish_tokens(entry, draft, tuple(features))
    for slot in (k.REPUTATION_AT, k.TRUST_AT, k.SHARED_AT):
        if entry.extra[slot] >= 0:
            entry.extra[slot] += size
    shape = layout.shape_override if entry.history == 1 and not entry.extras else None
    made = Layout((*features, *entry.extras), layout.dtype, shape)
    return replace(entry.role, observation=made)


def _finish_tokens(entry: RoleDraft, draft: Draft, features: tuple[Feature, ...]) -> Any:
    """Give a role with tokens its layout: numbers that layers add become tokens of new ids."""
    layout = entry.layout
    tokens = layout.tokens
    if tokens is None:
        raise AssertionError("only for rows of tokens")
    if "token" not in entry.tables:
        table = np.zeros((256, 6))
        table[:, k.TOKEN_HIGH] = 255.0
        entry.tables["token"] = table
    names = [name for extra in entry.extras for name in Layout((extra,)).names()]
    first = 1 + max((kind.id for kind in tokens.kinds), default=-1)
    if first + len(names) > tokens.empty:
        what = f"{len(names)} numbers more do not fit beside {first} feature ids"
        raise draft.refuse("temporal", what)
    entry.extra[k.NUM_TOKENS], entry.extra[k.EMPTY] = tokens.num, tokens.empty
    entry.extra[k.ANYWHERE], entry.extra[k.FIRST_ID] = tokens.anywhere, first
    added = tuple(Token(first + i, name) for i, name in enumerate(names))
    reads = tuple(read for extra in entry.extras for read in extra.reads)
    newest = tuple(
        replace(feature, reads=(*feature.reads, *reads)) if i == 0 else feature
        for i, feature in enumerate(features)
    )
    made = Layout(
        newest,
        layout.dtype,
        (tokens.num * entry.history, 3),
        replace(tokens, kinds=(*tokens.kinds, *added), num=tokens.num * entry.history),
    )
    return replace(entry.role, observation=made)


def _arrays(draft: Draft, num_envs: int) -> Added:
    """Allocate what the layers need for a batch."""
    n, agents, sizes, tables = num_envs, draft.agents, draft.sizes, draft.tables
    columns = len(draft.columns)
    widest = max((column.row[3] for column in draft.columns), default=0)
    group = tables.get("group", np.zeros(agents, np.int64))
    groups = int(group.max(initial=0)) + 1
    seen = sizes.get("seen", 0)
    latency, lag = sizes.get("latency", 0), sizes.get("lag", 0)
    parts = max(len(entry.role.action.choices) for entry in draft.roles)
    levels = max(len(entry.role.action.levels) for entry in draft.roles)
    tunables = draft.inner.tunables
    handles = Handles(
        flags=np.zeros(2, np.int64),
        column=np.array([column.row for column in draft.columns], np.int64).reshape(-1, 4),
        bounds=np.array([(c.low, c.high) for c in draft.columns], float).reshape(-1, 2),
        before=np.zeros((n, columns, widest)),
        value=np.zeros((n, columns, widest)),
        seen=np.zeros((n, seen, seen), np.bool_),
    )
    handles.flags[COMPARES] = _is_compared(draft)
    handles.flags[KEEPS_VIEWS] = any(_is_apart(entry) for entry in draft.roles)
    dials = Dials(
        handles=handles,
        switch=draft.switch,
        scale=draft.scale,
        since=np.zeros((n, agents), np.int64),
        queue_choice=np.zeros((n, agents if latency else 0, latency, parts), np.int32),
        queue_level=np.zeros((n, agents if latency else 0, latency, levels)),
        lag=draft.per_column("lag").astype(np.int64),
        held=draft.per_column("held"),
        coming=np.zeros((n, agents if lag else 0, lag, columns)),
        group=group,
        tally=np.zeros((n, groups, 2)),
        pool=draft.per_column("pool"),
        spill=draft.per_column("spill", 2),
        extra=np.zeros((n, agents)),
        matrix=tables.get("matrix", np.zeros((0, 0))),
        owed=np.zeros((n, agents, sizes.get("period", 0))),
        fines=np.zeros((n, agents, sizes.get("fines", 0))),
        priority=tables.get("priority", np.zeros(agents)),
        multiplier=tables.get("multiplier", np.ones((agents, len(draft.inner.effects)))),
        num_terms=_num_terms(draft),
        term=tables.get("term", np.full((agents, len(k.TERMS)), -1, np.int64)),
        shock=tables.get("shock", np.zeros((0, 5))),
        drift=tables.get("drift", np.zeros((0, 5))),
        adapt=tables.get("adapt", np.zeros((0, 4))),
        limits=np.array([(entry.low, entry.high) for entry in tunables], float).reshape(-1, 2),
        fortune=np.zeros(n),
    )
    own = tuple(_own(entry, draft, n, groups) for entry in draft.roles)
    return Added(dials, own, _frame(draft, n), _places(draft))


def _is_changed(entry: RoleDraft) -> bool:
    """Whether what a role sees, is told or may do differs from what the world gives it."""
    names = ("untold", "masked", "noise", "drop", "late", "share", "token")
    tables = [entry.tables[name] for name in names if name in entry.tables]
    blind = entry.tables.get("blind", np.zeros((0, 0)))
    permit = entry.tables.get("permit", np.ones((0, 0), np.bool_))
    seen = any(len(table) for table in tables) or blind.shape[1] > 0 or not permit.all()
    return seen or entry.history > 1 or bool(entry.extras) or entry.layout.tokens is not None


def _is_compared(draft: Draft) -> bool:
    """Whether some layer asks what its columns were before the transition."""
    by_need = draft.switch[k.CONTENTION] == interaction.NEED
    late, spilt = draft.per_column("lag"), draft.per_column("spill", 2)
    return bool(by_need or late.any() or spilt.any())


def _is_apart(entry: RoleDraft) -> bool:
    """Whether a role's views are kept beside what it sees: for later, for others, as tokens."""
    shares, late = entry.tables.get("share"), entry.tables.get("late")
    kept = any(table is not None and len(table) for table in (shares, late))
    return kept or entry.layout.tokens is not None


def _num_terms(draft: Draft) -> np.ndarray:  # int64 [agent]
    counts = [(role.num_agents, len(role.terms)) for role in draft.inner.all_roles]
    return np.concatenate([np.full(agents, terms, np.int64) for agents, terms in counts])


def _own(entry: RoleDraft, draft: Draft, n: int, groups: int) -> Own:
    role, layout, agents = entry.role, entry.layout, draft.agents
    kind = np.dtype(layout.dtype)
    hidden = [layout.span(f.name) for f in layout.features if f.visibility == "hidden"]
    numbers = [number for span in hidden for number in range(span.start, span.stop)]
    tables = information.defaults(entry) | entry.tables
    late = tables["late"].shape[0]
    tables.setdefault("blind", np.zeros((role.num_agents, 0), np.int32))
    tables.setdefault("share", np.zeros((0, 2), np.int32))
    tables.setdefault("share_range", np.zeros((0, 2)))
    tables.setdefault("blend", np.zeros(1))
    tables.setdefault("permit", np.ones((role.num_agents, 0), np.bool_))
    tables.setdefault("price", np.zeros((0, 5)))
    tables.setdefault("level_price", np.zeros(0))
    return Own(
        world_view=View(
            flags=np.array([_is_changed(entry)], np.int64),
            rows=np.zeros((n if _is_apart(entry) else 0, role.num_agents, layout.size), kind),
            absent=layout.absent.astype(kind),
            hidden=np.array(numbers, np.int32),
        ),
        past=np.zeros((n, agents if late else 0, entry.delay, late), kind),
        frames=np.zeros(
            (n, agents if entry.history > 1 else 0, entry.history - 1, layout.size), kind
        ),
        extra=entry.extra,
        shared=np.zeros((n, groups, tables["share"].shape[0])),
        **tables,
    )


def _frame(draft: Draft, n: int) -> dict[str, np.ndarray]:
    """Allocate the frame's handles that layers use."""
    sizes, tables = draft.sizes, draft.tables
    kinds = len(draft.events)
    weights = [tables.get(f"{name}_weight", np.zeros(0)) for name in ("repute", "trust", "fine")]
    regard = np.zeros((kinds if any(len(w) for w in weights) else 0, 3))
    for column, weight in enumerate(weights):
        regard[: len(weight), column] = weight
    repute, trust = sizes.get("repute", 0), sizes.get("trust", 0)
    handles = {
        "event_weight": regard,
        "standing": np.zeros((n, repute)),
        "pair_standing": np.zeros((n, trust, trust)),
        "bill": np.zeros((n, sizes.get("fined", 0))),
    }
    return handles | ({"may": tables["may"]} if "may" in tables else {})


def _places(draft: Draft) -> dict[str, tuple[int, str]]:
    """Say where the array of each layer field is."""
    places: dict[str, tuple[int, str]] = {}
    for entry in draft.fields:
        in_frame = IN_FRAME.get(entry.name)
        places[entry.name] = (FRAME, in_frame) if in_frame else (DIALS, entry.name)
    for number, role in enumerate(draft.roles):
        for name in ("past", "frames"):
            if f"{name}_{role.role.name}" in places:
                places[f"{name}_{role.role.name}"] = (OWN + number, name)
    return places
