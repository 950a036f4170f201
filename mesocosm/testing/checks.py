"""The rules of the contract, each as a function that raises when a world breaks it."""

import numpy as np

from mesocosm.core.errors import SnapshotError
from mesocosm.core.spec import OUTCOMES, Role
from mesocosm.core.step import Step
from mesocosm.sim.engine import Engine
from mesocosm.testing.case import Case
from mesocosm.testing.play import active, by_role, differing, outputs, wild_actions


def shapes_and_ranges(case: Case) -> None:
    """What is handed out has the declared structure and stays in the declared ranges."""
    env = case.make()
    for found in case.play(env):
        for role in env.spec.roles.values():
            _check_role(case, env, role, found)
        for key, count in (("episode_reason", len(env.spec.reasons)), ("episode_outcome", 4)):
            case.require((found[key] <= count).all(), "endings", f"{key} holds an unknown code")


def _check_role(case: Case, env: Engine, role: Role, found: dict[str, np.ndarray]) -> None:
    lead = (env.num_envs, role.num_agents)
    layout, obs = role.observation, found[f"obs.{role.name}"]
    case.require(
        obs.shape == (*lead, *layout.shape) and obs.dtype == layout.dtype,
        "structure",
        f"observation of {role.name} is {obs.dtype} {obs.shape}",
    )
    flat = obs.reshape(*lead, -1).astype(np.float64)
    low, high = (
        bound.astype(layout.dtype).astype(np.float64) for bound in (layout.low, layout.high)
    )
    for number in np.flatnonzero(~((flat >= low) & (flat <= high)).all(axis=(0, 1))):
        name, got = layout.names()[number], flat[..., number]
        what = f"{role.name}.{name} goes from {got.min():g} to {got.max():g}"
        raise case.fail("range", f"{what}, declared is {low[number]:g} to {high[number]:g}")
    for name in (entry.name for entry in role.info.features):
        entry, got = role.info.feature(name), found[f"info.{role.name}.{name}"]
        inside = (got >= entry.low) & (got <= entry.high) if got.size else np.ones(1, bool)
        case.require(inside.all(), "range", f"info {name!r} of {role.name} leaves its range")
    for part in role.action.mask_parts(found[f"mask.{role.name}"]).values():
        case.require(part.any(-1).all(), "mask", f"{role.name} has a part with nothing to choose")
    least, most = role.reward_bounds
    reward = found[f"reward.{role.name}"]
    inside = (reward >= np.float32(least)) & (reward <= np.float32(most))
    what = f"{role.name} got {reward.min():g}..{reward.max():g}, declared is {least:g}..{most:g}"
    case.require(inside.all(), "reward bounds", what)
    case.require(
        (found[f"outcome.{role.name}"] < len(OUTCOMES)).all(), "endings", "unknown outcome"
    )


def state_stays_in_range(case: Case) -> None:
    """Every truth field stays in its range and keeps the invariants, as snapshots require."""

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        try:
            env.load(env.save())
        except SnapshotError as error:
            raise case.fail("state range", str(error)) from None

    case.play(case.make(), visit)


def repeats(case: Case) -> None:
    """The same config, seed and actions give the same bytes; seed 0 is a seed."""
    first, second = case.make(), case.make(seed=case.seed + 1)
    case.require_equal("determinism", case.play(first), case.play(second), "two runs")
    made, reset = case.make(seed=0), case.make(seed=5)
    made.reset()
    reset.reset(seed=0)
    case.require_same_state("seeding", made, reset, "make(seed=0) and reset(seed=0)")
    made.reset()
    case.require((made.episode == 1).all(), "seeding", "reset() does not go to episode 1")
    reset.reset(seed=0)
    case.require((reset.episode == 0).all(), "seeding", "reset(seed) does not go to episode 0")


def batches_are_independent(case: Case) -> None:
    """A batch of n equals n batches of 1, with any number of threads."""
    whole = case.make()
    rng = np.random.default_rng(case.seed)
    singles = [case.make(num_envs=1, first_env=e) for e in range(case.num_envs)]
    threaded = case.make(threads=2) if case.target == "cpu" else case.make()
    steps = [env.reset() for env in (whole, threaded, *singles)]
    for t in range(case.steps):
        actions = by_role(whole, wild_actions(whole, rng))
        steps[0] = whole.step(_row(whole, actions, slice(None)))
        steps[1] = threaded.step(_row(whole, actions, slice(None)))
        kept, other = outputs(whole, steps[0]), outputs(threaded, steps[1])
        case.require(not differing(kept, other), "threads", f"two threads differ at step {t}")
        for e, env in enumerate(singles):
            alone = outputs(env, env.step(_row(env, actions, slice(e, e + 1))))
            part = {key: value[e : e + 1] for key, value in kept.items()}
            odd = differing(part, alone)
            case.require(
                not odd, "batch equality", f"env {e} differs alone at step {t} in {odd[:3]}"
            )


def _row(env: Engine, actions: dict[str, object], part: slice) -> object:
    cut = {
        name: type(value)(*(x[part] for x in value)) if isinstance(value, tuple) else value[part]  # type: ignore[index]
        for name, value in actions.items()
    }
    return cut if len(cut) > 1 else next(iter(cut.values()))


def snapshots_continue(case: Case) -> None:
    """A snapshot continues bit for bit, here and in an env made with another seed."""
    env, other = case.make(), case.make(seed=case.seed + 13)
    case.play(env, steps=case.steps // 2)
    saved = env.save()
    rng = np.random.default_rng(1)
    script = [wild_actions(env, rng) for _ in range(case.steps // 2)]
    first = [outputs(env, env.step(actions)) for actions in script]
    env.load(saved)
    other.load(saved)
    for name, again in (("the same env", env), ("another env", other)):
        second = [outputs(again, again.step(actions)) for actions in script]
        case.require_equal("snapshot", first, second, f"continuing in {name}")
    case.require_same_state("snapshot", env, other, "after loading")


def rebuild_changes_nothing(case: Case) -> None:
    """Derived fields are what `rebuild` makes of the truth, after any step."""
    derived = [entry.name for entry in case.make().spec.fields if entry.derived]

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        before = {name: env.state(name) for name in derived}
        env.load(env.save())
        for name in derived:
            same = before[name].tobytes() == env.state(name).tobytes()
            what = f"rebuild changes {name!r} after a step: transition must keep it current"
            case.require(same, "rebuild", f"{what}, or call rebuild(s, p, e) last")

    case.play(case.make(), visit)


def terms_explain_rewards(case: Case) -> None:
    """Reward terms sum to the reward, stay in their bounds, and are paid when declared."""

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        for role in env.spec.roles.values():
            for e in range(env.num_envs):
                for i in range(role.num_agents):
                    _check_terms(case, env, role, found, (e, i))

    case.play(case.make(num_envs=2), visit)


def _check_terms(
    case: Case, env: Engine, role: Role, found: dict[str, np.ndarray], at: tuple[int, int]
) -> None:
    terms = env.explain(env=at[0], agent=role.first + at[1])
    reward = found[f"reward.{role.name}"][at]
    case.require(np.float32(sum(terms.values())) == reward, "reward", f"{terms} is not {reward}")
    ended = found[f"ended.{role.name}"][at]
    for term in role.terms:
        value = terms[term.name]
        inside = term.low <= value <= term.high
        what = f"term {term.name!r} of {role.name} is {value}, declared is {term.low}..{term.high}"
        case.require(inside, "reward bounds", what)
        if term.timing == "terminal":
            case.require(ended or value == 0.0, "timing", f"{term.name!r} is paid before the end")


def episodes_end(case: Case) -> None:
    """Episodes come to an end by a declared reason, and the next one begins."""
    env = case.make()
    ended, reasons = np.zeros(env.num_envs, int), set()
    step = env.reset(seed=case.seed)
    rng = np.random.default_rng(case.seed)
    for _ in range(case.horizon):
        step = env.step(wild_actions(env, rng, step, odd=0.0))
        over = np.asarray(step.episode_over)
        ended += over
        reasons |= set(np.asarray(step.episode_reason)[over].tolist())
        if ended.min() >= 2:
            break
    what = f"no env ended two episodes in {case.horizon} steps; give Case a longer horizon"
    case.require(ended.max() >= 2, "endings", what)
    case.require(0 not in reasons, "endings", "an episode ended without a reason")


def slots_are_born_again(case: Case) -> None:
    """A vacant slot of a role that respawns is absent, and generation rises at birth alone."""
    env = case.make(autoreset="off")
    before: dict[str, np.ndarray] = {}

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        for role in env.spec.roles.values():
            if before and role.respawn:
                then = before[f"terminated.{role.name}"] | before[f"truncated.{role.name}"]
                now = found[f"terminated.{role.name}"] | found[f"truncated.{role.name}"]
                rise = found[f"generation.{role.name}"] - before[f"generation.{role.name}"]
                case.require((rise == (then & ~now)).all(), "respawn", "generation is not births")
                _check_gone(case, role, found, then & now)
        before.update(found)

    case.play(env, visit, steps=2 * case.steps)


def endings_are_sticky(case: Case) -> None:
    """An ended agent stays ended: no reward, absent observation, only the no-op; body frozen."""
    env = case.make(autoreset="off")
    before: dict[str, np.ndarray] = {}
    state: dict[str, np.ndarray] = {}

    def visit(env: Engine, step: Step, found: dict[str, np.ndarray]) -> None:
        for role in env.spec.roles.values():
            if before and not role.respawn:
                gone = before[f"terminated.{role.name}"] | before[f"truncated.{role.name}"]
                _check_gone(case, role, found, gone)
                _check_body(case, env, role, state, gone)
        before.update(found)
        state.update(env.save())
        if not any(role.respawn for role in env.spec.all_roles):  # else someone may yet be born
            idle = ~active(env).any(axis=1)
            over = found["episode_over"][idle].all()
            case.require(over, "endings", "nobody is left, yet it goes on")

    case.play(env, visit, steps=4 * case.steps)


def _check_gone(case: Case, role: Role, found: dict[str, np.ndarray], gone: np.ndarray) -> None:
    ended = found[f"terminated.{role.name}"] | found[f"truncated.{role.name}"]
    case.require(ended[gone].all(), "sticky", f"an ended {role.name} came back: declare respawn")
    case.require((found[f"reward.{role.name}"][gone] == 0).all(), "sticky", "the dead are paid")
    absent = role.observation.absent.astype(role.observation.dtype)
    rows = found[f"obs.{role.name}"].reshape(*gone.shape, -1)[gone]
    case.require((rows == absent).all(), "sticky", f"an ended {role.name} still observes")
    case.require(not found[f"acting.{role.name}"][gone].any(), "sticky", "the dead act")
    parts = role.action.mask_parts(found[f"mask.{role.name}"])
    for part in role.action.choices:
        if part.name in parts:
            rows = parts[part.name][gone]
            only = rows[:, part.noop].all() and rows.sum() == len(rows)
            case.require(only, "sticky", f"an ended {role.name} may still choose {part.name!r}")


def _check_body(
    case: Case, env: Engine, role: Role, state: dict[str, np.ndarray], gone: np.ndarray
) -> None:
    if role.body != "frozen":
        return
    for entry in env.spec.truth:
        if entry.scope == "agent":
            then, now = state[entry.name][:, role.span], env.truth(entry.name)[:, role.span]
            same = (then[gone] == now[gone]).all()
            case.require(same, "body", f"{entry.name!r} of an ended {role.name} changes")


def autoresets_agree(case: Case) -> None:
    """The three autoreset modes play the same episodes and show the same last observations."""
    modes = {mode: case.make(autoreset=mode) for mode in ("same_step", "next_step", "off")}
    told = {mode: _episodes(case, env) for mode, env in modes.items()}
    for mode in ("next_step", "off"):
        for key, lines in told["same_step"].items():
            other = told[mode].get(key, [])
            count = min(len(lines), len(other))
            same = lines[:count] == other[:count]
            case.require(same, "autoreset", f"{mode} plays (env, episode) {key} differently")
        case.require(any(key[1] == 1 for key in told[mode]), "autoreset", "no second episode")


def _episodes(case: Case, env: Engine) -> dict[tuple[int, int], list[bytes]]:
    """Play by (env, episode, time), so that modes can be compared; tell what each step showed."""
    told: dict[tuple[int, int], list[bytes]] = {}
    env.reset(seed=case.seed)
    for _ in range(case.horizon):
        saved = env.save()
        episode, t, waiting = (saved[f"frame.{key}"] for key in ("episode", "t", "finished"))
        if episode.min() >= 2:
            break
        if env.autoreset == "off" and waiting.any():
            env.reset(envs=waiting)
            continue
        step = env.step(_scripted(env, episode, t))
        found = outputs(env, step)
        for e in range(env.num_envs):
            if not waiting[e]:
                line = _tell(env, found, e, over=bool(found["episode_over"][e]))
                told.setdefault((e, int(episode[e])), []).append(line)
    return told


def _tell(env: Engine, found: dict[str, np.ndarray], e: int, *, over: bool) -> bytes:
    shown = "final_obs" if over else "obs"
    keys = ("reward", "terminated", "truncated", "reason", "outcome")
    rows = [found[f"{key}.{role}"][e].tobytes() for role in env.spec.roles for key in keys]
    return b"".join([*rows, *(found[f"{shown}.{role}"][e].tobytes() for role in env.spec.roles)])


def _scripted(env: Engine, episode: np.ndarray, t: np.ndarray) -> object:
    """Choose actions by (env, episode, time) alone."""
    parts = []
    for e in range(env.num_envs):
        rng = np.random.default_rng((e, int(episode[e]), int(t[e])))
        drawn = {
            name: role.action.sample(rng, (1, role.num_agents))
            for name, role in env.spec.roles.items()
        }
        parts.append(drawn)
    made: dict[str, object] = {}
    for name in env.spec.roles:
        first = parts[0][name]
        rows = [part[name] for part in parts]
        if isinstance(first, tuple):
            made[name] = type(first)(*(np.concatenate(x) for x in zip(*rows, strict=True)))
        else:
            made[name] = np.concatenate(rows)
    return made if len(made) > 1 else next(iter(made.values()))


def invalid_actions_are_handled(case: Case) -> None:
    """Any value of an action is taken, counted, and handled the same way every time."""
    first, second = case.make(autoreset="off"), case.make(autoreset="off")
    for env in (first, second):
        rng = np.random.default_rng(3)
        env.reset(seed=case.seed)
        for _ in range(min(case.steps, 8)):
            env.step(wild_actions(env, rng, odd=1.0))
    case.require_same_state("invalid actions", first, second, "playing only invalid actions")
    acted = first.violations.sum()
    case.require(acted > 0, "invalid actions", "none were counted")


CHECKS = (
    shapes_and_ranges,
    state_stays_in_range,
    repeats,
    batches_are_independent,
    snapshots_continue,
    rebuild_changes_nothing,
    terms_explain_rewards,
    episodes_end,
    endings_are_sticky,
    slots_are_born_again,
    autoresets_agree,
    invalid_actions_are_handled,
)
