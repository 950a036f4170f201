"""Which number stands for what in a token: features, tags, vibes, actions, by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from mesocosm.core.errors import ConfigError, unknown
from mesocosm.worlds.mettagrid.game.inventory import MAX_AMOUNT

if TYPE_CHECKING:
    from mesocosm.worlds.mettagrid.game.core import Core
    from mesocosm.worlds.mettagrid.game.thing import AgentKind

EMPTY_TOKEN, GLOBAL_LOCATION = 0xFF, 0xFE  # bytes; the latter is about no cell
LOCATION_ROW = 16  # a location is a row times this, and a column
MAX_IDS = 256
VIBE_PREFIX = "change_vibe_"
CLASSIC: tuple[tuple[str, float], ...] = (
    ("agent:group", 10.0), ("agent:frozen", 1.0), ("episode_completion_pct", 255.0),
    ("last_action", 10.0), ("last_reward", 100.0), ("goal", 100.0), ("vibe", 255.0),
    ("agent:compass", 1.0), ("tag", 10.0), ("cooldown_remaining", 255.0), ("clipped", 1.0),
    ("remaining_uses", 255.0),
)  # fmt: skip
COGS: tuple[tuple[str, float], ...] = (
    ("agent:group", 10.0), ("episode_completion_pct", 255.0), ("last_action", 10.0),
    ("last_reward", 100.0), ("goal", 100.0), ("vibe", 255.0), ("tag", 10.0), ("lp:east", 255.0),
    ("lp:west", 255.0), ("lp:north", 255.0), ("lp:south", 255.0), ("agent_id", 255.0),
)  # fmt: skip
SIDE_NAMES = ("north", "south", "east", "west")


class ObservationFeatureSpec(NamedTuple):
    """A feature: its id in tokens, its name, and what its values are divided by."""

    id: int
    name: str
    normalization: float


def digits(base: int) -> int:
    """Return how many digits the greatest amount has."""
    count, rest = 1, MAX_AMOUNT // base
    while rest:
        count, rest = count + 1, rest // base
    return count


def inventory_digits(core: "Core") -> int:
    """Return how many features each resource has."""
    return digits(core.obs.token_value_base) if core.obs.inventory_powers else 1


def _powers(name: str, base: int) -> list[tuple[str, float]]:
    tail = [f"{name}:p{k}" for k in range(1, digits(base))]
    return [(entry, float(base)) for entry in (name, *tail)]


def feature_table(core: "Core") -> list[tuple[str, float]]:
    """List a game's features in order of their ids."""
    base, obs = core.obs.token_value_base, core.obs
    table = list(CLASSIC if core.is_classic else COGS)
    if core.is_classic and core.conformance == "spec" and not obs.goal:
        table = [entry for entry in table if entry[0] != "goal"]  # the manual's table has none
    for resource in core.resources:
        table += _powers(f"inv:{resource}", base)[: inventory_digits(core)]
    if obs.protocol_details:
        table += [(f"protocol_input:{name}", 100.0) for name in core.resources]
        table += [(f"protocol_output:{name}", 100.0) for name in core.resources]
    if core.is_classic:
        return table
    for name in obs.values:
        table += _powers(name, base)
    table += [("aoe_mask", 3.0)] * obs.aoe_mask + [("last_action_move", 1.0)] * obs.last_action_move
    if obs.territory:
        table += [("territory:here", 3.0), *((f"territory:{side}", 9.0) for side in SIDE_NAMES)]
    return table


def tag_table(core: "Core") -> list[str]:
    """List a game's tags in order of their ids: sorted by code point."""
    found = set(core.tags) | {entry.tag for entry in core.materialized}
    for name, thing in core.objects.items():
        found |= set(object_tags(core, thing.type or name, thing.tags))
    for kind in core.kinds:
        found |= set(agent_tags(core, kind))
    return sorted(found)


def object_tags(core: "Core", name: str, given: Sequence[str]) -> list[str]:
    """List an object's own tags: as given in classic, with its type in cogs."""
    if core.is_classic:
        return list(given) or [name]
    return sorted({*given, f"type:{name}"})


def agent_tags(core: "Core", kind: "AgentKind") -> list[str]:
    """List an agent's tags."""
    return object_tags(core, kind.type, kind.tags)


def true_actions(core: "Core") -> list[str]:
    """List what ids do, in order."""
    moves = [f"move_{name}" for name in core.actions.directions]
    return ["noop", *moves, *(f"{VIBE_PREFIX}{name}" for name in vibe_actions(core))]


def action_table(core: "Core") -> list[str]:
    """List a game's actions in order of their ids, by the names they are known by."""
    true, named = true_actions(core), core.actions.named
    if not named or core.actions.layout == "split":
        return true
    return [*named, *(f"id_{k}" for k in range(len(named), len(true)))]


def vibe_actions(core: "Core") -> tuple[str, ...]:
    """List the vibes that can be taken on: none where one talks, unless as upstream."""
    silent = core.talk.enabled and core.conformance == "spec"
    return () if silent else core.actions.vibes


@dataclass(frozen=True)
class IdMap:
    """The names behind the numbers of one game."""

    core: "Core"

    @cached_property
    def _features(self) -> tuple[ObservationFeatureSpec, ...]:
        table = feature_table(self.core)
        if len(table) > MAX_IDS:
            what = f"{len(table)} features do not fit a byte"
            raise ConfigError(f"core.resources: {what}: at most {MAX_IDS}")
        return tuple(ObservationFeatureSpec(k, name, n) for k, (name, n) in enumerate(table))

    @cached_property
    def _by_name(self) -> Mapping[str, ObservationFeatureSpec]:
        return {feature.name: feature for feature in self._features}

    def features(self) -> list[ObservationFeatureSpec]:
        """List the features in order of their ids."""
        return list(self._features)

    def feature(self, name: str) -> ObservationFeatureSpec:
        """Find a feature by name."""
        if name not in self._by_name:
            raise unknown("feature", name, self._by_name)
        return self._by_name[name]

    def feature_id(self, name: str) -> int:
        """Return the id of a feature."""
        return self.feature(name).id

    def has(self, name: str) -> bool:
        """Whether the game has a feature."""
        return name in self._by_name

    def tag_names(self) -> list[str]:
        """List the tags in order of their ids."""
        names = tag_table(self.core)
        if len(names) > MAX_IDS:
            raise ConfigError(f"core.tags: {len(names)} tags do not fit a byte: at most {MAX_IDS}")
        return names

    def vibe_names(self) -> list[str]:
        """List the vibes in order of their ids."""
        return list(self.core.vibes)

    def action_names(self) -> list[str]:
        """List the actions in order of their ids."""
        return action_table(self.core)


class Remap:
    """Lets a policy that knows one feature table read the tokens of another game.

    Args:
        theirs: The game that makes the tokens.
        ours: The game the policy was made for.
        unknown: What becomes of tokens that `ours` has no feature for: `drop` takes them out
            and closes the gap, `zero` leaves them in place as empty tokens, `error` refuses.
    """

    def __init__(
        self, theirs: IdMap, ours: IdMap, unknown: Literal["drop", "zero", "error"] = "drop"
    ) -> None:
        known = {feature.name: feature.id for feature in ours.features()}
        self._table = np.full(MAX_IDS, -1, np.int16)
        for feature in theirs.features():
            self._table[feature.id] = known.get(feature.name, -1)
        self.missing = [x.name for x in theirs.features() if x.name not in known]
        if self.missing and unknown == "error":
            raise ConfigError(f"remap: features unknown to the policy: {', '.join(self.missing)}")
        self._drop = unknown == "drop"

    def __call__(self, tokens: Any) -> np.ndarray:  # uint8 [..., num_tokens, 3]
        """Return the tokens under the policy's own ids; what is handed in stays as it is."""
        given = np.asarray(tokens)
        made = given.copy()
        ids = self._table[given[..., 1]]
        there = given[..., 0] != EMPTY_TOKEN
        made[..., 1] = np.where(there, ids, EMPTY_TOKEN).astype(np.uint8)
        made[there & (ids < 0)] = EMPTY_TOKEN
        if not self._drop:
            return made
        order = np.argsort(made[..., 0] == EMPTY_TOKEN, axis=-1, kind="stable")
        return np.take_along_axis(made, order[..., None], axis=-2)
