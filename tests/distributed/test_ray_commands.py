import json
from pathlib import Path

import pytest
from arena_samples import rogue
from ray_samples import SHORT, TINY, results, status_of

import mesocosm

EVALUATE = (
    f"evaluate commons steady greedy random trained/harvester --episodes 7 --num-envs 2 {SHORT}"
)
TOURNAMENT = f"tournament commons steady greedy random --episodes 6 --num-envs 2 {SHORT}"
SWEEP = f"sweep commons --train --param core.upkeep=0.01,0.02 --seeds 2 --episodes 4 {TINY}"


@pytest.fixture(scope="module")
def one_process(tmp_path_factory):
    """Folders of commands that were done in one process, made once."""
    from mesocosm.cli.app import status

    made = {}

    def give(text):
        if text not in made:
            made[text] = tmp_path_factory.mktemp("one") / "run"
            assert status(f"{text} --out {made[text]}".split()) == 0
        return made[text]

    return give


def compare(cli, cluster, one_process, text, out, more=""):
    """Do a command by Ray, and compare its folder with that of one process."""
    cli(f"{text} --engine ray {more} --out {out}")
    alone, by_ray = results(one_process(text)), results(out)
    assert alone.keys() == by_ray.keys()
    assert all(alone[name] == by_ray[name] for name in alone)
    assert status_of(out) == "finished"
    assert not mesocosm.open_run(out).check_files().problems
    return alone


@pytest.mark.parametrize("shards", [1, 2, 4, 7])
def test_evaluation_in_shards_gives_the_tables_of_one_process(
    cli, cluster, one_process, tmp_path, shards
):
    found = compare(cli, cluster, one_process, EVALUATE, tmp_path / "r", f"--shards {shards}")
    names = {name.split("/")[1] for name in found if name.startswith("tables/")}
    assert names == {"bout", "episode", "episode_agents", "event_count", "result", "verdict"}


@pytest.mark.parametrize("shards", [1, 2, 4, 7])
def test_tournament_in_shards_gives_the_tables_of_one_process(
    cli, cluster, one_process, tmp_path, shards
):
    found = compare(cli, cluster, one_process, TOURNAMENT, tmp_path / "r", f"--shards {shards}")
    assert {"results.json", "results.md"} <= found.keys()
    names = {name.split("/")[1] for name in found if name.startswith("tables/")}
    assert {"standing", "crossplay", "pairing", "bout", "episode", "episode_agents"} <= names


def test_swiss_tournament_by_ray_is_that_of_one_process(cli, cluster, one_process, tmp_path):
    text = TOURNAMENT.replace("random", "random noop") + " --format swiss"
    compare(cli, cluster, one_process, text, tmp_path / "r")


def test_recordings_come_back_and_verify(cli, cluster, one_process, tmp_path):
    compare(cli, cluster, one_process, f"{EVALUATE} --record", tmp_path / "r")
    runs = sorted((tmp_path / "r" / "recordings").iterdir())
    assert len(runs) == 16  # 4 bouts of 4 batches
    assert all(mesocosm.open_run(run).verify("python").holds for run in runs[:3])


def test_programs_and_own_code_play_on_workers(cli, cluster, one_process, tmp_path):
    name, _, text = rogue("Idle").partition("=")
    players = f"steady own={text} {name}=program:{text}"
    words = f"evaluate commons {players} --seed 3 --episodes 4 --num-envs 2 {SHORT}"
    compare(cli, cluster, one_process, words, tmp_path / "r")


def test_sweep_by_ray_is_that_of_one_process(cli, cluster, one_process, tmp_path):
    found = compare(cli, cluster, one_process, f"{SWEEP} --steps 768", tmp_path / "r")
    assert sum(name.endswith("last.mesop") for name in found) == 4


def test_trainings_by_ray_are_those_of_one_process(cli, cluster, one_process, tmp_path):
    text = f"train commons --seeds 3 --seed 4 --steps 1536 {TINY}"
    found = compare(cli, cluster, one_process, text, tmp_path / "r")
    for seed in (4, 5, 6):
        assert f"checkpoints/seed-{seed}/policies/last.mesop" in found
    rows = mesocosm.open_run(tmp_path / "r").query("SELECT DISTINCT seed FROM learning ORDER BY 1")
    assert rows.column(0).to_pylist() == [4, 5, 6]


def test_bundle_to_begin_from_reaches_the_workers(cli, cluster, one_process, tmp_path):
    bundle = Path(mesocosm.__file__).parent / "worlds" / "commons" / "trained" / "harvester.mesop"
    tiny = TINY.replace("--set learning.network.hidden=[8]", "")
    text = f"train commons --seeds 2 --steps 768 --from {bundle} {tiny}"
    compare(cli, cluster, one_process, text, tmp_path / "r")
    about = json.loads((tmp_path / "r/checkpoints/seed-0/run.json").read_text())
    assert about["from"]["harvester"]["file"] == str(bundle)
