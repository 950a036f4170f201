"""A crashing policy takes its own run down, and says why; nothing else notices."""

from pathlib import Path

import pytest

from tests.web.conftest import BAD, next_of

WHY = {
    "Raises": "act raised ValueError: no idea what to do",
    "Exits": "exit status 3",
    "ExitsQuietly": "ended by itself, and said nothing",
    "Forks": "exit status 4",
    "SpeaksGarbage": "act raised RuntimeError: boom",
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


def test_crashed_run_leaves_no_process_that_it_started(server, crashed):
    session = server.app.state.mesocosm.sessions.find(crashed["Forks"]["id"])
    server.wait_for(lambda: not _group(session.pid))


def _group(leader):
    """List the processes of a group; zombies have ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == leader and fields[0] != "Z":
            found.append(stat.parent.name)
    return found


def test_agent_is_not_told_why_others_crashed(server, crashed):
    with server.stream(crashed["Raises"]["id"], "agent 0") as socket:
        said = next_of(socket, "status")
    assert said["status"] == "crashed"
    assert "no idea" not in said["error"]
    assert "the run crashed" in said["error"]
