"""Check that parts of actions which are declared unused do nothing, whatever they are."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mesocosm.core.action import Action, ActionSpec, Choice
from mesocosm.core.spec import LAYER, Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.coverage import Chooser, scripted
from mesocosm.testing.play import by_role, differing, join_roles, outputs, wild_actions

RULE = "unused parts"
QUEUES = (LAYER + "queue_choice", LAYER + "queue_level")  # hold actions as they were given
EVENTS = "events"


class Change(NamedTuple):
    """Other values of one part, for those agents to whom it is of no use."""

    role: str
    part: int
    values: np.ndarray  # [env, agent]
    where: np.ndarray  # bool [env, agent]


def unused_parts_do_nothing(case: Case) -> str | None:
    """What an unused part is changes nothing: no state, reward, observation, mask or event."""
    env = case.make()
    if not any(any(role.action.conditions) for role in env.spec.roles.values()):
        return None
    rng, seen = np.random.default_rng((case.seed, 17)), Counter[str]()
    for choose in _ways(env, rng, case.seed):
        step = env.reset(seed=case.seed)
        for _ in range(case.steps):
            given = by_role(env, choose(step))
            changes = list(_draw_changes(env, given, step, rng))
            for change in changes:
                seen[_name(env, change)] += int(change.where.sum())
            step = _compare(case, env, given, changes, rng)
    case.num_unused.update(seen)
    missing = [name for name in _declared(env) if not seen[name]]
    return f"never unused: {', '.join(missing)}" if missing else None


def _declared(env: Engine) -> Iterator[str]:
    for role in env.spec.roles.values():
        for part, conditions in zip(role.action.parts, role.action.conditions, strict=True):
            if conditions:
                yield f"{role.name}.{part.name}"


def _name(env: Engine, change: Change) -> str:
    return f"{change.role}.{env.spec.roles[change.role].action.parts[change.part].name}"


def _ways(env: Engine, rng: np.random.Generator, seed: int) -> Iterator[Chooser]:
    """Give the ways to play: at random within the mask, and by each scripted policy."""
    yield lambda step: wild_actions(env, rng, step, odd=0.0)
    for factory in env.world.policies.values():
        yield scripted(env, factory, seed)


def _draw_changes(
    env: Engine, given: dict[str, Any], step: Step, rng: np.random.Generator
) -> Iterator[Change]:
    """Draw other valid values of the parts that are of no use to agents who act."""
    for name, role in env.spec.roles.items():
        choice, level = _split(role.action, given[name])
        acting = np.asarray(by_role(env, step.acting)[name])
        unused = ~role.action.used(choice) & acting[..., None]
        for k, conditions in enumerate(role.action.conditions):
            if not conditions or not unused[..., k].any():
                continue
            if k < len(role.action.choices):
                mask = np.asarray(by_role(env, step.mask)[name])
                values, other = _draw_options(role, k, choice[..., k], mask, rng)
            else:
                bound = role.action.levels[k - len(role.action.choices)]
                now = level[..., k - len(role.action.choices)]
                values = rng.uniform(bound.low, bound.high, now.shape).astype(np.float32)
                other = values != now
            if (unused[..., k] & other).any():
                yield Change(name, k, values, unused[..., k] & other)


def _draw_options(
    role: Role, k: int, now: np.ndarray, mask: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw other options of one part that are valid as the given one is; say where there are."""
    part = role.action.choices[k]
    order = rng.random((*now.shape, len(part.options)))
    valid = _valid_options(role, part, mask, order.shape)
    place = np.clip(now, 0, len(part.options) - 1)[..., None]
    is_valid = np.take_along_axis(valid, place, -1)[..., 0] & (place[..., 0] == now)
    order[~valid] = -1.0
    np.put_along_axis(order, place, -1.0, -1)
    return order.argmax(-1).astype(np.int32), is_valid & (order.max(-1) >= 0.0)


def _valid_options(
    role: Role, part: Choice, mask: np.ndarray, shape: tuple[int, ...]
) -> np.ndarray:  # bool [env, agent, option]
    """Find the options that are surely valid, though not those that are shown so whatever holds."""
    valid = np.ones(shape, bool)
    if part.masked and part.enforced:
        sure = mask.copy()
        for i, opened in enumerate(role.shown_open):
            sure[:, i, list(opened)] = False
        at = role.action.mask_offset(part.name)
        valid &= sure[..., at : at + len(part.options)]
    valid[..., list(part.forbidden)] = False
    valid[..., part.noop] = True
    return valid


def _split(action: ActionSpec, given: Any) -> tuple[np.ndarray, np.ndarray]:
    """Give a role's choices and levels apart."""
    if action.choices and action.levels:
        return np.asarray(given[0]), np.asarray(given[1])
    array = np.asarray(given)
    none = array[..., :0]
    return (array, none) if action.choices else (none, array)


def _with_changes(role: Role, given: Any, changes: list[Change]) -> Any:
    """Give a role's actions with some parts changed."""
    action = role.action
    choice, level = (array.copy() for array in _split(action, given))
    for change in changes:
        if change.role == role.name:
            is_choice = change.part < len(action.choices)
            part = change.part if is_choice else change.part - len(action.choices)
            into = choice if is_choice else level
            into[..., part] = np.where(change.where, change.values, into[..., part])
    made: Any = action.join(choice, level)
    return Action(*made) if isinstance(made, tuple) else made


def _compare(
    case: Case,
    env: Engine,
    given: dict[str, Any],
    changes: list[Change],
    rng: np.random.Generator,
) -> Step:
    """Play actions as they are and with unused parts changed; go on with what they are."""
    if not changes:
        return env.step(join_roles(env, given))
    later = [wild_actions(env, rng, odd=0.0) for _ in range(_latency(env))]
    saved = env.save()

    def effects(tried: list[Change]) -> list[str]:
        env.load(saved)
        return _odd(plain, _play(env, given, tried, later)[0])

    plain, step = _play(env, given, [], later)
    if effects(changes):
        worst = next((one for change in changes for one in _apart(change) if effects([one])), None)
        if worst is None:
            raise case.fail(RULE, f"several together change {effects(changes)[:3]}")
        raise case.fail(RULE, _explain(env, given, worst, effects([worst])))
    return step


def _latency(env: Engine) -> int:
    """Count the steps after which an action takes effect at the latest."""
    settings = env.config.layers.temporal
    return settings.latency if settings.is_active else 0


def _play(
    env: Engine, given: dict[str, Any], changes: list[Change], later: list[Any]
) -> tuple[list[dict[str, np.ndarray]], Step]:
    """Play one step and those until it takes effect; keep all that came of it."""
    made = {
        name: _with_changes(role, given[name], changes) for name, role in env.spec.roles.items()
    }
    kept = []
    env.event_log.take()  # what happened before
    for actions in (join_roles(env, made), *later):
        step = env.step(actions)
        found = outputs(env, step) | {EVENTS: env.event_log.take()}
        digest = env.digest()
        found |= {f"state {key}": np.array(digest[key]) for key in digest if key not in QUEUES}
        kept.append(found)
    return kept, step


def _odd(first: list[dict[str, np.ndarray]], second: list[dict[str, np.ndarray]]) -> list[str]:
    """Name what differs between two plays."""
    pairs = zip(first, second, strict=True)
    return list(dict.fromkeys(name for one, other in pairs for name in differing(one, other)))


def _apart(change: Change) -> Iterator[Change]:
    """Split a change into those of single agents."""
    for e, i in np.argwhere(change.where).tolist():
        where = np.zeros_like(change.where)
        where[e, i] = True
        yield change._replace(where=where)


def _explain(env: Engine, given: dict[str, Any], change: Change, odd: list[str]) -> str:
    """Say what an unused part changed, and with which choices."""
    action = env.spec.roles[change.role].action
    choice, level = _split(action, given[change.role])
    (e, i), *_ = np.argwhere(change.where).tolist()
    part = action.parts[change.part]
    deciders = [action.choices[entry.part] for entry in action.conditions[change.part]]
    chosen = [
        f"{decider.name} is {decider.options[choice[e, i, entry.part]]}"
        for decider, entry in zip(deciders, action.conditions[change.part], strict=True)
    ]
    if isinstance(part, Choice):
        numbers = choice[e, i, change.part], change.values[e, i]
        values = [part.options[number] for number in numbers]
    else:
        numbers = level[e, i, change.part - len(action.choices)], change.values[e, i]
        values = [f"{number:g}" for number in numbers]
    return (
        f"{_name(env, change)} is declared unused where {' and '.join(chosen)}, but {values[1]} "
        f"instead of {values[0]} changes {', '.join(odd[:3])}"
    )
