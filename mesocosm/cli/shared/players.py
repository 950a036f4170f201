"""Who plays: what `--policy` names, for all roles, for one, or for one agent of one."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mesocosm.cli.shared.output import say
from mesocosm.core.errors import ConfigError, RunError, short, unknown
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role, Spec
from mesocosm.learning.policies.load import is_bundle, load_policy, open_bundle
from mesocosm.learning.policies.slots import SlotsPolicy

# a role, perhaps one agent of it, and a policy; a path with "=" in it is told apart by its "/"
REQUEST = re.compile(r"(?P<role>[^=\[\]/]+)(?:\[(?P<slot>[^\[\]=/]*)\])?=(?P<policy>.*)", re.DOTALL)
SLOT = re.compile(r"(?P<role>.+)\[(?P<slot>\d+)\]")


class Players(NamedTuple):
    """The policy of each role, and what the run says of those who play.

    Args:
        about: By role, or `role[slot]`: kind, name or path, and sha256 of files.
    """

    policies: dict[str, Policy]
    about: dict[str, dict[str, Any]]


def choose_policies(requests: list[str], spec: Spec, rest: str = "random") -> dict[str, str]:
    """Give each role the text that names its policy, and `role[slot]` where one agent has its own.

    `NAME` is for all roles, a bundle for the role that it learnt, `role=NAME` for one role and
    `role[3]=NAME` for one agent of it, counted from 0.

    Args:
        rest: The text for roles that nothing was said of.
    """
    chosen = dict.fromkeys(spec.roles, rest)
    found = [(text, REQUEST.fullmatch(text)) for text in requests]
    plain = [text for text, match in found if match is None]
    for_all = [text for text in plain if not (is_bundle(text) and len(spec.roles) > 1)]
    if len(for_all) > 1:
        raise ConfigError(f"--policy: one name for all roles, got {', '.join(for_all)}")
    if for_all:
        chosen = dict.fromkeys(spec.roles, for_all[0])
    for text in plain:
        if text not in for_all:
            chosen[_learnt_role(text, spec)] = text
    named: dict[str, str] = {}
    for text, match in found:
        if match is None:
            continue
        if match["role"] not in spec.roles:
            raise unknown("role with agents", match["role"], spec.roles)
        role, who = spec.roles[match["role"]], match["role"]
        if match["slot"] is not None:
            who = f"{role.name}[{_slot(role, match['slot'], text)}]"
        if who in named or not match["policy"]:
            got = f"{named[who]} and {match['policy']}" if who in named else "none"
            raise ConfigError(f"--policy {short(text)}: {who} needs one policy, got {got}")
        named[who] = match["policy"]
    return chosen | named


def _learnt_role(text: str, spec: Spec) -> str:
    """Name the role that a bundle plays in a world with several."""
    learnt = open_bundle(text.rpartition(".mesop")[0] + ".mesop").bundle.card.role
    if learnt not in spec.roles:
        known = ", ".join(spec.roles)
        raise ConfigError(
            f"--policy {text}: it learnt to play {learnt!r}; say which of {known} it should play "
            f"(--policy ROLE={text})"
        )
    return learnt


def _slot(role: Role, text: str, request: str) -> int:
    if not (text.isascii() and text.isdigit()) or not int(text[:9]) < role.num_agents:
        last = role.num_agents - 1
        raise ConfigError(
            f"--policy {short(request)}: {role.name} has agents 0 to {last}, got {short(text)}"
        )
    return int(text)


def make_players(names: Mapping[str, str], spec: Spec) -> Players:
    """Load every policy, and check that it can play its role, before anything compiles.

    Args:
        names: As `choose_policies` gives them.
    """
    policies: dict[str, Policy] = {}
    about: dict[str, dict[str, Any]] = {}
    for role in spec.roles.values():
        slots = {slot: text for slot, text in _slots(names, role).items() if text}
        texts = dict.fromkeys(slots.values())
        rest = names.get(role.name, "random") if len(slots) < role.num_agents else None
        loaded = {text: load_policy(text, spec.world) for text in texts}
        main = None if rest is None else loaded.get(rest) or load_policy(rest, spec.world)
        if main is not None:
            about[role.name] = main.about | _check(main.policy, role, role.name)
        for slot, text in slots.items():
            who = f"{role.name}[{slot}]"
            about[who] = loaded[text].about | _check(loaded[text].policy, role, who)
        by_slot = {slot: loaded[text].policy for slot, text in slots.items()}
        if main is not None and not slots:
            policies[role.name] = main.policy
        else:
            policies[role.name] = SlotsPolicy(None if main is None else main.policy, by_slot)
    _say_notes(about)
    return Players(policies, about)


def _slots(names: Mapping[str, str], role: Role) -> dict[int, str]:
    found = [(SLOT.fullmatch(key), text) for key, text in names.items()]
    return {
        int(match["slot"]): text
        for match, text in found
        if match and match["role"] == role.name and int(match["slot"]) < role.num_agents
    }


def _check(policy: Policy, role: Role, who: str) -> dict[str, Any]:
    """Refuse a policy that cannot play a role; give what it has to say of it."""
    check = getattr(policy, "check_role", None)
    notes = [] if check is None else check(role)
    return {"notes": notes} if notes else {}


def _say_notes(about: Mapping[str, Mapping[str, Any]]) -> None:
    said: set[str] = set()
    for who, entry in about.items():
        for note in entry.get("notes", ()):
            line = f"mesocosm: note: {entry.get('path', who)}: {note}"
            if line not in said:
                said.add(line)
                say(line)


def check_same_players(before: Any, now: Mapping[str, Mapping[str, Any]], where: str) -> None:
    """Refuse to go on with a run with other files than those that played it."""
    noted = before if isinstance(before, dict) else {}
    for who, entry in now.items():
        old = noted.get(who)
        if isinstance(old, dict) and old.get("sha256") != entry.get("sha256"):
            was, got = str(old.get("sha256"))[:12], str(entry.get("sha256"))[:12]
            path = entry.get("path", entry.get("name"))
            raise RunError(
                f"{where}: {who}: {path} is not the file that played: sha256 was {was}, is {got}"
            )


def policy_text(entry: Mapping[str, Any]) -> str:
    """Name who played, for people."""
    if "path" not in entry:
        return str(entry.get("name"))
    how = ", greedy" if entry.get("greedy") else ""
    return f"{entry['path']} (sha256 {str(entry.get('sha256'))[:12]}{how})"
