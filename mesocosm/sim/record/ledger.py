"""A ledger kept beside the step, as rules: what ended, what was earned, who did what.

Between two steps the interpreter's own work is the dearest part of watching, so each of these
does all of its work for the whole batch in one call.
"""

import numpy as np

from mesocosm.sim.rule import rule

# columns of `finished`, and bits of `flags`
ENV, EPISODE, LENGTH, REASON, OUTCOME, VIOLATIONS = 0, 1, 2, 3, 4, 5
FINISHED_WIDTH = 6
ENDED, RENEWED, WAITING = 1, 2, 4  # waiting: over, and not begun anew yet
# entries of `counts`
NUM_ENDED, NUM_RENEWED = 0, 1
# rows of `episodes` and `times`
BEFORE, AFTER = 0, 1
# the first rows of what `sum_over_agents` writes
REWARD, ACTING, IDLE, INVALID = 0, 1, 2, 3
NUM_FIXED = 4


@rule
def add_rewards(reward: np.ndarray, returns: np.ndarray, e: int, began: bool) -> None:
    """Add a step's rewards to an env's returns, which start from zero where an episode began."""
    for a in range(reward.shape[1]):
        if began:
            returns[e, a] = 0.0
        returns[e, a] += reward[e, a]


@rule
def note_episode_endings(  # noqa: PLR0913, PLR0917 (arrays of the frame, then the books)
    over: np.ndarray,
    episode: np.ndarray,
    t: np.ndarray,
    reward: np.ndarray,
    ending: np.ndarray,
    outcome: np.ndarray,
    violations: np.ndarray,
    episodes: np.ndarray,
    times: np.ndarray,
    flags: np.ndarray,
    returns: np.ndarray,
    finished: np.ndarray,
    totals: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Note which episodes ended and began; `episodes` and `times` hold before and after."""
    counts[NUM_ENDED] = 0
    counts[NUM_RENEWED] = 0
    for e in range(over.shape[0]):
        began = flags[e] & RENEWED != 0
        waits = flags[e] & WAITING != 0
        flags[e] = 0
        add_rewards(reward, returns, e, began)
        episodes[BEFORE, e] = episodes[AFTER, e]
        times[BEFORE, e] = times[AFTER, e]
        episodes[AFTER, e] = episode[e]
        times[AFTER, e] = t[e]
        renewed = episodes[BEFORE, e] != episodes[AFTER, e]
        if renewed:
            flags[e] += RENEWED
            counts[NUM_RENEWED] += 1
        if over[e] and not renewed:
            flags[e] += WAITING
        if over[e] and not waits:
            flags[e] += ENDED
            row = counts[NUM_ENDED]
            counts[NUM_ENDED] = row + 1
            finished[row, ENV] = e
            finished[row, EPISODE] = episodes[BEFORE, e]
            finished[row, LENGTH] = times[BEFORE, e] + 1
            finished[row, REASON] = ending[e]
            finished[row, OUTCOME] = outcome[e]
            finished[row, VIOLATIONS] = 0
            for a in range(reward.shape[1]):
                finished[row, VIOLATIONS] += violations[e, a]
                totals[row, a] = returns[e, a]


@rule
def is_idle(
    choice: np.ndarray, level: np.ndarray, noop: np.ndarray, rest: np.ndarray, e: int, a: int
) -> bool:
    """Whether an agent played the no-op in every part it has (others have NaN there)."""
    for k in range(noop.shape[1]):
        if noop[a, k] == noop[a, k] and choice[e, a, k] != noop[a, k]:
            return False
    for k in range(rest.shape[1]):
        if rest[a, k] == rest[a, k] and level[e, a, k] != rest[a, k]:
            return False
    return True


@rule
def sum_over_agents(  # noqa: PLR0913, PLR0917 (arrays of the frame, tables, then the sums)
    choice: np.ndarray,
    level: np.ndarray,
    acting: np.ndarray,
    reward: np.ndarray,
    terms: np.ndarray,
    violations: np.ndarray,
    term_at: np.ndarray,
    option_at: np.ndarray,
    noop: np.ndarray,
    rest: np.ndarray,
    out: np.ndarray,
) -> None:
    """Sum over each env's agents: rewards, terms, actions, violations; `out` is [sum, env]."""
    for e in range(reward.shape[0]):
        for k in range(out.shape[0]):
            out[k, e] = 0.0
        for a in range(reward.shape[1]):
            out[REWARD, e] += reward[e, a]
            out[INVALID, e] += violations[e, a]
            for k in range(term_at.shape[1]):
                if term_at[a, k] >= 0:
                    out[term_at[a, k], e] += terms[e, a, k]
            if not acting[e, a]:
                continue
            out[ACTING, e] += 1.0
            if is_idle(choice, level, noop, rest, e, a):
                out[IDLE, e] += 1.0
            for k in range(option_at.shape[1]):
                played = choice[e, a, k]
                if played < option_at.shape[2] and option_at[a, k, played] >= 0:
                    out[option_at[a, k, played], e] += 1.0
