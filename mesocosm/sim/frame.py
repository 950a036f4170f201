"""The arrays that the engine owns: the frame `f` that rules get, and each role's buffers."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from mesocosm.core.action import ActionSpec
from mesocosm.core.observation import Layout
from mesocosm.core.spec import BARRED_LINK, INVALID_EVENT, INVALID_TERM, OUTCOMES, Role, Spec

# values of f.command: what an env does in this call; from DONE on, nothing
PLAY, RESTART, REVIEW, RENEW, DONE = 0, 1, 2, 3, 4
SAME_STEP, NEXT_STEP, OFF = 0, 1, 2
SIMULTANEOUS, FIXED, STATE = 0, 1, 2
NOOP, CLAMP, PENALTY = 0, 1, 2
AUTORESETS = {"same_step": SAME_STEP, "next_step": NEXT_STEP, "off": OFF}
TURNS = {"simultaneous": SIMULTANEOUS, "fixed": FIXED, "state": STATE}
HANDLINGS = {"noop": NOOP, "clamp": CLAMP, "penalty": PENALTY}
# entries of f.control
AUTORESET, TURN_MODE, HANDLING, NO_AGENTS_CODE, INVALID_KIND, REBIRTH, BARRED_KIND = range(7)
MAX_TALLY = 2**30  # counts in int32 stop here
# columns of f.event
EPISODE, TIME, KIND, ACTOR, TARGET, VALUE = 0, 1, 2, 3, 4, 5
WAITING, DROPPED = 0, 1  # entries of f.num_events
OUTCOME, TRUNCATES = 0, 1  # columns of f.reasons
SUCCESS, FAILURE, NEUTRAL = map(OUTCOMES.index, ("success", "failure", "neutral"))
# entries of r.meta
FIRST, NUM_TERMS, INVALID_INDEX, ANY_SHARED, ANY_FORBIDDEN, FIRST_OPTION, MASKED_END = range(7)
# columns of r.parts and r.bounds
OPTIONS, IDLE, MASK_AT, ALLOWED_AT, ENFORCED, ALONE = 0, 1, 2, 3, 4, 5
LOW, HIGH, REST = 0, 1, 2
# columns of f.event_weight
STANDING_WEIGHT, PAIR_WEIGHT, BILL_WEIGHT = 0, 1, 2
NUM_WEIGHTS = 3


class Frame(NamedTuple):
    """What every world's rules can rely on, beside their own state."""

    control: Annotated[np.ndarray, "int64 [7]"]  # settings of this env
    command: Annotated[np.ndarray, "int8 [env]"]  # what the next call does
    seed: Annotated[np.ndarray, "int64 [env]"]
    env_id: Annotated[np.ndarray, "int64 [env]"]  # index among all envs of the run
    episode: Annotated[np.ndarray, "int64 [env]"]
    word: Annotated[np.ndarray, "int64 [env]"]  # identity of the episode, for random numbers
    t: Annotated[np.ndarray, "int64 [env]"]  # steps played in the episode
    finished: Annotated[np.ndarray, "bool [env]"]  # waits for a reset
    turn: Annotated[np.ndarray, "int32 [env]"]  # the last to act, where turns are fixed
    choice: Annotated[np.ndarray, "int32 [env, agent, part]"]  # valid actions
    level: Annotated[np.ndarray, "float64 [env, agent, level]"]
    active: Annotated[np.ndarray, "bool [env, agent]"]  # alive at the start of the step
    acting: Annotated[np.ndarray, "bool [env, agent]"]  # whose action counts
    birth: Annotated[np.ndarray, "bool [env, agent]"]  # a transition sets it to fill a vacant slot
    generation: Annotated[np.ndarray, "int32 [env, agent]"]
    violations: Annotated[np.ndarray, "int32 [env, agent]"]  # invalid actions in this episode
    terms: Annotated[np.ndarray, "float64 [env, agent, term]"]
    reward: Annotated[np.ndarray, "float32 [env, agent]"]
    ending: Annotated[np.ndarray, "int16 [env, agent]"]  # reason code, in the step of the end only
    episode_ending: Annotated[np.ndarray, "int16 [env]"]  # reason code
    ended: Annotated[np.ndarray, "bool [env, agent]"]  # ended in this step
    terminated: Annotated[np.ndarray, "bool [env, agent]"]
    truncated: Annotated[np.ndarray, "bool [env, agent]"]
    reason: Annotated[np.ndarray, "int16 [env, agent]"]
    outcome: Annotated[np.ndarray, "int8 [env, agent]"]
    over: Annotated[np.ndarray, "bool [env]"]
    episode_outcome: Annotated[np.ndarray, "int8 [env]"]
    # what of these is handed out, written anew by every step and never read back
    reported_over: Annotated[np.ndarray, "bool [env]"]
    reported_ending: Annotated[np.ndarray, "int16 [env]"]
    reported_outcome: Annotated[np.ndarray, "int8 [env]"]
    tunable: Annotated[np.ndarray, "float64 [env, parameter]"]
    order: Annotated[np.ndarray, "int32 [env, agent]"]  # who comes first in contention
    effect: Annotated[np.ndarray, "float64 [env, agent, effect]"]
    split: Annotated[np.ndarray, "bool [env]"]  # whether contested resources are split evenly
    # whether layers rank agents in this step: then even the order of their numbers is meant
    ranked: Annotated[np.ndarray, "bool [env]"]
    # who may affect whom; empty: everyone
    may: Annotated[np.ndarray, "bool [agent or 0, agent or 0, link]"]
    # whom standing keeps from affecting whom in this step; empty: nobody
    barred: Annotated[np.ndarray, "bool [env, agent or 0, agent or 0, link]"]
    # counters that events add to, and what one of each kind adds
    event_weight: Annotated[np.ndarray, "float64 [kind, 3] or empty"]
    standing: Annotated[np.ndarray, "float64 [env, agent] or empty"]  # of the actor
    pair_standing: Annotated[np.ndarray, "float64 [env, agent, agent] or empty"]  # with the target
    bill: Annotated[np.ndarray, "float64 [env, agent] or empty"]  # of the actor
    event: Annotated[np.ndarray, "float64 [env, max_events, 6]"]
    num_events: Annotated[np.ndarray, "int32 [env, 2]"]  # kept, dropped
    reasons: Annotated[np.ndarray, "int8 [code, 2]"]  # outcome, truncates
    tunable_base: Annotated[np.ndarray, "float64 [parameter]"]


class RoleFrame(NamedTuple):
    """The buffers and tables of one role.

    From `obs` to `outcome`, what is handed out: written anew by every step, and never read back,
    since who got it may write into it. Of what the engine itself needs, these are copies.
    """

    meta: Annotated[np.ndarray, "int64 [7]"]
    choice: Annotated[np.ndarray, "int32 [env, member, part]"]  # as given
    level: Annotated[np.ndarray, "float32 [env, member, level]"]  # as given
    obs: Annotated[np.ndarray, "[env, member, number]"]
    final_obs: Annotated[np.ndarray, "[env, member, number]"]
    valid: Annotated[np.ndarray, "bool [env, member, masked option]"]  # the truth: decode reads it
    mask: Annotated[np.ndarray, "bool [env, member, masked option]"]  # as shown; never read back
    info: Annotated[np.ndarray, "float64 [env, member, info]"]
    acting: Annotated[np.ndarray, "bool [env, member]"]
    generation: Annotated[np.ndarray, "int32 [env, member]"]
    terminated: Annotated[np.ndarray, "bool [env, member]"]
    truncated: Annotated[np.ndarray, "bool [env, member]"]
    reason: Annotated[np.ndarray, "int16 [env, member]"]
    outcome: Annotated[np.ndarray, "int8 [env, member]"]
    parts: Annotated[np.ndarray, "int32 [part, 6]"]
    allowed: Annotated[np.ndarray, "bool [option of any part]"]  # what the config permits
    open_mask: Annotated[np.ndarray, "bool [masked option]"]  # what the config permits
    idle_mask: Annotated[np.ndarray, "bool [masked option]"]  # no-ops only
    # shown as allowed whatever holds: it depends on what is hidden from the agent
    shown_open: Annotated[np.ndarray, "bool [member, masked option]"]
    bounds: Annotated[np.ndarray, "float64 [level, 3]"]
    absent: Annotated[np.ndarray, "[number]"]
    hidden: Annotated[np.ndarray, "int32 [..]"]  # what the config's scopes take away
    info_absent: Annotated[np.ndarray, "float64 [info]"]
    info_hidden: Annotated[np.ndarray, "int32 [..]"]
    shared: Annotated[np.ndarray, "bool [term]"]
    penalty: Annotated[np.ndarray, "float64 [1]"]  # the cost of an invalid action


# What each agent is handed of the frame, as a copy in its role's buffers.
REPORTED = ("acting", "generation", "terminated", "truncated", "reason", "outcome")
# What a snapshot holds of the frame, beside the world's truth fields.
FRAME_TRUTH = (
    "seed", "env_id", "episode", "t", "finished", "turn", "active", "acting", "generation",
    "violations", "terminated", "truncated", "reason", "outcome", "over", "episode_ending",
    "episode_outcome", "tunable", "order", "effect", "ending",
)  # fmt: skip


def _per_agent(
    parts: int, levels: int, terms: int, effects: int
) -> dict[str, tuple[tuple[int, ...], Any]]:
    """List the frame's arrays `[env, agent, ...]` with their last axes and dtypes."""
    return {
        "choice": ((parts,), np.int32),
        "level": ((levels,), np.float64),
        "active": ((), np.bool_),
        "acting": ((), np.bool_),
        "birth": ((), np.bool_),
        "generation": ((), np.int32),
        "violations": ((), np.int32),
        "terms": ((terms,), np.float64),
        "reward": ((), np.float32),
        "ending": ((), np.int16),
        "ended": ((), np.bool_),
        "terminated": ((), np.bool_),
        "truncated": ((), np.bool_),
        "reason": ((), np.int16),
        "outcome": ((), np.int8),
        "order": ((), np.int32),
        "effect": ((effects,), np.float64),
    }


def frame_arrays(spec: Spec, num_envs: int, autoreset: str) -> Frame:
    """Allocate the frame of a batch."""
    n, agents = num_envs, spec.num_agents
    parts = max(len(role.action.choices) for role in spec.all_roles)
    levels = max(len(role.action.levels) for role in spec.all_roles)
    terms = max(len(role.terms) for role in spec.all_roles)
    control = (
        AUTORESETS[autoreset],
        TURNS[spec.turns],
        HANDLINGS[spec.invalid],
        len(spec.reasons),  # codes count from 1, and `no_agents` is the last reason
        _event_code(spec, INVALID_EVENT.name),
        any(role.respawn for role in spec.all_roles),
        _event_code(spec, BARRED_LINK.name),
    )
    per_agent = _per_agent(parts, levels, terms, len(spec.effects))
    per_env: dict[str, Any] = dict.fromkeys(("seed", "env_id", "episode", "word", "t"), np.int64)
    per_env |= {"command": np.int8, "turn": np.int32, "episode_ending": np.int16}
    per_env |= {"finished": np.bool_, "over": np.bool_}
    per_env |= {"episode_outcome": np.int8, "reported_outcome": np.int8}
    per_env |= {"reported_over": np.bool_, "reported_ending": np.int16}
    arrays: dict[str, Any] = {
        name: np.zeros((n, agents, *tail), kind) for name, (tail, kind) in per_agent.items()
    }
    arrays |= {name: np.zeros(n, kind) for name, kind in per_env.items()}
    arrays["order"][:] = np.arange(agents)
    reasons = [(0, 0)] + [(OUTCOMES.index(r.outcome), int(r.truncates)) for r in spec.reasons]
    return Frame(
        control=np.array(control, np.int64),
        tunable=np.zeros((n, len(spec.tunables)), np.float64),
        split=np.zeros(n, np.bool_),
        ranked=np.zeros(n, np.bool_),
        may=np.ones((0, 0, len(spec.links)), np.bool_),
        barred=np.zeros((n, 0, 0, len(spec.links)), np.bool_),
        event_weight=np.zeros((0, NUM_WEIGHTS), np.float64),
        standing=np.zeros((n, 0), np.float64),
        pair_standing=np.zeros((n, 0, 0), np.float64),
        bill=np.zeros((n, 0), np.float64),
        event=np.zeros((n, spec.max_events, 6), np.float64),
        num_events=np.zeros((n, 2), np.int32),
        reasons=np.array(reasons, np.int8),
        tunable_base=np.array([entry.value for entry in spec.tunables], np.float64),
        **arrays,
    )


def _event_code(spec: Spec, name: str) -> int:
    """Find the code of an event, or -1 where it is not declared."""
    names = [event.name for event in spec.events]
    return names.index(name) if name in names else -1


def role_arrays(role: Role, spec: Spec, num_envs: int) -> RoleFrame:
    """Allocate the buffers of one role and fill its tables."""
    lead = (num_envs, role.num_agents)
    action, layout = role.action, role.observation
    names = [term.name for term in role.terms]
    shared = [term.attribution == "shared" for term in role.terms]
    invalid = names.index(INVALID_TERM) if INVALID_TERM in names else -1
    forbids = any(part.forbidden for part in action.choices)
    obs = np.zeros((*lead, layout.size), layout.dtype)
    # Actions arrive as float32: a bound is what float32 makes of it, or playing it would be wrong.
    bounds = np.array([(level.low, level.high, level.noop) for level in action.levels], np.float32)
    parts, allowed, open_mask, idle_mask = _option_tables(action)
    kinds = _per_agent(0, 0, 0, 0)
    return RoleFrame(
        meta=np.array(
            [
                *(role.first, len(names), invalid, any(shared), forbids),
                *(_first_option(role, spec), _masked_end(action)),
            ],
            np.int64,
        ),
        choice=np.zeros((*lead, len(action.choices)), np.int32),
        level=np.zeros((*lead, len(action.levels)), np.float32),
        obs=obs,
        final_obs=obs.copy(),
        valid=np.ones((*lead, action.mask_size), np.bool_),
        mask=np.ones((*lead, action.mask_size), np.bool_),
        info=np.zeros((*lead, role.info.size), np.float64),
        **{name: np.zeros(lead, kinds[name][1]) for name in REPORTED},
        parts=parts,
        allowed=allowed,
        open_mask=open_mask,
        idle_mask=idle_mask,
        shown_open=shown_open_table(role),
        bounds=bounds.reshape(-1, 3).astype(np.float64),
        absent=layout.absent.astype(layout.dtype),
        hidden=_hidden_numbers(layout),
        info_absent=role.info.absent,
        info_hidden=_hidden_numbers(role.info),
        shared=np.array(shared, np.bool_),
        penalty=np.array([spec.invalid_penalty], np.float64),
    )


def _first_option(role: Role, spec: Spec) -> int:
    """Count the options of the roles before one, by which events number options."""
    before = spec.all_roles[: [entry.name for entry in spec.all_roles].index(role.name)]
    return sum(len(part.options) for entry in before for part in entry.action.choices)


def _masked_end(action: ActionSpec) -> int:
    """Return the number of parts up to the last one with a mask: messages have many without."""
    return max((k + 1 for k, part in enumerate(action.choices) if part.masked), default=0)


def _option_tables(action: ActionSpec) -> tuple[np.ndarray, ...]:
    """Lay out a role's options: the parts, what is permitted, and two masks to begin with."""
    parts: list[tuple[int, ...]] = []
    allowed: list[bool] = []
    opened: list[bool] = []
    idle: list[bool] = []
    for part in action.choices:
        size = len(part.options)
        permitted = [k not in part.forbidden for k in range(size)]
        at = len(opened) if part.masked else -1
        parts.append((size, part.noop, at, len(allowed), part.enforced, part.alone))
        allowed += permitted
        if part.masked:
            opened += permitted
            idle += [k == part.noop for k in range(size)]
    flags = (np.array(table, np.bool_) for table in (allowed, opened, idle))
    return np.array(parts, np.int32).reshape(-1, 6), *flags


def shown_open_table(role: Role) -> np.ndarray:  # bool [member, masked option]
    """Mark the options that are shown as allowed to each agent, whatever holds."""
    table = np.zeros((role.num_agents, role.action.mask_size), np.bool_)
    for row, options in zip(table, role.shown_open, strict=False):
        row[list(options)] = True
    return table


def _hidden_numbers(layout: Layout) -> np.ndarray:  # int32 [number]
    """List the numbers of the features that the config's scopes take away."""
    spans = [layout.span(entry.name) for entry in layout.features if entry.visibility == "hidden"]
    return np.array([number for span in spans for number in range(span.start, span.stop)], np.int32)
