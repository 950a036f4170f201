import pytest

from tests.cli.test_cli_report import QUICK, _one_thread, train  # noqa: F401 (a fixture)
from tests.cli.test_cli_report_evaluations import check_alone, texts, titles


@pytest.fixture
def trained(cli, tmp_path):
    """Three short trainings that differ in their seed."""
    more = "--set core.max_steps=20"
    return [train(cli, tmp_path / f"t{k}", more=f"{more} --seed {k}") for k in (1, 2, 3)]


def test_page_of_several_trainings_has_bands_over_seeds(cli, trained, tmp_path):
    first, second, third = trained
    for name in ("a", "b"):
        done = cli(f"report {first} {second} {third} {QUICK} --out {tmp_path}/{name}.html")
        assert done.status == 0, done.err
    page = (tmp_path / "a.html").read_text()
    assert page == (tmp_path / "b.html").read_text()
    root = check_alone(page)
    for title in ("Learning curves", "Comparison", "Lives", "Trainings", "Make it again"):
        assert title in titles(root)
    assert "3 trainings are too few for an interval that covers" in page
    assert 'class="band c0"' in page
    assert page.count('class="line thin c0"') % 3 == 0
    names = texts(root, "text")
    assert {"seed 1", "seed 2", "seed 3", "all: mean", "random", "greedy"} <= set(names)


def test_trainings_of_different_configs_are_refused(cli, trained, tmp_path):
    other = train(cli, tmp_path / "o", more="--set core.max_steps=30")
    done = cli(f"report {trained[0]} {other} {QUICK} --out {tmp_path}/x.html")
    assert done.status == 2
    assert "has another config than" in done.err
    assert not (tmp_path / "x.html").exists()


def test_training_that_is_given_twice_is_refused(cli, trained, tmp_path):
    done = cli(f"report {trained[0]} {trained[0]} {QUICK} --out {tmp_path}/x.html")
    assert done.status == 2
    assert "is given twice" in done.err
    assert "needs --out" in cli(f"report {trained[0]} {trained[1]} {QUICK}").err
