import csv
import json
import shutil

import pytest
import torch

import mesocosm as meso
from mesocosm.cli.report.films import find_film_fault
from mesocosm.cli.shared import sparkline as drawn
from mesocosm.cli.shared.sparkline import sparkline

TINY = (
    "--target python --threads 1 --set learning.num_envs=8 --set learning.horizon=8 "
    "--set learning.minibatches=2 --set learning.network.hidden=[8]"
)
QUICK = "--target python --episodes 4"


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def read_rows(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def train(cli, out, preset="commons", more="--set core.max_steps=20", steps=2304):
    done = cli(f"train {preset} --out {out} {TINY} --steps {steps} --seed 5 {more}")
    assert done.status == 0, done.err
    return out


@pytest.fixture
def trained(cli, tmp_path):
    return train(cli, tmp_path / "a")


def test_report_of_a_training_shows_curve_comparison_and_files(cli, trained):
    done = cli(f"report {trained} {QUICK}")
    assert done.status == 0, done.err
    assert "learning curve over 2,304 agent-steps" in done.out
    for name in ("random", "trained", "greedy", "entropy"):
        assert f"\n{name} " in done.out
    page = trained / "report" / "report.html"
    assert str(page) in done.out
    assert "what was learnt" in page.read_text()
    assert "data:image/gif;base64," in page.read_text()
    lives = read_rows(trained / "report" / "report-lives.csv")
    assert [row["policy"] for row in lives] == ["random"] * 24 + ["trained"] * 24 + ["greedy"] * 24
    shown = json.loads(cli(f"runs show {trained} --json").out)
    assert shown["problems"] == []  # the run itself is as it was


def test_report_says_the_same_when_made_again(cli, trained, tmp_path):
    for name in ("b", "c"):
        done = cli(f"report {trained} {QUICK} --out {tmp_path}/{name}/it.html --json")
        assert done.status == 0, done.err
    first, second = (tmp_path / name / "it-lives.csv" for name in ("b", "c"))
    assert first.read_text() == second.read_text()
    assert (tmp_path / "b" / "it.html").read_text() == (tmp_path / "c" / "it.html").read_text()
    data = json.loads(done.out)
    means = data["roles"]["harvester"]["trained"]
    rows = [row for row in read_rows(second) if row["policy"] == "trained"]
    returns = [float(row["total_return"]) for row in rows]
    assert means["total_return"]["value"] == pytest.approx(sum(returns) / len(returns))
    assert means["lives"] == len(rows)


def test_report_of_a_world_that_can_be_drawn_has_a_film(cli, tmp_path):
    run = train(cli, tmp_path / "a", "townlet/L0", "--set core.max_steps=12", 512)
    done = cli(f"report {run} {QUICK}")
    assert done.status == 0, done.err
    film = (run / "report" / "report-film.gif").read_bytes()
    assert film.startswith(b"GIF89a")
    assert "data:image/gif;base64," in (run / "report" / "report.html").read_text()
    again = cli(f"report {run} {QUICK} --no-film --out {tmp_path}/plain.html")
    assert again.status == 0, again.err
    assert "data:image" not in (tmp_path / "plain.html").read_text()
    assert not (tmp_path / "plain-film.gif").exists()


def test_world_without_a_scene_has_no_film():
    spec = meso.make("probe/line", target="python").spec
    assert find_film_fault(spec) == "probe cannot be drawn"


def test_report_tells_roles_apart(cli, tmp_path):
    run = train(cli, tmp_path / "a", "commons/wardens")
    done = cli(f"report {run} {QUICK} --against steady")
    assert done.status == 0, done.err
    for role in ("harvester", "warden"):
        assert f"learning curve of a {role}" in done.out
    assert "last-warden.mesop" in (run / "report" / "report.html").read_text()


def test_report_of_a_training_in_which_no_life_ended(cli, tmp_path):
    run = train(cli, tmp_path / "a", "townlet/L0", "", 64)  # 8 steps: nobody dies so soon
    done = cli(f"report {run} {QUICK} --no-film")
    assert done.status == 0, done.err
    assert "no life ended" in done.out


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("--seed 5", "is the seed of"),
        ("--episodes 0", "--episodes"),
        ("--out page.pdf", "must end in .html"),
        ("--against gredy", "greedy"),
        ("--target abacus", "abacus"),
    ],
)
def test_bad_request_is_one_line(cli, trained, more, says):
    done = cli(f"report {trained} --target python --episodes 4 {more}")
    assert done.status == 2
    assert says in done.err
    assert done.err.count("\n") == 1
    assert not (trained / "report" / "report.html").exists()


def test_run_that_is_no_training_is_refused(cli, recorded):
    done = cli(f"report {recorded}/a")
    assert done.status == 2
    assert "is a plain run; a report is of what train, evaluate" in done.err


def test_training_without_a_policy_is_refused(cli, trained):
    (trained / "policies" / "last.mesop").unlink()
    done = cli(f"report {trained} {QUICK}")
    assert done.status == 2
    assert "has no policies/last.mesop" in done.err


def test_policy_that_was_tampered_with_is_refused(cli, trained, tmp_path):
    path = trained / "policies" / "last.mesop"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    done = cli(f"report {trained} {QUICK}")
    assert done.status == 2
    assert "last.mesop" in done.err
    assert done.err.count("\n") == 1
    shutil.rmtree(trained)
    assert cli(f"report {trained} {QUICK}").status == 2


def test_sparkline_rises_with_its_values(monkeypatch):
    assert sparkline([0.0, 1.0, 2.0, 3.0]) == "▁▃▆█"
    assert sparkline([0.0, float("nan"), 1.0]) == "▁ █"
    assert sparkline([0.5], 0.0, 1.0) == "▅"
    assert sparkline([]) == ""
    assert len(sparkline(list(range(1000)))) == drawn.WIDTH
    monkeypatch.setattr(drawn, "can_print", lambda text: False)
    assert sparkline([0.0, 1.0]) == "_#"
