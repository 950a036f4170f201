"""Every error that Mesocosm raises: where, what is wrong, what was got, what is allowed."""

import difflib
from collections.abc import Iterable

MOST_TEXT = 60  # characters of one value or name
MOST_NAMES = 60  # that are listed all; of more, the nearest
NEAREST_NAMES = 12


class MesocosmError(Exception):
    """The parent of all errors that Mesocosm raises on purpose."""


class ConfigError(MesocosmError, ValueError):
    """A configuration is malformed, incomplete, out of range or contradicts itself.

    `problems` has the path and the words of everything that is wrong, where that is known.
    """

    problems: tuple[tuple[str, str], ...] = ()


class UnknownName(MesocosmError, LookupError):  # noqa: N818 (says it all)
    """A name (world, preset, role, field, policy, ...) does not exist."""


class MissingExtra(MesocosmError, ImportError):  # noqa: N818 (says it all)
    """An optional dependency is needed for what was asked."""


class TargetError(MesocosmError, RuntimeError):
    """A compilation target is unknown, or this machine does not have it."""


class ActionError(MesocosmError, ValueError):
    """Actions have the wrong structure, shape or dtype (their values never raise)."""


class PolicyError(MesocosmError, TypeError):
    """What was handed in as a policy is none."""


class SnapshotError(MesocosmError, ValueError):
    """A snapshot is corrupted, incomplete, or belongs to another env."""


class RunError(MesocosmError, ValueError):
    """A run folder, a table or a replay is damaged, incomplete, or cannot be written."""


class BundleError(MesocosmError, ValueError):
    """A policy bundle is damaged, unsafe, or does not fit what it should play."""


class SpecError(MesocosmError, ValueError):
    """A world's declarations contradict each other or its state class."""


class RuleError(MesocosmError, TypeError):
    """A rule uses something that compiled code cannot do, or that targets do differently."""


class BoundsError(MesocosmError, IndexError):
    """A rule used an index outside its array."""


class ThreadError(MesocosmError, RuntimeError):
    """Two threads used one env at the same time."""


class CopyError(MesocosmError, TypeError):
    """An env cannot be copied in this way."""


class ContractError(MesocosmError, AssertionError):
    """A world broke the environment contract, as `check_world` found."""


class LeakError(ContractError):
    """Something an agent receives depends on state that it may not read."""


def short(value: object) -> str:
    """Show what was got, in at most sixty characters."""
    try:
        text = repr(value)
    except Exception:  # a huge integer, or someone's broken __repr__
        text = f"something of type {type(value).__name__}"
    return cut_text(text)


def cut_text(text: str) -> str:
    """Leave of a text at most sixty characters."""
    return text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 3] + "..."


def hint(name: str, allowed: Iterable[str]) -> str:
    """Say which allowed name is meant, and list them all; of very many, the nearest."""
    options = sorted(set(allowed))
    close = difflib.get_close_matches(str(name)[:100], options, n=NEAREST_NAMES)
    meant = f" Did you mean {cut_text(close[0])!r}?" if close else ""
    more = ""
    if len(options) > MOST_NAMES:
        shown = list(dict.fromkeys([*close, *options]))[:NEAREST_NAMES]
        options, more = shown, f" and {len(options) - len(shown):,} more"
    return f"{meant} Available: {', '.join(map(cut_text, options)) or 'none'}{more}"


def unknown(kind: str, name: str, allowed: Iterable[str]) -> UnknownName:
    """Build the error for a name that does not exist."""
    return UnknownName(f"no {kind} named {short(name)}.{hint(name, allowed)}")
