"""What a world is to the framework: declarations and rules, in one folder."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.policy import Policy
from mesocosm.core.scene import Scene
from mesocosm.core.spec import Spec
from mesocosm.core.view import view_numbers

Rule = Callable[..., Any]
Truth = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class RoleRules:
    """The rules that one role's agents are judged and informed by.

    Args:
        observe: `(s, p, e, a, out)` writes the observation row; changes no state.
        terms: `(s, f, p, e, a)` writes `f.terms[e, a, k]`; changes no state.
        mask: `(s, p, e, a, out)` clears the options that are invalid now; changes no state.
        inform: `(s, p, e, a, out)` writes the info row; changes no state.
    """

    observe: Rule
    terms: Rule
    mask: Rule | None = None
    inform: Rule | None = None


@dataclass(frozen=True)
class Axis:
    """Things other than agents that state fields run over, such as objects or cells.

    Args:
        sees: `(s, p, e, a, k)` says whether agent a can see the k-th of them.
        owns: `(s, p, e, a, k)` says whether it belongs to agent a; none do unless given.
    """

    sees: Rule
    owns: Rule | None = None


@dataclass(frozen=True)
class QuantityRules:
    """How layers reach a quantity that the spec declares.

    Args:
        read: `(s, p, e, a, k)` gives the k-th number of agent a.
        write: `(s, p, e, a, k, value)` makes it a whole number, as nearly as the world allows, and
            brings up to date all that hangs on it: derived fields, and what the step pays.
    """

    read: Rule
    write: Rule


@dataclass(frozen=True)
class Rules:
    """A world's rules: module-level functions in plain Python.

    Args:
        reset: `(s, f, p, e)` writes every truth field of a new episode.
        transition: `(s, f, p, e)` plays one step.
        ending: `(s, f, p, e)` writes reason codes to `f.ending[e, a]` and
            `f.episode_ending[e]`; changes no state.
        roles: For each role name, in agent order, its rules.
        rebuild: `(s, p, e)` recomputes every derived field from truth.
        turn: `(s, f, p, e)` sets `f.acting[e, a]` for the next step; called if turns is `state`.
        sees: `(s, p, e, a, j)` says whether agent a can see agent j.
        group_of: `(s, p, e, a)` gives the group of an agent.
        axes: By name, what fields may run over besides agents and groups.
        quantities: By name, the rules for each quantity that the spec declares, in that order.
    """

    reset: Rule
    transition: Rule
    ending: Rule
    roles: Mapping[str, RoleRules]
    rebuild: Rule | None = None
    turn: Rule | None = None
    sees: Rule | None = None
    group_of: Rule | None = None
    axes: Mapping[str, Axis] = field(default_factory=dict)
    quantities: Mapping[str, QuantityRules] = field(default_factory=dict)


@dataclass(frozen=True)
class Invariant:
    """What always holds between truth fields, in every state that rules are given.

    Args:
        says: What holds, as a sentence.
        fields: The truth fields that may break it.
        enforce: `(truth, core)` changes these, arrays `[env, ...]` by their names in a snapshot,
            as little as needed where it does not hold, and nothing where it does.
    """

    says: str
    fields: tuple[str, ...]
    enforce: Callable[[Truth, Any], None]


class ImportedConfig(NamedTuple):
    """A config that was taken over from another project.

    Args:
        config: The whole config, as a mapping.
        notes: What people should know about how it was read.
    """

    config: dict[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class World:
    """A domain: its parameters, its declarations, its rules.

    Args:
        core: The frozen pydantic model of the config's `core` section.
        spec: Declares everything for given core parameters.
        params: Builds the read-only NamedTuple `p` that rules get.
        state: The NamedTuple class of the state arrays.
        rules: The rules; where there are several sets, those of the default preset.
        variant: Gives the rules that a core is played by, where a world has several sets; each set
            compiles by itself. All sets have the same roles and axes.
        examples: Overrides of the default preset: for each set of rules that no preset needs, those
            of a config that does, so that it can be compiled ahead.
        mission_variants: By name, `(core)` gives overrides for a config with this `core` section:
            other ways to play any game of the world.
        default_preset: The preset that the bare world name means.
        policies: Scripted policies by name; each factory makes one for any of the roles.
        scene: `(truth, core)` draws one env; truth has its truth fields and what is exposed beside
            them, without the env axis.
        view: `(core, role, obs, mask, info)` draws what one agent received: its observation, its
            mask and its declared info by name. Whatever it draws says in `source` which entries it
            came from. Without one, all numbers are drawn as bars by their names.
        text: `(truth, core)` writes the same for a terminal, in lines of plain text.
        tell: `(core, role, obs, mask, told)` makes structured info for adapters of one agent's
            observation, mask and declared info: of what it received, and so of nothing else.
        imports: `(file, grid, without)` reads a config of another project, which the world follows:
            from a file, with the map from a second one if there is one, without the keys named.
        invariants: What holds between truth fields; a snapshot that breaks one is refused.
    """

    name: str
    version: int
    summary: str
    core: type[Any]
    spec: Callable[[Any], Spec]
    params: Callable[[Any, Spec], Any]
    state: type[Any]
    rules: Rules
    variant: Callable[[Any], Rules] | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    mission_variants: Mapping[str, Callable[[Mapping[str, Any]], Mapping[str, Any]]] = field(
        default_factory=dict
    )
    default_preset: str = "default"
    policies: Mapping[str, Callable[[], Policy]] = field(default_factory=dict)
    scene: Callable[[Truth, Any], Scene] | None = None
    view: Callable[[Any, Any, np.ndarray, np.ndarray, Mapping[str, Any]], Scene] = view_numbers
    text: Callable[[Truth, Any], str] | None = None
    tell: Callable[[Any, Any, np.ndarray, np.ndarray, Mapping[str, Any]], dict[str, Any]] | None = (
        None
    )
    imports: Callable[[Path, Path | None, Sequence[str]], ImportedConfig] | None = None
    invariants: tuple[Invariant, ...] = ()

    def fitted(self, core: Any) -> "World":
        """Give this world with the rules that a core is played by."""
        return self if self.variant is None else replace(self, rules=self.variant(core))
