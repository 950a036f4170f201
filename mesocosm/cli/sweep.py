"""The `sweep` command: what settings do to policies, or to learning."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from mesocosm.cli.shared.arena import (
    Asked,
    EvaluationSeed,
    MoveSeconds,
    NumEnvs,
    NumEpisodes,
    Out,
    Plan,
    PresetArgument,
    Resume,
    check_request,
    check_resumed,
    choose_seed,
    make_conditions,
    open_arena,
    resumed_conditions,
    say_interrupted,
)
from mesocosm.cli.shared.engine import Address, EngineName, Shards, choose_engine
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.learning import import_learning
from mesocosm.cli.shared.options import (
    DEFAULT_TARGET,
    Archetypes,
    AsJson,
    ResumableTarget,
    Sets,
    Variants,
    at_least,
)
from mesocosm.cli.shared.output import console, print_json, print_table
from mesocosm.config.source import parse_assignments
from mesocosm.core.errors import ConfigError, RunError
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.sweep.dials import LEARNING, Dial, Point, make_grid, parse_dials, told
from mesocosm.evaluation.sweep.pictures import draw_sweep
from mesocosm.evaluation.sweep.plan import (
    Measured,
    SweepConditions,
    Training,
    play_fixed,
    play_trained,
)
from mesocosm.evaluation.sweep.results import kinds_of, result_rows
from mesocosm.evaluation.sweep.training import Budget, plan_training, trained_entrant
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.run_folder import CHECKPOINTS

PICTURE = "sweep.svg"
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="PATH=VALUES",
        help="A setting and its values: 1,2,3 or from:to:how many; may be repeated.",
    ),
]
Players = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="[NAME=]POLICY",
        help="Who plays at every point, as in `evaluate`; may be repeated.",
    ),
]


def sweep(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: PresetArgument = None,
    params: Params = None,
    policies: Players = None,
    train_there: Annotated[
        bool, typer.Option("--train", help="Train at every point, and play what was learnt.")
    ] = False,
    steps: Annotated[int, typer.Option(help="Agent-steps of a training.")] = 2_000_000,
    seeds: Annotated[int, typer.Option(help="Trainings at every point.")] = 1,
    threads: Annotated[int, typer.Option(help="Cores to learn with.")] = 1,
    episodes: NumEpisodes = 100,
    seed: EvaluationSeed = None,
    num_envs: NumEnvs = None,
    metric: Annotated[
        Literal["return", "success", "length"], typer.Option(help="What is printed and drawn.")
    ] = "return",
    target: ResumableTarget = None,
    limit: MoveSeconds = 1.0,
    engine: EngineName = "local",
    address: Address = None,
    shards: Shards = None,
    out: Out = None,
    resume: Resume = None,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Play policies, or train, over a grid of settings; print a table, and draw it."""
    chosen_engine = choose_engine(engine, address, shards)
    if resume is not None:
        check_resumed(source, params, policies, out, assignments, archetypes, variants)
        conditions, data = resumed_conditions(resume, "sweep", target)
        plan = _plan(conditions, data["more"], str(resume))._replace(out=resume, resume=True)
    else:
        at_least(1, steps=steps, seeds=seeds, threads=threads)
        first = check_request("sweep", source, out, recorded=False)
        more: dict[str, Any] = {"params": params or [], "policies": policies or []}
        more |= {"train": train_there, "steps": steps, "seeds": seeds, "threads": threads}
        more |= {"metric": metric}
        _check(more, out)
        world, more["learning"] = _split(parse_assignments(assignments or []))
        points = make_grid(parse_dials(more["params"]))
        extras = (archetypes or (), variants or ())
        presets = [resolve(first, world | point.world_part(), *extras) for point in points]
        chosen = choose_seed(seed, more["policies"])
        asked = Asked(episodes, chosen, num_envs, target or DEFAULT_TARGET, limit, recorded=False)
        plan = _plan(make_conditions(presets, asked), more, "sweep")._replace(out=out)
        _check_learning(plan.conditions.presets, points, more)
    _finish(plan._replace(engine=chosen_engine), as_json=as_json)


def _check(more: dict[str, Any], out: Path | None) -> None:
    """Refuse what is missing, and what would do nothing."""
    if not more["params"]:
        raise ConfigError("sweep: needs a setting to turn, such as --param core.max_steps=100,200")
    if bool(more["policies"]) == more["train"]:
        raise ConfigError("sweep: needs either --policy NAME, who plays, or --train")
    if more["train"] and out is None:
        raise ConfigError("sweep: --train needs --out RUN, where the trainings are kept")
    learning = [text for text in more["params"] if text.startswith(LEARNING)]
    if learning and not more["train"]:
        raise ConfigError(f"--param {learning[0]}: changes nothing without --train")


def _check_learning(
    presets: Sequence[Resolved], points: Sequence[Point], more: dict[str, Any]
) -> None:
    """Refuse settings of learning that are none, or out of range, at any point of the grid."""
    if not more["train"]:
        if more["learning"]:
            first = next(iter(more["learning"]))
            raise ConfigError(f"--set {first}: changes nothing without --train")
        return
    import_learning()
    from mesocosm.learning.open_training import choose_settings

    for resolved, point in zip(presets, points, strict=True):
        choose_settings(resolved, more["learning"] | point.learning_part(), {})


def _split(overrides: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    learning = {path: value for path, value in overrides.items() if path.startswith(LEARNING)}
    return {path: value for path, value in overrides.items() if path not in learning}, learning


def _plan(conditions: Conditions, more: dict[str, Any], where: str) -> Plan:
    """Put the grid and those who play on it together."""
    try:
        points = tuple(make_grid(parse_dials(more["params"])))
        policies = list(more["policies"])
        _ = more["train"], more["metric"], more["learning"]  # must be there
    except (KeyError, TypeError) as error:
        raise RunError(f"{where}: damaged: its plan cannot be read: {error}") from None
    if len(points) != len(conditions.presets):
        raise RunError(f"{where}: damaged: it has {len(conditions.presets)} configs for its grid")
    grid = SweepConditions(**vars(conditions), points=points)
    return Plan("sweep", grid, parse_entrants(policies, conditions.presets[0].spec), more)


def _finish(plan: Plan, *, as_json: bool) -> None:
    """Play and train what was planned, keep the results, and print them."""
    more, dials = plan.more, parse_dials(plan.more["params"])
    conditions = plan.conditions
    assert isinstance(conditions, SweepConditions)  # noqa: S101 (as _plan made it)
    trainings = [
        Training(point.number, seed)
        for point in conditions.points
        for seed in range(more["seeds"] if more["train"] else 0)
    ]
    total = len(trainings) or len(conditions.points) * len(plan.entrants)
    try:
        with open_arena(plan, lambda: total) as arena:
            if more["train"]:
                _train_all(plan, arena, conditions.points, trainings)
                measured = play_trained(arena, conditions.points, trainings)
            else:
                measured = play_fixed(arena, conditions.points)
            rows = _keep(arena, measured, dials, more["metric"])
            arena.close()
    except KeyboardInterrupt:
        say_interrupted(plan)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json({"points": len(conditions.points), "rows": rows})
    else:
        _print(plan, rows, dials, more["metric"])


def _train_all(
    plan: Plan, arena: Arena, points: tuple[Point, ...], trainings: list[Training]
) -> None:
    """Train at every point; who was trained enters the arena."""
    assert plan.out is not None  # noqa: S101 (checked before)
    more = plan.more
    budget = Budget(more["steps"], more["threads"], plan.conditions.target, more["learning"])
    jobs = [
        plan_training(
            plan.out / CHECKPOINTS,
            training,
            plan.conditions.presets[training.point],
            points[training.point],
            budget,
        )
        for training in trainings
    ]

    wanted = [k for k, job in enumerate(jobs) if not job.is_done]

    def show(k: int, share: float) -> str:
        label = points[trainings[wanted[k]].point].label
        return f"training {wanted[k] + 1} of {len(jobs)}: {label}, {100 * share:.0f} %"

    arena.carry_out([jobs[k] for k in wanted], show)
    for training, job in zip(trainings, jobs, strict=True):
        arena.add(trained_entrant(job.path, training, arena.spec(training.point)))


def _keep(
    arena: Arena, measured: list[Measured], dials: list[Dial], metric: str
) -> list[dict[str, Any]]:
    rows = result_rows(measured, dials)
    if arena.folder is not None:
        arena.folder.write_tables({"sweep": (kinds_of(dials), rows)})
        drawn = draw_sweep(rows, dials, metric)
        if drawn:
            arena.folder.write_file(PICTURE, drawn.encode())
    return rows


def _print(plan: Plan, rows: list[dict[str, Any]], dials: list[Dial], metric: str) -> None:
    episodes = plan.conditions.episodes
    identity = plan.conditions.presets[0].config.identity
    title = f"{identity.world}/{identity.preset}: {episodes.count:,} episodes at every point"
    console().print(title, style="bold")
    head = (*(dial.path for dial in dials), "who", "role", "seeds", f"mean {metric}",
            "95 % interval", "")  # fmt: skip
    print_table(head, [_cells(row, dials, metric) for row in rows])
    if plan.out is not None:
        print(f"kept in {plan.out} (see {plan.out / PICTURE}, and: mesocosm query {plan.out} "
              "'FROM sweep')")  # fmt: skip


def _cells(row: dict[str, Any], dials: list[Dial], metric: str) -> tuple[str, ...]:
    low, high = row[f"{metric}_low"], row[f"{metric}_high"]
    return (
        *(told(row[dial.path]) for dial in dials),
        row["entrant"],
        row["role"],
        str(row["seeds"] or "-"),
        "-" if row[metric] is None else f"{row[metric]:.3f}",
        "-" if low is None else f"{low:.3f} to {high:.3f}",
        f"forfeit: {row['forfeits']}" if row["forfeits"] else "",
    )
