"""Play one accepted config in every way that must give the same, and check what it hands out."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.sim.engine import Engine
from mesocosm.testing import audit
from mesocosm.testing.play import by_role, differing, outputs, wild_actions

NUM_ENVS = 2
STEPS = {"commons": 24, "townlet": 20, "mettagrid": 12, "island": 6}
AUTORESET = ("same_step", "next_step", "off")
SLACK = 1e-5  # rewards are float32


class Failure(Exception):  # noqa: N818 (a finding, no error of the fuzzer)
    """A config breaks a promise."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(f"{kind}: {what}")
        self.kind = kind


@contextmanager
def stage(kind: str) -> Iterator[None]:
    """Say in which check it was that something raised."""
    try:
        yield
    except Failure:
        raise
    except Exception as error:
        text = " ".join(str(error).split())
        raise Failure(kind, f"{type(error).__name__}: {text}"[:600]) from error


def check_config(preset: str, changes: dict[str, Any], seed: int) -> None:
    """Raise `Failure` at the first promise that a config breaks."""
    rng = np.random.default_rng(seed)
    autoreset = AUTORESET[seed % 3]
    options = {"seed": seed % 1000, "autoreset": autoreset}
    with stage("config is not itself"):
        config = meso.load_config(preset, changes)
        if meso.load_config(config) != config:
            raise Failure("config is not itself", "loading a config again gives another")
    with stage("make"):
        source: Any = config
        slow = meso.make(source, num_envs=NUM_ENVS, target="python", **options)
        fast = meso.make(source, num_envs=NUM_ENVS, target="cpu", **options)
        singles = [
            meso.make(source, num_envs=1, first_env=k, target="cpu", **options)
            for k in range(NUM_ENVS)
        ]
    with stage("play"):
        _play(slow, fast, singles, rng, STEPS[fast.spec.world])
    with stage("audit"):
        report = audit(preset, overrides=changes, states=2, seed=seed % 1000)
        if report.leaks:
            raise Failure("leak", "; ".join(sorted({leak.text for leak in report.leaks}))[:600])


def _play(
    slow: Engine, fast: Engine, singles: list[Engine], rng: np.random.Generator, steps: int
) -> None:
    """Play the same episodes four times, from a snapshot too."""
    now = fast.reset()
    slow.reset()
    for one in singles:
        one.reset()
    again: Engine | None = None
    for t in range(steps):
        _compare(slow, fast, singles, again, t)
        _check_step(fast, now, t)
        if t == steps // 2:
            again = meso.make(
                fast.config, num_envs=NUM_ENVS, target="cpu", autoreset=fast.autoreset
            )
            again.load(fast.save())
        actions = wild_actions(fast, rng, now if t % 2 else None)
        now = fast.step(actions)
        slow.step(actions)
        for k, one in enumerate(singles):
            one.step(_slice(actions, k))
        if again is not None:
            again.step(actions)
    _compare(slow, fast, singles, again, steps)
    _check_step(fast, now, steps)
    if slow.events() != fast.events():
        raise Failure("python is not cpu", "events differ")
    _compare_snapshots(fast, singles)


def _slice(actions: Any, k: int) -> Any:
    """Take the actions of one env."""
    if isinstance(actions, dict):
        return {name: _slice(value, k) for name, value in actions.items()}
    if isinstance(actions, tuple):
        return type(actions)(*(_slice(value, k) for value in actions))
    return actions[k : k + 1]


def _compare(
    slow: Engine, fast: Engine, singles: list[Engine], again: Engine | None, t: int
) -> None:
    batch = outputs(fast, fast._step)
    found = differing(batch, outputs(slow, slow._step))
    if found:
        raise Failure("python is not cpu", f"step {t}: {found[:4]}")
    mine, theirs = fast.digest(), slow.digest()
    if mine != theirs:
        keys = [key for key in mine if mine[key] != theirs.get(key)]
        raise Failure("python is not cpu", f"step {t}: digest of {keys[:4]}")
    for k, one in enumerate(singles):
        part = {key: value[k : k + 1] for key, value in batch.items()}
        found = differing(part, outputs(one, one._step))
        if found:
            raise Failure("batch is not singles", f"step {t}, env {k}: {found[:4]}")
    if again is not None and again.digest() != mine:
        raise Failure("load does not continue", f"step {t}: digest")
    if again is not None and t > STEPS[fast.spec.world] // 2 + 1:
        found = differing(batch, outputs(again, again._step))
        if found:
            raise Failure("load does not continue", f"step {t}: {found[:4]}")


def _compare_snapshots(fast: Engine, singles: list[Engine]) -> None:
    whole = fast.save()
    for k, one in enumerate(singles):
        for key, value in one.save().items():
            if key != "_meta" and value.tobytes() != whole[key][k : k + 1].tobytes():
                raise Failure("batch is not singles", f"env {k}: {key} of the snapshot")


def _check_step(env: Engine, step: Any, t: int) -> None:
    """Check ranges of what was handed out, that terms sum, and that masks offer something."""
    given = outputs(env, step)
    terms = env.host(env.driver.f.terms)
    for name, role in env.spec.roles.items():
        where = f"step {t}: {name}"
        for key in ("obs", "final_obs"):
            rows = given[f"{key}.{name}"].reshape(-1, role.observation.size)
            if key == "final_obs":
                rows = rows[given[f"ended.{name}"].reshape(-1)]
            _inside(rows, role.observation, f"{where}: {key}")
        infos = by_role(env, step.info)[name]
        for feature in role.info.features:
            values = np.asarray(infos[feature.name], np.float64)
            if not ((values >= feature.low) & (values <= feature.high)).all():
                raise Failure("bounds", f"{where}: info {feature.name}")
        _check_rewards(given[f"reward.{name}"], terms[:, role.span], role, where)
        mask = given[f"mask.{name}"]
        for part, allowed in role.action.mask_parts(mask).items():
            if not allowed.any(axis=-1).all():
                raise Failure("mask offers nothing", f"{where}: {part}")


def _inside(rows: np.ndarray, layout: Any, where: str) -> None:
    values = rows.astype(np.float64)
    low, high = layout.low.astype(np.float32), layout.high.astype(np.float32)
    bad = ~((values >= low) & (values <= high))
    if bad.any():
        k = int(np.flatnonzero(bad.any(axis=0))[0])
        value = float(values[bad[:, k], k][0])
        name = layout.names()[k]
        raise Failure("bounds", f"{where} {name}: {value} not in {low[k]}..{high[k]}")


def _check_rewards(reward: np.ndarray, terms: np.ndarray, role: Any, where: str) -> None:
    total, size = np.zeros(reward.shape), np.zeros(reward.shape)
    for k, term in enumerate(role.terms):
        values = terms[:, :, k].astype(np.float64)
        room = 1e-9 * max(1.0, abs(term.low), abs(term.high))
        if not ((values >= term.low - room) & (values <= term.high + room)).all():
            worst = float(values[np.unravel_index(np.abs(values).argmax(), values.shape)])
            what = f"{where}: term {term.name}: {worst} not in {term.low}..{term.high}"
            raise Failure("term bounds", what)
        total += values
        size += np.abs(values)
    off = np.abs(total - reward) > SLACK * np.maximum(size, 1e-3)
    if off.any() or not np.isfinite(reward).all():
        raise Failure("terms do not sum", f"{where}: {total[off][:3]} is paid {reward[off][:3]}")
