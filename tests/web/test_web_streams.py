"""Streams under load: slow clients drop frames, fast ones get them whole, restarts are survived."""

import json
import socket as sockets
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from mesocosm.web.client import Client
from mesocosm.web.ring import Ring
from mesocosm.web.session import status_for
from tests.web.conftest import make_settings, next_of


def test_client_keeps_the_newest_frame_only():
    client = Client("everything")
    for k in range(1000):
        client.offer_frame(b"frame %d" % k)
    assert client.next_messages({}) == [b"frame 999"]
    assert client.dropped == 999
    assert client.next_messages({}) == []


def test_ring_forgets_the_oldest_rows_and_goes_on_counting():
    ring = Ring(3)
    for k in range(5):
        ring.add(b"%d" % k)
    assert ring.after(0, 10) == ([b"2", b"3", b"4"], 5)
    assert ring.after(4, 10) == ([b"4"], 5)
    assert ring.after(3, 1) == ([b"3"], 4)
    assert ring.after(99, 10) == ([], 5)


def test_slow_client_gets_rows_in_order_after_a_pause():
    client, ring = Client("everything"), Ring(1000)
    seen = []
    for k in range(700):
        ring.add(b"%d" % k)
    while client.wake.is_set() or not seen:
        for message in client.next_messages({"metrics": ring}):
            seen += json.loads(message)["rows"]
    assert seen == list(range(700))


def test_stalled_client_costs_bounded_memory_and_slows_nobody(server):
    run = server.start(preset="commons", speed=0, record=False)
    stalled = sockets.create_connection(("127.0.0.1", server.settings.port))
    stalled.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    stalled.sendall(
        f"GET /api/streams/{run}?token={server.settings.token} HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{server.settings.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    session = server.app.state.mesocosm.sessions.find(run)
    server.wait_for(lambda: session.clients)
    (client,) = session.clients
    server.wait_for(lambda: client.dropped > 30)  # its socket is full, and frames go on
    with server.stream(run) as fast:
        begun, frames = time.monotonic(), 0
        while time.monotonic() - begun < 2.0:
            frame = next_of(fast, "frame")
            assert frame["scene"]["items"]
            frames += 1
    assert frames > 5
    stalled.close()
    server.wait_for(lambda: not session.clients)
    server.post(f"runs/{run}/stop")


def test_many_clients_get_the_same_bytes(server):
    run = server.start(preset="commons", paused=True, record=False)
    session = server.app.state.mesocosm.sessions.find(run)
    with ExitStack() as stack:
        clients = [stack.enter_context(server.stream(run)) for _ in range(5)]
        for client in clients:
            next_of(client, "frame")
        server.post(f"runs/{run}/step", {"count": 1})
        frames = []
        for client in clients:
            while not frames or len(frames) <= clients.index(client):
                raw = client.recv(timeout=30)
                message = json.loads(raw)
                if message["type"] == "frame" and message["step"] == 1:
                    frames.append(raw)
        assert len(set(frames)) == 1
        assert frames[0] == session.last_frame("everything")
    server.post(f"runs/{run}/stop")


def test_server_that_was_started_again_shows_what_was_recorded(restarted, tmp_path):
    settings = replace(make_settings(tmp_path / "runs"), spares=1)
    first = restarted(settings)
    run = first.start(preset="commons", speed=0, steps=30)
    first.wait_for(lambda: first.get(f"runs/{run}")["status"] == "finished")
    open_run = first.start(preset="commons", paused=True)
    instance = first.get("server")["instance"]
    second = restarted(settings)
    assert second.get("server")["instance"] != instance
    assert second.http.get(f"/api/runs/{open_run}").status_code == 404
    with second.stream(open_run) as stream:
        assert "started again" in next_of(stream, "error")["error"]
    found = {entry["name"]: entry for entry in second.get("replays")}
    assert found[run]["status"] == found[open_run]["status"] == "finished"
    assert found[run]["steps"] == 30
    assert Path(settings.runs, run, "replay.meso").is_file()


def test_status_of_an_agent_tells_nothing_of_others():
    data = {"type": "status", "id": "a", "kind": "run", "status": "waiting", "error": "boom"}
    data |= {"step": 4, "t": 4, "episode": 0, "speed": 5.0, "paused": False, "num_steps": None}
    data |= {"taken": [1, 2], "waiting": [2], "held": [1], "cpu_seconds": 1.0, "frames_encoded": 3}
    first, second = (status_for(data, Client(f"agent {k}")) for k in (1, 2))
    assert (first["status"], first["taken"], first["waiting"]) == ("running", [1], [])
    assert (second["status"], second["taken"], second["waiting"]) == ("waiting", [2], [2])
    assert first.keys() == data.keys() - {"cpu_seconds", "frames_encoded"}
    assert "boom" not in first["error"]
    player = Client("agent 1")
    player.taken = {2}
    assert status_for(data, player)["taken"] == [1, 2]


def test_client_of_a_run_that_starts_is_told_so_at_once(server):
    name = server.post("runs", {"preset": "townlet/L7", "speed": 0})["id"]
    with server.stream(name) as everything, server.stream(name, "agent 0") as agent:
        first = next_of(everything, "status")
        assert first["status"] == "starting"
        assert next_of(everything, "frame")["perspective"] == "everything"
        assert next_of(agent, "frame")["perspective"] == "agent 0"
    server.post(f"runs/{name}/stop")


def test_client_that_asks_a_starting_run_for_a_stranger_harms_nobody(server):
    name = server.post("runs", {"preset": "townlet/L7", "speed": 0})["id"]
    with server.stream(name, "agent 99") as stranger, server.stream(name) as good:
        assert "no perspective 'agent 99'" in json.loads(stranger.recv(timeout=20.0))["error"]
        assert next_of(good, "frame")
    server.post(f"runs/{name}/stop")
