"""A process that learns along with others: it does what rank 0 says, as rank 0 does it.

It reads from its standard input: one line of JSON that says what to train, then commands. It ends
with its input, and so with rank 0.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mesocosm.build import make
from mesocosm.config.identity import dump
from mesocosm.core.errors import MesocosmError
from mesocosm.core.leftover import make_folder
from mesocosm.learning.checkpoint import gather, share_learnt, spread
from mesocosm.learning.meeting import make_meeting
from mesocosm.learning.ranks import ERRORS, MEMORY, FirstRank, Ranks, pipe_to
from mesocosm.learning.settings import LearningSettings, parse
from mesocosm.learning.trainer import Trainer
from mesocosm.resolve import Resolved, resolve
from mesocosm.sim.engine import Engine

READY = "ready"
FOLDER = "mesocosm-ranks-"
PARTING_SECONDS = 0.5  # in which a process that was killed is known to be gone


def start_ranks(
    stages: Sequence[Resolved], settings: LearningSettings, plan: Mapping[str, Any], size: int
) -> FirstRank:
    """Start the other ranks of a training, and meet them.

    Args:
        plan: The trainer's `steps` and `seed`, and the `target` of its envs.
    """
    folder = _make_folder(size)
    about = {"configs": [dump(resolved.config) for resolved in stages], "size": size}
    about |= {"settings": settings.model_dump(mode="json"), **plan}
    others = [_start(folder, about, rank) for rank in range(1, size)]
    ranks = FirstRank(settings.num_envs, others, folder)
    try:
        for process in others:
            if process.stdout is None or process.stdout.readline().strip() != READY:
                process.wait()
                ranks.check()
        ranks.begin()
    except BaseException:
        ranks.close()
        raise
    return ranks


def _make_folder(size: int) -> Path:
    """Make a folder, private to this person, with the memory that the ranks share."""
    try:
        folder = make_folder(FOLDER)
    except OSError as error:
        raise MesocosmError(f"--threads {size}: no folder for temporary files: {error}") from None
    try:
        make_meeting(folder / MEMORY, size)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise MesocosmError(f"{folder}: no room for what {size} processes share: {error}") from None
    return folder


def _start(folder: Path, about: Mapping[str, Any], rank: int) -> subprocess.Popen[str]:
    with (folder / ERRORS.format(rank)).open("w") as errors:
        process = subprocess.Popen(  # noqa: S603 (this interpreter, and this file)
            [sys.executable, "-m", __name__, str(folder), str(rank), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # what is typed at a terminal is for rank 0
        )
    with contextlib.suppress(OSError):  # it is gone: its output says so
        print(json.dumps(about), file=pipe_to(process), flush=True)
    return process


def main(folder: str, rank: str, first: str) -> None:
    """Train along until the input ends, and clear up if rank 0 no longer can.

    Args:
        first: The process of rank 0, which may be gone before this one asks.
    """
    try:
        train_along(Path(folder), rank, int(first))
    except BaseException:
        time.sleep(PARTING_SECONDS)
        if os.getppid() == int(first):
            raise  # it reads what was said
    shutil.rmtree(folder, ignore_errors=True)


def train_along(folder: Path, rank: str, first: int) -> None:
    """Do what rank 0 says until it says no more."""
    about = json.loads(sys.stdin.readline())
    settings = parse(about["settings"])
    place = Ranks(settings.num_envs, int(rank), about["size"])
    stages = [
        make(
            resolve(config),
            num_envs=place.count(place.rank),
            first_env=place.envs.start,
            target=about["target"],
        )
        for config in about["configs"]
    ]

    def check() -> None:
        if os.getppid() != first:
            raise MesocosmError("rank 0 is gone")

    place.meet(folder / MEMORY, check)
    print(READY, flush=True)
    plan = {"steps": about["steps"], "seed": about["seed"]}
    trainer = Trainer(stages[0], settings, **plan, ranks=place)
    for line in sys.stdin:
        obey(trainer, stages, *line.split())


def obey(trainer: Trainer, stages: Sequence[Engine], command: str, number: str = "0") -> None:
    """Carry out one command of rank 0."""
    if command == "advance":
        trainer.advance()
    elif command == "gather":
        gather(trainer)
    elif command == "spread":
        trainer.number = int(number)
        spread(trainer)
    elif command == "share_learnt":
        share_learnt(trainer)
    elif command == "move_to":
        trainer.move_to(stages[int(number)], int(number))
    else:
        raise MesocosmError(f"no command {command!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
