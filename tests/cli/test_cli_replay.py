"""The `replay` commands: a run is shown, proven, visited and drawn."""

import dataclasses
import json
import shutil
import sys

import pytest

from mesocosm.cli.shared import film
from mesocosm.sim.record.digester import Digester
from mesocosm.worlds.registry import find


def test_replay_shows_verifies_and_seeks(cli, recorded):
    shown = json.loads(cli(f"replay show {recorded}/a --json").out)
    assert (shown["steps"], shown["envs"], shown["whole"]) == (20, 3, True)
    assert "bytes per agent step" in cli(f"replay show {recorded}/a").out
    verified = cli(f"replay verify {recorded}/a --target python")
    assert verified.status == 0
    assert "verified: 20 steps are bit for bit the same" in verified.out
    assert "20/20 steps" in verified.err
    sought = cli(f"replay seek {recorded}/a --env 2 --step 11 --target python")
    assert "step 11, env 2, seed 4, episode 1, t 3" in sought.out
    data = json.loads(cli(f"replay seek {recorded}/a --env 2 --step 11 --target python --json").out)
    assert data["truth"]["clock"] == 3


def test_a_replay_that_differs_fails_with_the_step_and_the_field(cli, recorded, monkeypatch):
    calls, real = [], Digester.digest

    def wrong(self):
        found = real(self)
        calls.append(found)
        if len(calls) == 6:
            found[2] += 1
        return found

    monkeypatch.setattr(Digester, "digest", wrong)
    done = cli(f"replay verify {recorded}/a --target python")
    assert done.status == 1
    assert "differs: the first difference is after step 4, in" in done.out


@pytest.mark.parametrize("name", ["film.gif", "film.json", "film.png"])
def test_replays_are_exported(cli, town, tmp_path, name):
    done = cli(f"replay export {town} --env 1 --steps 6 --out {tmp_path}/{name} --target python")
    assert done.status == 0, done.err
    if name == "film.json":
        moments = json.loads((tmp_path / name).read_text())
        assert [m["step"] for m in moments] == list(range(7))
        assert moments[0]["actions"] is not None
    elif name == "film.gif":
        assert (tmp_path / name).read_bytes()[:6] == b"GIF89a"
    else:
        assert (tmp_path / "film-000006.png").read_bytes()[:4] == b"\x89PNG"


def test_a_film_without_ffmpeg_says_what_to_install(cli, town, tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = cli(f"replay export {town} --steps 2 --out {tmp_path}/x.mp4 --target python")
    assert done.status == 2
    assert "[video]'" in done.err


def test_a_world_without_a_scene_is_exported_as_data_only(cli, recorded, monkeypatch):
    bare = dataclasses.replace(find("commons"), scene=None)
    monkeypatch.setattr(film, "find", lambda name: bare)
    done = cli(f"replay export {recorded}/a --out {recorded}/x.gif --target python")
    assert done.status == 2
    assert "commons cannot be drawn: its WORLD has no scene; .json can be written" in done.err


def test_an_export_to_an_unknown_kind_of_file_is_refused(cli, recorded):
    done = cli(f"replay export {recorded}/a --out {recorded}/x.avi --target python")
    assert done.status == 2
    assert "must end in .mp4, .gif, .png, .json, got '.avi'" in done.err
