"""A command that goes on uses the target that its run folder names, unless it is given another."""

import json
import shutil
from contextlib import nullcontext

import pytest

TINY = "--set core.max_steps=8"
LEARNING = (
    "--set learning.num_envs=2 --set learning.horizon=8 --set learning.minibatches=1 "
    "--set learning.epochs=1"
)
COMMANDS = {
    "run": f"run commons --steps 4 {TINY}",
    "evaluate": f"evaluate commons steady --episodes 2 {TINY}",
    "tournament": f"tournament commons steady random --episodes 2 {TINY}",
    "train": f"train commons --steps 100 {TINY} {LEARNING}",
    "train-seeds": f"train commons --seeds 2 --steps 100 {TINY} {LEARNING}",
    "sweep": f"sweep commons --train --param core.upkeep=0.01,0.02 --steps 100 --episodes 2 "
    f"{TINY} {LEARNING}",
}


def target_of(folder):
    return json.loads((folder / "run.json").read_text())["target"]


def lose_last_training(run):
    """Remove what a command by jobs did last, so that there is something to go on with."""
    for path in run.glob("checkpoints/bout-*"):
        path.unlink()
    trained = sorted(path.parent for path in run.glob("checkpoints/*/run.json"))
    for path in trained[-1:]:
        shutil.rmtree(path)
    return trained


@pytest.mark.parametrize("name", COMMANDS)
def test_resumed_command_keeps_its_target_and_notes_another(cli, tmp_path, name):
    run, command = tmp_path / "r", COMMANDS[name].split()[0]
    done = cli(f"{COMMANDS[name]} --target python --out {run}")
    assert done.status == 0, done.err
    more = " --steps 6" if command == "run" else ""
    trained = lose_last_training(run)
    done = cli(f"{command} --resume {run}{more}")
    assert done.status == 0, done.err
    assert {target_of(path) for path in (run, *trained)} == {"python"}
    more = " --steps 8" if command == "run" else ""
    done = cli(f"{command} --resume {run} --target cpu{more}")
    assert done.status == 0, done.err
    assert target_of(run) == "cpu"


def test_resumed_match_keeps_its_target(cli, tmp_path, monkeypatch):
    out, stop = tmp_path / "m", [True]
    monkeypatch.setattr("mesocosm.cli.match.interrupts", lambda: nullcontext(lambda: stop[0]))
    done = cli(f"match commons random noop --series 2 --target python --out {out} {TINY}")
    assert done.status == 130, done.err
    stop[0] = False
    done = cli(f"match --resume {out}")
    assert done.status == 0, done.err
    assert target_of(out) == "python"
