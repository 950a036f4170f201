"""What `run` plays: as asked, or as a recorded run that goes on says."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.cli.shared.options import choose_target
from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import ConfigError, RunError, short
from mesocosm.resolve import Resolved, resolve
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.recorder import record, say_missing_tables
from mesocosm.telemetry.run_folder import RunFolder

DEFAULT_STEPS = 1000


class Plan(NamedTuple):
    """Everything a run needs to know."""

    resolved: Resolved
    names: Mapping[str, str]  # of the policies, by role or `role[slot]`
    seed: int
    steps: int = DEFAULT_STEPS
    num_envs: int = 1
    target: str = "cpu"
    out: Path | None = None
    resume: bool = False
    played: Any = None  # by role or `role[slot]`: kind, name or path, sha256


def recording(env: Engine, plan: Plan) -> AbstractContextManager[Any]:
    """Record the run, if that was asked."""
    if plan.out is None:
        return nullcontext()
    about = {"plan": {"steps": plan.steps, "policies": dict(plan.names)}}
    about |= {"policies": dict(plan.played or {})}
    return record(env, plan.out, resume=plan.resume, about=about)


def check_recording(plan: Plan) -> None:
    """Refuse a taken folder, and say what will not be recorded, before anything compiles."""
    if plan.out is not None:
        say_missing_tables(plan.resolved.config.instrumentation)
        if not plan.resume:
            RunFolder(plan.out).check_new()


def resumed_plan(path: Path, steps: int | None, target: str | None, *, given: bool) -> Plan:
    """Read from a run folder what was planned."""
    if given:
        raise ConfigError("--resume: the run says all else itself; only --steps and --target go")
    folder = RunFolder(path)
    about = folder.read()
    folder.check_free()
    folder.check_links()
    resolved = resolve(folder.config)
    if isinstance(
        about.get("provenance"), dict
    ):  # not of the file, but of what the run was made of
        resolved = replace(resolved, provenance=provenance_of(about["provenance"]))
    plan = about.get("plan")
    if not isinstance(plan, dict) or not isinstance(plan.get("policies"), dict):
        raise RunError(f"{folder.run}: has no plan: only what `mesocosm run` made can be resumed")
    for role, name in plan["policies"].items():
        if not isinstance(name, str):
            raise RunError(f"{folder.run}: damaged: plan.policies.{role} is {short(name)}")
    wanted = plan.get("steps") if steps is None else steps
    seed, envs = about.get("seed"), about.get("num_envs")
    for name, value, lowest in (
        ("plan.steps", wanted, 1),
        ("seed", seed, 0),
        ("num_envs", envs, 1),
    ):
        if type(value) is not int or value < lowest:
            raise RunError(f"{folder.run}: damaged: {name} is {value!r}")
    where = choose_target(target, about)
    made = Plan(resolved, plan["policies"], int(seed), int(wanted), int(envs), where)  # type: ignore[arg-type]
    if made.steps < about["steps"]:
        raise ConfigError(f"--steps: the run has {about['steps']} already, got {made.steps}")
    return made._replace(out=path, resume=True, played=about.get("policies"))
