"""The engine's part of a step, as rules: decode, score, settle, view, restart."""

import numpy as np

from mesocosm.sim.event import emit
from mesocosm.sim.frame import (
    ALLOWED_AT,
    ALONE,
    ANY_FORBIDDEN,
    ANY_SHARED,
    AUTORESET,
    CLAMP,
    DONE,
    ENFORCED,
    FAILURE,
    FIRST,
    FIXED,
    HANDLING,
    HIGH,
    IDLE,
    INVALID_INDEX,
    INVALID_KIND,
    LOW,
    MASK_AT,
    MASKED_END,
    MAX_TALLY,
    NEUTRAL,
    NO_AGENTS_CODE,
    NUM_TERMS,
    OFF,
    OPTIONS,
    OUTCOME,
    PENALTY,
    PLAY,
    REBIRTH,
    RENEW,
    REST,
    RESTART,
    SAME_STEP,
    SIMULTANEOUS,
    SUCCESS,
    TRUNCATES,
    TURN_MODE,
    WAITING,
    Frame,
    RoleFrame,
)
from mesocosm.sim.maths import clip, greater, lesser
from mesocosm.sim.rng import episode_word
from mesocosm.sim.rule import rule


@rule
def clear_last_step(f: Frame, e: int) -> None:
    """Clear what the last step reported; at an episode's first step, what the last one left."""
    f.over[e] = False
    f.episode_ending[e] = 0
    f.episode_outcome[e] = 0
    clear_step(f, e)
    if f.t[e] == 0:
        for a in range(f.active.shape[1]):
            clear_flags(f, e, a)
            f.violations[e, a] = 0


@rule
def clear_flags(f: Frame, e: int, a: int) -> None:
    """Forget how the slot's last life ended; a vacant slot counts as terminated."""
    f.terminated[e, a] = not f.active[e, a]
    f.truncated[e, a] = False
    f.reason[e, a] = 0
    f.outcome[e, a] = 0


@rule
def decode(f: Frame, r: RoleFrame, e: int) -> None:
    """Turn a role's actions into valid ones, handling what is invalid as declared."""
    first = r.meta[FIRST]
    masked = r.meta[MASKED_END]
    for i in range(r.choice.shape[1]):
        a = first + i
        wrong = False
        spoilt = False
        if f.acting[e, a]:
            for k in range(r.parts.shape[0]):
                given = r.choice[e, i, k]
                f.choice[e, a, k] = given
                # a message has hundreds of parts that have no mask and mostly say nothing
                unsure = k < masked or given != r.parts[k, IDLE]
                if unsure and decode_choice(f, r, e, i, k):
                    wrong = True
                    spoilt = spoilt or r.parts[k, ALONE] == 0
            for k in range(r.bounds.shape[0]):
                spoilt = decode_level(f, r, e, i, k) or spoilt
            wrong = wrong or spoilt
            if wrong:
                refuse(f, r, e, a)
        if not f.acting[e, a] or (spoilt and f.control[HANDLING] != CLAMP):
            for k in range(r.parts.shape[0]):
                f.choice[e, a, k] = r.parts[k, IDLE]
            for k in range(r.bounds.shape[0]):
                f.level[e, a, k] = r.bounds[k, REST]


@rule
def decode_choice(f: Frame, r: RoleFrame, e: int, i: int, k: int) -> bool:
    """Take over one discrete part; say whether it was invalid."""
    options = r.parts[k, OPTIONS]
    given = r.choice[e, i, k]
    value = min(max(given, 0), options - 1)
    wrong = value != given
    at = r.parts[k, MASK_AT]
    valid = r.allowed[r.parts[k, ALLOWED_AT] + value]
    if at >= 0 and r.parts[k, ENFORCED] != 0:
        valid = valid and r.valid[e, i, at + value]
    if not valid:
        wrong = True
        value = r.parts[k, IDLE]
    if wrong and r.parts[k, ALONE] != 0 and f.control[HANDLING] != CLAMP:
        value = r.parts[k, IDLE]
    f.choice[e, r.meta[FIRST] + i, k] = value
    return wrong


@rule
def decode_level(f: Frame, r: RoleFrame, e: int, i: int, k: int) -> bool:
    """Take over one continuous part; say whether it was invalid (NaN plays the no-op)."""
    given = r.level[e, i, k] * 1.0
    value = given
    if given < r.bounds[k, LOW]:
        value = r.bounds[k, LOW]
    elif given > r.bounds[k, HIGH]:
        value = r.bounds[k, HIGH]
    elif given != given:  # noqa: PLR0124 (NaN)
        value = r.bounds[k, REST]
    f.level[e, r.meta[FIRST] + i, k] = value + 0.0  # never -0.0
    return value != given


@rule
def refuse(f: Frame, r: RoleFrame, e: int, a: int) -> None:
    """Count an invalid action; where the world says so, make it cost and record it."""
    f.violations[e, a] = min(f.violations[e, a] + 1, MAX_TALLY)
    if f.control[HANDLING] == PENALTY:
        f.terms[e, a, r.meta[INVALID_INDEX]] = -r.penalty[0]
        emit(f, e, f.control[INVALID_KIND], a, -1, r.penalty[0])


@rule
def share(f: Frame, r: RoleFrame, e: int) -> None:
    """Average a role's shared terms over its active agents."""
    if r.meta[ANY_SHARED] == 0:
        return
    first = r.meta[FIRST]
    last = first + r.choice.shape[1]
    for k in range(r.meta[NUM_TERMS]):
        if not r.shared[k]:
            continue
        mean = mean_term(f, e, first, last, k)
        for a in range(first, last):
            if f.active[e, a]:
                f.terms[e, a, k] = mean


@rule
def mean_term(f: Frame, e: int, first: int, last: int, k: int) -> float:
    """Average a term over active agents; rounding never leaves the range of what they got."""
    total = 0.0
    count = 0
    least = 0.0
    most = 0.0
    for a in range(first, last):
        if f.active[e, a]:
            value = f.terms[e, a, k]
            least = value if count == 0 else lesser(value, least)
            most = value if count == 0 else greater(value, most)
            total += value
            count += 1
    if count == 0:
        return 0.0
    return clip(total / count, least, most)


@rule
def total(f: Frame, r: RoleFrame, e: int) -> None:
    """Sum each agent's terms, in their declared order, into its reward."""
    for a in range(r.meta[FIRST], r.meta[FIRST] + r.choice.shape[1]):
        if f.active[e, a]:
            reward = 0.0
            for k in range(r.meta[NUM_TERMS]):
                reward += f.terms[e, a, k]
            f.reward[e, a] = reward


@rule
def settle(f: Frame, e: int) -> None:
    """Turn reason codes into endings, per agent and for the episode; place the newborn."""
    code = f.episode_ending[e]
    remaining = 0
    for a in range(f.active.shape[1]):
        if f.active[e, a]:
            settle_agent(f, e, a, code)
        elif f.birth[e, a] and code == 0:
            f.active[e, a] = True
            f.generation[e, a] = min(f.generation[e, a] + 1, MAX_TALLY)
            clear_flags(f, e, a)
        if f.active[e, a]:
            remaining += 1
    if code == 0 and remaining == 0 and f.control[REBIRTH] == 0:
        code = f.control[NO_AGENTS_CODE]
    if code != 0:
        f.over[e] = True
        f.episode_ending[e] = code
        f.episode_outcome[e] = f.reasons[code, OUTCOME]
        if code == f.control[NO_AGENTS_CODE]:
            f.episode_outcome[e] = shared_outcome(f, e)


@rule
def shared_outcome(f: Frame, e: int) -> int:
    """Return success or failure if that was the outcome of all who lived; else neutral."""
    shared = 0
    for a in range(f.outcome.shape[1]):
        outcome = int(f.outcome[e, a])
        if outcome == 0:
            continue
        if shared == 0:
            shared = outcome
        if outcome != shared:
            return NEUTRAL
    return shared if shared in (SUCCESS, FAILURE) else NEUTRAL


@rule
def settle_agent(f: Frame, e: int, a: int, episode_code: int) -> None:
    """End one active agent if it, or the whole episode, has a reason to end."""
    code = f.ending[e, a]
    if code == 0:
        code = episode_code
    if code == 0:
        return
    f.active[e, a] = False
    f.ending[e, a] = code
    f.ended[e, a] = True
    f.reason[e, a] = code
    f.outcome[e, a] = f.reasons[code, OUTCOME]
    f.truncated[e, a] = f.reasons[code, TRUNCATES] != 0
    f.terminated[e, a] = f.reasons[code, TRUNCATES] == 0


@rule
def take_turns(f: Frame, e: int) -> None:
    """Say who acts next: everyone active, or the next active agent after the last."""
    mode = f.control[TURN_MODE]
    for a in range(f.active.shape[1]):
        f.acting[e, a] = f.active[e, a] and mode == SIMULTANEOUS
    if mode != FIXED:
        return
    agents = f.active.shape[1]
    for k in range(1, agents + 1):
        a = (f.turn[e] + k) % agents
        if f.active[e, a]:
            f.turn[e] = a
            f.acting[e, a] = True
            return


@rule
def check_turns(f: Frame, e: int) -> None:
    """Let only active agents act, whatever a state-driven turn rule said."""
    for a in range(f.active.shape[1]):
        f.acting[e, a] = f.acting[e, a] and f.active[e, a]


@rule
def start_episode_if_due(f: Frame, e: int) -> bool:
    """Whether this call starts an episode; if so, count it (a commanded one is counted)."""
    command = f.command[e]
    waits = command == PLAY and f.finished[e] and f.control[AUTORESET] != OFF
    if waits or command == RENEW:
        f.episode[e] += 1
    return waits or command == RENEW or command == RESTART


@rule
def leave(f: Frame, e: int) -> None:
    """Close an episode that just ended: begin the next at once, or wait, as autoreset says."""
    f.reported_over[e] = f.over[e]
    f.reported_ending[e] = f.episode_ending[e]
    f.reported_outcome[e] = f.episode_outcome[e]
    ended = f.command[e] == PLAY and f.over[e] and not f.finished[e]
    f.command[e] = DONE
    if ended and f.control[AUTORESET] == SAME_STEP:
        f.command[e] = RENEW
    elif ended:
        f.finished[e] = True


@rule
def review(f: Frame, e: int) -> None:
    """Take up a state that was loaded: who just ended is still shown its last observation."""
    f.word[e] = episode_word(f.seed[e], f.env_id[e], f.episode[e])
    f.num_events[e, WAITING] = 0
    for a in range(f.active.shape[1]):
        clear_report(f, e, a)


@rule
def clear_step(f: Frame, e: int) -> None:
    """Nothing was earned and nobody ended."""
    for a in range(f.active.shape[1]):
        f.ending[e, a] = 0
        clear_report(f, e, a)


@rule
def clear_report(f: Frame, e: int, a: int) -> None:
    """Report of one agent that it earned nothing and did not end."""
    f.reward[e, a] = 0.0
    f.ended[e, a] = False
    f.birth[e, a] = False
    for k in range(f.terms.shape[2]):
        f.terms[e, a, k] = 0.0


@rule
def prepare(f: Frame, e: int) -> None:
    """Set the frame for a new episode, before the world's reset."""
    f.word[e] = episode_word(f.seed[e], f.env_id[e], f.episode[e])
    f.t[e] = 0
    f.finished[e] = False
    f.turn[e] = -1
    for k in range(f.tunable.shape[1]):
        f.tunable[e, k] = f.tunable_base[k]
    for a in range(f.active.shape[1]):
        f.active[e, a] = True
        f.order[e, a] = a
        f.ending[e, a] = 0
        f.generation[e, a] = 0
        for k in range(f.effect.shape[2]):
            f.effect[e, a, k] = 1.0


@rule
def rest(f: Frame, e: int) -> None:
    """Let a finished episode stand still: no reward, nothing ends twice."""
    clear_step(f, e)
    for a in range(f.active.shape[1]):
        f.acting[e, a] = False


@rule
def report(f: Frame, r: RoleFrame, e: int, i: int, a: int) -> None:
    """Copy what is handed out of an agent's entries in the frame."""
    r.acting[e, i] = f.acting[e, a]
    r.generation[e, i] = f.generation[e, a]
    r.terminated[e, i] = f.terminated[e, a]
    r.truncated[e, i] = f.truncated[e, a]
    r.reason[e, i] = f.reason[e, a]
    r.outcome[e, i] = f.outcome[e, a]


@rule
def is_shown(f: Frame, e: int, a: int) -> bool:
    """Whether an agent is shown the world: it takes part, or ended in this step."""
    return f.active[e, a] or f.ending[e, a] != 0


@rule
def fill(out: np.ndarray, values: np.ndarray) -> None:
    """Copy a row of numbers."""
    for k in range(values.shape[0]):
        out[k] = values[k]


@rule
def blank(out: np.ndarray, numbers: np.ndarray, absent: np.ndarray) -> None:
    """Give some numbers of a row their absent value."""
    for k in range(numbers.shape[0]):
        out[numbers[k]] = absent[numbers[k]]


@rule
def close_mask(r: RoleFrame, out: np.ndarray) -> None:
    """Take back what the role is forbidden; the no-op is always valid."""
    if r.meta[ANY_FORBIDDEN] != 0:
        for k in range(r.open_mask.shape[0]):
            out[k] = out[k] and r.open_mask[k]
    for k in range(r.meta[MASKED_END]):
        if r.parts[k, MASK_AT] >= 0:
            out[r.parts[k, MASK_AT] + r.parts[k, IDLE]] = True


@rule
def show_mask(r: RoleFrame, e: int, i: int) -> None:
    """Show an agent what is valid, and as allowed what only hidden things could forbid."""
    for k in range(r.shown_open.shape[1]):
        r.mask[e, i, k] = r.valid[e, i, k] or r.shown_open[i, k]
