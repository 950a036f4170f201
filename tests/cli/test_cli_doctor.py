import json

import pytest


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    build = tmp_path / f"commons-{'0123456789' * 2}"
    (build / "__pycache__").mkdir(parents=True)
    (build / "__pycache__" / "step.nbi").write_bytes(b"x" * 100)
    (tmp_path / "letters.txt").write_text("not ours")
    return tmp_path


def test_doctor_names_versions_targets_and_compiled_worlds(cli, cache):
    data = json.loads(cli("doctor --json").out)
    assert data["versions"]["numpy"][0].isdigit()
    assert data["targets"]["python"] == data["targets"]["cpu"] == "available"
    assert data["targets"]["cuda"]
    assert data["programs"]["containment"] in {"namespaces", "process group"}
    assert data["cache"]["directory"] == str(cache)
    assert data["cache"]["worlds"] == {"commons": {"builds": 1, "compiled": 1, "bytes": 100}}


def test_doctor_says_what_is_compiled_as_it_is_now(cli, cache):
    data = json.loads(cli("doctor --json").out)["ready"]
    commons = [entry for entry in data if entry["world"] == "commons"]
    assert [(entry["layered"], entry["code"]) for entry in commons] == [(False, None), (True, None)]
    assert "commons/default" in commons[0]["presets"]
    assert "not compiled (mesocosm compile)" in cli("doctor").out


def test_doctor_says_what_is_absent(cli, cache, monkeypatch):
    monkeypatch.setattr("mesocosm.cli.doctor.PACKAGES", ("no-such-package",))
    assert "no-such-package  absent" in cli("doctor").out


def test_doctor_clears_its_own_files_alone(cli, cache):
    assert "cleared 100 B" in cli("doctor --clear-cache").out
    assert [path.name for path in cache.iterdir()] == ["letters.txt"]


def test_doctor_does_not_make_the_cache_that_it_reports(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path / "none"))
    told = json.loads(cli("doctor --json").out)
    assert told["cache"] == {
        "directory": str(tmp_path / "none"),
        "cleared_bytes": None,
        "worlds": {},
    }
    assert not (tmp_path / "none").exists()
