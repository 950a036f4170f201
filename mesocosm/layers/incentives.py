"""Incentives: prices, penalties, risks and a lost name instead of bans."""

from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from mesocosm.config.glob import matching
from mesocosm.config.layers import Incentives, Regard
from mesocosm.core.spec import Term
from mesocosm.layers import dials as k
from mesocosm.layers.dials import Dials, Own
from mesocosm.layers.draft import Draft, RoleDraft
from mesocosm.layers.temporal import weigh_events
from mesocosm.sim.frame import ALLOWED_AT, FIRST, IDLE, Frame, RoleFrame
from mesocosm.sim.maths import clip
from mesocosm.sim.rng import uniform
from mesocosm.sim.rule import rule

RISK_STREAM, CATCH_STREAM = k.INCENTIVES, k.INCENTIVES + 1


def apply(settings: Incentives, draft: Draft) -> None:
    """Price options, lift bans, and declare what it all may cost."""
    if settings.reputation and "repute" not in draft.sizes:
        what = "nobody's name can be lost: layers.temporal keeps no reputation"
        raise draft.refuse("incentives.reputation", what)
    _check_names(settings, draft)
    for entry in draft.roles:
        _price(settings, draft, entry)
    for which, name, meaning, most in _costs(settings, draft):
        if most > 0.0:
            draft.add_term(which, Term(name, -most, 0.0, meaning))
    if settings.penalties:
        _penalise(settings, draft)
    draft.scale[k.OPPORTUNITY] = settings.opportunity * settings.intensity


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


def _price(settings: Incentives, draft: Draft, entry: RoleDraft) -> None:
    """Write what each option and level costs one role, and lift bans that have a price."""
    options, x = entry.options, settings.intensity
    table = np.zeros((len(options), 5))
    for globs, column in (
        (settings.costs, k.COST),
        (settings.soften, k.COST),
        (settings.reputation, k.LOSS),
    ):
        for glob, value in globs.items():
            table[_found(glob, options), column] += value * x
    for glob, risk in settings.risk.items():
        rows = _found(glob, options)
        table[rows, k.FAIL], table[rows, k.CAUGHT] = risk.fail * x, risk.caught * x
        table[rows, k.FINE] = risk.fine
    entry.tables["price"] = table
    levels = [level.name for level in entry.role.action.levels]
    prices = np.zeros(len(levels))
    for glob, value in settings.costs.items():
        prices[_found(glob, levels)] += value * x
    entry.tables["level_price"] = prices
    lifted = {n for glob in (*settings.soften, *settings.reputation) for n in _found(glob, options)}
    _lift(entry, lifted)
    for glob, value in settings.costs.items():
        if _found(glob, options + levels):
            draft.note("incentives", f"{entry.role.name}: {glob}", f"costs {value * x:g}")
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


def _costs(settings: Incentives, draft: Draft) -> list[tuple[int, str, str, float]]:
    """List the terms that actions may cost, with the most that each can take in a step."""
    cost = fine = 0.0
    for entry in draft.roles:
        table, first, role_cost, role_fine = entry.tables["price"], 0, 0.0, 0.0
        for part in entry.role.action.choices:
            rows = table[first : first + len(part.options)]
            role_cost += float(np.abs(rows[:, k.COST]).max(initial=0.0))
            role_fine += float(np.where(rows[:, k.CAUGHT] > 0, rows[:, k.FINE], 0).max(initial=0.0))
            first += len(part.options)
        for price, level in zip(entry.tables["level_price"], entry.role.action.levels, strict=True):
            role_cost += abs(price) * max(abs(level.low), abs(level.high))
        cost, fine = max(cost, role_cost), max(fine, role_fine)
    base = settings.opportunity * settings.intensity
    return [
        (k.COST_TERM, "cost", "the price of what was done", cost),
        (k.RISK_TERM, "risk", "fines for what went wrong", fine),
        (k.OPPORTUNITY_TERM, "opportunity", "what the step would have brought elsewhere", base),
    ]


def _penalise(settings: Incentives, draft: Draft) -> None:
    regard = Regard(weights=settings.penalties)
    path = "incentives.penalties"
    draft.tables["fine_weight"] = weigh_events(regard, settings.intensity, draft, path)
    draft.sizes["fined"] = draft.agents
    delay = round(settings.delay * settings.intensity)
    draft.switch[k.LATE] = delay
    draft.scale[k.MAX_PENALTY] = settings.max_penalty
    most = settings.max_penalty * (delay + 1)
    meaning = "what events that one caused cost"
    draft.add_term(k.PENALTY_TERM, Term("penalty", -most, most, meaning, "delayed"))
    if delay:
        draft.sizes["fines"] = delay
        shape = (draft.agents, delay)
        draft.remember("fines", "penalties not due yet", shape, visibility="hidden")
    how = f"cost the actor, {delay} steps later" if delay else "cost the actor"
    draft.note("incentives", f"events: {', '.join(settings.penalties)}", how)


@rule
def charge(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int) -> None:
    """Charge agents for what they do; let it fail or be fined by chance."""
    if own.price.shape[0] == 0 and own.level_price.shape[0] == 0:
        return
    for i in range(r.choice.shape[1]):
        a = r.meta[FIRST] + i
        if f.acting[e, a]:
            cost = 0.0
            fine = 0.0
            if own.price.shape[0] > 0:
                for n in range(r.parts.shape[0]):
                    row = r.parts[n, ALLOWED_AT] + f.choice[e, a, n]
                    cost += own.price[row, k.COST]
                    fine += gamble(f, r, own, e, a, n, row)
            for n in range(own.level_price.shape[0]):
                cost += own.level_price[n] * f.level[e, a, n]
            if cost != 0.0:
                f.terms[e, a, dials.term[a, k.COST_TERM]] = -cost
            if fine != 0.0:
                f.terms[e, a, dials.term[a, k.RISK_TERM]] = -fine


@rule
def gamble(f: Frame, r: RoleFrame, own: Own, e: int, a: int, n: int, row: int) -> float:
    """Take the risks of one option: it may fail, cost one's name, or be fined."""
    if own.price[row, k.LOSS] != 0.0 and f.standing.shape[1] > 0:
        f.standing[e, a] -= own.price[row, k.LOSS]
    parts = f.choice.shape[2]
    caught = own.price[row, k.CAUGHT]
    fine = 0.0
    if caught > 0.0 and uniform(f.word[e], f.t[e], CATCH_STREAM, a * parts + n) < caught:
        fine = own.price[row, k.FINE]
    fail = own.price[row, k.FAIL]
    if fail > 0.0 and uniform(f.word[e], f.t[e], RISK_STREAM, a * parts + n) < fail:
        f.choice[e, a, n] = r.parts[n, IDLE]
    return fine


@rule
def punish(f: Frame, dials: Dials, e: int) -> None:
    """Take the penalties that fall due, and what a step is worth elsewhere."""
    base = dials.scale[k.OPPORTUNITY]
    if base == 0.0 and f.bill.shape[1] == 0:
        return
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            if base > 0.0:
                f.terms[e, a, dials.term[a, k.OPPORTUNITY_TERM]] = -base
            if f.bill.shape[1] > 0:
                due = due_penalty(f, dials, e, a)
                f.terms[e, a, dials.term[a, k.PENALTY_TERM]] = -due


@rule
def due_penalty(f: Frame, dials: Dials, e: int, a: int) -> float:
    """Give what an agent must pay now; whoever ends pays all."""
    most = dials.scale[k.MAX_PENALTY]
    new = clip(f.bill[e, a], -most, most)
    delay = dials.switch[k.LATE]
    if delay == 0:
        return new
    slot = f.t[e] % delay
    due = dials.fines[e, a, slot]
    dials.fines[e, a, slot] = new
    if f.ending[e, a] != 0 or f.episode_ending[e] != 0:
        for n in range(delay):
            due += dials.fines[e, a, n]
            dials.fines[e, a, n] = 0.0
    return due
