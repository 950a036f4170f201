"""What a person sees who ends the server while something waits for a worker."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.web.conftest import TOKEN, free_port


@pytest.mark.parametrize("wait", ["starting", "running"])
def test_server_interrupted_with_open_streams_says_nothing_and_leaves_nothing(tmp_path, wait):
    port = free_port()
    command = f"serve --port {port} --runs {tmp_path} --target python --token {TOKEN}"
    process = subprocess.Popen(
        [sys.executable, "-m", "mesocosm.cli", *command.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
    )
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with process, httpx.Client(base_url=f"http://127.0.0.1:{port}/api/", headers=headers) as http:
        assert process.stdout.readline().startswith("Open ")
        _wait_for(lambda: _answers(http))
        run = http.post("runs", json={"preset": "commons", "speed": 1000}).json()["id"]
        if wait == "running":
            _wait_for(lambda: http.get(f"runs/{run}").json()["status"] == "running")
        address = f"ws://127.0.0.1:{port}/api/streams/{run}?token={TOKEN}"
        with connect(address, proxy=None) as stream:
            children = _children(process.pid)
            process.send_signal(signal.SIGINT)
            _read_to_the_end(stream)
        process.wait(30.0)
        said = process.stderr.read()
    assert not re.search("Traceback|Exception|ERROR", said), said
    assert children
    _wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in children))


def _read_to_the_end(stream):
    with suppress(ConnectionClosed):
        while True:
            stream.recv(timeout=30.0)


def _answers(http):
    try:
        return http.get("server").status_code == 200
    except httpx.TransportError:
        return False


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as listed:
        return [int(child) for child in listed.read().split()]


def _wait_for(holds):
    end = time.monotonic() + 60.0
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)
