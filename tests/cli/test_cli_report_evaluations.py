import json
import re
import shutil
from xml.etree import ElementTree as ET

import pytest

from mesocosm.telemetry.run_folder import seal

QUICK = "--target python --set core.max_steps=12 --episodes 3"
EVIL = '<script>&"x'


def make(cli, text, out):
    done = cli(f"{text} --out {out}")
    assert done.status == 0, done.err
    return out


def page_of(cli, run, more=""):
    done = cli(f"report {run} --target python {more}")
    assert done.status == 0, done.err
    return (run / "report" / "report.html").read_text()


def parse(page):
    return ET.fromstring(page.partition("\n")[2])  # noqa: S314 (our own)


def titles(root):
    return ["".join(found.itertext()) for found in root.iter("h2")]


def texts(root, tag):
    return ["".join(found.itertext()) for found in root.iter(tag)]


def check_alone(page):
    """Check that a page needs no network and runs nothing."""
    root = parse(page)
    assert "http" not in page
    assert {e.tag for e in root.iter()}.isdisjoint({"script", "link", "iframe", "object", "form"})
    for found in root.iter():
        assert not [name for name in found.attrib if name.startswith("on")]
        for name in ("src", "href", "data", "action"):
            assert found.get(name, "data:").startswith("data:")
        if found.tag == "svg":
            assert found.get("role") == "img"
            assert found.find("title").text
    return root


@pytest.fixture
def evaluated(cli, tmp_path):
    return make(cli, f"evaluate commons steady {EVIL}=greedy noop {QUICK}", tmp_path / "e")


def test_page_of_an_evaluation_shows_returns_verdicts_lives_and_hashes(cli, evaluated):
    page = page_of(cli, evaluated)
    root = check_alone(page)
    for title in ("Returns", "Verdicts", "Lives of a harvester", "Make it again", "Policies",
                  "What differs from commons/default", "Hashes and versions", "Files"):  # fmt: skip
        assert title in titles(root)
    assert EVIL not in page
    assert EVIL in texts(root, "th")
    about = json.loads((evaluated / "run.json").read_text())
    for digest in (about["config_hash"], about["behaviour_hash"]):
        assert digest in page
    for entry in json.loads((evaluated / "files.json").read_text())["files"].values():
        assert entry["sha256"] in page
    assert page.count("data:image/gif;base64,R0lGODlh") == 3
    assert "core.max_steps" in texts(root, "th")


def test_page_says_what_the_tables_say(cli, evaluated):
    words = texts(parse(page_of(cli, evaluated)), "td")
    done = cli(f"evaluate commons steady greedy noop {QUICK} --json")
    for row in json.loads(done.out)["results"]:
        assert f"{row['mean_return']:,.3f}" in words
        assert f"{row['mean_length']:,.3f}" in words


def test_page_is_the_same_when_made_again(cli, evaluated, tmp_path):
    first = page_of(cli, evaluated)
    done = cli(f"report {evaluated} --target python --out {tmp_path}/other.html --json")
    assert (tmp_path / "other.html").read_text() == first
    assert json.loads(done.out)["page"] == f"{tmp_path}/other.html"
    shown = json.loads(cli(f"runs show {evaluated} --json").out)
    assert shown["problems"] == []  # the run itself is as it was


def test_command_on_the_page_makes_the_same_run(cli, evaluated, tmp_path):
    root = parse(page_of(cli, evaluated))
    command = next(words for words in texts(root, "code") if words.startswith("mesocosm evaluate"))
    again = command.removeprefix("mesocosm ").replace("'", "").partition(" --out ")[0]
    make(cli, again, tmp_path / "again")
    for name in ("result", "episode_agents"):
        parts = [
            (run / "tables" / name / "part-000000.parquet").read_bytes()
            for run in (evaluated, tmp_path / "again")
        ]
        assert parts[0] == parts[1]


def test_transfer_is_drawn_as_a_heat_map(cli, tmp_path):
    run = make(cli, f"evaluate commons steady greedy --on commons/wardens {QUICK}", tmp_path / "e")
    root = check_alone(page_of(cli, run))
    assert "Transfer" in titles(root)
    assert "Mean return of a harvester, by preset" in texts(root, "title")


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_page_of_a_tournament_shows_ratings_crossplay_and_seats(cli, tmp_path, form):
    text = f"tournament commons steady greedy noop --format {form} {QUICK}"
    run = make(cli, text, tmp_path / "t")
    page = page_of(cli, run)
    assert ("whoever sat out a round has its point" in page) == (form == "swiss")
    root = check_alone(page)
    for title in ("Standings", "Cross-play", "Pairings", "Lives of a harvester"):
        assert title in titles(root)
    data = json.loads((run / "results.json").read_text())
    words = texts(root, "td")
    for row in data["standing"]:
        assert f"{row['rating']:.3f}" in words
    cells = texts(root, "title")
    assert any(re.fullmatch(r"steady, greedy: -?[\d.]+", words) for words in cells)


def test_pages_of_a_population_and_of_a_forfeit(cli, tmp_path):
    text = f"tournament commons steady noop --format population {QUICK}"
    root = check_alone(page_of(cli, make(cli, text, tmp_path / "p")))
    assert "Population" in titles(root)
    assert "3 of 6 noop" in texts(root, "th")


def test_forfeits_are_listed_and_code_is_not_run_again(cli, tmp_path):
    code = tmp_path / "bad.py"
    code.write_text(
        "from pathlib import Path\nPath(__file__ + '.ran').touch()\n"
        "class Bad:\n    privileged = False\n"
        "    def reset(self, spec, num_envs, seed):\n        pass\n"
        "    def act(self, obs, mask, info, began):\n        raise ValueError('<b>no</b>')\n"
    )
    ran = tmp_path / "bad.py.ran"
    run = make(cli, f"evaluate commons bad={code}:Bad steady {QUICK}", tmp_path / "e")
    ran.unlink()
    page = page_of(cli, run, "--of bad")
    root = check_alone(page)
    assert "Forfeits" in titles(root)
    assert "<b>no</b>" not in page
    assert any("ValueError: <b>no</b>" in words for words in texts(root, "td"))
    assert not ran.exists()


def test_page_of_a_sweep_draws_metrics_against_the_dial(cli, tmp_path):
    text = f"sweep commons --param core.harvest_rate=1,3 --policy steady --policy noop {QUICK}"
    root = check_alone(page_of(cli, make(cli, text, tmp_path / "s")))
    assert {"By core.harvest_rate", "Every point"} <= set(titles(root))
    assert "return of harvester" in texts(root, "title")
    assert "core.harvest_rate" in texts(root, "th")


def test_page_of_a_series_counts_wins_by_player_and_seat(cli, tmp_path):
    text = "match commons steady noop --series 2 --swap --seed 3 --target python"
    run = make(cli, f"{text} --set core.max_steps=12", tmp_path / "m")
    root = check_alone(page_of(cli, run))
    assert {"Standings", "Seats", "Games", "How games ended"} <= set(titles(root))
    assert "A (steady)" in texts(root, "th")
    match = json.loads((run / "run.json").read_text())["match"]
    wins = match["standings"][0]["wins_by_seat"]
    assert [f"{count} of 2" in texts(root, "td") for count in wins.values()] == [True, True]
    assert f"--seed 3 --program-seed {match['program_seed']}" in "".join(texts(root, "code"))


def test_films_of_an_evaluation_are_the_episodes_that_were_played(cli, tmp_path):
    text = f"evaluate townlet/L0 random greedy {QUICK} --num-envs 2"
    page = page_of(cli, make(cli, text, tmp_path / "e"), "--of random")
    root = check_alone(page)
    captions = texts(root, "figcaption")
    assert [words.partition(":")[0] for words in captions] == ["Typical", "Best", "Worst"]
    assert "found to go as it did" in page
    assert all(found.get("alt") for found in root.iter("img"))
    assert page.count("data:image/gif;base64,R0lGODlh") == 3


def test_films_of_a_bout_that_goes_otherwise_are_left_out(cli, tmp_path):
    run = make(cli, f"evaluate townlet/L0 random {QUICK}", tmp_path / "e")
    path = run / "checkpoints" / "bout-000000.json"
    bout = json.loads(path.read_text())
    bout["lives"]["total_return"][0] += 1.0
    path.write_text(json.dumps(bout))
    done = cli(f"report {run} --target python")
    assert done.status == 2
    assert "damaged: checkpoints/bout-000000.json" in done.err
    assert not (run / "report" / "report.html").exists()


def test_run_that_has_not_finished_is_refused(cli, evaluated):
    about = json.loads((evaluated / "run.json").read_text())
    (evaluated / "run.json").write_text(json.dumps(about | {"status": "interrupted"}))
    done = cli(f"report {evaluated}")
    assert done.status == 2
    assert "has not finished: it is interrupted; `mesocosm evaluate --resume" in done.err
    assert done.err.count("\n") == 1


def test_table_that_is_gone_is_refused(cli, evaluated):
    shutil.rmtree(evaluated / "tables" / "result")
    done = cli(f"report {evaluated}")
    assert done.status == 2
    assert "damaged: tables/result" in done.err


@pytest.mark.parametrize(
    ("about", "says"),
    [({"kind": "banquet"}, "is of a foreign kind, 'banquet'"), ({"kind": 7}, "foreign kind")],
)
def test_foreign_kind_is_refused(cli, evaluated, about, says):
    old = json.loads((evaluated / "run.json").read_text())
    (evaluated / "run.json").write_text(json.dumps(old | about))
    done = cli(f"report {evaluated}")
    assert done.status == 2
    assert says in done.err


def test_entrant_that_did_not_play_is_refused_by_its_name(cli, evaluated, tmp_path):
    done = cli(f"report {evaluated} --of stedy --out {tmp_path}/new/page.html")
    assert done.status == 2
    assert not (tmp_path / "new").exists()
    assert "Did you mean 'steady'?" in done.err


def test_only_trainings_go_together(cli, evaluated, tmp_path):
    done = cli(f"report {evaluated} {evaluated} --out {tmp_path}/x.html")
    assert done.status == 2
    assert "only trainings go together" in done.err
    assert cli(f"report {evaluated} {evaluated}").status == 2


@pytest.mark.parametrize("more", ["--episodes 5", "--seed 3", "--against steady"])
def test_option_that_would_do_nothing_is_refused(cli, evaluated, more):
    done = cli(f"report {evaluated} {more}")
    assert done.status == 2
    assert "is for trainings" in done.err


def test_plan_that_cannot_be_read_is_one_error(cli, evaluated):
    path = evaluated / "run.json"
    about = json.loads(path.read_text())
    about["plan"]["entrants"] = [7]
    about["checksum"] = seal(about)
    path.write_text(json.dumps(about))
    done = cli(f"report {evaluated}")
    assert done.status == 2
    assert "damaged: its plan or tables cannot be read" in done.err
    assert done.err.splitlines()[-1].startswith("mesocosm: ")
    assert not (evaluated / "report" / "report.html").exists()


def test_path_with_hostile_signs_is_escaped(cli, evaluated, tmp_path):
    odd = tmp_path / "<b>'&\u202e"
    shutil.move(evaluated, odd)
    page = page_of(cli, odd)
    root = check_alone(page)
    assert "\u202e" not in page
    assert any("<b>" in words for words in texts(root, "code"))
