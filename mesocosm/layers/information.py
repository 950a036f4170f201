"""Information: what agents see and are told. Masks, noise, dropout, delay and scope, by number."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.config.layers import Blur, Information
from mesocosm.core.errors import hint
from mesocosm.core.observation import Layout, Read, Visibility
from mesocosm.core.spec import LAYER
from mesocosm.layers.blurs import (
    LATE_NUMBER,
    RUN_START,
    RUN_STOP,
    Channel,
    RowBlur,
    make_row_blur,
    twin_numbers,
)
from mesocosm.layers.draft import Draft, RoleDraft, numbers_of

CHANCE = "frame.seed"  # what a blurred number reads besides: its own draws
NUM_IDS = 256  # feature ids of tokens
# columns of information.token: one row per feature id
TOKEN_MASK, TOKEN_NOISE, TOKEN_DROP, TOKEN_LAG, TOKEN_LOW, TOKEN_HIGH = range(6)


class InformationRole(NamedTuple):
    """What happens to each number of a role's rows and info on its way to an agent."""

    row: RowBlur
    info: RowBlur
    past: Annotated[np.ndarray, "[env, agent or 0, .., ..]"]  # what the world showed
    info_past: Annotated[np.ndarray, "float64 [env, agent or 0, .., ..]"]  # what it told
    told: Annotated[np.ndarray, "float64 [env, .., ..]"]  # what it tells now, of what is late
    token: Annotated[np.ndarray, "float64 [256, 6] or empty"]
    flag_kind: Annotated[np.ndarray, "int32 [..]"]  # kinds of tokens whose validity is shown
    token_flag: Annotated[np.ndarray, "int32 [256] or empty"]  # which of them each is; -1: none
    kept: Annotated[np.ndarray, "bool [env, .., ..]"]  # whether nothing of a kind was withheld
    flags_at: int  # the first of the added tokens that show validity


def declare(settings: Information, draft: Draft) -> None:
    """Turn the blurs that concern each role into tables."""
    used = set()
    for entry in draft.roles:
        blurs = _RoleBlurs(entry, settings.intensity)
        for i, blur in enumerate(settings.blurs):
            if fnmatchcase(entry.role.name, blur.roles) and blurs.take(blur):
                used.add(i)
                _note(draft, entry, blur, settings.intensity)
        blurs.write(draft)
    for i, blur in enumerate(settings.blurs):
        if i not in used:
            names = {name for entry in draft.roles for name in shown_names(entry)}
            what = f"{blur.features!r} of roles {blur.roles!r} matches nothing."
            raise draft.refuse(f"information.blurs.{i}", what + hint(blur.features, names))


def shown_names(entry: RoleDraft) -> set[str]:
    """Name what a role is shown and told, feature by feature."""
    layout = entry.layout
    shown = layout.tokens.kinds if layout.tokens else layout.features
    return {thing.name for thing in (*shown, *entry.role.info.features)}


def _note(draft: Draft, entry: RoleDraft, blur: Blur, intensity: float) -> None:
    given = blur.model_dump(exclude_defaults=True, exclude={"features", "roles"})
    how = ", ".join(f"{name} {value}" for name, value in given.items())
    what = f"{entry.role.name}: {blur.features}"
    draft.note("information", what, f"{how} (at intensity {intensity:g})")


class _RoleBlurs:
    """The blurs of what a role sees, and of what it is told."""

    def __init__(self, entry: RoleDraft, intensity: float) -> None:
        self.entry = entry
        layout, info = entry.layout, entry.role.info
        self.row = Channel(layout, intensity, {})
        self.info = Channel(info, intensity, twin_numbers(layout, info))

    def take(self, blur: Blur) -> bool:
        """Apply one blur; say if it fits."""
        layout = self.entry.layout
        chosen = numbers_of(layout, blur.features)
        if layout.tokens:
            kinds = enumerate(layout.tokens.kinds)
            chosen = [i for i, kind in kinds if fnmatchcase(kind.name, blur.features)]
        told = numbers_of(self.info.layout, blur.features)
        self.row.take(chosen, blur)
        self.info.take(told, blur)
        if blur.scope is not None and blur.scope != "hidden":
            self._relabel(blur, blur.scope)
        return bool(told or chosen)

    def _relabel(self, blur: Blur, scope: Visibility) -> None:
        role = self.entry.role
        row, info = (_relabel(layout, blur, scope) for layout in (role.observation, role.info))
        self.entry.role = replace(role, observation=row, info=info)

    def write(self, draft: Draft) -> None:
        """Write the tables, and declare what delays remember and what draws change."""
        entry, layout = self.entry, self.entry.layout
        tables = entry.tables
        for channel, shown in ((self.row, entry.role.observation), (self.info, entry.role.info)):
            for feature in shown.features:
                if feature.visibility == "hidden":  # what it remembers stays hidden too
                    channel.mask[slice(None) if shown.tokens else shown.span(feature.name)] = True
        if (self.row.withheld | (self.row.noise > 0)).any():
            self.info.mask[self.info.layout.about_row()] = True
        row_drops: dict[tuple[int, int], int] = {}
        if layout.tokens:
            tables["token"] = self._token_table(layout)
            late = range(layout.size) if self.row.depth else range(0)
            tables["row.late"] = np.array([(n, 0) for n in late], np.int32).reshape(-1, 2)
        else:
            tables |= {f"row.{name}": table for name, table in self.row.rows(0, {}).items()}
            runs = tables["row.drop_at"][:, [RUN_START, RUN_STOP]].tolist()
            row_drops = {(start, stop): k for k, (start, stop) in enumerate(runs)}
        info = self.info.rows(layout.size, row_drops)
        tables |= {f"info.{name}": table for name, table in info.items()}
        for prefix, channel in (("row", self.row), ("info", self.info)):
            tables[f"{prefix}.mask"] = channel.mask
            tables[f"{prefix}.withheld"] = channel.withheld
            tables[f"{prefix}.impaired"] = channel.withheld | (channel.noise > 0)
            entry.is_changed |= bool(tables[f"{prefix}.impaired"].any())
        entry.delay = self.row.depth
        entry.keeps_views |= self.row.depth > 0
        self._declare(draft)

    def _declare(self, draft: Draft) -> None:
        """Say that what is blurred by chance depends on chance, and what is late on the past."""
        role = self.entry.role
        past = self._past(draft, self.row, "row", "information.past")
        observation = _read_more(self.row, role.observation, past)
        told = self._past(draft, self.info, "info", "information.info_past")
        info = _read_more(self.info, role.info, told)
        self.entry.role = replace(role, observation=observation, info=info)

    def _past(self, draft: Draft, channel: Channel, prefix: str, path: str) -> tuple[Read, ...]:
        """Declare what the late numbers of a layout remember."""
        if not channel.depth:
            return ()
        layout, count = channel.layout, len(self.entry.tables[f"{prefix}.late"])
        late = self.entry.tables[f"{prefix}.late"]
        low, high = float(layout.low.min()), float(layout.high.max())
        kind: dict[str, Any] = {"dtype": layout.dtype, "low": low, "high": high}
        if layout.tokens is None:
            numbers = late[:, LATE_NUMBER].tolist()
            kind["ranges"] = tuple((float(layout.low[n]), float(layout.high[n])) for n in numbers)
        shape = (draft.agents, channel.depth, count)
        meaning = "what was to be seen" if prefix == "row" else "what was to be told"
        name = draft.remember_of_role(self.entry, meaning, shape, path, **kind)
        return (Read(LAYER + name, "self"), Read(LAYER + "since", "self"))

    def _token_table(self, layout: Layout) -> np.ndarray:
        table, row = plain_tokens(), self.row
        for i, kind in enumerate(layout.tokens.kinds if layout.tokens else ()):
            sigma = row.noise[i] * (kind.high - kind.low)
            table[kind.id] = row.mask[i], sigma, row.drop[i], row.lag[i], kind.low, kind.high
        return table


def _relabel(layout: Layout, blur: Blur, scope: Visibility) -> Layout:
    features = tuple(
        replace(entry, visibility=scope)
        if fnmatchcase(entry.name, blur.features) and entry.visibility != "hidden"
        else entry
        for entry in layout.features
    )
    return replace(layout, features=features)


def _read_more(channel: Channel, layout: Layout, past: tuple[Read, ...]) -> Layout:
    """Add to what features read the draws that blur them, and the memory that they come from."""
    features = []
    for entry in layout.features:
        part = slice(None) if layout.tokens else layout.span(entry.name)
        drawn = (channel.noise[part] > 0).any() or (channel.drop[part] > 0).any()
        late = past if channel.lag[part].any() else ()
        more = (*late, Read(CHANCE)) if drawn else late
        features.append(replace(entry, reads=(*entry.reads, *more)))
    return replace(layout, features=tuple(features))


def plain_tokens() -> np.ndarray:  # float64 [feature id, 6]
    """Give the table of a role whose tokens all get through as they are."""
    table = np.zeros((NUM_IDS, 6))
    table[:, TOKEN_HIGH] = 255.0
    return table


def allocate_role(entry: RoleDraft, draft: Draft, num_envs: int) -> InformationRole:
    """Allocate what a role's rows and info need on their way."""
    layout, tables, members = entry.layout, entry.tables, entry.role.num_agents
    row, info = (
        make_row_blur(part, tables, prefix)
        for part, prefix in ((layout, "row"), (draft.inner.all_roles[entry.number].info, "info"))
    )
    tokens = plain_tokens() if layout.tokens is not None else np.zeros((0, 6))
    depth = int(info.late[:, 1].max(initial=0))
    kinds = tables.get("flag_kind", np.zeros(0, np.int32))
    return InformationRole(
        row=row,
        info=info,
        past=np.zeros(
            (num_envs, draft.agents if len(row.late) else 0, entry.delay, len(row.late)),
            np.dtype(layout.dtype),
        ),
        info_past=np.zeros(
            (num_envs, draft.agents if len(info.late) else 0, depth, len(info.late))
        ),
        told=np.zeros((num_envs, members, len(info.late))),
        token=tables.get("token", tokens),
        flag_kind=kinds,
        token_flag=tables.get("token_flag", np.zeros(0, np.int32)),
        kept=np.zeros((num_envs, members, len(kinds)), np.bool_),
        flags_at=entry.place_of("valid"),
    )
