"""`mesocosm play`: the link that it prints leads to a world that runs, and waits for its person."""

import os
import re
import subprocess
import sys

import httpx
import pytest

from mesocosm.cli.play import choose_scripted, name_policies
from mesocosm.worlds.registry import find
from tests.web.conftest import free_port

LINK = re.compile(r"Open (http://127\.0\.0\.1:(\d+)/)#/watch/([\w-]+)(\S*)[?&]token=(\S+)")


def run_play(tmp_path, *more):
    command = [sys.executable, "-m", "mesocosm.cli", "play", "commons", "--no-open", "--seed", "3"]
    command += ["--target", "python", "--runs", str(tmp_path / "runs"), *more]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=environment)  # fmt: skip


def read_link(process):
    for line in process.stdout:
        match = LINK.search(line)
        if match:
            return match
    raise AssertionError(f"no link, exit status {process.wait(10)}")


@pytest.mark.parametrize("watch", [False, True])
def test_printed_link_opens_on_a_running_world(tmp_path, watch):
    port = free_port()
    process = run_play(tmp_path, "--port", str(port), *(["--watch"] if watch else []))
    try:
        page, found, run, query, token = read_link(process).groups()
        assert int(found) == port
        assert query == ("" if watch else "?perspective=agent%200")
        assert httpx.get(page).status_code == 200
        headers = {"Authorization": f"Bearer {token}"}
        told = httpx.get(f"{page}api/runs/{run}", headers=headers).json()
        assert told["status"] == ("running" if watch else "waiting")
        assert told["progress"]["taken"] == ([] if watch else [0])
        assert told["policies"] == {"harvester": "steady"}
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()
    assert (tmp_path / "runs" / run / "run.json").is_file()


def test_bad_preset_policy_and_port_are_refused_before_anything_is_served(tmp_path):
    for more in (["--set", "core.num_agents=-1"], ["--policy", "nobody"], ["--port", "0"]):
        process = run_play(tmp_path, *more)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 2, output
        assert "Open http" not in output


def test_others_are_played_by_a_policy_of_the_world_itself():
    assert choose_scripted(find("commons")) == "steady"
    assert choose_scripted(find("townlet")) == "greedy"


def test_files_are_given_to_the_server_by_name():
    names, given = name_policies({"a": "steady", "b": "mine.py:Mine", "c": "x.mesop:greedy"})
    assert names == {"a": "steady", "b": "given/policy-1", "c": "given/policy-2"}
    assert given == {"policy-1": "mine.py:Mine", "policy-2": "x.mesop:greedy"}
