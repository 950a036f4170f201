import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
import torch
from safetensors.torch import load_file

TINY = (
    "--target python --threads 1 --set learning.num_envs=8 --set learning.horizon=8 "
    "--set learning.minibatches=2 --set learning.network.hidden=[8]"
)


def train(cli, out, more="--steps 4608 --seed 5"):
    return cli(f"train commons --out {out} {TINY} {more}")


def last_weights(run):
    about = json.loads((run / "checkpoints" / "last.json").read_text())
    return load_file(run / "checkpoints" / about["file"])


def test_more_threads_than_help_are_refused_at_once(cli, tmp_path):
    done = cli(f"train commons --out {tmp_path / 'a'} --threads 1000")
    assert done.status == 2
    assert "--threads: must be at most" in done.err
    assert not (tmp_path / "a").exists()


def test_run_says_how_many_envs_all_threads_play(cli, tmp_path):
    run = tmp_path / "a"
    done = train(cli, run, "--steps 384 --seed 5 --threads 2")
    assert done.status == 0, done.err
    assert json.loads((run / "run.json").read_text())["num_envs"] == 8


def test_training_leaves_a_run_that_can_be_shown_and_queried(cli, tmp_path):
    run = tmp_path / "a"
    done = train(cli, run)
    assert done.status == 0, done.err
    assert "lives of a harvester lately" in done.out
    shown = cli(f"runs show {run} --json")
    about = json.loads(shown.out)
    assert about["status"] == "finished"
    assert about["kind"] == "training"
    assert about["plan"] == {"agent_steps": 4608, "seed": 5}
    assert about["problems"] == []
    assert about["learning"]["horizon"] == 8
    assert about["tables"]["learning"] == 12  # 4,608 agent-steps, 8 x 8 x 6 in an update


def test_overrides_of_learning_and_of_the_world_stand_side_by_side(cli, tmp_path):
    run = tmp_path / "a"
    done = train(cli, run, "--steps 400 --set learning.gamma=0.9 --set core.max_steps=20")
    assert done.status == 0, done.err
    about = json.loads(cli(f"runs show {run} --json").out)
    assert about["learning"]["gamma"] == 0.9
    assert "max_steps: 20" in (run / "config.yaml").read_text()


def test_ratings_of_past_selves_are_printed_and_kept_with_the_run(cli, tmp_path):
    run = tmp_path / "a"
    league = "--set learning.league.share=0.5 --set learning.league.every=2"
    done = train(cli, run, f"--steps 2304 --set core.max_steps=10 {league}")
    assert done.status == 0, done.err
    assert "after update 2" in done.out
    rated = json.loads(cli(f"runs show {run} --json").out)["league"]
    assert [entry["update"] for entry in rated] == [None, 0, 2, 4]
    assert rated[0]["games"] == sum(entry["games"] for entry in rated[1:]) > 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("--set learning.gama=0.9", "Did you mean 'gamma'"),
        ("--set learning.gamma=2", "learning.gamma"),
        ("--set learning.network.memory=elephant", "learning.network.memory"),
        ("--steps 0", "--steps"),
        ("--threads 0", "--threads"),
        ("--threads 100000", "--threads: must be at most"),
        ("--set learning.network.hidden=[70000]", "network.hidden: must be at most 64 widths"),
        ("--set learning.network.hidden=[8,0]", "network.hidden: must be at most 64 widths"),
        (
            "--set learning.network.hidden=" + str([65536] * 9).replace(" ", ""),
            "GiB are free; lower",
        ),
        ("--set learning.num_envs=100000 --set learning.horizon=4096", "a rollout takes"),
        ("--set learning.network.gama=1", "learning.network.gama: no setting"),
        ("--curriculum townlet/L0=5", "townlet/L0 has the roles resident"),
        ("--curriculum commons/trust=5", "role 'harvester' must see and do what it does"),
        ("--curriculum commons/wardens=5", "commons/wardens has the roles harvester, warden"),
    ],
)
def test_bad_setting_is_one_line_and_leaves_no_folder(cli, tmp_path, more, says):
    run = tmp_path / "a"
    done = cli(f"train commons --out {run} {TINY} {more}")
    assert done.status == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert not run.exists()


def test_folder_that_is_taken_is_refused(cli, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "mine.txt").write_text("mine")
    done = train(cli, tmp_path / "a")
    assert done.status == 2
    assert "is not empty" in done.err


def test_run_that_is_no_training_cannot_be_resumed(cli, tmp_path):
    run = tmp_path / "a"
    cli(f"run commons --target python --steps 5 --num-envs 2 --out {run}")
    done = cli(f"train --resume {run}")
    assert done.status == 2
    assert "is no training" in done.err


@pytest.mark.parametrize("threads", [1, 2])
def test_killed_training_goes_on_to_the_same_weights(cli, tmp_path, monkeypatch, threads):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    tiny = TINY.replace("--threads 1", f"--threads {threads}")
    assert cli(f"train commons --out {whole} {tiny} --steps 30000 --seed 5").status == 0
    line = f"train commons --out {killed} {tiny} --steps 30000 --seed 5"
    for attempt in range(2):
        arguments = line if attempt == 0 else f"train --resume {killed} --target python"
        process = subprocess.Popen(
            [sys.executable, "-m", "mesocosm.cli", *arguments.split()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.getcwd()},
        )
        seen = _update(killed)
        while process.poll() is None and _update(killed) < seen + 8:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 0 < _update(killed) < _update(whole)
    done = cli(f"train --resume {killed} --target python")
    assert done.status == 0, done.err
    first, second = last_weights(whole), last_weights(killed)
    assert first.keys() == second.keys()
    assert all(torch.equal(value, second[name]) for name, value in first.items())
    about = json.loads(cli(f"runs show {killed} --json").out)
    assert about["problems"] == []
    assert len(about["resumed"]) == 2
    until = time.monotonic() + 20.0
    while (left := [*tmp_path.glob("mesocosm-ranks-*")]) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []  # who trained along is gone too


def _update(run):
    try:
        return json.loads((run / "checkpoints" / "last.json").read_text())["update"]
    except FileNotFoundError:
        return 0


def test_curriculum_that_is_not_done_says_so(cli, tmp_path):
    done = train(cli, tmp_path / "a", "--steps 1000 --curriculum commons/scarce=1000")
    assert done.status == 0
    assert "the curriculum was not done" in done.err
    done = train(cli, tmp_path / "b", "--steps 1000 --curriculum commons/scarce=-1000")
    assert "was not done" not in done.err


def test_what_a_kill_left_half_written_does_not_damage_the_run(cli, tmp_path):
    run = tmp_path / "a"
    assert train(cli, run).status == 0
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(about | {"status": "running"}))
    for folder in ("checkpoints", "policies"):
        (run / folder / ".last.x.tmp").write_bytes(b"half")
    (run / "checkpoints" / "nested").mkdir()
    (run / "checkpoints" / "nested" / ".hidden").write_bytes(b"")
    assert cli(f"train --resume {run} --target python").status == 0
    shown = cli(f"runs show {run} --json")
    assert json.loads(shown.out)["problems"] == []
    assert not list(run.rglob("*.tmp"))


def test_training_goes_on_from_a_policy(cli, tmp_path):
    assert train(cli, tmp_path / "a", "--steps 1200 --seed 5").status == 0
    start = tmp_path / "a" / "policies" / "last.mesop"
    done = train(cli, tmp_path / "b", f"--steps 400 --seed 6 --from {start}")
    assert done.status == 0, done.err
    about = json.loads(cli(f"runs show {tmp_path}/b --json").out)
    assert about["from"]["harvester"]["file"] == str(start)
    assert about["learning"]["network"]["hidden"] == [8]


def test_curriculum_moves_on_at_its_score_and_resumes(cli, tmp_path):
    line = f"train commons {TINY} --curriculum commons/scarce=-100 --steps 4608 --seed 5 --out"
    assert cli(f"{line} {tmp_path}/a").status == 0
    about = json.loads((tmp_path / "a" / "checkpoints" / "last.json").read_text())
    assert about["stage"] == 1
    shown = json.loads(cli(f"runs show {tmp_path}/a --json").out)
    assert shown["preset"] == "commons/default"
    assert cli(f"train --resume {tmp_path}/a --target python").status == 0


@pytest.mark.parametrize("text", ["commons/scarce", "commons/scarce=soon", "=3", "nowhere/x=3"])
def test_bad_curriculum_is_one_line(cli, tmp_path, text):
    done = cli(f"train commons {TINY} --curriculum {text} --out {tmp_path}/a")
    assert done.status == 2
    assert done.err.count("\n") == 1


def test_curves_go_to_tensorboard_when_asked(cli, tmp_path):
    run = tmp_path / "a"
    asked = "--steps 1000 --set instrumentation.artefacts.tensorboard=true"
    done = train(cli, run, asked)
    assert done.status == 0, done.err
    (events,) = (run / "tensorboard").iterdir()
    found = read_scalars(events)
    steps = [step for name, step in found if name == "learning/harvester/entropy"]
    assert steps == [384, 768, 1152]
    assert not any(name.endswith("/lives") for name, _ in found)
    assert json.loads(cli(f"runs show {run} --json").out)["problems"] == []


def read_scalars(path):
    """Give name and step of every scalar of an events file, which is a list of framed messages."""
    from tensorboardX.proto.event_pb2 import Event

    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        event = Event.FromString(data[at + 12 : at + 12 + size])
        found += [(value.tag, event.step) for value in event.summary.value]
        at += 16 + size
    return found


def test_training_killed_before_its_first_checkpoint_begins_from_the_bundle_again(cli, tmp_path):
    start, whole, cut = tmp_path / "start", tmp_path / "whole", tmp_path / "cut"
    assert train(cli, start, "--steps 800 --seed 1").status == 0
    bundle = start / "policies" / "last.mesop"
    assert train(cli, whole, f"--steps 800 --seed 2 --from {bundle}").status == 0
    assert train(cli, cut, f"--steps 800 --seed 2 --from {bundle}").status == 0
    _forget_progress(cut)
    done = cli(f"train --resume {cut} --target python")
    assert done.status == 0, done.err
    first, second = last_weights(whole), last_weights(cut)
    assert all(torch.equal(value, second[name]) for name, value in first.items())
    _forget_progress(cut)
    bundle.write_bytes((whole / "policies" / "last.mesop").read_bytes())
    done = cli(f"train --resume {cut} --target python")
    assert done.status == 2
    assert "which is another file now" in done.err


def _forget_progress(run):
    """Leave what a training has before its first checkpoint."""
    shutil.rmtree(run / "checkpoints")
    shutil.rmtree(run / "tables")
    listed = json.loads((run / "files.json").read_text())
    config = {"config.yaml": listed["files"]["config.yaml"]}
    (run / "files.json").write_text(json.dumps(listed | {"steps": 0, "files": config}))
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(about | {"status": "running", "steps": 0}))


def test_run_that_lost_its_checkpoint_does_not_silently_begin_again(cli, tmp_path):
    run = tmp_path / "a"
    assert train(cli, run).status == 0
    (run / "checkpoints" / "last.json").unlink()
    before = (run / "policies" / "last.mesop").read_bytes()
    done = cli(f"train --resume {run} --target python")
    assert done.status == 2
    assert "last.json: is missing" in done.err
    assert (run / "policies" / "last.mesop").read_bytes() == before


@pytest.mark.parametrize("more", ["--seed 5", "--threads 1", "--steps 5"])
def test_resume_takes_nothing_that_the_run_says_itself(cli, tmp_path, more):
    run = tmp_path / "a"
    assert train(cli, run, "--steps 400").status == 0
    done = cli(f"train --resume {run} --target python {more}")
    assert done.status == 2
    assert "only --target goes" in done.err


def test_bar_names_the_stage_that_is_played(cli, tmp_path):
    done = train(cli, tmp_path / "a", "--steps 9216 --curriculum commons/scarce=-1000")
    assert done.status == 0, done.err
    assert "commons/default" in done.err.splitlines()[-1]
