"""The `bench` command: how fast worlds step here."""

from typing import Annotated, Any

import typer

from mesocosm.build import world_names
from mesocosm.cli.shared.interrupt import compiling
from mesocosm.cli.shared.options import Archetypes, AsJson, Target, at_least
from mesocosm.cli.shared.output import print_json, print_table, rate_text, say, size_text
from mesocosm.resolve import resolve
from mesocosm.sim.targets.launch import check_target

HEAD = (
    "preset", "target", "envs", "agents", "agent-steps/s", "us/step()", "written/agent-step",
    "copy speed", "of copy speed",
)  # fmt: skip


def bench(
    presets: Annotated[
        list[str] | None, typer.Argument(metavar="[PRESET]...", help="Presets; all worlds if none.")
    ] = None,
    num_envs: Annotated[int, typer.Option(help="Episodes stepped side by side.")] = 1024,
    target: Target = "cpu",
    archetypes: Archetypes = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fast worlds step, and how near to a memory copy."""
    from mesocosm.bench import measure

    at_least(1, num_envs=num_envs)
    check_target(target)
    chosen = presets or world_names()
    for preset in chosen:
        resolve(preset, archetypes=archetypes or ())
    results = []
    for preset in chosen:
        say(f"measuring {preset} ...")
        with compiling():
            results.append(measure(preset, num_envs, target, archetypes=archetypes or ()))
    if as_json:
        print_json(results)
    else:
        print_table(HEAD, [_row(result) for result in results])


def _row(result: dict[str, Any]) -> tuple[str, ...]:
    fraction, copy = result["bandwidth_fraction"], result["copy_bytes_per_second"]
    return (
        " + ".join((result["preset"], *result["archetypes"])),
        result["target"],
        f"{result['num_envs']:,}",
        str(result["num_agents"]),
        rate_text(result["agent_steps_per_cpu_second"] or result["agent_steps_per_second"]),
        f"{result['step_microseconds']:.1f}",
        f"{result['bytes_per_agent_step']:.0f} B",
        "-" if copy is None else f"{size_text(copy)}/s",
        "-" if fraction is None else f"{fraction:.1%}",
    )
