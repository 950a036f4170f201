"""The report about an evaluation, a tournament or a sweep: read its folder, film, write."""

import shlex
from pathlib import Path
from typing import Any

from mesocosm.cli.report.films import Filmed, Shown, film_bout
from mesocosm.cli.shared.arena import resumed_conditions
from mesocosm.cli.shared.output import print_json, progress_bar
from mesocosm.core.errors import MesocosmError, RunError, unknown
from mesocosm.evaluation.arena.arena import Conditions
from mesocosm.evaluation.arena.bout import Bout
from mesocosm.evaluation.arena.bout_folder import read_bout, read_presets
from mesocosm.evaluation.arena.entrant import (
    Entrant,
    check_same_entrants,
    describe_entrant,
    parse_entrant,
    parse_entrants,
)
from mesocosm.evaluation.arena.playback import find_foreign
from mesocosm.evaluation.pages.evaluation import write_evaluation
from mesocosm.evaluation.pages.source import (
    Row,
    Source,
    check_whole,
    evaluation_command,
    find_changes,
    list_files,
    read_table,
    reading,
)
from mesocosm.telemetry.files import write_text
from mesocosm.telemetry.run import Run

TABLES = {
    "evaluate": ("result", "verdict"),
    "round-robin": ("standing", "crossplay", "pairing", "seat"),
    "population": ("population",),
    "best-response": ("response",),
    "sweep": ("sweep",),
}
LIVES = "episode_agents"
LIFE = ("preset", "entrant", "role", "length", "outcome", "total_return")


def report_evaluation(
    run: Run, out: Path, *, target: str, film: bool, of: str | None, as_json: bool
) -> None:
    """Write the page about what was played."""
    check_whole(run)
    with reading(run.folder.path):
        source = _read(run, target=target, film=film, of=of)
        page = write_evaluation(source)
    write_text(out, page)
    say_written(run, out, len(source.films), as_json=as_json)


def _read(run: Run, *, target: str, film: bool, of: str | None) -> Source:
    tables, path = _read_tables(run), run.folder.path
    conditions, plan = resumed_conditions(path, str(run.about["kind"]), target)
    shown = _film(run, conditions, plan, tables, of) if film else Shown([], "")
    words = ["mesocosm", "report", str(path), *([] if of is None else ["--of", of])]
    command = evaluation_command(run.about, path)
    return Source(
        run.about,
        tables,
        find_changes(read_presets(path)),
        list_files(run),
        {"Play": f"{command} --out {shlex.quote(str(path))}", "Write this page": shlex.join(words)},
        shown.films,
        shown.note,
    )


def say_written(run: Run, out: Path, films: int, *, as_json: bool) -> None:
    """Tell where the page is."""
    if as_json:
        about: dict[str, Any] = {"kind": run.about.get("kind") or "match"}
        about |= {"preset": run.about["preset"], "run": str(run.folder.path)}
        print_json(about | {"page": str(out), "films": films, "bytes": out.stat().st_size})
    else:
        print(f"{out}: {out.stat().st_size / 1024:,.0f} KiB, {films} films")


def _read_tables(run: Run) -> dict[str, list[Row]]:
    kind, more = run.about["kind"], (run.about.get("plan") or {}).get("more") or {}
    form = str(more.get("format"))
    key = {"swiss": "round-robin"}.get(form, form) if kind == "tournament" else kind
    if key not in TABLES:
        raise RunError(f"{run.folder.path}: damaged: it is a tournament of no known format")
    names = [*TABLES[key], "bout", *([] if kind == "sweep" else [LIVES])]
    made = {}
    with progress_bar("tables") as progress:
        for name in progress.track(names, description="reading"):
            made[name] = read_table(run, name, LIFE if name == LIVES else None)
    return made


def _film(
    run: Run,
    conditions: Conditions,
    plan: dict[str, Any],
    tables: dict[str, list[Row]],
    of: str | None,
) -> Shown:
    """Film episodes of whom was asked for, or of who did best."""
    if run.about["kind"] == "sweep" and plan["more"].get("train"):
        return Shown([], "No films: the reports about the trainings show what was learnt.")
    spec = conditions.presets[0].spec
    names = [str(entry.get("name")) for entry in plan["entrants"]]
    if of is not None and of not in names:
        raise unknown("entrant", of, names)
    best = names.index(of if of is not None else _find_best(tables, names))
    bout = _find_bout(run.folder.path, len(tables["bout"]), best, _rivals(tables, names, best))
    if bout is None:
        return Shown([], f"No films: no bout of {names[best]} was played to its end.")
    try:
        entrants = _entrants(plan, spec)
        _check_entrants(plan, entrants, bout, conditions, str(run.folder.path))
    except MesocosmError as error:
        return Shown([], f"No films: {error}.")
    preset = conditions.presets[bout.preset]
    return film_bout(Filmed(preset, conditions.episodes, entrants, bout, best), conditions.target)


def _check_entrants(
    plan: dict[str, Any], entrants: list[Entrant], bout: Bout, conditions: Conditions, where: str
) -> None:
    """Refuse code of others, which is not even loaded, and files that are not those that played."""
    if max(bout.lineup) >= len(entrants):
        raise RunError("who played was made on the way")
    foreign = find_foreign(entrants, bout)
    if foreign:
        raise RunError(f"{foreign} is code of its own, which a report does not run again")
    spec = conditions.presets[bout.preset].spec
    for k in dict.fromkeys(bout.lineup):
        told = describe_entrant(entrants[k], spec)
        check_same_entrants([plan["entrants"][k]], [told], where)


def _entrants(plan: dict[str, Any], spec: Any) -> list[Entrant]:
    """Name everybody who was planned to play, with the names that they had."""
    more = plan["more"]
    texts = [*(more.get("entrants") or [])]
    made = parse_entrants(texts or more.get("policies") or [], spec) if texts else []
    for entry in plan["entrants"][len(made) :]:
        made.append(parse_entrant(str(entry["text"]), spec)._replace(name=str(entry["name"])))
    return made


def _find_best(tables: dict[str, list[Row]], names: list[str]) -> str:
    """Name who was rated best, or earned most in the first role of the first preset."""
    if tables.get("standing"):
        return str(tables["standing"][0]["entrant"])
    rows = tables.get("result") or []
    first = [r for r in rows if (r["preset"], r["role"]) == (rows[0]["preset"], rows[0]["role"])]
    known = [row for row in first if row["mean_return"] is not None]
    if known:
        return str(max(known, key=lambda row: row["mean_return"])["entrant"])
    return names[0]


def _rivals(tables: dict[str, list[Row]], names: list[str], best: int) -> set[int]:
    """Give who may be met in the film: of a tournament, the best rated of the others."""
    others = [names.index(row["entrant"]) for row in tables.get("standing") or []
              if row["entrant"] in names and row["entrant"] != names[best]]  # fmt: skip
    return set(others[:1])


def _find_bout(path: Path, count: int, entrant: int, rivals: set[int]) -> Bout | None:
    """Find the first bout of somebody that was played to its end, beside a rival if possible."""
    found = None
    for number in range(count):
        bout = read_bout(path, number)
        if bout is None or bout.forfeits or entrant not in bout.lineup or not bout.num_episodes:
            continue
        if rivals & set(bout.lineup):
            return bout
        found = found or bout
    return found
