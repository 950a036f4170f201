"""Who may ask, by which name, from where, how much, and where no request can lead."""

import json
import pickle
import re
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import mesocosm.web
from mesocosm.core.errors import UnknownName
from mesocosm.web.folder import RunsFolder
from mesocosm.web.settings import PROTOCOL
from mesocosm.worlds import commons
from mesocosm.worlds.registry import names
from tests.web.conftest import TOKEN

ELSEWHERE = (
    "..", ".", "", "~", "..~..", "a~..~..~etc", "/etc", "/etc/passwd", "a/../../b",
    "a\\..\\b", "a\0b",
    "%2e%2e", "..%2f..%2fetc", ".hidden", "a~.run.lock", "x" * 200, "a b", "ä", "-a",
)  # fmt: skip

WRITTEN = {".py", ".js", ".mjs", ".css", ".html", ".svg"}


def routes(server):
    for path, methods in server.get("openapi.json")["paths"].items():
        for method in methods:
            yield method.upper(), path.replace("{", "").replace("}", "")


def test_no_route_works_without_the_token(server):
    found = list(routes(server))
    assert len(found) > 40
    wrong = ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"},
             {"Authorization": f"Bearer {TOKEN}x"})  # fmt: skip
    with httpx.Client(base_url=server.url) as client:
        for method, path in [*found, ("GET", "/api/openapi.json"), ("GET", "/API/server")]:
            for headers in wrong:
                assert client.request(method, path, headers=headers).status_code == 401, path
        assert client.get("/api/server?token=wrong").status_code == 401
        both = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/server?token=wrong", headers=both).status_code == 401


def test_token_goes_in_header_in_query_or_as_subprotocol(server):
    assert httpx.get(f"{server.url}/api/server?token={TOKEN}").status_code == 200
    address = f"ws://127.0.0.1:{server.settings.port}/api/streams/nobody"
    with connect(address, proxy=None, subprotocols=[PROTOCOL + TOKEN]) as socket:
        assert "no session named 'nobody'" in json.loads(socket.recv(timeout=30))["error"]


def test_page_itself_needs_no_token_and_holds_none(server):
    answer = httpx.get(f"{server.url}/")
    assert answer.status_code == 200
    assert TOKEN not in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    for path in ("/%2e%2e/app.py", "/../app.py", "/..%2fapp.py", "/vendor/..%2f..%2fapp.py"):
        assert httpx.get(server.url + path).status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", ""])
def test_foreign_host_is_refused(server, host):
    given = host.format(port=server.settings.port)
    for path in ("/", "/api/server"):
        answer = server.http.get(path, headers={"Host": given})
        assert answer.status_code in (400, 421), path


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}],
)  # fmt: skip
def test_request_of_another_site_is_refused(server, headers):
    assert server.http.get("/api/server", headers=headers).status_code == 403
    assert server.http.post("/api/runs", headers=headers, json={}).status_code == 403


def test_stream_of_another_site_or_without_token_is_refused(server):
    address = f"ws://127.0.0.1:{server.settings.port}/api/streams/x"
    for more in ({"origin": "http://evil.example"}, {}):
        query = f"?token={TOKEN}" if more else ""
        with pytest.raises(InvalidStatus) as refused, connect(address + query, proxy=None, **more):
            pass
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize("name", ELSEWHERE)
def test_name_that_leads_elsewhere_is_no_name(tmp_path, name):
    with pytest.raises(UnknownName):
        RunsFolder(tmp_path / "runs").path_of(name)


def test_links_are_not_followed(tmp_path):
    folder = RunsFolder(tmp_path / "runs")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "run.json").write_text("{}")
    (outside / "a.mesop").write_text("")
    (folder.root / "link").symlink_to(outside)
    (folder.root / "uploads").mkdir()
    (folder.root / "uploads" / "b.mesop").symlink_to(outside / "a.mesop")
    assert folder.runs() == []
    assert folder.bundles() == []
    for name in ("link", "link~run.json"):
        with pytest.raises(UnknownName):
            folder.find_run(name)
    for name in ("link~a.mesop", "uploads~b.mesop"):
        with pytest.raises(UnknownName):
            folder.find_bundle(name)


def test_routes_give_nothing_from_outside_the_runs_folder(server):
    place = Path(server.settings.runs)
    (place / "away").symlink_to("/etc")
    for name in ("away", "%2e%2e", "..%2f..", "a%00b", "%2Fetc", "away~passwd", "a~..~..~b"):
        for path in (f"replays/{name}", f"bundles/{name}", f"replays/{name}/tables/episode"):
            assert server.http.get(f"/api/{path}").status_code == 404, path
    for text in ("bundle/away~x.mesop", "bundle/../x.mesop", "/x.py:Evil", "x.py:Evil",
                 "given/nobody", "given/../x.py:Evil", "program:x.py:Evil"):  # fmt: skip
        answer = server.http.post("/api/runs", json={"preset": "commons", "policies": {"": text}})
        assert answer.status_code == 404, text
        entrants = {"preset": "commons", "entrants": {"a": text}}
        assert server.http.post("/api/evaluations", json=entrants).status_code == 404, text


def test_config_that_names_files_is_refused(server, tmp_path):
    secret = tmp_path / "secret.yaml"
    secret.write_text("schema: 1\n")
    for asked in (
        {"preset": str(secret)},
        {"preset": "../secret.yaml"},
        {"preset": "commons", "archetypes": [str(secret)]},
        {"preset": "commons", "archetypes": ["fog", "../secret.yaml:0.5"]},
        {"config": {"schema": 1, "archetypes": [str(secret)]}},
        {"config": {"schema": 1, "archetypes": str(secret)}},
    ):
        found = server.post("configs/validate", asked)
        assert not found["valid"]
        assert found["problems"][0]["path"] in ("archetypes", "") or "preset" in str(found)
        assert "schema: 1" not in json.dumps(found["problems"])


class Evil:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return Path.touch, (self.marker,)


def test_uploads_are_bundles_and_are_never_unpickled(server, tmp_path):
    marker = tmp_path / "was-unpickled"
    pickle.loads(pickle.dumps(Evil(marker)))  # noqa: S301 (that it would leave its marker)
    assert marker.exists()
    marker.unlink()
    answer = server.http.post("/api/bundles?name=evil", content=pickle.dumps(Evil(marker)))
    assert answer.status_code == 400
    assert "uploads~evil.mesop: no bundle" in answer.json()["error"]
    assert not marker.exists()
    assert server.get("bundles") == []
    for name in ("../evil", ".evil", "a/b", "a%00"):
        assert server.http.post(f"/api/bundles?name={name}", content=b"").status_code == 400


def test_large_bodies_are_refused_whether_or_not_they_say_so(server):
    limits = server.settings.limits

    def chunks(size):
        for _ in range(size >> 12):
            yield b" " * 4096

    for path, most in (("runs", limits.body), ("bundles?name=large", limits.upload)):
        answer = server.http.post(f"/api/{path}", content=b" " * (most + 1))
        assert answer.status_code == 413
        answer = server.http.post(f"/api/{path}", content=chunks(most + 8192))
        assert answer.status_code == 413
    assert list((Path(server.settings.runs) / "uploads").iterdir()) == []


def test_server_imports_nothing_that_unpickles():
    """What a worker is to do comes as JSON, whoever sent it."""
    place = Path(mesocosm.web.__file__).parent
    for file in place.rglob("*.py"):
        text = file.read_text("utf-8")
        for name in ("import pickle", "from pickle", "import shelve", "allow_pickle=True"):
            assert name not in text, f"{file}: {name}"


def test_server_and_page_name_no_world():
    """No world is named by server or page: what is true of one would not be of the next."""
    place = Path(mesocosm.web.__file__).parent
    files = [file for file in place.rglob("*") if file.suffix in WRITTEN]
    assert {file.suffix for file in files} >= {".py", ".js", ".css", ".html"}
    for file in files:
        text = file.read_text("utf-8").lower()
        for name in names():
            assert re.search(rf"\b{name}\b", text) is None, f"{file} names {name}"


@pytest.mark.parametrize(
    "name", ["../out", "../../out", "a/../../out", "/etc/out", "a/b", "..", ".hidden", "a\\b", "~"]
)
def test_upload_keeps_to_its_folder_whatever_its_name_says(server, name):
    root = server.settings.runs
    before = set(root.parent.rglob("*.mesop"))
    bundle = (Path(commons.__file__).parent / "trained" / "harvester.mesop").read_bytes()
    answer = server.http.post("/api/bundles", params={"name": name}, content=bundle)
    assert answer.status_code == 400, answer.text
    assert "letters, digits" in answer.json()["error"]
    assert set(root.parent.rglob("*.mesop")) == before
