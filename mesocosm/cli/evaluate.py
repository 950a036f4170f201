"""The `evaluate` command: play policies on episodes that no training has met, and sum up."""

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
    Policies,
    ResumableTarget,
    Sets,
    Variants,
    resolve_source,
)
from mesocosm.cli.shared.output import console, print_json, print_table
from mesocosm.cli.shared.players import SLOT, choose_policies
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import Spec
from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import Entrant, parse_entrant, parse_entrants
from mesocosm.evaluation.arena.groups import Group, count_bouts, plan_groups, play_groups
from mesocosm.evaluation.arena.summary import RESULT, VERDICT, result_rows, verdict_rows

Sources = Annotated[
    list[str] | None,
    typer.Option("--on", metavar="PRESET", help="Play on this preset too; may be repeated."),
]
Seats = Annotated[
    list[str] | None,
    typer.Option(
        "--seat", metavar="ROLE[3]", help="What entrants play; all that is free if not said."
    ),
]


def evaluate(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    source: PresetArgument = None,
    entrants: Entrants = None,
    policies: Policies = None,
    seats: Seats = None,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Let all change places within their roles.")
    ] = False,
    episodes: NumEpisodes = 100,
    seed: EvaluationSeed = None,
    sources: Sources = None,
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
    """Play policies on the same episodes, which no training has met, and sum up how they did."""
    chosen_engine = choose_engine(engine, address, shards)
    if resume is not None:
        check_resumed(source, entrants, policies, seats, out, sources, assignments)
        conditions, data = resumed_conditions(resume, "evaluate", target)
        plan = _plan(conditions, data["more"])._replace(out=resume, resume=True)
    else:
        first = check_request("evaluate", source, out, recorded=recorded)
        changes = (assignments, archetypes, variants)
        presets = [resolve_source(name, *changes) for name in (first, *(sources or []))]
        chosen = choose_seed(seed, [*(entrants or []), *(policies or [])])
        asked = Asked(episodes, chosen, num_envs, target or DEFAULT_TARGET, limit, recorded)
        more: dict[str, Any] = {"entrants": entrants or [], "rotate": rotate}
        more |= {"policies": policies or [], "seats": seats or []}
        plan = _plan(make_conditions(presets, asked), more)._replace(out=out)
    _finish(plan._replace(engine=chosen_engine), as_json=as_json)


def _plan(conditions: Conditions, more: dict[str, Any]) -> Plan:
    """Name everybody who plays: those who take turns first, then the others."""
    spec = conditions.presets[0].spec
    entrants = parse_entrants(more["entrants"], spec)
    texts = dict.fromkeys(text for text in _others(more["policies"], spec).values() if text)
    rest = [_other(text, spec, bool(entrants)) for text in texts]
    if not entrants and not rest:
        raise ConfigError("evaluate: needs somebody who plays, such as steady or --policy steady")
    return Plan("evaluate", conditions, [*entrants, *rest], more)


def _other(text: str, spec: Spec, named: bool) -> Entrant:
    made = parse_entrant(text, spec)
    return made._replace(name=f"other {made.name}") if named else made


def _others(policies: list[str], spec: Spec) -> dict[str, str]:
    return choose_policies(policies, spec, rest="")


def _seated_others(more: dict[str, Any], spec: Spec) -> dict[int, int]:
    """Give the agents that `--policy` is for, and who plays them."""
    chosen = _others(more["policies"], spec)
    numbers = {text: k for k, text in enumerate(dict.fromkeys(t for t in chosen.values() if t))}
    first = len(more["entrants"])
    made: dict[int, int] = {}
    for role in spec.roles.values():
        if chosen[role.name]:
            span = range(role.first, role.first + role.num_agents)
            made |= dict.fromkeys(span, first + numbers[chosen[role.name]])
    for who, text in chosen.items():
        match = SLOT.fullmatch(who)
        if match is not None:
            made[spec.roles[match["role"]].first + int(match["slot"])] = first + numbers[text]
    return made


def _groups(plan: Plan) -> dict[int, list[Group]]:
    more, names = plan.more, [entrant.name for entrant in plan.entrants]
    made = {}
    for k, resolved in enumerate(plan.conditions.presets):
        made[k] = plan_groups(
            resolved.spec,
            names[: len(more["entrants"])],
            _seated_others(more, resolved.spec),
            seats=more["seats"],
            rotated=bool(more["rotate"]),
        )
    return made


def _finish(plan: Plan, *, as_json: bool) -> None:
    """Play what was planned, keep the results, and print them."""
    groups = _groups(plan)
    try:
        with open_arena(plan, lambda: count_bouts(groups)) as arena:
            samples = play_groups(arena, groups)
            rows = result_rows(arena, samples)
            verdicts = verdict_rows(arena, samples)
            if arena.folder is not None:
                tables = {"result": (RESULT, rows), "verdict": (VERDICT, verdicts)}
                arena.folder.write_tables(tables)
            arena.close()
    except KeyboardInterrupt:
        say_interrupted(plan)
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print_json(_summary(plan, arena, rows) | {"verdicts": verdicts})
    else:
        _print(plan, arena, rows)
        _print_verdicts(verdicts)
        if plan.out is not None:
            print(f"kept in {plan.out} (see: mesocosm query {plan.out} 'FROM result')")


def _summary(plan: Plan, arena: Arena, rows: list[dict[str, Any]]) -> dict[str, Any]:
    episodes = plan.conditions.episodes
    return {
        "presets": [arena.conditions.preset_name(k) for k in range(len(plan.conditions.presets))],
        "episodes": episodes.count,
        "seed": episodes.seed,
        "entrants": arena.names,
        "results": rows,
        "run": None if plan.out is None else str(plan.out),
    }


def _print(plan: Plan, arena: Arena, rows: list[dict[str, Any]]) -> None:
    episodes = plan.conditions.episodes
    title = f"{arena.conditions.preset_name(0)}: {episodes.count:,} episodes, seed {episodes.seed}"
    console().print(title, style="bold")
    head = ("preset", "entrant", "role", "mean return", "95 % interval", "median", "success",
            "steps", "invalid", "")  # fmt: skip
    print_table(head, [_cells(row) for row in rows])


def _print_verdicts(verdicts: list[dict[str, Any]]) -> None:
    """Say who is better than who was named first, or how many episodes would tell."""
    for row in verdicts:
        interval = "" if row["low"] is None else f" ({row['low']:.3f} to {row['high']:.3f})"
        text = f"{row['preset']}, {row['role']}: {row['entrant']} is {row['verdict']}"
        than = "from" if row["verdict"].startswith("not") else "than"
        text += f" {than} {row['baseline']}: {row['difference']:+.3f}{interval}"
        if than == "from" and row["needed"]:
            text += f"; a difference of 5 % would take {row['needed']:,} episodes"
        print(text)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    who = row["entrant"] if row["group"] in (row["entrant"], "as given") else (
        f"{row['entrant']} (beside {row['group']})"
    )  # fmt: skip
    interval = "-" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
    share = "-" if row["success"] is None else f"{100 * row['success']:.0f} %"
    told = f"forfeit: {row['forfeits']}" if row["forfeits"] else ""
    return (
        row["preset"], who, row["role"], _number(row["mean_return"]), interval,
        _number(row["median_return"]), share, _number(row["mean_length"], 1),
        f"{row['violations']:,}", told,
    )  # fmt: skip


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
