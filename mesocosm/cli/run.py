"""The `run` command: play a preset and say what happened."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.build import make
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.interrupt import compiling
from mesocosm.cli.shared.options import (
    DEFAULT_TARGET,
    Archetypes,
    AsJson,
    Policies,
    ResumableTarget,
    Sets,
    Variants,
    at_least,
    resolve_source,
)
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar, rate_text
from mesocosm.cli.shared.play import NoteEntropy, Tally, play
from mesocosm.cli.shared.players import (
    Players,
    check_same_players,
    choose_policies,
    make_players,
    policy_text,
)
from mesocosm.cli.shared.run_plan import (
    DEFAULT_STEPS,
    Plan,
    check_recording,
    recording,
    resumed_plan,
)
from mesocosm.config.identity import config_hash
from mesocosm.config.provenance import provenance_of
from mesocosm.core.errors import ConfigError
from mesocosm.core.policy import Policy
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine


def run(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRESET]", help="A preset or a config file; not needed with --resume."
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps to play in every env; 1000 if not said.")
    ] = None,
    num_envs: Annotated[int, typer.Option(help="Episodes played side by side.")] = 32,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first episodes; else the config's.")
    ] = None,
    policies: Policies = None,
    target: ResumableTarget = None,
    out: Annotated[Path | None, typer.Option(help="Record the run into this new folder.")] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with a recorded run that was interrupted.")
    ] = None,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Play a preset with scripted or learnt policies and sum up what happened."""
    at_least(1, steps=steps, num_envs=num_envs)
    at_least(0, seed=seed)
    if resume is not None:
        given = (source, seed, policies, out, assignments, archetypes, variants)
        plan = resumed_plan(resume, steps, target, given=any(x is not None for x in given))
    else:
        if source is None:
            raise ConfigError("run: needs a preset or a config file, such as commons")
        resolved = resolve_source(source, assignments, archetypes, variants)
        plan = _new_plan(resolved, policies or [])._replace(
            steps=steps or DEFAULT_STEPS,
            num_envs=num_envs,
            target=target or DEFAULT_TARGET,
            out=out,
        )
        plan = plan if seed is None else plan._replace(seed=seed)
    summary = _carry_out(plan)
    if as_json:
        print_json(summary)
    else:
        _print(summary)
    if summary["interrupted"]:
        raise typer.Exit(INTERRUPTED)


def _carry_out(plan: Plan) -> dict[str, Any]:
    """Play, recording if that was asked, and give the results."""
    players = make_players(plan.names, plan.resolved.spec)
    if plan.resume:
        check_same_players(plan.played, players.about, str(plan.out))
    plan = plan._replace(played=players.about)
    check_recording(plan)
    settings: dict[str, Any] = {"num_envs": plan.num_envs, "target": plan.target}
    with compiling():
        env = make(plan.resolved, autoreset="off", seed=plan.seed, **settings)
    with recording(env, plan) as recorder:
        tally = _play(env, plan, players.policies, None if recorder is None else recorder.entropy)
        if tally.interrupted and recorder is not None:
            recorder.close("interrupted")
    summary = summarise(env, tally, plan.seed, _who(players))
    return summary if plan.out is None else summary | {"run": str(plan.out)}


def _new_plan(resolved: Resolved, policies: list[str]) -> Plan:
    seed = resolved.config.identity.seed
    return Plan(resolved, choose_policies(policies, resolved.spec), seed)


def _play(
    env: Engine, plan: Plan, players: Mapping[str, Policy], note_entropy: NoteEntropy | None
) -> Tally:
    identity = plan.resolved.config.identity
    who = " + ".join(sorted({Path(name).name for name in plan.names.values()}))
    with progress_bar("steps") as progress:
        task = progress.add_task(f"{identity.world}/{identity.preset}, {who}", total=plan.steps)
        return play(
            env,
            players,
            steps=plan.steps,
            seed=plan.seed,
            advance=lambda: progress.advance(task),
            note_entropy=note_entropy,
        )


def _who(players: Players) -> dict[str, Any]:
    """Say who played: a scripted policy by its name, a file by path and hash."""
    made = {}
    for who, entry in players.about.items():
        role = who.partition("[")[0]
        scripted = entry["kind"] == "scripted"
        name = {"name": entry["name"]} if scripted else {"name": entry["path"]} | entry
        made[who] = name | {"privileged": players.policies[role].privileged}
    return made


def summarise(env: Engine, tally: Tally, seed: int, policies: dict[str, Any]) -> dict[str, Any]:
    """Give the results of a run as plain data."""
    identity = env.config.identity
    return {
        "preset": f"{identity.world}/{identity.preset}",
        "config_hash": config_hash(env.config),
        "provenance": env.provenance,
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
    rows = [("made of", provenance_of(summary["provenance"]).text)]
    rows += [(f"{role} policy", _policy(entry)) for role, entry in summary["policies"].items()]
    rows.append(("agent-steps", f"{summary['agent_steps']:,} ({played})"))
    rows += _episode_rows(summary)
    rows += [
        ("invalid actions", _counts(summary["invalid_actions"])),
        ("events", _counts(summary["events"])),
        ("speed", f"{rate_text(inside)} agent-steps/s in the env, {rate_text(whole)} in all"),
    ]
    if "run" in summary:
        rows.append(("recorded in", f"{summary['run']} (see: mesocosm runs show {summary['run']})"))
    if summary["dropped_events"]:
        rows.append(("events lost", f"{summary['dropped_events']:,} found the log full"))
    return rows


def _policy(entry: dict[str, Any]) -> str:
    text = policy_text(entry)
    return f"{text} (privileged: reads the truth)" if entry["privileged"] else text


def _episode_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    if not summary["episodes"]:
        return [("episodes finished", "0 (more --steps would finish some)")]
    ends = [f"{e['reason']} ({e['outcome']}) {e['episodes']:,}" for e in summary["endings"]]
    rows = [
        ("episodes finished", f"{summary['episodes']:,}, {summary['mean_length']:.1f} steps each"),
        ("they ended by", ", ".join(ends)),
    ]
    for role, value in summary["mean_return"].items():
        rows.append((f"mean return of a {role}", "-" if value is None else f"{value:.3f} per life"))
    for role, counts in summary["agent_endings"].items():
        rows.append((f"lives of a {role} ended by", _counts(counts)))
    return rows


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"
