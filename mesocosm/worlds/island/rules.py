"""How a war goes: reset, one step of ten seconds, the rewards and the endings."""

from mesocosm.sim.frame import Frame
from mesocosm.sim.rng import uniform
from mesocosm.sim.rule import rule
from mesocosm.worlds.island import declare, state
from mesocosm.worlds.island.params import SHAPE_CAPTURE, SHAPE_KILLS, SHAPE_LOSSES, Params
from mesocosm.worlds.island.state import State
from mesocosm.worlds.island.step.fire import fire_all, fly_missiles, take_damage
from mesocosm.worlds.island.step.groups import form_groups, link_tracks
from mesocosm.worlds.island.step.motion import move_units, pass_fuel
from mesocosm.worlds.island.step.orders import take_orders
from mesocosm.worlds.island.step.sense import locate_units, sense
from mesocosm.worlds.island.step.unit import put_unit
from mesocosm.worlds.island.step.victory import (
    DRAWN,
    TIMED_OUT,
    UNDECIDED,
    contest_island,
    find_verdict,
    strength_of,
)

PLACES = 0  # and 1: streams of random numbers, one per side


@rule
def reset(s: State, f: Frame, p: Params, e: int) -> None:
    """Place both sides' units with some jitter, and let each side sense once."""
    s.clock[e] = 0
    s.flag_owner[e] = state.NOBODY
    s.capturing[e] = state.NOBODY
    s.verdict[e] = UNDECIDED
    for a in range(2):
        reset_side(s, p, e, a)
        for i in range(p.n):
            x, y = p.place0[a, i, 0], p.place0[a, i, 1]
            if p.kind0[a, i] >= 0:
                x += p.jitter * (2.0 * uniform(f.word[e], 0, PLACES + a, 2 * i) - 1.0)
                y += p.jitter * (2.0 * uniform(f.word[e], 0, PLACES + a, 2 * i + 1) - 1.0)
            put_unit(s, p, e, a, i, p.kind0[a, i], x, y)
    sense(s, f, p, e)
    form_groups(s, p, e)
    for a in range(2):
        s.strength[e, a] = strength_of(s, p, e, a)


@rule
def reset_side(s: State, p: Params, e: int, a: int) -> None:
    """Clear what a side did and knew."""
    s.capture_progress[e, a] = 0.0
    s.casualties[e, a] = 0
    s.settlers[e, a] = p.settlers0[a]
    s.hidden_groups[e, a] = 0
    s.refused[e, a] = 0
    s.num_units[e, a] = p.count0[a]
    s.num_shots[e, a] = 0
    for column in range(state.CONFIRMED_SIZE):
        s.confirmed[e, a, column] = 0.0
    for j in range(p.n):
        s.tier[e, a, j] = 0
        s.age[e, a, j] = 0.0
        s.held[e, a, j] = False
        s.looks[e, a, j] = 0
        s.member[e, a, j] = -1
        s.scratch[e, a, j] = 0
        for axis in range(2):
            s.spot[e, a, j, axis] = 0.0
            s.drift[e, a, j, axis] = 0.0
    for g in range(p.groups):
        s.group_state[e, a, g] = state.UNUSED
        s.group_rest[e, a, g] = 0.0
    for shot in range(p.missiles):
        for column in range(state.SHOT_SIZE):
            s.shot[e, a, shot, column] = 0.0
            s.shot_id[e, a, shot, column] = 0


@rule
def rebuild(s: State, p: Params, e: int) -> None:
    """Recompute squares, heights, radar directions, clusters and missile counts."""
    locate_units(s, p, e)
    for a in range(2):
        link_tracks(s, p, e, a)
        for i in range(p.n):
            s.scratch[e, a, i] = 0
            s.inbound[e, a, i] = 0
            s.outbound[e, a, i] = 0
            root = s.root[e, a, i] == i and s.tier[e, a, i] > 0
            s.label[e, a, i] = s.member[e, a, i] if root else -1
        for shot in range(s.num_shots[e, a]):
            i = s.shot_id[e, a, shot, state.SHOT_SHOOTER]
            j = s.shot_id[e, a, shot, state.SHOT_TARGET]
            if i < p.n and j < p.n:
                s.outbound[e, a, i] += 1
                s.inbound[e, a, j] += 1


@rule
def transition(s: State, f: Frame, p: Params, e: int) -> None:
    """Play one step: orders, motion and combat in sub-steps, then sensing and the verdict."""
    for a in range(2):
        for i in range(s.num_units[e, a]):
            s.timer[e, a, i] = max(s.timer[e, a, i] - p.step_s, 0.0)
    take_orders(s, f, p, e)
    for _ in range(p.substeps):
        move_units(s, f, p, e)
        resolve_combat(s, f, p, e)
    s.clock[e] = min(s.clock[e] + 1, p.max_steps)
    sense(s, f, p, e)
    form_groups(s, p, e)
    for a in range(2):
        s.strength[e, a] = strength_of(s, p, e, a)
    s.verdict[e] = find_verdict(s, p, e)


@rule
def resolve_combat(s: State, f: Frame, p: Params, e: int) -> None:
    """Pass fuel, fire, fly missiles, apply damage and contest the island, for one sub-step."""
    pass_fuel(s, p, e)
    fire_all(s, f, p, e)
    fly_missiles(s, f, p, e)
    take_damage(s, f, p, e)
    if s.flag_owner[e] == state.NOBODY:
        contest_island(s, f, p, e)


@rule
def terms(s: State, f: Frame, p: Params, e: int, a: int) -> None:
    """Write the reward terms: the outcome, and weighted losses, kills and capture progress."""
    verdict = s.verdict[e]
    if UNDECIDED < verdict < DRAWN:
        f.terms[e, a, declare.OUTCOME_TERM] = p.win if (verdict - 1) % 2 == a else -p.win
    lost = max(s.strength_before[e, a] - s.strength[e, a], 0.0)
    killed = max(s.strength_before[e, 1 - a] - s.strength[e, 1 - a], 0.0)
    mine = s.capture_progress[e, a] - s.capture_progress_before[e, a]
    theirs = s.capture_progress[e, 1 - a] - s.capture_progress_before[e, 1 - a]
    share = min(max((mine - theirs) / p.capture_s, -1.0), 1.0)
    if s.flag_owner[e] != state.NOBODY:
        share = 0.0
    f.terms[e, a, declare.LOSSES_TERM] = -p.shaping[SHAPE_LOSSES] * lost
    f.terms[e, a, declare.KILLS_TERM] = p.shaping[SHAPE_KILLS] * killed
    f.terms[e, a, declare.CAPTURE_TERM] = p.shaping[SHAPE_CAPTURE] * share


@rule
def ending(s: State, f: Frame, p: Params, e: int) -> None:
    """End the war for both sides, each with its own reason."""
    verdict = s.verdict[e]
    if verdict == UNDECIDED:
        return
    if verdict == DRAWN:
        f.episode_ending[e] = declare.DRAW
    elif verdict == TIMED_OUT:
        f.episode_ending[e] = declare.TIME_LIMIT
    else:
        winner = (verdict - 1) % 2
        way = (verdict - 1) // 2
        f.episode_ending[e] = declare.LEGACY_WIN + winner
        f.ending[e, winner] = declare.CAPTURED + 2 * way
        f.ending[e, 1 - winner] = declare.ISLAND_LOST + 2 * way
