"""Incentives: prices, penalties, risks and a lost name instead of bans."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.config.glob import matching
from mesocosm.config.layers import Incentives, Regard, Risk
from mesocosm.core.spec import EventKind, Term
from mesocosm.layers import streams
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.layers.power import banned_options, idle_options
from mesocosm.layers.standing import weigh_events
from mesocosm.sim.event import emit
from mesocosm.sim.frame import (
    ALLOWED_AT,
    BILL_WEIGHT,
    FIRST,
    FIRST_OPTION,
    IDLE,
    Frame,
    RoleFrame,
)
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import uniform
from mesocosm.sim.rule import rule

RISK_STREAM, CATCH_STREAM = streams.INCENTIVES, streams.INCENTIVES + 1
COST, FAIL, CAUGHT, FINE, LOSS = range(5)  # columns of incentives.price
NUM_PRICES = 5
FAILED = EventKind("failed", "{target} of agent {actor} failed", target="thing")
FINED = EventKind("fined", "agent {actor} was fined {value:g} for {target}", target="thing")
PENALISED = EventKind("penalised", "agent {actor} paid {value:g} for what it had done")


class IncentivesArrays(NamedTuple):
    """What a step's events cost, and what is due later."""

    failed_kind: int  # the events of an action that failed or was fined, and of penalties due
    fined_kind: int
    penalised_kind: int
    delay: int  # steps until penalties fall due
    max_penalty: float
    opportunity: float  # what a step would have brought elsewhere
    pending: Annotated[np.ndarray, "float64 [env, agent or 0, delay]"]  # penalties not due yet
    cost_term: Annotated[np.ndarray, "int64 [agent]"]  # which of an agent's terms; -1: none
    risk_term: Annotated[np.ndarray, "int64 [agent]"]
    penalty_term: Annotated[np.ndarray, "int64 [agent]"]
    opportunity_term: Annotated[np.ndarray, "int64 [agent]"]


class IncentivesRole(NamedTuple):
    """What each option costs and risks."""

    price: Annotated[np.ndarray, "float64 [.., 5]"]  # cost, fail, caught, fine, loss
    level_price: Annotated[np.ndarray, "float64 [..]"]


def declare(settings: Incentives, draft: Draft) -> None:
    """Price options, lift bans, and declare what it all may cost."""
    if settings.reputation and not draft.layers.temporal.reputation.weights:
        what = "nobody's name can be lost: layers.temporal keeps no reputation"
        raise draft.refuse("incentives.reputation", what)
    _check_names(settings, draft)
    _refuse_unused(settings, draft)
    for entry in draft.roles:
        _price(settings, draft, entry)
    _declare_events(settings, draft)
    for name, meaning, most in _costs(settings, draft):
        if most > 0.0:
            pays = name == "cost" and min((*settings.costs.values(), *settings.soften.values())) < 0
            draft.add_term(Term(name, -most, most if pays else 0.0, meaning))
    if settings.opportunity > 0.0:
        base = settings.opportunity * settings.intensity
        draft.note("incentives", "rewards", f"less {base:g} in every step")
    if settings.penalties:
        _penalise(settings, draft)


def _check_names(settings: Incentives, draft: Draft) -> None:
    options = [option for entry in draft.roles for option in entry.options]
    levels = [level.name for entry in draft.roles for level in entry.role.action.levels]
    for name, known in (
        ("costs", options + levels),
        ("soften", options),
        ("risk", options),
        ("reputation", options),
    ):
        for glob in getattr(settings, name):
            matching(glob, known, f"{draft.where}: layers.incentives.{name}")


def _refuse_unused(settings: Incentives, draft: Draft) -> None:
    """Refuse prices of nothing, and settings that nothing would read."""
    for name in ("costs", "penalties", "reputation"):
        draft.require_nonzero(getattr(settings, name), f"incentives.{name}")
    if not settings.penalties:
        why = "no event has a penalty (layers.incentives.penalties)"
        draft.require_defaults(settings, "incentives", ["max_penalty", "delay"], why)
    elif settings.max_penalty == 0.0:
        raise draft.refuse("incentives.max_penalty", "penalties do nothing, got 0 at most")
    for glob in settings.soften:
        if not any(_bans(draft, entry, glob) for entry in draft.roles):
            what = "does nothing: no role and no caste is forbidden it (a price is in 'costs')"
            raise draft.refuse(f"incentives.soften.{glob}", what)
    for glob, risk in settings.risk.items():
        _refuse_safe(glob, risk, draft)


def _bans(draft: Draft, entry: RoleDraft, glob: str) -> bool:
    """Whether a role, or any caste at full power, is forbidden what a glob names."""
    first, banned = 0, set[int]()
    for part in entry.role.action.choices:
        banned |= {first + n for n in part.forbidden}
        first += len(part.options)
    for caste in draft.layers.power.castes.values():
        banned |= banned_options(caste.permissions, entry)
    return bool(banned & set(_found(glob, entry.options)))


def _refuse_safe(glob: str, risk: Risk, draft: Draft) -> None:
    """Refuse a risk in which nothing can go wrong."""
    path = f"incentives.risk.{glob}"
    if risk.fail == 0.0 and risk.caught == 0.0:
        raise draft.refuse(path, "does nothing: neither 'fail' nor 'caught' is above 0")
    if (risk.caught > 0.0) != (risk.fine > 0.0):
        what = "'caught' without a 'fine'" if risk.caught > 0.0 else "a 'fine' without 'caught'"
        raise draft.refuse(path, f"{what} does nothing: give both")
    idle = all(set(_found(glob, entry.options)) <= idle_options(entry) for entry in draft.roles)
    if idle and risk.caught == 0.0:
        raise draft.refuse(path, "does nothing: to do nothing cannot fail")


def _declare_events(settings: Incentives, draft: Draft) -> None:
    """Declare the events of what goes wrong, where something can."""
    risks = settings.risk.values()
    for name, event, happens in (
        ("failed kind", FAILED, any(risk.fail > 0.0 for risk in risks)),
        ("fined kind", FINED, any(risk.caught > 0.0 for risk in risks)),
    ):
        if happens:
            named = replace(event, targets=draft.option_names)
            draft.numbers[name] = draft.add_event(named, per_step=draft.agents)


def _price(settings: Incentives, draft: Draft, entry: RoleDraft) -> None:
    """Write what each option and level costs one role, and lift bans that have a price."""
    options, x = entry.options, settings.intensity
    table = np.zeros((len(options), NUM_PRICES))
    for globs, column in (
        (settings.costs, COST),
        (settings.soften, COST),
        (settings.reputation, LOSS),
    ):
        for glob, value in globs.items():
            table[_found(glob, options), column] += value * x
    for glob, risk in settings.risk.items():
        rows = _found(glob, options)
        table[rows, FAIL], table[rows, CAUGHT] = risk.fail * x, risk.caught * x
        table[rows, FINE] = risk.fine
    entry.tables["price"] = table
    levels = [level.name for level in entry.role.action.levels]
    prices = np.zeros(len(levels))
    for glob, value in settings.costs.items():
        prices[_found(glob, levels)] += value * x
    entry.tables["level_price"] = prices
    lifted = {n for glob in (*settings.soften, *settings.reputation) for n in _found(glob, options)}
    _lift(entry, lifted)
    for glob, value in (*settings.costs.items(), *settings.soften.items()):
        if _found(glob, options + levels):
            freed = ", instead of being banned" * (glob in settings.soften)
            draft.note("incentives", f"{entry.role.name}: {glob}", f"costs {value * x:g}{freed}")
    for glob, value in settings.reputation.items():
        if _found(glob, options):
            how = f"costs {value * x:g} of one's reputation; a ban on it is lifted"
            draft.note("incentives", f"{entry.role.name}: {glob}", how)
    for glob, risk in settings.risk.items():
        if _found(glob, options):
            how = f"fails {risk.fail * x:.0%}, fined {risk.fine:g} {risk.caught * x:.0%}"
            draft.note("incentives", f"{entry.role.name}: {glob}", how)


def _found(glob: str, names: list[str]) -> list[int]:
    return [n for n, name in enumerate(names) if fnmatchcase(name, glob)]


def _lift(entry: RoleDraft, lifted: set[int]) -> None:
    """Allow what the config's permissions or a caste forbid, where it has a price now."""
    choices, first = [], 0
    for part in entry.role.action.choices:
        kept = tuple(n for n in part.forbidden if first + n not in lifted)
        choices.append(replace(part, forbidden=kept))
        first += len(part.options)
    action = replace(entry.role.action, choices=tuple(choices))
    entry.role = replace(entry.role, action=action)
    if "permit" in entry.tables:
        entry.tables["permit"][:, sorted(lifted)] = True


def _costs(settings: Incentives, draft: Draft) -> list[tuple[str, str, float]]:
    """List the terms that actions may cost, with the most that each can take in a step."""
    cost = fine = 0.0
    for entry in draft.roles:
        table, first, role_cost, role_fine = entry.tables["price"], 0, 0.0, 0.0
        for part in entry.role.action.choices:
            rows = table[first : first + len(part.options)]
            role_cost += float(np.abs(rows[:, COST]).max(initial=0.0))
            role_fine += float(np.where(rows[:, CAUGHT] > 0, rows[:, FINE], 0).max(initial=0.0))
            first += len(part.options)
        for price, level in zip(entry.tables["level_price"], entry.role.action.levels, strict=True):
            role_cost += abs(price) * max(abs(level.low), abs(level.high))
        cost, fine = max(cost, role_cost), max(fine, role_fine)
    base = settings.opportunity * settings.intensity
    return [
        ("cost", "the price of what was done", cost),
        ("risk", "fines for what went wrong", fine),
        ("opportunity", "what the step would have brought elsewhere", base),
    ]


def _penalise(settings: Incentives, draft: Draft) -> None:
    regard = Regard(weights=settings.penalties)
    path = "incentives.penalties"
    draft.event_weights[BILL_WEIGHT] = weigh_events(regard, settings.intensity, draft, path)
    delay = round(settings.delay * settings.intensity)
    draft.numbers["penalty delay"] = delay
    draft.numbers["penalised kind"] = draft.add_event(PENALISED, per_step=draft.agents)
    most = settings.max_penalty * (delay + 1)
    meaning = "what events that one caused cost"
    draft.add_term(Term("penalty", -most, most, meaning, "delayed"))
    if delay:
        shape, path = (draft.agents, delay), "incentives.pending"
        most = settings.max_penalty
        kept: dict[str, Any] = {"visibility": "hidden", "low": -most, "high": most}
        draft.remember("fines", "penalties not due yet", shape, path, **kept)
    how = f"cost the actor, {delay} steps later" if delay else "cost the actor"
    draft.note("incentives", f"events: {', '.join(settings.penalties)}", how)


def allocate(draft: Draft, num_envs: int) -> IncentivesArrays:
    """Allocate penalties that are not due yet."""
    settings = draft.layers.incentives
    delay = draft.numbers.get("penalty delay", 0)
    return IncentivesArrays(
        failed_kind=draft.numbers.get("failed kind", 0),
        fined_kind=draft.numbers.get("fined kind", 0),
        penalised_kind=draft.numbers.get("penalised kind", 0),
        delay=delay,
        max_penalty=settings.max_penalty,
        opportunity=settings.opportunity * settings.intensity,
        pending=np.zeros((num_envs, draft.agents, delay)),
        cost_term=draft.term_places("cost"),
        risk_term=draft.term_places("risk"),
        penalty_term=draft.term_places("penalty"),
        opportunity_term=draft.term_places("opportunity"),
    )


def allocate_role(entry: RoleDraft) -> IncentivesRole:
    """Write down what a role's options cost."""
    tables = entry.tables
    prices = tables.get("price", np.zeros((0, NUM_PRICES))), tables.get("level_price", np.zeros(0))
    return IncentivesRole(*prices)


@rule
def charge_actions(
    f: Frame, incentives: IncentivesArrays, r: RoleFrame, role: IncentivesRole, e: int
) -> None:
    """Charge agents for what they do; let it fail or be fined by chance."""
    if role.price.shape[0] == 0 and role.level_price.shape[0] == 0:
        return
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.acting[e, a]:
            cost = 0.0
            fine = 0.0
            if role.price.shape[0] > 0:
                for n in range(r.parts.shape[0]):
                    option = r.parts[n, ALLOWED_AT] + f.choice[e, a, n]
                    cost += role.price[option, COST]
                    if role.price[option, LOSS] != 0.0 and f.standing.shape[1] > 0:
                        f.standing[e, a] -= role.price[option, LOSS]
                    fine += risk_fine(f, incentives, r, role, e, a, n)
                    risk_failure(f, incentives, r, role, e, a, n)
            for n in range(role.level_price.shape[0]):
                cost += role.level_price[n] * f.level[e, a, n]
            if cost != 0.0:
                f.terms[e, a, incentives.cost_term[a]] = -cost
            if fine != 0.0:
                f.terms[e, a, incentives.risk_term[a]] = -fine


@rule
def risk_fine(
    f: Frame,
    incentives: IncentivesArrays,
    r: RoleFrame,
    role: IncentivesRole,
    e: int,
    a: int,
    n: int,
) -> float:
    """Give the fine for what an agent chose in one part, if it is caught."""
    option = r.parts[n, ALLOWED_AT] + f.choice[e, a, n]
    caught = role.price[option, CAUGHT]
    draw = a * f.choice.shape[2] + n
    if caught > 0.0 and uniform(f.word[e], f.t[e], CATCH_STREAM, draw) < caught:
        fine = role.price[option, FINE]
        emit(f, e, incentives.fined_kind, a, r.meta[FIRST_OPTION] + option, fine)
        return fine
    return 0.0


@rule
def risk_failure(
    f: Frame,
    incentives: IncentivesArrays,
    r: RoleFrame,
    role: IncentivesRole,
    e: int,
    a: int,
    n: int,
) -> None:
    """Let what an agent chose in one part fail by chance."""
    option = r.parts[n, ALLOWED_AT] + f.choice[e, a, n]
    fail = role.price[option, FAIL]
    draw = a * f.choice.shape[2] + n
    if fail > 0.0 and uniform(f.word[e], f.t[e], RISK_STREAM, draw) < fail:
        if f.choice[e, a, n] != r.parts[n, IDLE]:
            emit(f, e, incentives.failed_kind, a, r.meta[FIRST_OPTION] + option, 0.0)
        f.choice[e, a, n] = r.parts[n, IDLE]


@rule
def clear_bills(f: Frame, e: int) -> None:
    """Forget what the last step's events cost."""
    for a in range(f.bill.shape[1]):
        f.bill[e, a] = 0.0


@rule
def collect_penalties(f: Frame, incentives: IncentivesArrays, e: int) -> None:
    """Take the penalties that fall due, and what a step is worth elsewhere."""
    base = incentives.opportunity
    if base == 0.0 and f.bill.shape[1] == 0:
        return
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            if base > 0.0:
                f.terms[e, a, incentives.opportunity_term[a]] = -base
            if f.bill.shape[1] > 0:
                due = take_due_penalty(f, incentives, e, a)
                f.terms[e, a, incentives.penalty_term[a]] = -due
                if due != 0.0:
                    emit(f, e, incentives.penalised_kind, a, -1, due)


@rule
def take_due_penalty(f: Frame, incentives: IncentivesArrays, e: int, a: int) -> float:
    """Give what an agent must pay now; whoever ends pays all."""
    new = clip(f.bill[e, a], -incentives.max_penalty, incentives.max_penalty)
    if incentives.delay == 0:
        return new
    slot = f.t[e] % incentives.delay
    due = incentives.pending[e, a, slot]
    incentives.pending[e, a, slot] = new
    if f.ending[e, a] != 0 or f.episode_ending[e] != 0:
        for n in range(incentives.delay):
            due += incentives.pending[e, a, n]
            incentives.pending[e, a, n] = 0.0
    return due


@rule
def forget_pending(incentives: IncentivesArrays, e: int, a: int) -> None:
    """Let an agent owe nothing."""
    for n in range(incentives.pending.shape[2]):
        incentives.pending[e, a, n] = 0.0
