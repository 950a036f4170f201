"""Find the policy that a text names: a scripted one, a bundle, or one's own code."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mesocosm import build
from mesocosm.core.errors import BundleError, PolicyError, UnknownName, short, unknown
from mesocosm.core.extra import missing_extra
from mesocosm.core.path import check_path, check_text
from mesocosm.core.policy import Policy
from mesocosm.worlds import registry

if TYPE_CHECKING:
    from mesocosm.learning.policies.bundle_policy import BundlePolicy

BUNDLE = re.compile(r"(?P<path>.+\.mesop)(?::(?P<how>\w+))?", re.DOTALL)
CODE = re.compile(r"(?P<path>.+\.py):(?P<name>[^\W\d]\w*)", re.DOTALL)
HOW = {None: False, "sampled": False, "greedy": True}  # whether it takes the best action
TRAINED = "trained/"  # before the names of bundles that come with a world
FORMS = "FILE.mesop, FILE.mesop:greedy or FILE.py:CLASS"


class Loaded(NamedTuple):
    """A policy, and what a run says of it: its kind and name, and for a file its sha256."""

    policy: Policy
    about: dict[str, Any]


def policy(source: str | os.PathLike[str], name: str | None = None) -> Policy:
    """Make a policy: a world's scripted one by two names, or the one in a file.

    Args:
        source: A world, or `FILE.mesop`, `FILE.mesop:greedy` or `FILE.py:CLASS`.
        name: Of the scripted policy, of the world's own or a generic one, or `trained/NAME` of
            a bundle that comes with the world.
    """
    if isinstance(name, str) and name.startswith(TRAINED):
        return load_policy(name, source).policy  # type: ignore[arg-type]
    if name is not None:
        return build.policy(source, name)  # type: ignore[arg-type]
    text = os.fspath(source) if isinstance(source, str | os.PathLike) else source
    if not isinstance(text, str):
        raise PolicyError(f"a policy must be named by text or a path, got {short(source)}")
    check_text(text, PolicyError)
    if not is_file(text):
        raise PolicyError(
            f"{short(text)} names no policy: give a world and a name, as in "
            f"policy('commons', 'steady'), or {FORMS}"
        )
    return load_policy(text, None).policy


def is_file(text: str) -> bool:
    """Whether a text names a policy by its file."""
    return bool(BUNDLE.fullmatch(text) or CODE.fullmatch(text) or text.endswith(".py"))


def is_bundle(text: str) -> bool:
    """Whether a text names a bundle."""
    return BUNDLE.fullmatch(text) is not None


def load_policy(text: str, world: str | None) -> Loaded:
    """Make the policy that a text names, to play a world (None: whichever)."""
    if world is not None and text.startswith(TRAINED) and not is_file(text):
        return _load_trained(text, world)
    bundle, code = BUNDLE.fullmatch(text), CODE.fullmatch(text)
    if bundle is not None:
        return _load_bundle(bundle["path"], bundle["how"], world)
    if code is not None:
        return _load_code(check_path(code["path"], PolicyError), code["name"])
    if text.endswith(".py"):
        raise PolicyError(f"{text}: name the class in it as well, as in {text}:MyPolicy")
    try:
        made = build.policy(world or "", text)
    except UnknownName as error:
        raise UnknownName(f"{error}; a file is {FORMS}") from None
    return Loaded(made, {"kind": "scripted", "name": text})


def _load_bundle(path: str, how: str | None, world: str | None) -> Loaded:
    if how not in HOW:
        raise PolicyError(f"{path}:{how}: a bundle plays sampled or greedy, got {how!r}")
    made = open_bundle(path, greedy=HOW[how])
    bundle = made.bundle
    if world is not None and bundle.card.world != world:
        raise BundleError(
            f"{path}: is a policy for {bundle.card.role!r} of {bundle.card.preset}; it cannot "
            f"play {world}, which is another world"
        )
    here = (
        registry.find(bundle.card.world).version if bundle.card.world in registry.names() else None
    )
    learnt = bundle.card.world_version
    if here is not None and here != learnt:
        made.world_notes.append(
            f"learnt in version {learnt} of {bundle.card.world}, here is {here}"
        )
    about: dict[str, Any] = {"kind": "bundle", "path": path, "sha256": bundle.sha256}
    return Loaded(made, about | ({"greedy": True} if made.greedy else {}))


def _load_trained(text: str, world: str) -> Loaded:
    """Load a bundle that comes with a world: `trained/NAME`, perhaps `:greedy`."""
    registry.find(world)
    name, _, how = text.partition(":")
    known = registry.trained_files(world)
    if name not in known:
        raise unknown(f"policy of {world}", name, known)
    made, about = _load_bundle(str(known[name]), how or None, world)
    return Loaded(made, about | {"path": name})


def open_bundle(path: str | os.PathLike[str], *, greedy: bool = False) -> "BundlePolicy":
    """Read a bundle as a policy; say what to install where there is no torch."""
    try:
        from mesocosm.learning.policies.bundle_policy import BundlePolicy
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] != "torch":
            raise
        raise missing_extra("policy bundles need PyTorch", "learn") from None
    return BundlePolicy(path, greedy=greedy)


def _load_code(path: Path, name: str) -> Loaded:
    from mesocosm.learning.bundles.archive import sha256
    from mesocosm.learning.policies.own_code import load_own_policy

    made = load_own_policy(path, name)
    about = {"kind": "code", "path": f"{path}:{name}", "sha256": sha256(path.read_bytes())}
    return Loaded(made, about)
