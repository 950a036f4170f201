"""Compare: intervals, verdicts, matrices and bands are those of the run folders."""

import re
import statistics

import pytest
from playwright.sync_api import expect

from mesocosm.worlds import registry

expect.set_options(timeout=120_000)  # a worker that plays begins with imports
POLICIES = {
    "commons": ("steady", "greedy"),
    "island": ("turtle", "rush"),
    "mettagrid": ("forager", "noop"),
    "townlet": ("explorer", "greedy"),
}
STEPS = {"commons": 12, "island": 3, "mettagrid": 12, "townlet": 12}  # of an episode
EPISODES = 30  # with fewer there are no intervals


def play(server, world, **more):
    """Run a short evaluation to its end; give its name."""
    entrants = dict(zip(("one", "two"), POLICIES[world], strict=True))
    asked = {"preset": world, "entrants": entrants, "episodes": EPISODES}
    asked["overrides"] = {"core.max_steps": STEPS[world]}
    name = server.post("evaluations", asked | more)["id"]
    ended = ("finished", "crashed")
    server.wait_for(lambda: server.get(f"evaluations/{name}")["status"] in ended, seconds=240.0)
    assert server.get(f"evaluations/{name}")["status"] == "finished"
    return name


def open_runs(visitor, *names):
    """Open the comparison of runs."""
    page = visitor.open("compare")
    page.evaluate("text => { location.hash = text }", f"#/compare?runs={','.join(names)}")
    return page


def numbers(table, name):
    """Give the numbers that cells of a table stand for, in order."""
    found = table.locator(f"tbody td[data-{name}]")
    return [
        float(text) for text in found.evaluate_all(f"cells => cells.map((c) => c.dataset.{name})")
    ]


@pytest.mark.parametrize("world", POLICIES)
def test_evaluation_shows_the_intervals_of_its_tables(server, visit, world):
    name = play(server, world)
    visitor = visit(server)
    page = open_runs(visitor, name)
    rows = server.get(f"replays/{name}/tables/result")["rows"]
    if world == "commons":  # elsewhere so short episodes may all end alike
        assert all(row["low"] is not None for row in rows)
    for role in dict.fromkeys(row["role"] for row in rows):
        own = [row for row in rows if row["role"] == role]
        table = page.get_by_role("table", name=re.compile(rf"^Return of an agent.*, {role}$"))
        expect(table).to_be_visible()
        for key, told in (("value", "mean_return"), ("low", "low"), ("high", "high")):
            wanted = [row[told] for row in own if row[told] is not None]
            assert numbers(table, key) == pytest.approx(wanted)
    verdicts = server.get(f"replays/{name}/tables/verdict")["rows"]
    shown = page.locator(".verdict").all_inner_texts()
    assert [text.split(maxsplit=1)[-1] for text in shown] == [row["verdict"] for row in verdicts]
    visitor.picture("wide light")
    assert visitor.faults() == []


def test_tournament_matrix_and_ratings_equal_their_tables(server, visit):
    entrants = {"steady": "steady", "greedy": "greedy", "idle": "noop"}
    name = play(server, "commons", tournament=True, entrants=entrants)
    visitor = visit(server, size="narrow", theme="dark")
    page = open_runs(visitor, name)
    matrix = page.get_by_role("table", name=re.compile("^Cross-play"))
    rows = server.get(f"replays/{name}/tables/crossplay")["rows"]
    expect(matrix.locator("td[data-value]")).to_have_count(len(rows))
    assert numbers(matrix, "value") == pytest.approx([row["mean_return"] for row in rows])
    standing = server.get(f"replays/{name}/tables/standing")["rows"]
    ratings = page.get_by_role("table", name=re.compile("^Ratings"))
    assert numbers(ratings, "value") == pytest.approx([row["rating"] for row in standing])
    lows = [row["rating"] - row["uncertainty"] for row in standing]
    assert numbers(ratings, "low") == pytest.approx(lows)
    visitor.picture("narrow dark")
    assert visitor.faults() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_evaluation_is_started_from_the_page_and_its_result_appears(server, visit):
    visitor = visit(server, theme="dark")
    page = visitor.open("compare")
    page.get_by_text("Start an evaluation or a tournament").click()
    page.get_by_label("Preset", exact=True).select_option("commons/default")
    page.get_by_label("Policy 1", exact=True).select_option("steady")
    page.get_by_label("Policy 2", exact=True).select_option("random")
    page.get_by_label("Name of policy 1").fill("keeper")
    page.get_by_label("Episodes").fill("3")
    page.get_by_role("button", name="Start evaluation").click()
    table = page.get_by_role("table", name=re.compile("^Return of an agent"))
    expect(table).to_be_visible()
    assert table.locator("tbody th").all_inner_texts() == ["keeper", "random"]
    expect(page.get_by_label("Chosen runs")).to_contain_text("evaluate-commons-default")
    visitor.picture("started wide dark")
    assert visitor.faults() == []


def test_entrants_of_one_name_are_refused_at_the_form(server, visit):
    page = visit(server).open("compare")
    page.get_by_text("Start an evaluation or a tournament").click()
    page.get_by_label("Preset", exact=True).select_option("commons/default")
    for number in (1, 2):
        page.get_by_label(f"Policy {number}", exact=True).select_option("steady")
        page.get_by_label(f"Name of policy {number}").fill("same")
    page.get_by_role("button", name="Start evaluation").click()
    expect(page.get_by_role("alert")).to_contain_text("the same name")


def test_truncated_bundle_is_refused_with_a_reason_and_a_whole_one_plays(server, visit):
    data = registry.trained_files("commons")["trained/harvester"].read_bytes()
    page = visit(server).open("compare")
    page.get_by_text("Start an evaluation or a tournament").click()
    page.get_by_label("Preset", exact=True).select_option("commons/default")
    room = page.get_by_label(re.compile("^Upload a policy bundle"))
    fault = page.locator(".upload .fault")
    room.set_input_files({"name": "cut.mesop", "mimeType": "", "buffer": data[: len(data) // 2]})
    expect(fault).to_contain_text("cut.mesop")
    assert "uploads~cut.mesop" not in server.get("bundles")
    room.set_input_files({"name": "code.py", "mimeType": "", "buffer": b"print()"})
    expect(fault).to_contain_text("ends in .mesop")
    big = b"0" * (server.settings.limits.upload + 1)
    room.set_input_files({"name": "big.mesop", "mimeType": "", "buffer": big})
    expect(fault).to_contain_text("are allowed")
    room.set_input_files({"name": "mine.mesop", "mimeType": "", "buffer": data})
    expect(page.locator(".upload [role=status]")).to_contain_text("plays harvester")
    expect(fault).to_have_count(0)
    page.get_by_label("Policy 1", exact=True).select_option("bundle/uploads~mine.mesop")
    expect(page.get_by_label("Name of policy 1")).to_have_value("uploads-mine")


def test_runs_show_what_the_comparison_found(server, visit):
    names = []
    for policy in POLICIES["commons"]:
        asked = {"preset": "commons", "overrides": {"core.max_steps": 8}, "seed": 3, "steps": 80}
        asked |= {"speed": 0, "policies": {"": policy}}
        names.append(server.post("runs", asked)["id"])
    for name in names:
        server.wait_for(
            lambda name=name: server.get(f"runs/{name}")["status"] == "finished", seconds=240.0
        )
    found = server.post("comparisons", {"sides": [{"name": n, "runs": [n]} for n in names]})
    visitor = visit(server)
    page = open_runs(visitor, *names)
    table = page.get_by_role("table", name=re.compile("^Return: harvester"))
    wanted = [row["mean"] for row in found["reached"] if "return" in row["metric"]]
    expect(table.locator("td[data-value]")).to_have_count(len(wanted))
    assert numbers(table, "value") == pytest.approx([mean["value"] for mean in wanted])
    expect(page.locator(".verdict")).to_have_count(len(found["verdicts"]))
    visitor.picture("runs wide light")
    page.get_by_role("button", name=f"Take {names[1]} away").click()
    expect(page.locator(".verdict")).to_have_count(0)
    assert names[1] not in page.url


def test_seeds_of_one_training_are_a_line_with_a_band(compiled_server, visit):
    server, names = compiled_server, []
    for seed, horizon in ((0, 32), (1, 32), (0, 16)):
        learning = {"learning.num_envs": 4, "learning.horizon": horizon}
        asked = {"preset": "commons", "steps": 4_000, "seed": seed, "learning": learning}
        names.append(server.post("trainings", asked)["id"])
    for name in names:
        server.wait_for(
            lambda name=name: server.get(f"trainings/{name}")["status"] == "finished", seconds=240.0
        )
    visitor = visit(server)
    page = open_runs(visitor, *names)
    page.get_by_label("Curve of").select_option("entropy")
    chart = page.locator("figure.chart").filter(has_text="Entropy")
    expect(chart.locator(".chart-legend li")).to_have_count(2)
    expect(chart.locator(".chart-legend")).to_contain_text("2 seeds")
    curves = [server.get(f"replays/{name}/tables/learning")["rows"] for name in names[:2]]
    last = [rows[-1]["entropy"] for rows in curves]
    band = chart.locator(".chart-legend li").first.locator("b").inner_text()
    middle, low, high = (float(text) for text in re.findall(r"[\d.]+", band))
    wanted = [statistics.median(last), min(last), max(last)]
    assert [middle, low, high] == pytest.approx(wanted, abs=0.011)
    expect(page.get_by_role("table", name=re.compile("settings that differ"))).to_contain_text(
        "horizon"
    )
    visitor.picture("trainings wide light")
    assert visitor.faults() == []
