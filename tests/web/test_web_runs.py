"""Live runs: begin, steer, watch, take over, fork."""

import json

import numpy as np
import pytest

import mesocosm
from mesocosm.core.beginnings import Beginnings
from mesocosm.evaluation.acting import begin_episodes, choose_actions
from mesocosm.web.workers.players import make_players
from tests.web.conftest import next_of

SMALL = {"preset": "commons", "speed": 0, "paused": True, "seed": 7}


@pytest.fixture(scope="module")
def run(server):
    """A paused run of commons."""
    return server.start(**SMALL)


def play_same(steps):
    """Give what agents received after so many steps of the run above, from the env itself."""
    env = mesocosm.make("commons", target="python", seed=7, autoreset="off")
    policies = make_players({}, env.spec).policies
    beginnings = Beginnings(env)
    view = begin_episodes(env, policies, 7)
    for _ in range(steps):
        view = env.step(choose_actions(policies, view, beginnings.follow(view)))
    return env, view


def test_steps_are_played_one_by_one_and_metrics_name_every_term(server, run):
    server.post(f"runs/{run}/step", {"count": 4})
    server.wait_for(lambda: server.get(f"runs/{run}")["progress"]["step"] == 4)
    rows = server.get(f"runs/{run}/metrics")["rows"]
    assert rows[-1]["step"] == 4
    terms = rows[-1]["terms"]["harvester"]
    assert sum(terms.values()) == pytest.approx(rows[-1]["reward"]["harvester"], abs=1e-6)
    assert server.get(f"runs/{run}")["roles"][0]["terms"][0]["name"] in terms


def test_frame_of_agent_is_what_the_agent_received_number_by_number(server, run):
    env, view = play_same(server.get(f"runs/{run}")["progress"]["step"])
    for agent in range(env.spec.num_agents):
        frame = server.get(f"runs/{run}/frame", params={"perspective": f"agent {agent}"})
        assert np.array_equal(np.array(frame["obs"], np.float32), view.obs[0, agent])
        assert frame["mask"] == view.mask[0, agent].astype(int).tolist()
        assert np.float32(frame["reward"]) == view.reward[0, agent]
        assert frame["decoded"] == env.spec.roles["harvester"].observation.decode(
            view.obs[0, agent]
        )


def test_frame_of_agent_holds_no_truth(server, run):
    frame = server.get(f"runs/{run}/frame", params={"perspective": "agent 0"})
    received = {"obs", "mask", "info", "reward", "decoded", "allowed", "action", "scene"}
    own = {"agent", "role", "step", "t", "episode", "began", "terminated", "truncated", "acting"}
    assert set(frame) == received | own | {"type", "perspective", "taken"}


def test_stream_of_agent_sends_no_metrics_and_no_events(server, run):
    with server.stream(run, "agent 1") as socket:
        next_of(socket, "frame")
        server.post(f"runs/{run}/step", {"count": 3})
        seen = [json.loads(socket.recv(timeout=30))]
        while seen[-1]["type"] != "frame":
            seen.append(json.loads(socket.recv(timeout=30)))
    assert {message["type"] for message in seen} <= {"status", "frame"}
    assert seen[-1]["perspective"] == "agent 1"


def test_stream_switches_perspective_and_refuses_unknown_ones(server, run):
    with server.stream(run) as socket:
        assert next_of(socket, "frame")["perspective"] == "everything"
        socket.send(json.dumps({"type": "watch", "perspective": "agent 2"}))
        frame = next_of(socket, "frame", lambda f: f["perspective"] != "everything")
        assert frame["perspective"] == "agent 2"
        socket.send(json.dumps({"type": "watch", "perspective": "agent 99"}))
        assert "'agent 0' to 'agent 5'" in next_of(socket, "error")["error"]
        socket.send("no JSON")
        assert next_of(socket, "error")["error"]


def test_person_takes_over_agent_and_run_waits_for_allowed_actions(server, run):
    with server.stream(run, "agent 0") as socket:
        socket.send(json.dumps({"type": "take", "agents": [0]}))
        next_of(socket, "status", lambda s: s["waiting"] == [0])
        socket.send(json.dumps({"type": "act", "agent": 0, "choice": [99, 0], "level": [0, 0]}))
        assert "is not allowed now. Allowed: " in next_of(socket, "error")["error"]
        server.post(f"runs/{run}/resume")
        frame = server.get(f"runs/{run}/frame", params={"perspective": "agent 0"})
        before = frame["step"]
        for k in range(20):
            choice = [options[k % 2 - 1] for options in frame["allowed"].values()]
            action = {"type": "act", "agent": 0, "choice": choice, "level": [0.5, 0.5]}
            socket.send(json.dumps(action))
            frame = next_of(socket, "frame")
            while frame["step"] != before + k + 1:
                frame = next_of(socket, "frame")
            assert frame["action"]["choice"] == choice
    server.post(f"runs/{run}/pause")
    # whoever is gone lets go
    server.wait_for(lambda: server.get(f"runs/{run}")["progress"]["taken"] == [])


def test_agent_taken_by_a_request_is_held_by_no_stream(server, run):
    server.post(f"runs/{run}/take", {"agents": [2]})
    with server.stream(run, "agent 2") as socket:
        status = next_of(socket, "status", lambda s: s["taken"] == [2])
        assert (status["held"], status["waiting"]) == ([], [2])
        socket.send(json.dumps({"type": "take", "agents": [1]}))
        assert next_of(socket, "status", lambda s: 1 in s["taken"])["held"] == [1]
        with server.stream(run, "agent 1") as other:
            assert next_of(other, "status")["held"] == [1]
        server.post(f"runs/{run}/release", {"agents": [1]})
        assert next_of(socket, "status", lambda s: 1 not in s["taken"])["held"] == []
    assert server.get(f"runs/{run}")["progress"]["taken"] == [2]  # whoever asked keeps it
    server.post(f"runs/{run}/release", {"agents": [2]})


@pytest.mark.parametrize("state", ["starting", "paused"])
def test_run_that_does_not_listen_is_stopped_by_force(server, monkeypatch, state):
    monkeypatch.setattr("mesocosm.web.session.STOP_SECONDS", 0.001)
    name = server.post("runs", SMALL | {"record": False})["id"]
    if state == "paused":
        server.follow("runs", name)
    answer = server.http.post(f"/api/runs/{name}/stop")
    assert answer.status_code == 200, answer.text
    server.wait_for(lambda: server.get(f"runs/{name}")["status"] == "stopped")


def test_fork_equals_its_run_until_the_step(server, run):
    frames = []
    for source in ({"step": 3}, {"step": 3, "policies": {"": "noop"}}):
        name = server.post(f"runs/{run}/fork", source | {"paused": True})["id"]
        server.follow("runs", name)
        assert server.get(f"runs/{name}")["progress"]["step"] == 3
        frames.append(server.get(f"runs/{name}/frame")["scene"])
        server.post(f"runs/{name}/stop")
    assert frames[0] == frames[1]


def test_fork_from_a_step_that_was_not_played_is_refused(server, run):
    answer = server.http.post(f"/api/runs/{run}/fork", json={"step": 10_000})
    assert answer.status_code == 400
    assert "must be between 0 and" in answer.json()["error"]


def test_speed_out_of_range_and_unknown_run_are_refused(server, run):
    assert server.http.post(f"/api/runs/{run}/speed", json={"speed": -1}).status_code == 422
    answer = server.http.post("/api/runs/nobody/pause")
    assert answer.status_code == 404
    assert "server was started again" in answer.json()["error"]
    answer = server.http.post(f"/api/runs/{run}/seek", json={"step": 1})
    assert "fork it" in answer.json()["error"]


def test_recorded_run_opens_seeks_and_verifies(server, run):
    server.post(f"runs/{run}/stop")
    about = server.get(f"replays/{run}")
    assert about["replay"]
    assert about["status"] == "finished"
    replay = server.start(f"replays/{run}/open", step=2)
    assert server.get(f"runs/{replay}")["progress"]["step"] == 2
    server.post(f"runs/{replay}/seek", {"step": 4})
    _, view = play_same(4)
    frame = server.get(f"runs/{replay}/frame", params={"perspective": "agent 3"})
    assert np.array_equal(np.array(frame["obs"], np.float32), view.obs[0, 3])
    assert server.http.post(f"/api/runs/{replay}/take", json={"agents": [0]}).status_code == 400
    server.post(f"runs/{replay}/stop")
    proof = server.post(f"replays/{run}/verify")["id"]
    server.wait_for(lambda: server.get(f"verifications/{proof}")["status"] == "finished")
    assert server.get(f"verifications/{proof}")["result"]["holds"]


def test_replay_rests_where_it_is_sought_after_its_end(server, run):
    last = server.get(f"replays/{run}")["steps"]
    replay = server.start(f"replays/{run}/open", step=last - 1)
    server.post(f"runs/{replay}/resume")
    server.wait_for(lambda: server.get(f"runs/{replay}")["progress"]["step"] == last)
    server.wait_for(lambda: server.get(f"runs/{replay}")["status"] == "paused")
    server.post(f"runs/{replay}/seek", {"step": 1})
    assert server.get(f"runs/{replay}")["status"] == "paused"
    assert server.get(f"runs/{replay}")["progress"]["step"] == 1
