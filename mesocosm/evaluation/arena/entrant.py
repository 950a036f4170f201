"""Entrants: who is evaluated, by which policy for each role, and what is known of the files."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.core.errors import ConfigError, MesocosmError, RunError, short
from mesocosm.core.spec import Role, Spec
from mesocosm.evaluation.programs.command import read_command
from mesocosm.evaluation.programs.files import check_same_files, digest_files
from mesocosm.evaluation.trained import find_bundles
from mesocosm.learning.policies.load import CODE, Loaded, is_file, load_policy
from mesocosm.telemetry.run_folder import RUN, RunFolder

PROGRAM = "program:"  # before a file whose code runs in a process of its own
NAMED = re.compile(r"(?P<name>[^=/\[\]:]+)=(?P<text>.+)", re.DOTALL)
MOST_NAME = 80  # characters
FORMS = (
    "a scripted policy's name, trained/NAME, FILE.mesop, FILE.py:CLASS, program:FILE.py:CLASS or "
    "the folder of a training"
)


class Entrant(NamedTuple):
    """Somebody who plays.

    Args:
        text: As it was asked for.
        texts: By role, what names its policy there; `""` is for every role.
    """

    name: str
    text: str
    texts: Mapping[str, str]

    def text_for(self, role: str) -> str:
        """Give what names the policy for a role."""
        return self.texts.get(role, self.texts.get("", ""))

    @property
    def is_program(self) -> bool:
        return self.text.startswith(PROGRAM)

    @property
    def program(self) -> str:
        """What names the program of an entrant that is one."""
        return self.text.removeprefix(PROGRAM)


def parse_entrants(requests: Sequence[str], spec: Spec) -> list[Entrant]:
    """Read `[NAME=]POLICY` of every entrant; names must differ."""
    made = [parse_entrant(text, spec) for text in requests]
    names = [entrant.name for entrant in made]
    for name in names:
        if not name.isprintable() or len(name) > MOST_NAME:
            raise ConfigError(
                f"entrants: a name must have at most {MOST_NAME} printable characters, "
                f"got {short(name)}"
            )
        if names.count(name) > 1:
            raise ConfigError(
                f"entrants: two are named {short(name)}; give them names, as in NAME={name}"
            )
    return made


def parse_entrant(request: str, spec: Spec) -> Entrant:
    """Read `[NAME=]POLICY`."""
    match = NAMED.fullmatch(request)
    name, text = (match["name"], match["text"]) if match else ("", request)
    if not text:
        raise ConfigError(f"entrants: must be {FORMS}, got {short(request)}")
    _check_name(request)
    folder = Path(text)
    if not is_file(text) and (folder / RUN).is_file():
        bundles = find_bundles(RunFolder(folder), spec, "best")
        return Entrant(name or folder.name, text, {k: str(path) for k, path in bundles.items()})
    return Entrant(name or _short_name(text), text, {"": text})


def _check_name(request: str) -> None:
    """Refuse `NAME=POLICY` with a name that would read as something else."""
    name, given, _ = request.partition("=")
    policy = request.startswith(PROGRAM) or is_file(request) or Path(request).exists()
    if given and not policy and name.isprintable() and set(name) & set("/[]:"):
        raise ConfigError(f"entrants: a name holds no / : [ or ], got {short(name)}")


def _short_name(text: str) -> str:
    """Name an entrant after its policy; of a path, the last part is enough."""
    plain = text.removeprefix(PROGRAM)
    return Path(plain).name if is_file(plain) else plain


def load_for_role(entrant: Entrant, role: Role, world: str) -> Loaded:
    """Make an entrant's policy for a role, anew; raise if it cannot play it."""
    text = entrant.text_for(role.name)
    if not text:
        known = ", ".join(entrant.texts)
        raise ConfigError(f"{entrant.name}: has a policy for {known} only, not for {role.name}")
    made = load_policy(text, world)
    check: Any = getattr(made.policy, "check_role", None)
    notes = [] if check is None else check(role)
    return Loaded(made.policy, made.about | ({"notes": notes} if notes else {}))


def find_fault(entrant: Entrant, role: Role, world: str) -> str:
    """Say why an entrant cannot play a role; nothing, if it can."""
    if entrant.is_program:
        return ""
    try:
        load_for_role(entrant, role, world)
    except MesocosmError as error:
        return str(error)
    return ""


def describe_entrant(entrant: Entrant, spec: Spec) -> dict[str, Any]:
    """Say what a run has to remember of an entrant: its files with their sha256, by role."""
    about: dict[str, Any] = {"name": entrant.name, "text": entrant.text, "roles": {}}
    for role in spec.roles.values():
        about["roles"][role.name] = _describe_policy(entrant, role, spec.world)
    if all("error" in entry for entry in about["roles"].values()):
        raise ConfigError(next(entry["error"] for entry in about["roles"].values()))
    return about


def _describe_policy(entrant: Entrant, role: Role, world: str) -> dict[str, Any]:
    if entrant.is_program:
        return _describe_program(entrant.program)
    try:
        loaded = load_for_role(entrant, role, world)
    except MesocosmError as error:
        return {"error": str(error)}
    return loaded.about | ({"privileged": True} if loaded.policy.privileged else {})


def _describe_program(text: str) -> dict[str, Any]:
    """Name a program, with the sha256 of the files that it names; refuse what cannot be run."""
    files = digest_files(read_command(text))
    about: dict[str, Any] = {"kind": "program", "path": text, "files": files}
    return about | ({"sha256": next(iter(files.values()))} if CODE.fullmatch(text) else {})


def check_same_entrants(
    before: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]], where: str
) -> None:
    """Refuse to go on with an evaluation with other files than those that began it."""
    for old, new in zip(before, now, strict=True):
        for role, entry in new["roles"].items():
            was = old.get("roles", {}).get(role, {})
            files = [dict(one.get("files") or {}) for one in (was, entry)]
            check_same_files(*files, who=new["name"], where=where)
            if was.get("sha256") != entry.get("sha256"):
                raise RunError(
                    f"{where}: {new['name']}: {entry.get('path')} is not the file that played: "
                    f"sha256 was {str(was.get('sha256'))[:12]}, is "
                    f"{str(entry.get('sha256'))[:12]}"
                )
