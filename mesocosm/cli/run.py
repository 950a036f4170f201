"""The `run` command: play a preset and say what happened."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mesocosm.build import config_spec, load_config, make, policy
from mesocosm.cli.option import AsJson, Policies, Sets, Source, Target, at_least
from mesocosm.cli.output import console, print_json, print_table, rate_text
from mesocosm.cli.play import Tally, choose, compiling, play
from mesocosm.config.identity import config_hash
from mesocosm.config.source import parse_assignments
from mesocosm.core.policy import Policy
from mesocosm.sim.engine import Engine

INTERRUPTED = 130


def run(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: Source,
    steps: Annotated[int, typer.Option(help="Steps to play in every env.")] = 1000,
    num_envs: Annotated[int, typer.Option(help="Episodes played side by side.")] = 32,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first episodes; else the config's.")
    ] = None,
    policies: Policies = None,
    target: Target = "cpu",
    assignments: Sets = None,
    as_json: AsJson = False,
) -> None:
    """Play a preset with scripted policies and sum up what happened."""
    at_least(1, steps=steps, num_envs=num_envs)
    at_least(0, seed=seed)
    config = load_config(source, parse_assignments(assignments or []))
    names = choose(policies or [], config_spec(config))
    players = {role: policy(config.identity.world, name) for role, name in names.items()}
    with compiling():
        env = make(config, num_envs=num_envs, target=target, seed=seed, autoreset="off")
    seed = config.identity.seed if seed is None else seed
    title = f"{config.identity.world}/{config.identity.preset}"
    with _progress() as progress:
        task = progress.add_task(f"{title}, {' + '.join(sorted(set(names.values())))}", total=steps)
        tally = play(env, players, steps=steps, seed=seed, advance=lambda: progress.advance(task))
    summary = summarise(env, tally, seed, _who(names, players))
    if as_json:
        print_json(summary)
    else:
        _print(summary)
    if tally.interrupted:
        raise typer.Exit(INTERRUPTED)


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    out = console(stderr=True)
    if not out.is_terminal:
        out.width = 80
    return Progress(*columns, TextColumn("steps"), TimeRemainingColumn(), console=out)


def _who(names: Mapping[str, str], players: Mapping[str, Policy]) -> dict[str, Any]:
    return {
        role: {"name": name, "privileged": players[role].privileged} for role, name in names.items()
    }


def summarise(env: Engine, tally: Tally, seed: int, policies: dict[str, Any]) -> dict[str, Any]:
    """Give the results of a run as plain data."""
    identity = env.config.identity
    return {
        "preset": f"{identity.world}/{identity.preset}",
        "config_hash": config_hash(env.config),
        "target": env.target,
        "seed": seed,
        "num_envs": env.num_envs,
        "steps": tally.steps,
        "interrupted": tally.interrupted,
        "policies": policies,
        "agent_steps": tally.agent_steps,
        "episodes": tally.episodes,
        "mean_length": tally.mean_length(),
        "mean_return": tally.mean_return(),
        "endings": [
            {"reason": reason, "outcome": outcome, "episodes": count}
            for (reason, outcome), count in tally.endings.most_common()
        ],
        "agent_endings": {role: dict(c.most_common()) for role, c in tally.agent_endings.items()},
        "invalid_actions": tally.violations(),
        "events": dict(tally.events.most_common()),
        "dropped_events": env.dropped_events,
        "seconds": tally.seconds,
        "agent_steps_per_second": tally.agent_steps / max(tally.seconds, 1e-9),
        "env_agent_steps_per_second": tally.agent_steps / max(tally.env_seconds, 1e-9),
    }


def _print(summary: dict[str, Any]) -> None:
    out = console()
    stopped = ", interrupted" if summary["interrupted"] else ""
    out.print(
        f"{summary['preset']} on {summary['target']}, seed {summary['seed']}{stopped}", style="bold"
    )
    print_table(("", ""), _rows(summary))


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    played = f"{summary['steps']:,} steps x {summary['num_envs']:,} envs"
    inside, whole = summary["env_agent_steps_per_second"], summary["agent_steps_per_second"]
    rows = [(f"{role} policy", _policy(entry)) for role, entry in summary["policies"].items()]
    rows.append(("agent-steps", f"{summary['agent_steps']:,} ({played})"))
    rows += _episode_rows(summary)
    rows += [
        ("invalid actions", _counts(summary["invalid_actions"])),
        ("events", _counts(summary["events"])),
        ("speed", f"{rate_text(inside)} agent-steps/s in the env, {rate_text(whole)} in all"),
    ]
    if summary["dropped_events"]:
        rows.append(("events lost", f"{summary['dropped_events']:,} found the log full"))
    return rows


def _policy(entry: dict[str, Any]) -> str:
    return (
        f"{entry['name']} (privileged: reads the truth)" if entry["privileged"] else entry["name"]
    )


def _episode_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    if not summary["episodes"]:
        return [("episodes finished", "0 (more --steps would finish some)")]
    ends = [f"{e['reason']} ({e['outcome']}) {e['episodes']:,}" for e in summary["endings"]]
    rows = [
        ("episodes finished", f"{summary['episodes']:,}, {summary['mean_length']:.1f} steps each"),
        ("they ended by", ", ".join(ends)),
    ]
    for role, value in summary["mean_return"].items():
        rows.append((f"mean return of a {role}", f"{value:.3f} per episode"))
    for role, counts in summary["agent_endings"].items():
        rows.append((f"lives of a {role} ended by", _counts(counts)))
    return rows


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"
