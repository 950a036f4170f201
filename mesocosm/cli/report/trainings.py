"""The report about several trainings of one config: play all that was learnt, and write a page."""

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mesocosm.build import open_run
from mesocosm.cli.report.films import Shown, film_episode, find_film_fault
from mesocosm.cli.report.playing import Asked, choose_rivals, play_all, scripted_sides
from mesocosm.cli.report.training import usual_settings
from mesocosm.cli.shared.output import print_json
from mesocosm.config.identity import dump
from mesocosm.core.errors import ConfigError
from mesocosm.core.spec import OUTCOMES
from mesocosm.evaluation.arena.playback import FILMED
from mesocosm.evaluation.pages.source import find_changes
from mesocosm.evaluation.pages.trainings import Training, Trainings, write_trainings
from mesocosm.evaluation.report.compared import Player
from mesocosm.evaluation.report.curves import read_curve
from mesocosm.evaluation.report.facts import train_command
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


def report_trainings(runs: Sequence[Run], asked: Asked, out: Path, *, as_json: bool) -> None:
    """Evaluate what trainings of one config learnt, and write a page about it."""
    import torch

    torch.set_num_threads(1)  # what is drawn does not depend on how sums are split
    _check_alike(runs)
    resolved = resolve(runs[0].folder.config, FILMED)
    names = _names(runs)
    trainings, sides = [], {}
    for name, run in zip(names, runs, strict=True):
        check_unseen(asked.seed, run.about, run.folder.path)
        bundles = find_bundles(run.folder, resolved.spec)
        sides[name], digests = load_bundles(bundles, resolved.spec)
        trainings.append(Training(name, run.about, read_curve(run), digests))
    rivals = choose_rivals(resolved.spec, asked.against)
    with tempfile.TemporaryDirectory() as scratch:
        played = Path(scratch) / "played"
        every = {**sides, **scripted_sides(resolved.spec, rivals)}
        players = play_all(resolved, every, asked, {names[0]: played})
        shown = _film(players[names[0]], names[0], resolved, played, asked)
    told = Trainings(
        trainings,
        {name: players[name] for name in names},
        {name: players[name] for name in rivals},
        asked.seed,
        find_changes([dump(resolve(runs[0].folder.config).config)]),
        _commands(runs, asked, resolved),
        shown.films,
        shown.note,
    )
    write_text(out, write_trainings(told))
    if as_json:
        paths = [str(run.folder.path) for run in runs]
        print_json({"preset": runs[0].about["preset"], "runs": paths, "page": str(out)})
    else:
        print(f"{out}: {out.stat().st_size / 1024:,.0f} KiB, {len(runs)} trainings")


def _check_alike(runs: Sequence[Run]) -> None:
    """Refuse trainings of different configs, and one that is given twice."""
    first = runs[0]
    paths = [run.folder.path.resolve() for run in runs]
    for run, path in zip(runs, paths, strict=True):
        if paths.count(path) > 1:
            raise ConfigError(f"{run.folder.path}: is given twice")
        for key, what in (("behaviour_hash", "config"), ("learning_hash", "settings of learning")):
            if run.about.get(key) != first.about.get(key):
                raise ConfigError(
                    f"{run.folder.path}: has another {what} than {first.folder.path}; trainings "
                    "that go together differ in their seed only"
                )


def _names(runs: Sequence[Run]) -> list[str]:
    """Name trainings by their seeds, and where these do not differ by their folders."""
    seeds = [f"seed {(run.about.get('plan') or {}).get('seed')}" for run in runs]
    if len(set(seeds)) == len(seeds):
        return seeds
    return [str(run.folder.path) for run in runs]


def _commands(runs: Sequence[Run], asked: Asked, resolved: Resolved) -> dict[str, str]:
    usual = usual_settings(resolved.spec)
    paths = [str(run.folder.path) for run in runs]
    config = str(runs[0].folder.path / "config.yaml")
    trained = [f"{train_command(run.about, config, usual)} --out {shlex.quote(path)}"
               for run, path in zip(runs, paths, strict=True)]  # fmt: skip
    words = ["mesocosm", "report", *paths, "--episodes", str(asked.episodes)]
    words += ["--seed", str(asked.seed), "--out", "trainings.html"]
    for name in asked.against or []:
        words += ["--against", name]
    return {"Train": "\n".join(trained), "Evaluate, and write this page": shlex.join(words)}


def _film(player: Player, name: str, resolved: Resolved, played: Path, asked: Asked) -> Shown:
    """Film lives of the first training."""
    if not asked.film:
        return Shown([], "")
    fault = find_film_fault(resolved.spec)
    if fault:
        return Shown([], f"No films: {fault}.")
    scores, role = player.scores, next(iter(resolved.spec.roles))
    typical = find_typical(scores, role)
    if typical is None:
        return Shown([], "No films: no life ended.")
    films, run = [], open_run(played)
    for title, k in {"typical": typical, **find_extremes(scores, role)}.items():
        env, steps = int(scores.env[k]), int(scores.began[k] + scores.length[k])
        ended = f"{scores.spec.reason_name(int(scores.reason[k]))}, {OUTCOMES[scores.outcome[k]]}"
        words = f"episode {env}, return {scores.total_return[k]:,.1f} ({ended})"
        visit = run.visit(env=env, step=0, target=asked.target)
        films.append(film_episode(visit, steps, title, words))
    return Shown(films, f"Of the training with {name}, a {role}.")
