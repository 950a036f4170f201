"""The `tournament` command: let policies meet, rate them, and keep how everybody did."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from mesocosm.cli.shared.arena import (
    Asked,
    Entrants,
    EvaluationSeed,
    MoveSeconds,
    NumEnvs,
    NumEpisodes,
    Out,
    Plan,
    PresetArgument,
    Recorded,
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
from mesocosm.cli.shared.options import (
    DEFAULT_TARGET,
    Archetypes,
    AsJson,
    ResumableTarget,
    Sets,
    Variants,
    at_least,
    resolve_source,
)
from mesocosm.cli.shared.output import console, print_json, print_table
from mesocosm.core.errors import ConfigError, unknown
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.tournament import exploitability
from mesocosm.evaluation.tournament.games import MEASURES, choose_measure
from mesocosm.evaluation.tournament.population import POPULATION, count_bouts, play_population
from mesocosm.evaluation.tournament.results import write_results
from mesocosm.evaluation.tournament.standings import Tables, make_tables
from mesocosm.evaluation.tournament.tournament import FORMATS, Tournament

POPULATION_FORMAT, RESPONSE_FORMAT = "population", "best-response"
EVERY_FORMAT = (*FORMATS, POPULATION_FORMAT, RESPONSE_FORMAT)
DEFAULT_STEPS = 1_000_000
Rounds = Annotated[int | None, typer.Option(help="Of a Swiss tournament.")]
Steps = Annotated[
    int | None,
    typer.Option(help="Agent-steps that a best response learns from; 1,000,000 if not said."),
]


def tournament(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: PresetArgument = None,
    entrants: Entrants = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="round-robin, swiss, population (what the first of two earns as the second "
            "becomes more common) or best-response (what a fresh learner gains against each).",
        ),
    ] = "round-robin",
    rounds: Rounds = None,
    steps: Steps = None,
    episodes: NumEpisodes = 50,
    seed: EvaluationSeed = None,
    num_envs: NumEnvs = None,
    target: ResumableTarget = None,
    limit: MoveSeconds = 1.0,
    engine: EngineName = "local",
    address: Address = None,
    shards: Shards = None,
    out: Out = None,
    resume: Resume = None,
    recorded: Recorded = False,
    assignments: Sets = None,
    archetypes: Archetypes = None,
    variants: Variants = None,
    as_json: AsJson = False,
) -> None:
    """Let policies meet on the same episodes with seats swapped; rate them and compare."""
    chosen_engine = choose_engine(engine, address, shards)
    if resume is not None:
        check_resumed(source, entrants, rounds, steps, out, assignments)
        conditions, data = resumed_conditions(resume, "tournament", target)
        plan = _plan(conditions, data["more"])._replace(out=resume, resume=True)
    else:
        first = check_request("tournament", source, out, recorded=recorded)
        presets = [resolve_source(first, assignments, archetypes, variants)]
        chosen = choose_seed(seed, entrants or [])
        asked = Asked(episodes, chosen, num_envs, target or DEFAULT_TARGET, limit, recorded)
        at_least(1, steps=steps)
        if steps is not None and form != RESPONSE_FORMAT:
            raise ConfigError(f"--steps: goes with --format {RESPONSE_FORMAT} only, got {form}")
        if rounds is not None and form != "swiss":
            raise ConfigError(f"--rounds: goes with --format swiss only, got {form}")
        more = {"entrants": entrants or [], "format": form, "rounds": rounds}
        more["steps"] = steps or DEFAULT_STEPS
        plan = _plan(make_conditions(presets, asked), more)._replace(out=out)
    _finish(plan._replace(engine=chosen_engine), as_json=as_json)


def _plan(conditions: Conditions, more: dict[str, Any]) -> Plan:
    if more["format"] not in EVERY_FORMAT:
        raise unknown("format", str(more["format"]), EVERY_FORMAT)
    entrants = parse_entrants(more["entrants"], conditions.presets[0].spec)
    fewest = 1 if more["format"] == RESPONSE_FORMAT else 2
    if len(entrants) < fewest:
        words = "one entrant" if fewest == 1 else "two entrants"
        raise ConfigError(f"tournament: needs at least {words}, got {len(entrants)}")
    return Plan("tournament", conditions, entrants, more)


def _finish(plan: Plan, *, as_json: bool) -> None:
    """Play what was planned, keep the results, and print them."""
    total = [0]
    try:
        with open_arena(plan, lambda: total[0]) as arena:
            tables = _play(plan, arena, total)
            if arena.folder is not None:
                write_results(arena.folder, _title(arena), tables)
            arena.close()
    except KeyboardInterrupt:
        say_interrupted(plan)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        data: dict[str, Any] = {name: rows for name, (_, rows) in tables.items()}
        print_json(data | {"run": None if plan.out is None else str(plan.out)})
    else:
        _print(plan, arena, tables)


def _play(plan: Plan, arena: Arena, total: list[int]) -> Tables:
    if plan.more["format"] == POPULATION_FORMAT:
        total[0] = count_bouts(arena.spec())
        return {"population": (POPULATION, play_population(arena))}
    if plan.more["format"] == RESPONSE_FORMAT:
        total[0] = exploitability.count_bouts(arena.spec(), len(arena.entrants))
        return {"response": (exploitability.RESPONSE, _probe(plan, arena))}
    played = Tournament(arena, plan.more["format"], rounds=plan.more["rounds"])
    total[0] = played.num_bouts
    played.play()
    return make_tables(played)


def _probe(plan: Plan, arena: Arena) -> list[dict[str, Any]]:
    budget = exploitability.Budget(int(plan.more["steps"]), plan.conditions.episodes.seed)
    if arena.folder is not None:
        return exploitability.probe(arena, budget, arena.folder.policies)
    with tempfile.TemporaryDirectory() as folder:
        return exploitability.probe(arena, budget, Path(folder))


def _title(arena: Arena) -> str:
    episodes = arena.conditions.episodes
    return (
        f"{arena.conditions.preset_name(0)}: {episodes.count:,} episodes per bout, "
        f"seed {episodes.seed}"
    )


def _print(plan: Plan, arena: Arena, tables: Tables) -> None:
    out = console()
    out.print(_title(arena), style="bold")
    if "standing" in tables:
        print(f"compared by {MEASURES[choose_measure(arena.spec())]}")
        _print_standings(tables)
        _print_matrix(tables)
    elif "population" in tables:
        _print_population(tables)
    else:
        _print_responses(tables)
    if plan.out is not None:
        print(f"kept in {plan.out} (see: {plan.out}/results.md, mesocosm query {plan.out} ...)")


def _print_standings(tables: Tables) -> None:
    head = ("", "entrant", "rating", "won", "games", "mean return", "forfeits")
    rows = []
    for row in tables["standing"][1]:
        told = f"{row['forfeits']}: {row['reason']}" if row["forfeits"] else ""
        share = "-" if row["won"] is None else f"{100 * row['won']:.0f} %"
        rating = f"{row['rating']:.1f} ± {row['uncertainty']:.1f}"
        rows.append((str(row["place"]), row["entrant"], rating, share, f"{row['games']:,}",
                     _number(row["mean_return"]), told))  # fmt: skip
    print_table(head, rows)


def _print_matrix(tables: Tables) -> None:
    cells = {(r["entrant"], r["beside"]): _number(r["mean_return"]) for r in tables["crossplay"][1]}
    names = list(dict.fromkeys(name for name, _ in cells))
    console().print("mean return of the row beside the column", style="bold cyan")
    rows = [[name, *(cells.get((name, other), "") for other in names)] for name in names]
    print_table(("", *names), rows)
    if tables["seat"][1]:
        console().print("seats", style="bold cyan")
        rows = [[r["seat"], _number(r["mean_return"]), _number(r["advantage"]), _interval(r),
                 r["verdict"]] for r in tables["seat"][1]]  # fmt: skip
        print_table(("", "mean return", "advantage", "95 % interval", ""), rows)


def _interval(row: Any) -> str:
    return "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"


def _print_population(tables: Tables) -> None:
    keys = ("others", "share", "focal_return", "other_return", "collective_return", "inequality",
            "length")  # fmt: skip
    rows = [[_number(row[key]) if key != "others" else str(row[key]) for key in keys]
            for row in tables["population"][1]]  # fmt: skip
    first = tables["population"][1][0]
    names = {"others": f"{first['other']} agents", "focal_return": f"{first['focal']} return",
             "other_return": f"{first['other']} return"}  # fmt: skip
    print_table([names.get(key, key.replace("_", " ")) for key in keys], rows)


def _print_responses(tables: Tables) -> None:
    head = ("entrant", "role", "agent-steps", "own return", "best response", "gain",
            "95 % interval", "the best response is", "others lose")  # fmt: skip
    rows = [
        (r["entrant"], r["role"], f"{r['steps']:,}", _number(r["own_return"]),
         _number(r["response_return"]), _number(r["gain"]), _interval(r), r["verdict"],
         _number(None if r["others_change"] is None else -r["others_change"]))
        for r in tables["response"][1]
    ]  # fmt: skip
    print_table(head, rows)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
