"""The report about one training: play what was learnt against others, and write a page."""

import csv
import io
import math
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.build import open_run
from mesocosm.cli.report.films import film_episode, find_film_fault
from mesocosm.cli.report.playing import Asked, choose_rivals, play_all, scripted_sides
from mesocosm.cli.shared.film import write_life
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar, say
from mesocosm.cli.shared.sparkline import sparkline
from mesocosm.config.identity import config_hash, dump
from mesocosm.core.errors import MesocosmError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.evaluation.arena.playback import FILMED
from mesocosm.evaluation.pages.shared import changes_section, files_section
from mesocosm.evaluation.pages.source import find_changes, list_files
from mesocosm.evaluation.report.compared import RANDOM, TRAINED, Player, can_succeed
from mesocosm.evaluation.report.curves import Row, average, read_curve
from mesocosm.evaluation.report.document import Film
from mesocosm.evaluation.report.facts import train_command
from mesocosm.evaluation.report.page import Report, write_curve_picture, write_page
from mesocosm.evaluation.report.svg import number, percent
from mesocosm.evaluation.score import COLUMNS, Scores
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.summary import summarise
from mesocosm.evaluation.trained import (
    check_unseen,
    find_bundles,
    find_extremes,
    find_typical,
    load_bundles,
)
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.files import write_text
from mesocosm.telemetry.run import Run

FILM, OTHER_FILES = "film.gif", {"curve": "svg", "lives": "csv"}  # beside the page
SPARKLINES = {"mean_return": "return", "success": "success", "entropy": "entropy"}
CURVE_QUERY = "SELECT agent_steps, mean_return, success FROM learning"


class Plan(NamedTuple):
    """What a report is made of."""

    run: Run
    resolved: Resolved
    bundles: dict[str, Path]
    rivals: list[str]
    asked: Asked
    out: Path


def plan_training(run: Run, asked: Asked, out: Path) -> Plan:
    """Check what is asked of a training."""
    resolved = resolve(run.folder.config, FILMED)
    check_unseen(asked.seed, run.about, run.folder.path)
    return Plan(
        run,
        resolved,
        find_bundles(run.folder, resolved.spec),
        choose_rivals(resolved.spec, asked.against),
        asked,
        out,
    )


def report_training(run: Run, asked: Asked, out: Path, *, as_json: bool) -> None:
    """Evaluate a training's policies beside others, and write a page about it."""
    curve = read_curve(run)
    plan = plan_training(run, asked, out)
    made = _carry_out(plan, curve)
    if as_json:
        print_json(_data(plan, made))
    else:
        _print(plan, curve, made)


class Made(NamedTuple):
    """What was found out, and where it was written."""

    players: dict[str, Player]
    files: dict[str, Path]


def _carry_out(plan: Plan, curve: list[Row]) -> Made:
    """Play, draw and write."""
    import torch

    torch.set_num_threads(1)  # what is drawn does not depend on how sums are split
    trained, digests = load_bundles(plan.bundles, plan.resolved.spec)
    files = {"page": plan.out}
    files |= {name: _beside(plan.out, f"{name}.{kind}") for name, kind in OTHER_FILES.items()}
    with tempfile.TemporaryDirectory() as scratch:
        played = Path(scratch) / "played"
        players = _evaluate(plan, trained, played)
        fault = find_film_fault(plan.resolved.spec) if plan.asked.film else ""
        if fault:
            say(f"mesocosm: no film: {fault}")
        wanted = plan.asked.film and not fault
        films = _film(plan, players[TRAINED].scores, played) if wanted else []
    if films:
        files["film"] = _beside(plan.out, FILM)
    about, commands = plan.run.about, _commands(plan)
    changes = find_changes([dump(resolve(plan.run.folder.config).config)])
    told = Report(about, curve, players, plan.asked.seed, digests, commands, tuple(films))
    note = f"No film: {fault}." if fault else ""
    told = told._replace(
        film_note=note, more=(changes_section(changes), files_section(list_files(plan.run)))
    )
    write_text(plan.out, write_page(told))
    write_text(files["curve"], write_curve_picture(told))
    write_text(files["lives"], _lives_table(players))
    return Made(players, files | {"run folder": plan.run.folder.path})


def _evaluate(plan: Plan, trained: dict[str, Policy], played: Path) -> dict[str, Player]:
    """Let every policy play the same episodes; record those of the trained one."""
    sides = scripted_sides(plan.resolved.spec, plan.rivals)
    order = {RANDOM: sides.pop(RANDOM), TRAINED: trained} | sides
    return play_all(plan.resolved, order, plan.asked, {TRAINED: played})


def _beside(page: Path, name: str) -> Path:
    return page.with_name(f"{page.stem}-{name}")


def _film(plan: Plan, scores: Scores, played: Path) -> list[Film]:
    """Film a typical life of the first role, and the best and the worst one."""
    role = next(iter(scores.spec.roles))
    found = find_typical(scores, role)
    if found is None:
        return []
    path = _beside(plan.out, FILM)
    env, steps = int(scores.env[found]), int(scores.began[found] + scores.length[found])
    outcome = OUTCOMES[int(scores.outcome[found])]
    with progress_bar("frames") as progress:
        task = progress.add_task("film", total=None)
        run = open_run(played)
        every = write_life(
            run.visit(env=env, step=0, target=plan.asked.target),
            steps,
            path,
            lambda: progress.advance(task),
        )
        caption = (
            f"Episode {env} of seed {plan.asked.seed}: {steps:,} steps, one frame for every "
            f"{every}. It {_ended(scores, found)}: the median of those that ended in {outcome}."
        )
        films = [Film(path.read_bytes(), caption)]
        for title, k in find_extremes(scores, role).items():
            env, steps = int(scores.env[k]), int(scores.began[k] + scores.length[k])
            visit = run.visit(env=env, step=0, target=plan.asked.target)
            words = f"episode {env}, which {_ended(scores, k)}"
            films.append(film_episode(visit, steps, title, words))
            progress.advance(task)
    return films


def _ended(scores: Scores, life: int) -> str:
    reason = scores.spec.reason_name(int(scores.reason[life]))
    outcome = OUTCOMES[int(scores.outcome[life])]
    return f"ended by {reason} ({outcome}) with a return of {scores.total_return[life]:,.1f}"


def _commands(plan: Plan) -> dict[str, str]:
    about, path = plan.run.about, plan.run.folder.path
    preset = str(about["preset"])
    try:
        same = config_hash(resolve(preset).config) == about["config_hash"]
    except MesocosmError:
        same = False
    defaults = usual_settings(plan.resolved.spec)
    train = train_command(about, preset if same else str(path / "config.yaml"), defaults)
    words = ["mesocosm", "report", str(path), "--episodes", str(plan.asked.episodes)]
    words += ["--seed", str(plan.asked.seed)]
    for name in plan.rivals[1:]:
        words += ["--against", name]
    bundle = shlex.quote(str(next(iter(plan.bundles.values()))))
    source = shlex.quote(str(path / "config.yaml"))
    return {
        "Train": f"{train} --out {shlex.quote(str(path))}",
        "Evaluate, and write this page": shlex.join(words),
        "Watch the policy": f"mesocosm show {source} --policy {bundle} --every 50",
        "Ask the curve": shlex.join(["mesocosm", "query", str(path), CURVE_QUERY]),
    }


def usual_settings(spec: Spec) -> dict[str, Any]:
    """Give the settings of learning that need not be said."""
    from mesocosm.learning.presets import settings_for

    return settings_for(spec).model_dump(mode="json")


def _lives_table(players: dict[str, Player]) -> str:
    """Write every life that was played as CSV."""
    made = io.StringIO()
    writer = csv.DictWriter(made, ("policy", "role", *COLUMNS), lineterminator="\n")
    writer.writeheader()
    for name, player in players.items():
        writer.writerows({"policy": name, **row} for row in player.scores.rows())
    return made.getvalue()


def _print(plan: Plan, curve: list[Row], made: Made) -> None:
    out, roles = console(), list(plan.resolved.spec.roles)
    for role in roles:
        of_role = "" if len(roles) == 1 else f" of a {role}"
        steps = max((row["agent_steps"] for row in curve), default=0)
        said = f"{plan.run.about['preset']}: learning curve{of_role} over {steps:,} agent-steps"
        out.print(said, style="bold")
        succeeds = can_succeed(made.players)
        mine = [row for row in curve if row["role"] == role]
        columns = [name for name in SPARKLINES if succeeds or name != "success"]
        print_table(("", "", ""), [_sparkline_row(mine, name) for name in columns])
        out.print(f"\nthe same {plan.asked.episodes:,} unseen episodes{of_role}", style="bold")
        rows = [_row(name, player, role) for name, player in made.players.items()]
        kept = [name for name in rows[0] if succeeds or not name.startswith("success")]
        head = [name.partition(" ")[2] or name for name in kept]
        print_table(head, [[row[name] for name in kept] for row in rows])
        out.print()
    print_table(("", ""), [(name, str(path)) for name, path in made.files.items()])


def _sparkline_row(rows: list[Row], column: str) -> tuple[str, str, str]:
    name, values = SPARKLINES[column], [value for _, value in average(rows, column).points]
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return name, "no life ended", ""
    form = percent if column == "success" else number
    low, high = (0.0, 1.0) if column == "success" else (None, None)
    return name, sparkline(values, low, high), f"{form(known[0])} to {form(known[-1])}"


def _row(name: str, player: Player, role: str) -> dict[str, str]:
    """Give the cells of a policy by heading; what precedes a blank is not shown."""
    found = summarise(player.scores, role)
    return {
        "policy": f"{name} (reads the truth)" if player.privileged else name,
        "lives": f"{found.lives:,}",
        "success": percent(found.success.value),
        "success 95 %": _span(found.success, percent),
        "return": number(found.total_return.value, 4),
        "return 95 %": _span(found.total_return, number),
        "length": number(found.length.value, 4),
    }


def _span(entry: Estimate, form: Callable[[float], str]) -> str:
    return f"{form(entry.low)} to {form(entry.high)}" if math.isfinite(entry.low) else "-"


def _data(plan: Plan, made: Made) -> dict[str, Any]:
    """Give the results as plain data."""
    roles = {
        role: {name: _summary(player, role) for name, player in made.players.items()}
        for role in plan.resolved.spec.roles
    }
    files = {name: str(path) for name, path in made.files.items()}
    return {
        "preset": plan.run.about["preset"],
        "seed": plan.asked.seed,
        "roles": roles,
        "files": files,
    }


def _summary(player: Player, role: str) -> dict[str, Any]:
    found = summarise(player.scores, role)._asdict()
    plain = {
        name: value._asdict() if isinstance(value, Estimate) else value
        for name, value in found.items()
    }
    return plain | {"privileged": player.privileged}
