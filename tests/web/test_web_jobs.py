"""Trainings, evaluations and bundles: start, follow, stop, and use what came of them."""

import pytest

from mesocosm.build import open_run
from mesocosm.evaluation.run_comparison import Side, compare_runs
from mesocosm.evaluation.statistics.verdict import MARGIN


def wait_for_end(server, kind, name):
    ended = ("finished", "crashed")
    server.wait_for(lambda: server.get(f"{kind}/{name}")["status"] in ended, seconds=240.0)
    return server.get(f"{kind}/{name}")


def test_evaluation_compares_policies_and_keeps_its_tables(server):
    asked = {"preset": "commons", "overrides": {"core.max_steps": 20}, "episodes": 8}
    entrants = {"a": "steady", "b": "greedy"}
    name = server.post("evaluations", asked | {"entrants": entrants})["id"]
    done = wait_for_end(server, "evaluations", name)
    assert done["status"] == "finished", done["error"]
    assert [row["entrant"] for row in done["result"]["result"]] == ["a", "b"]
    assert server.get(f"replays/{name}/tables/result")["rows"][0]["entrant"] == "a"
    assert server.get(f"replays/{name}")["kind"] == "evaluate"


def test_tournament_gives_a_matrix_and_ratings(server):
    asked = {"preset": "commons", "overrides": {"core.max_steps": 20}, "episodes": 4}
    entrants = {"steady": "steady", "noop": "noop"}
    name = server.post("evaluations", asked | {"entrants": entrants, "tournament": True})["id"]
    done = wait_for_end(server, "evaluations", name)
    assert done["status"] == "finished", done["error"]
    assert len(done["result"]["crossplay"]) == 4
    assert {row["entrant"] for row in done["result"]["standing"]} == set(entrants)


def test_refused_jobs_say_why(server):
    for path, asked, status in (
        ("evaluations", {"entrants": {"a": "nobody"}}, 404),
        ("evaluations", {"entrants": {"a/b": "noop"}}, 400),
        ("evaluations", {"entrants": {"a": "noop"}, "tournament": True}, 400),
        ("trainings", {"learning": {"gamma": 1}}, 400),
        ("trainings", {"learning": {"learning.gamma": 2}}, 400),
        ("learning", {"learning": {"learning.gama": 1}}, 400),
        ("trainings", {"starts": {"nobody": "bundle/x"}}, 404),
        ("trainings", {"steps": 0}, 422),
    ):
        answer = server.http.post(f"/api/{path}", json={"preset": "commons"} | asked)
        assert answer.status_code == status, answer.text


def test_learning_settings_suit_the_config_and_say_what_they_mean(server):
    asked = {"preset": "commons", "learning": {"learning.horizon": 16}}
    rows = {row["path"]: row for row in server.http.post("/api/learning", json=asked).json()}
    assert rows["learning.horizon"]["value"] == 16
    assert (rows["learning.horizon"]["low"], rows["learning.horizon"]["high"]) == (1, 4096)
    assert rows["learning.algorithm"]["choices"] == ["ppo", "q"]
    assert rows["learning.network.hidden"]["meaning"]


def test_refused_learning_setting_names_its_field(server):
    asked = {"preset": "commons", "learning": {"learning.gamma": 2}}
    problems = server.http.post("/api/trainings", json=asked).json()["problems"]
    assert problems[0]["path"] == "learning.gamma"
    assert "less than 1" in problems[0]["message"]


def test_comparison_equals_that_of_the_command(server):
    names = []
    for policy in ("steady", "greedy"):
        short = {"core.max_steps": 8}
        asked = {"preset": "commons", "overrides": short, "seed": 3, "steps": 80, "speed": 0}
        names.append(server.post("runs", asked | {"policies": {"": policy}})["id"])
    for name in names:
        server.wait_for(lambda name=name: server.get(f"runs/{name}")["status"] == "finished")
    found = server.post("comparisons", {"sides": [{"name": n, "runs": [n]} for n in names]})
    runs = [Side(name, [open_run(server.settings.runs / name)]) for name in names]
    wanted = compare_runs(runs, MARGIN)
    told = {(row["side"], row["role"], row["metric"]): row for row in found["reached"]}
    assert told.keys() == wanted.reached.keys()
    for key, row in told.items():
        assert row["mean"]["value"] == pytest.approx(wanted.reached[key].mean.value)
    assert [row["verdict"] for row in found["verdicts"]] == [
        entry.found.verdict for entry in wanted.compared
    ]
    assert not any(str(server.settings.runs) in note for note in found["notes"])
    twice = {"sides": [{"name": "a", "runs": names[:1]}, {"name": "a", "runs": names[1:]}]}
    assert server.http.post("/api/comparisons", json=twice).status_code == 400


@pytest.mark.slow
def test_training_is_followed_and_its_bundle_plays_with_probabilities(server):
    asked = {"preset": "commons", "steps": 3_000}
    asked["learning"] = {"learning.num_envs": 4, "learning.horizon": 32}
    name = server.post("trainings", asked | {"target": "python"})["id"]
    done = wait_for_end(server, "trainings", name)
    assert done["status"] == "finished", done["error"]
    rows = server.get(f"trainings/{name}/metrics")["rows"]
    assert rows[-1]["agent_steps"] >= 1_500
    bundle = f"{name}~policies~last.mesop"
    assert bundle in server.get("bundles")
    card = server.get(f"bundles/{bundle}")
    assert card["world"] == "commons"
    data = (server.settings.runs / name / "policies" / "last.mesop").read_bytes()
    copied = server.http.post("/api/bundles?name=copy", content=data)
    assert copied.status_code == 201, copied.text
    assert copied.json()["sha256"] == card["sha256"]
    again = server.http.post("/api/bundles?name=copy", content=data)
    assert again.status_code == 400
    run = server.start(preset="commons", paused=True, policies={"": "bundle/uploads~copy.mesop"})
    server.post(f"runs/{run}/step", {"count": 2})
    server.wait_for(lambda: server.get(f"runs/{run}")["progress"]["step"] == 2)
    agents = server.get(f"runs/{run}/frame")["agents"]
    for part in agents[0]["probabilities"].values():
        assert sum(part.values()) == pytest.approx(1.0, abs=1e-4)
