"""A crashing policy takes its own run down, and says why; nothing else notices."""

import pytest

from tests.web.conftest import BAD, next_of

WHY = {
    "Raises": "act raised ValueError: no idea what to do",
    "Exits": "exit status 3",
    "Segfaults": "SIGSEGV",
    "Hangs": "a step took more than 6 seconds",
    "Hoards": "not enough memory",
}


def wait_for_crash(server, name):
    server.wait_for(lambda: server.get(f"runs/{name}")["status"] == "crashed")


@pytest.fixture(scope="module")
def crashed(server):
    """One run per bad policy and a good one, all at the same time."""
    asked = {"preset": "commons", "speed": 20, "record": False}
    names = {
        who: server.post("runs", asked | {"policies": {"": f"given/{who.lower()}"}})["id"]
        for who in BAD
    }
    names["good"] = server.post("runs", asked)["id"]
    for who in BAD:
        wait_for_crash(server, names[who])
    return {who: server.get(f"runs/{name}") for who, name in names.items()}


@pytest.mark.parametrize("who", BAD)
def test_crash_says_why(crashed, who):
    assert WHY[who] in crashed[who]["error"], crashed[who]["error"]


def test_other_runs_go_on(server, crashed):
    name, before = crashed["good"]["id"], crashed["good"]["progress"]["step"]
    server.wait_for(lambda: server.get(f"runs/{name}")["progress"]["step"] > before)
    assert server.get(f"runs/{name}")["status"] == "running"


def test_crashed_run_tells_its_stream(server, crashed):
    with server.stream(crashed["Exits"]["id"]) as socket:
        assert "exit status 3" in next_of(socket, "status")["error"]
    answer = server.http.post(f"/api/runs/{crashed['Exits']['id']}/resume")
    assert answer.status_code == 409
