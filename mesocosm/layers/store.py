"""Common stores, a part of the hierarchy layer: members pay in of what they gain, and are paid."""

from typing import Annotated, NamedTuple

import numpy as np

from mesocosm.config.layers import Hierarchy
from mesocosm.core.observation import Feature, Read
from mesocosm.core.spec import LAYER
from mesocosm.layers.added import MAX_BYTE, AddedRole, add_feature, write_added
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.sim.frame import Frame
from mesocosm.sim.handles import HIGHEST, Handles
from mesocosm.sim.maths import greater, lesser
from mesocosm.sim.rule import rule

FIELD = "store"


class StoreArrays(NamedTuple):
    """What the groups of an env hold in common."""

    deposit: Annotated[np.ndarray, "float64 [column]"]  # part of a gain that is paid in
    payout: Annotated[np.ndarray, "float64 [column]"]  # part of a store that is paid out
    room: Annotated[np.ndarray, "float64 [group, column or 0]"]  # the most that a store takes
    held: Annotated[np.ndarray, "float64 [env, group, column or 0]"]


class StoreRole(NamedTuple):
    """What a role's agents are shown of their group's store."""

    shown_at: int  # where a row has it; -1: nowhere
    columns: Annotated[np.ndarray, "int32 [..]"]
    high: float


def declare(settings: Hierarchy, draft: Draft) -> None:
    """Found the stores that the settings name; show them to the members."""
    x = settings.intensity
    for glob, store in settings.store.items():
        chosen = draft.column(glob, "hierarchy.store", per_agent=True)
        deposit, payout = draft.per_column("deposit"), draft.per_column("payout")
        deposit[chosen], payout[chosen] = store.deposit * x, store.payout * x
        how = f"{store.deposit * x:.0%} of gains go to the group's store, "
        draft.note("hierarchy", f"state: {glob}", how + f"{store.payout * x:.0%} of it to all")
    if not settings.store:
        return
    draft.compares = True
    columns = np.flatnonzero(draft.per_column("deposit")).tolist()
    high = float(_room(draft).max(initial=0.0))
    names = tuple(draft.columns[c].name for c in columns)
    for entry in draft.roles:
        if entry.role.num_agents:
            entry.tables["store"] = np.array(columns, np.int32)
            feature = Feature(
                "store",
                "what my group has in store",
                (len(columns),),
                high=high,
                labels=names,
                reads=(Read(LAYER + FIELD, "mates"),),
            )
            add_feature(entry, feature)


def declare_held(draft: Draft) -> None:
    """Declare what stores hold, when all columns are known."""
    if "deposit" in draft.tables:
        high = float(_room(draft).max(initial=0.0))
        meaning, shape = "what groups have in store", _room(draft).shape
        draft.remember(FIELD, meaning, shape, "store.held", scope="group", low=0.0, high=high)


def _room(draft: Draft) -> np.ndarray:  # float64 [group, column]
    """Give the most that each store takes: what its group's members can hold together."""
    members = np.bincount(draft.tables["group"])
    return np.outer(members, [column.high for column in draft.columns])


def allocate(draft: Draft, num_envs: int) -> StoreArrays:
    """Allocate the groups' stores."""
    group = draft.tables.get("group", np.zeros(draft.agents, np.int64))
    groups = int(group.max(initial=0)) + 1
    deposit, payout = draft.per_column("deposit"), draft.per_column("payout")
    room = _room(draft) if deposit.any() else np.zeros((groups, 0))
    return StoreArrays(deposit, payout, room, np.zeros((num_envs, *room.shape)))


def allocate_role(entry: RoleDraft, draft: Draft) -> StoreRole:
    """Say where a role's rows have the store."""
    high = MAX_BYTE if entry.layout.tokens is not None else float("inf")
    columns = entry.tables.get("store", np.zeros(0, np.int32))
    return StoreRole(entry.place_of("store"), columns, high)


@rule
def empty_stores(store: StoreArrays, e: int) -> None:
    """Begin with nothing in store."""
    for g in range(store.held.shape[1]):
        for c in range(store.held.shape[2]):
            store.held[e, g, c] = 0.0


@rule
def bank_gains(f: Frame, handles: Handles, store: StoreArrays, group: np.ndarray, e: int) -> None:
    """Pay a part of each gain into the group's store, and a part of the store to the members."""
    for c in range(store.held.shape[2]):
        if store.deposit[c] > 0.0:
            for a in range(f.active.shape[1]):
                if f.active[e, a]:
                    pay_in(handles, store, e, c, a, group[a])
            for g in range(store.held.shape[1]):
                pay_out(f, handles, store, group, e, c, g)


@rule
def pay_in(handles: Handles, store: StoreArrays, e: int, c: int, a: int, g: int) -> None:
    """Pay in of what an agent gained, as far as there is room."""
    gain = handles.value[e, c, a] - handles.before[e, c, a]
    if gain > 0.0:
        part = lesser(gain * store.deposit[c], store.room[g, c] - store.held[e, g, c])
        handles.value[e, c, a] -= part
        store.held[e, g, c] += part


@rule
def pay_out(
    f: Frame, handles: Handles, store: StoreArrays, group: np.ndarray, e: int, c: int, g: int
) -> None:
    """Pay a part of a store to its group's members in equal shares, as far as they have room."""
    count = 0
    for a in range(f.active.shape[1]):
        if f.active[e, a] and group[a] == g:
            count += 1
    if count == 0:
        return
    part = store.held[e, g, c] * store.payout[c] / count
    for a in range(f.active.shape[1]):
        if f.active[e, a] and group[a] == g:
            room = greater(handles.bounds[c, HIGHEST] - handles.value[e, c, a], 0.0)
            given = lesser(part, room)
            handles.value[e, c, a] += given
            store.held[e, g, c] = greater(store.held[e, g, c] - given, 0.0)


@rule
def show_store(
    store: StoreArrays,
    group: np.ndarray,
    role: StoreRole,
    added: AddedRole,
    e: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Write what an agent's group has in store."""
    for n in range(role.columns.shape[0]):
        value = store.held[e, group[a], role.columns[n]]
        write_added(added, out, role.shown_at + n, value, 0.0, role.high)
