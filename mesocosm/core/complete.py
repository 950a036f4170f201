"""What the engine adds to what a world declares."""

from dataclasses import replace

from mesocosm.core.spec import INVALID_EVENT, INVALID_TERM, NO_AGENTS, Spec, Term


def complete(spec: Spec) -> Spec:
    """Add what the engine itself can do to what a world declared."""
    roles, first = [], 0
    for role in spec.all_roles:
        terms = role.terms
        if spec.invalid == "penalty":
            cost = Term(INVALID_TERM, -spec.invalid_penalty, 0.0, "the price of an invalid action")
            terms = (*terms, cost)
        roles.append(replace(role, first=first, terms=terms))
        first += role.num_agents
    return replace(
        spec,
        all_roles=tuple(roles),
        reasons=(*spec.reasons, NO_AGENTS),
        events=(*spec.events, INVALID_EVENT) if spec.invalid == "penalty" else spec.events,
    )
