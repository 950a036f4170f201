"""`mesocosm play`: the link that it prints leads to a world that runs, and waits for its person."""

import httpx
import pytest

from mesocosm.cli.play import choose_scripted, name_policies
from mesocosm.worlds.registry import find
from tests.web.conftest import free_port
from tests.web.playing import playing, run_play


@pytest.mark.parametrize("watch", [False, True])
def test_printed_link_opens_on_a_running_world(tmp_path, watch):
    port = free_port()
    more = ["--port", str(port), *(["--watch"] if watch else [])]
    with playing(tmp_path / "runs", "commons", *more) as link:
        page, found, run, query, token = link.groups()
        assert int(found) == port
        assert query == ("" if watch else "?perspective=agent%200")
        assert httpx.get(page).status_code == 200
        headers = {"Authorization": f"Bearer {token}"}
        told = httpx.get(f"{page}api/runs/{run}", headers=headers).json()
        assert told["status"] == ("running" if watch else "waiting")
        assert told["progress"]["taken"] == ([] if watch else [0])
        assert told["policies"] == {"harvester": "steady"}
    assert (tmp_path / "runs" / run / "run.json").is_file()


def test_bad_preset_policy_and_port_are_refused_before_anything_is_served(tmp_path):
    for more in (["--set", "core.num_agents=-1"], ["--policy", "nobody"], ["--port", "0"]):
        process = run_play(tmp_path / "runs", "commons", *more)
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
