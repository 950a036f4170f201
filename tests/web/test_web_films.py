"""Films of recorded runs: made in a worker, limited, downloaded, and never outside the folder."""

import io
import sys
from pathlib import Path

import pytest
from PIL import Image

STEPS = 24


@pytest.fixture(scope="module")
def recording(server):
    """A run of commons, with episodes of ten steps."""
    asked = {"preset": "commons", "overrides": {"core.max_steps": 10}, "speed": 0, "steps": STEPS}
    name = server.post("runs", asked)["id"]
    server.wait_for(lambda: server.get(f"runs/{name}")["status"] == "finished")
    return name


def make_film(server, recording, **asked):
    name = server.post(f"replays/{recording}/films", {"side": 160} | asked)["id"]
    server.wait_for(lambda: server.get(f"films/{name}")["status"] in ("finished", "crashed"))
    return server.get(f"films/{name}")


@pytest.mark.parametrize("kind", ["gif", "webp"])
@pytest.mark.parametrize("perspective", ["everything", "agent 2"])
def test_film_has_a_frame_for_every_step_asked_for(server, recording, kind, perspective):
    asked = {"first": 3, "last": 22, "every": 3, "format": kind, "perspective": perspective}
    film = make_film(server, recording, **asked)
    assert film["status"] == "finished", film["error"]
    assert film["recording"] == {"name": recording, "env": 0}
    answer = server.http.get(f"/api/films/{film['id']}/file")
    assert answer.headers["content-type"] == f"image/{kind}"
    assert f'filename="{film["id"]}.{kind}"' in answer.headers["content-disposition"]
    image = Image.open(io.BytesIO(answer.content))
    assert image.n_frames == film["result"]["frames"] == 8  # 3, 6, ..., 21, and 22
    assert image.size == (film["result"]["width"], film["result"]["height"])
    found = Path(server.settings.runs) / "films" / f"{film['id']}.{kind}"
    assert found.read_bytes() == answer.content
    assert film["id"] in [entry["id"] for entry in server.get("films")]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"perspective": "agent 6"}, "'agent 0' to 'agent 5', got 'agent 6'"),
        ({"perspective": "agent 1/../.."}, "perspective: must be"),
        ({"env": 1}, "env: must be between 0 and 0, got 1"),
        ({"first": 5, "last": 4}, "first: must be at most 4"),
        ({"last": STEPS + 1}, str(STEPS)),
    ],
)
def test_film_that_cannot_be_made_is_refused(server, recording, asked, words):
    answer = server.http.post(f"/api/replays/{recording}/films", json=asked)
    assert answer.status_code in (400, 404)
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    "asked",
    [{"side": 5000}, {"format": "exe"}, {"frames_per_second": 0}, {"every": 0}, {"out": "/tmp/x"}],  # noqa: S108
)
def test_malformed_film_is_refused(server, recording, asked):
    assert server.http.post(f"/api/replays/{recording}/films", json=asked).status_code == 422


def test_film_of_too_many_frames_is_refused_and_told_what_fits(server, recording, monkeypatch):
    monkeypatch.setattr("mesocosm.web.routes.films.MOST_FRAMES", 10)
    answer = server.http.post(f"/api/replays/{recording}/films", json={})
    assert answer.status_code == 400
    assert f"at most 10 frames, got {STEPS + 1}" in answer.json()["error"]
    assert "one of every 3" in answer.json()["error"]


def test_mp4_without_ffmpeg_says_what_to_install(server, recording, monkeypatch):
    monkeypatch.setattr("mesocosm.telemetry.pictures.files.shutil.which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    answer = server.http.post(f"/api/replays/{recording}/films", json={"format": "mp4"})
    assert answer.status_code == 409
    assert "[video]" in answer.json()["error"]
    assert server.get(f"replays/{recording}")["film_formats"] == ["gif", "webp"]


@pytest.mark.parametrize("name", ["nobody", "..", "..%2F..%2Fetc", "a~..~b", ".hidden"])
def test_hostile_names_are_refused(server, name):
    for path in (f"replays/{name}/films", f"films/{name}/stop"):
        assert server.http.post(f"/api/{path}", json={}).status_code in (404, 405)
    assert server.http.get(f"/api/films/{name}/file").status_code in (404, 405)


def test_folder_of_films_that_is_a_link_is_refused(server, recording, tmp_path):
    films = Path(server.settings.runs) / "films"
    films.rename(films.with_name("films-before")) if films.exists() else None
    films.symlink_to(tmp_path)
    try:
        answer = server.http.post(f"/api/replays/{recording}/films", json={})
        assert answer.status_code == 400
        assert "is a link" in answer.json()["error"]
        assert list(tmp_path.iterdir()) == []
    finally:
        films.unlink()
