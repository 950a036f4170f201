"""Policies of a live run, by role and by agent."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mesocosm.core.errors import ConfigError, short, unknown
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Role, Spec
from mesocosm.learning.policies.load import Loaded, load_policy
from mesocosm.learning.policies.slots import SlotsPolicy

WHO = re.compile(r"(?P<role>[^\[\]]+)(?:\[(?P<slot>[0-9]{1,6})\])?")
DEFAULT = "random"


class Players(NamedTuple):
    """The policy of each role, and what the run says of those who play."""

    policies: dict[str, Policy]
    about: dict[str, dict[str, Any]]


def check_who(policies: Mapping[str, str], spec: Spec) -> None:
    """Refuse policies for roles or agents that there are not."""
    for who in policies:
        if not who:
            continue
        match = WHO.fullmatch(who)
        if match is None or match["role"] not in spec.roles:
            raise unknown("role with agents", who, spec.roles)
        role = spec.roles[match["role"]]
        if match["slot"] is not None and int(match["slot"]) >= role.num_agents:
            raise ConfigError(
                f"policies: {role.name} has agents 0 to {role.num_agents - 1}, got {short(who)}"
            )


def make_players(policies: Mapping[str, str], spec: Spec) -> Players:
    """Load the policies of all roles."""
    check_who(policies, spec)
    made: dict[str, Policy] = {}
    about: dict[str, dict[str, Any]] = {}
    for role in spec.roles.values():
        main = _load(policies.get(role.name, policies.get("", DEFAULT)), role, spec)
        slots: dict[int, Policy] = {}
        about[role.name] = main.about
        for who, text in policies.items():
            match = WHO.fullmatch(who)
            if match is not None and match["role"] == role.name and match["slot"] is not None:
                own = _load(text, role, spec)
                slots[int(match["slot"])], about[who] = own.policy, own.about
        made[role.name] = SlotsPolicy(main.policy, slots) if slots else main.policy
    return Players(made, about)


def _load(text: str, role: Role, spec: Spec) -> Loaded:
    made = load_policy(text, spec.world)
    check = getattr(made.policy, "check_role", None)
    if check is not None:
        check(role)
    return made
