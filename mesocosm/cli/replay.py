"""The `replay` commands: show, prove, go to a moment of, and export a recorded run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.build import open_run
from mesocosm.cli.shared.exit_status import FAILED
from mesocosm.cli.shared.film import check_film, frames, write_film
from mesocosm.cli.shared.interrupt import compiling
from mesocosm.cli.shared.options import AsJson, EnvId, RunPath, Target, at_least
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar, size_text
from mesocosm.core.errors import ConfigError
from mesocosm.telemetry.file_check import FileCheck
from mesocosm.telemetry.replay.resimulate import Proof
from mesocosm.telemetry.run import Run
from mesocosm.worlds.registry import find


def show(folder: RunPath, as_json: AsJson = False) -> None:
    """Say what a replay holds."""
    run = open_run(folder)
    replay = run.replay
    size = run.folder.replay.stat().st_size
    agent_steps = replay.num_steps * replay.num_envs * run.about["num_agents"]
    data = {
        "run": str(folder),
        "preset": run.about["preset"],
        "behaviour": replay.behaviour,
        "steps": replay.num_steps,
        "envs": replay.num_envs,
        "first_env": replay.first_env,
        "autoreset": replay.autoreset,
        "chunks": len(replay.places),
        "whole": replay.complete,
        "bytes": size,
        "bytes_per_agent_step": size / max(agent_steps, 1),
        "digests_of": replay.fields,
    }
    if as_json:
        print_json(data)
        return
    shown = data | {
        "bytes": size_text(size),
        "bytes_per_agent_step": f"{data['bytes_per_agent_step']:.3f}",
        "whole": "yes" if replay.complete else "no: its writer was interrupted",
        "digests_of": ", ".join(replay.fields),
    }
    print_table(("", ""), [(key.replace("_", " "), str(value)) for key, value in shown.items()])


def verify(folder: RunPath, target: Target = "cpu", as_json: AsJson = False) -> None:
    """Check every file of a run, then play it again and prove it bit for bit the same."""
    run = open_run(folder)
    check = run.check_files()
    if not as_json:
        print_check(folder, check)
    with compiling():
        run.make(target)
    with progress_bar("steps") as progress:
        task = progress.add_task("verifying", total=run.replay.num_steps)
        proof = run.verify(target, lambda step: progress.update(task, completed=step))
    if as_json:
        print_json(proof._asdict() | check._asdict() | {"holds": proof.holds})
    else:
        print(f"{folder}: {_verdict(proof, run)}")
    if not proof.holds or check.problems:
        raise typer.Exit(FAILED)


def print_check(folder: Path, check: FileCheck) -> None:
    """Say what a check of a run's files found."""
    for problem in check.problems:
        print(f"{folder}: damaged: {problem}")
    for note in check.notes:
        print(f"{folder}: note: {note}")
    if not check.problems:
        print(f"{folder}: {check.num_files} files are what was written")


def _verdict(proof: Proof, run: Run) -> str:
    if proof.holds:
        cut = "" if run.replay.complete else " (all that its interrupted writer left)"
        return f"verified: {proof.num_steps:,} steps are bit for bit the same{cut}"
    what = f"{proof.operation} {proof.num_equal}"
    return f"differs: the first difference is after {what}, in {', '.join(proof.fields)}"


def seek(
    folder: RunPath,
    step: Annotated[int, typer.Option(help="Steps played before the moment.")],
    env: EnvId = 0,
    target: Target = "cpu",
    as_json: AsJson = False,
) -> None:
    """Go to a moment of one env, by playing its episode again from the start."""
    at_least(0, step=step, env=env)
    run = open_run(folder)
    with compiling():
        visit = run.visit(env=env, step=step, target=target)
    moment = next(iter(visit))
    head = {
        "step": moment.step,
        "env": env,
        "seed": moment.start.seed,
        "episode": moment.start.episode,
        "t": moment.step - moment.start.step,
        "over": bool(moment.view.episode_over[0]),
    }
    truth = visit.truth()
    if as_json:
        print_json(head | {"truth": {name: _plain(value) for name, value in truth.items()}})
        return
    print(", ".join(f"{key} {value}" for key, value in head.items()))
    world = find(visit.env.config.identity.world)
    if world.text is not None:
        print(world.text(truth, visit.env.config.core))
    else:
        print_table(("field", "value"), [(k, str(_plain(v))) for k, v in truth.items()])


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def export(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    folder: RunPath,
    out: Annotated[
        Path, typer.Option(help="A .mp4, .gif, .png or .json file; .png makes one per frame.")
    ],
    env: EnvId = 0,
    step: Annotated[int, typer.Option(help="The first step shown.")] = 0,
    steps: Annotated[
        int, typer.Option(help="How many steps, at most; to the episode's end.")
    ] = 200,
    every: Annotated[int, typer.Option(help="Show each so many steps.")] = 1,
    fps: Annotated[float, typer.Option(help="Frames per second of a film.")] = 10.0,
    target: Target = "cpu",
) -> None:
    """Draw an episode of one env as a film or as pictures, or write it as JSON."""
    at_least(0, step=step, env=env)
    at_least(1, steps=steps, every=every)
    if not 0.1 <= fps <= 60:
        raise ConfigError(f"--fps: must be between 0.1 and 60, got {fps}")
    run = open_run(folder)
    with compiling():
        visit = run.visit(env=env, step=step, target=target)
    check_film(visit, out.suffix)
    with progress_bar("frames") as progress:
        total = min(steps, run.replay.num_steps - step) // every + 1
        task = progress.add_task("playing", total=total)
        shown = frames(visit, steps, every, out.suffix, lambda: progress.advance(task))
        written = write_film(shown, out, fps, every)
    console().print(f"{out}: {written}")
