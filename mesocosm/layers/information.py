"""Information: what agents see. Masks, noise, dropout, delay and scope, number by number."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.config.layers import Blur, Information
from mesocosm.core.errors import hint
from mesocosm.core.observation import Feature, Layout, Read, Visibility
from mesocosm.core.spec import LAYER
from mesocosm.layers.draft import Draft, RoleDraft, numbers_of

CHANCE = "frame.seed"  # what a blurred number reads besides: its own draws
SPREAD = 0.6180339887498949  # the golden section: any part of the numbers, and nested
NUM_IDS = 256  # feature ids of tokens
# columns of information.token: one row per feature id
TOKEN_MASK, TOKEN_NOISE, TOKEN_DROP, TOKEN_LAG, TOKEN_LOW, TOKEN_HIGH = range(6)
# columns of information.noise_at, noise, drop_at and late
RUN_START, RUN_STOP, TABLE_ROW_START, TABLE_ROW_STOP = range(4)
DEVIATION, NOISE_LOW, NOISE_HIGH = range(3)
LATE_NUMBER, LATE_STEPS = range(2)


class InformationRole(NamedTuple):
    """What happens to each number of a role's rows on its way to an agent."""

    is_whole: bool  # whether rows are of whole numbers
    untold: Annotated[np.ndarray, "int32 [..]"]  # numbers of info that are masked
    masked: Annotated[np.ndarray, "int32 [..]"]
    noise_at: Annotated[np.ndarray, "int32 [run, 4]"]  # numbers from..to, their table row from..to
    noise: Annotated[np.ndarray, "float64 [run, 3]"]  # deviation, low, high
    drop_at: Annotated[np.ndarray, "int32 [drop, 2]"]  # numbers from..to
    drop: Annotated[np.ndarray, "float64 [drop]"]
    late: Annotated[np.ndarray, "int32 [late number, 2]"]  # number, steps
    past: Annotated[np.ndarray, "[env, agent or 0, .., late number]"]  # what the world showed
    token: Annotated[np.ndarray, "float64 [256, 6] or empty"]


def is_chosen(number: int, intensity: float) -> bool:
    """Pick a part of the numbers that grows with intensity: what is in stays in."""
    return ((number + 1) * SPREAD) % 1.0 < intensity or intensity >= 1.0


def declare(settings: Information, draft: Draft) -> None:
    """Turn the blurs that concern each role into tables."""
    used = set()
    for entry in draft.roles:
        numbers = _Numbers(entry, settings.intensity)
        for i, blur in enumerate(settings.blurs):
            if fnmatchcase(entry.role.name, blur.roles) and numbers.take(blur):
                used.add(i)
                _note(draft, entry, blur, settings.intensity)
        numbers.write(draft)
    for i, blur in enumerate(settings.blurs):
        if i not in used:
            names = {name for entry in draft.roles for name in _names(entry)}
            what = f"{blur.features!r} of roles {blur.roles!r} matches nothing."
            raise draft.refuse(f"information.blurs.{i}", what + hint(blur.features, names))


def _names(entry: RoleDraft) -> set[str]:
    """Name what a role is shown and told, feature by feature."""
    layout = entry.layout
    if layout.tokens:
        return {kind.name for kind in layout.tokens.kinds}
    return {feature.name for feature in (*layout.features, *entry.role.info.features)}


def _note(draft: Draft, entry: RoleDraft, blur: Blur, intensity: float) -> None:
    given = blur.model_dump(exclude_defaults=True, exclude={"features", "roles"})
    how = ", ".join(f"{name} {value}" for name, value in given.items())
    what = f"{entry.role.name}: {blur.features}"
    draft.note("information", what, f"{how} (at intensity {intensity:g})")


class _Numbers:
    """What happens to each number of a role's rows, or to each feature id of its tokens."""

    def __init__(self, entry: RoleDraft, intensity: float) -> None:
        self.entry, self.intensity = entry, intensity
        layout = entry.layout
        tokens = layout.tokens
        self.names = [kind.name for kind in tokens.kinds] if tokens else entry.numbers
        count = len(self.names)
        self.mask = np.zeros(count, bool)
        self.noise, self.drop, self.lag = np.zeros(count), np.zeros(count), np.zeros(count, int)
        self.untold: set[int] = set()
        self.info = entry.role.info

    def take(self, blur: Blur) -> bool:
        """Apply one blur; what it sets replaces what an earlier one set. Say if it fits."""
        told = numbers_of(self.info, blur.features)
        chosen = numbers_of(self.entry.layout, blur.features)
        if self.entry.layout.tokens:
            chosen = [i for i, name in enumerate(self.names) if fnmatchcase(name, blur.features)]
        hides = blur.mask or blur.scope == "hidden"
        self.untold |= {n for n in told if hides and is_chosen(n, self.intensity)}
        for n in chosen:
            self.mask[n] |= hides and is_chosen(n, self.intensity)
            self.noise[n] = blur.noise * self.intensity or self.noise[n]
            self.drop[n] = blur.dropout * self.intensity or self.drop[n]
            self.lag[n] = round(blur.delay * self.intensity) or self.lag[n]
        if blur.scope is not None and blur.scope != "hidden":
            self._relabel(blur, blur.scope)
        return bool(told or chosen)

    def _relabel(self, blur: Blur, scope: Visibility) -> None:
        layout = self.entry.layout
        features = tuple(
            replace(entry, visibility=scope)
            if fnmatchcase(entry.name, blur.features) and entry.visibility != "hidden"
            else entry
            for entry in layout.features
        )
        observation = replace(layout, features=features)
        self.entry.role = replace(self.entry.role, observation=observation)

    def write(self, draft: Draft) -> None:
        """Write the tables, and declare what delays remember."""
        tables, layout = self.entry.tables, self.entry.layout
        tables["untold"] = np.array(sorted(self.untold), np.int32)
        self.entry.delay = int(self.lag.max(initial=0))
        if layout.tokens:
            tables["token"] = self._token_table(layout)
            late = range(layout.size) if self.entry.delay else range(0)
        else:
            tables["masked"] = np.flatnonzero(self.mask).astype(np.int32)
            tables["noise_at"], tables["noise"] = self._noise_runs(layout)
            tables["drop_at"], tables["drop"] = self._drop_runs(layout)
            late = [n for n in range(layout.size) if self.lag[n]]  # type: ignore[assignment]
        lags = [0 if layout.tokens else int(self.lag[n]) for n in late]
        tables["late"] = np.array(list(zip(late, lags, strict=True)), np.int32).reshape(-1, 2)
        changing = ("untold", "masked", "noise", "drop", "late")
        self.entry.is_changed |= any(len(tables.get(name, ())) for name in changing)
        self.entry.keeps_views |= len(tables["late"]) > 0
        if self.entry.delay:
            self._declare_past(draft, len(lags))
        self._declare_chance()

    def _declare_chance(self) -> None:
        """Say that what is blurred by chance depends on chance."""
        role, layout = self.entry.role, self.entry.layout
        hit = (self.noise > 0) | (self.drop > 0)
        features = tuple(
            replace(entry, reads=(*entry.reads, Read(CHANCE)))
            if (hit.any() if layout.tokens else hit[layout.span(entry.name)].any())
            else entry
            for entry in layout.features
        )
        self.entry.role = replace(role, observation=replace(layout, features=features))

    def _declare_past(self, draft: Draft, count: int) -> None:
        role, layout = self.entry.role, self.entry.layout
        low, high = float(layout.low.min()), float(layout.high.max())
        shape = (draft.agents, self.entry.delay, count)
        kind: dict[str, Any] = {"dtype": layout.dtype, "low": low, "high": high}
        path = "information.past"
        name = draft.remember_of_role(self.entry, "what was to be seen", shape, path, **kind)
        past = (Read(LAYER + name, "self"), Read(LAYER + "since", "self"))
        features = tuple(
            replace(entry, reads=(*entry.reads, *past)) if self._is_late(entry, layout) else entry
            for entry in layout.features
        )
        self.entry.role = replace(role, observation=replace(layout, features=features))

    def _is_late(self, feature: Feature, layout: Layout) -> bool:
        return bool(layout.tokens) or bool(self.lag[layout.span(feature.name)].any())

    def _token_table(self, layout: Layout) -> np.ndarray:
        table = plain_tokens()
        for i, kind in enumerate(layout.tokens.kinds if layout.tokens else ()):
            sigma = self.noise[i] * (kind.high - kind.low)
            table[kind.id] = self.mask[i], sigma, self.drop[i], self.lag[i], kind.low, kind.high
        return table

    def _noise_runs(self, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
        """Join neighbours of equal noise and range; a run stays inside one row of a table."""
        at: list[list[int]] = []
        how: list[tuple[float, float, float]] = []
        rows = _table_rows(layout)
        for n in np.flatnonzero(self.noise).tolist():
            low, high = float(layout.low[n]), float(layout.high[n])
            value = (float(self.noise[n]) * (high - low), low, high)
            row = rows.get(n, (0, 0))
            if at and at[-1][1] == n and how[-1] == value and tuple(at[-1][2:]) == row:
                at[-1][1] = n + 1
            else:
                at.append([n, n + 1, *row])
                how.append(value)
        return np.array(at, np.int32).reshape(-1, 4), np.array(how, float).reshape(-1, 3)

    def _drop_runs(self, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
        """List what drops out together: a number, or a whole row of a table."""
        rows = _table_rows(layout)
        runs: dict[tuple[int, int], float] = {}
        for n in np.flatnonzero(self.drop).tolist():
            run = rows.get(n, (n, n + 1))
            runs[run] = max(runs.get(run, 0.0), float(self.drop[n]))
        return np.array(list(runs), np.int32).reshape(-1, 2), np.array(list(runs.values()), float)


def _table_rows(layout: Layout) -> dict[int, tuple[int, int]]:
    """Give, for each number of an entity table, where its entity's row begins and ends."""
    rows: dict[int, tuple[int, int]] = {}
    for entry in layout.features:
        if entry.table and entry.size:
            width = entry.size // entry.shape[0]
            start = layout.offsets[entry.name]
            for n in range(entry.size):
                first = start + n // width * width
                rows[start + n] = (first, first + width)
    return rows


def plain_tokens() -> np.ndarray:  # float64 [feature id, 6]
    """Give the table of a role whose tokens all get through as they are."""
    table = np.zeros((NUM_IDS, 6))
    table[:, TOKEN_HIGH] = 255.0
    return table


def allocate_role(entry: RoleDraft, draft: Draft, num_envs: int) -> InformationRole:
    """Allocate what a role's rows need on their way."""
    layout, tables = entry.layout, entry.tables
    kind = np.dtype(layout.dtype)
    tokens = plain_tokens() if layout.tokens is not None else np.zeros((0, 6))
    late = tables.get("late", np.zeros((0, 2), np.int32))
    members = draft.agents if len(late) else 0
    return InformationRole(
        is_whole=kind.kind in "iu",
        untold=tables.get("untold", np.zeros(0, np.int32)),
        masked=tables.get("masked", np.zeros(0, np.int32)),
        noise_at=tables.get("noise_at", np.zeros((0, 4), np.int32)),
        noise=tables.get("noise", np.zeros((0, 3))),
        drop_at=tables.get("drop_at", np.zeros((0, 2), np.int32)),
        drop=tables.get("drop", np.zeros(0)),
        late=late,
        past=np.zeros((num_envs, members, entry.delay, len(late)), kind),
        token=tables.get("token", tokens),
    )
