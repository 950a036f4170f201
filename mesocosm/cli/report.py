"""The `report` command: play what was learnt against others, and write one page about it."""

import csv
import io
import math
import shlex
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from mesocosm.build import make, open_run, policy
from mesocosm.cli.shared.drawing import require_pillow
from mesocosm.cli.shared.exit_status import INTERRUPTED
from mesocosm.cli.shared.film import write_life
from mesocosm.cli.shared.interrupt import compiling, interrupts
from mesocosm.cli.shared.options import AsJson, RunPath, Target, at_least
from mesocosm.cli.shared.output import console, print_json, print_table, progress_bar, say
from mesocosm.cli.shared.sparkline import sparkline
from mesocosm.config.identity import config_hash
from mesocosm.core.errors import ConfigError, MesocosmError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import OUTCOMES, Spec
from mesocosm.evaluation.report.compared import RANDOM, TRAINED, Player, can_succeed
from mesocosm.evaluation.report.curves import Row, average, read_curve
from mesocosm.evaluation.report.facts import train_command
from mesocosm.evaluation.report.page import Film, Report, write_curve_picture, write_page
from mesocosm.evaluation.report.svg import number, percent
from mesocosm.evaluation.score import COLUMNS, Scores, play_episodes
from mesocosm.evaluation.statistics.estimate import Estimate
from mesocosm.evaluation.summary import summarise
from mesocosm.evaluation.trained import check_unseen, find_bundles, find_typical, load_bundles
from mesocosm.resolve import Resolved, resolve
from mesocosm.telemetry.files import write_text
from mesocosm.telemetry.recorder import record
from mesocosm.telemetry.run import Run
from mesocosm.worlds.registry import find

DEFAULT_EPISODES, DEFAULT_SEED = 1000, 1_000_003
FILM, OTHER_FILES = "film.gif", {"curve": "svg", "lives": "csv"}  # beside the page
USUAL_RIVAL = "greedy"
SPARKLINES = {"mean_return": "return", "success": "success", "entropy": "entropy"}
CURVE_QUERY = "SELECT agent_steps, mean_return, success FROM learning"
FILMED = {"instrumentation.artefacts.replay": True, "instrumentation.artefacts.tables": False}


class Plan(NamedTuple):
    """What a report is made of."""

    run: Run
    resolved: Resolved
    bundles: dict[str, Path]
    rivals: list[str]
    episodes: int
    seed: int
    target: str
    out: Path
    film: bool


def report(  # noqa: PLR0913, PLR0917 (a command takes what its person may say)
    folder: RunPath,
    out: Annotated[
        Path | None, typer.Option(help="The page; report/report.html in the run if not said.")
    ] = None,
    episodes: Annotated[int, typer.Option(help="Episodes that each policy plays.")] = (
        DEFAULT_EPISODES
    ),
    seed: Annotated[int, typer.Option(help="Seed of these; not the training's.")] = DEFAULT_SEED,
    against: Annotated[
        list[str] | None,
        typer.Option(help="A scripted policy to compare with; may be repeated."),
    ] = None,
    film: Annotated[bool, typer.Option(help="Show a typical life.")] = True,
    target: Target = "cpu",
    as_json: AsJson = False,
) -> None:
    """Evaluate a training's policies beside others, and write a page about it."""
    at_least(1, episodes=episodes)
    at_least(0, seed=seed)
    run = open_run(folder)
    curve = read_curve(run)
    resolved = resolve(run.folder.config, FILMED)
    spec = resolved.spec
    check_unseen(seed, run.about, folder)
    plan = Plan(
        run,
        resolved,
        find_bundles(run.folder, spec),
        _rivals(spec, against),
        episodes=episodes,
        seed=seed,
        target=target,
        out=_page_path(folder, out),
        film=film,
    )
    made = _carry_out(plan, curve)
    if as_json:
        print_json(_data(plan, made))
    else:
        _print(plan, curve, made)


def _page_path(folder: Path, out: Path | None) -> Path:
    path = folder / "report" / "report.html" if out is None else out
    if path.suffix != ".html":
        raise ConfigError(f"--out: must end in .html, got {str(path)!r}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{path.parent}: cannot be made: {error.strerror}") from error
    return path


def _rivals(spec: Spec, against: list[str] | None) -> list[str]:
    """Choose whom to compare with: random, and a scripted policy of the world."""
    known = list(find(spec.world).policies)
    usual = [USUAL_RIVAL] if USUAL_RIVAL in known else known[:1]
    names = [RANDOM, *(usual if against is None else against)]
    for name in names:
        policy(spec.world, name)  # refuses what does not exist before anything is played
    return list(dict.fromkeys(names))


def _can_film(spec: Spec) -> bool:
    if find(spec.world).scene is None:
        say(f"mesocosm: no film: {spec.world} cannot be drawn")
        return False
    try:
        require_pillow()
    except MesocosmError as error:
        say(f"mesocosm: no film: {error}")
        return False
    return True


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
        wanted = plan.film and _can_film(plan.resolved.spec)
        film = _film(plan, players[TRAINED].scores, played) if wanted else None
    if film is not None:
        files["film"] = _beside(plan.out, FILM)
    about, commands = plan.run.about, _commands(plan)
    told = Report(about, curve, players, plan.seed, digests, commands, film)
    write_text(plan.out, write_page(told))
    write_text(files["curve"], write_curve_picture(told))
    write_text(files["lives"], _lives_table(players))
    return Made(players, files | {"run folder": plan.run.folder.path})


def _evaluate(plan: Plan, trained: dict[str, Policy], played: Path) -> dict[str, Player]:
    """Let every policy play the same episodes; record those of the trained one."""
    roles, world = list(plan.resolved.spec.roles), plan.resolved.world.name
    others = {name: {role: policy(world, name) for role in roles} for name in plan.rivals}
    with compiling():
        env = make(
            plan.resolved,
            num_envs=plan.episodes,
            target=plan.target,
            autoreset="off",
            seed=plan.seed,
        )
    order = [RANDOM, TRAINED, *(name for name in plan.rivals if name != RANDOM)]
    made = {}
    with progress_bar("episodes") as progress, interrupts() as asked:
        for name in order:
            task = progress.add_task(f"{name:8} plays", total=plan.episodes)

            def advance(over: int, task: Any = task) -> None:
                progress.update(task, completed=over)
                if asked():
                    raise typer.Exit(INTERRUPTED)

            policies = trained if name == TRAINED else others[name]
            with record(env, played) if name == TRAINED else nullcontext():
                scores = play_episodes(env, policies, seed=plan.seed, advance=advance)
            made[name] = Player(scores, any(entry.privileged for entry in policies.values()))
    return made


def _beside(page: Path, name: str) -> Path:
    return page.with_name(f"{page.stem}-{name}")


def _film(plan: Plan, scores: Scores, played: Path) -> Film | None:
    """Draw a typical life of the first role."""
    role = next(iter(scores.spec.roles))
    found = find_typical(scores, role)
    if found is None:
        return None
    path = _beside(plan.out, FILM)
    env, steps = int(scores.env[found]), int(scores.began[found] + scores.length[found])
    with progress_bar("frames") as progress:
        task = progress.add_task("film", total=None)
        every = write_life(
            open_run(played).visit(env=env, step=0, target=plan.target),
            steps,
            path,
            lambda: progress.advance(task),
        )
    reason = scores.spec.reason_name(int(scores.reason[found]))
    outcome = OUTCOMES[int(scores.outcome[found])]
    caption = (
        f"Episode {env} of seed {plan.seed}: {steps:,} steps, one frame for every {every}. It "
        f"ended by {reason} ({outcome}) with a return of {scores.total_return[found]:,.1f}: "
        f"the median of those that ended in {outcome}."
    )
    return Film(path.read_bytes(), caption)


def _commands(plan: Plan) -> dict[str, str]:
    about, path = plan.run.about, plan.run.folder.path
    preset = str(about["preset"])
    try:
        same = config_hash(resolve(preset).config) == about["config_hash"]
    except MesocosmError:
        same = False
    defaults = _usual_settings(plan.resolved.spec)
    train = train_command(about, preset if same else str(path / "config.yaml"), defaults)
    words = ["mesocosm", "report", str(path), "--episodes", str(plan.episodes)]
    words += ["--seed", str(plan.seed)]
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


def _usual_settings(spec: Spec) -> dict[str, Any]:
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
        out.print(f"\nthe same {plan.episodes:,} unseen episodes{of_role}", style="bold")
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
    return {"preset": plan.run.about["preset"], "seed": plan.seed, "roles": roles, "files": files}


def _summary(player: Player, role: str) -> dict[str, Any]:
    found = summarise(player.scores, role)._asdict()
    plain = {
        name: value._asdict() if isinstance(value, Estimate) else value
        for name, value in found.items()
    }
    return plain | {"privileged": player.privileged}
