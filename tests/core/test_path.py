"""A path that no file system or terminal can hold is one error of our own, wherever it is given."""

import os
from pathlib import Path

import pytest

import mesocosm as meso
from mesocosm.cli.app import status
from mesocosm.cli.shared.exit_status import BAD_INPUT
from mesocosm.core.errors import ConfigError, MesocosmError, RunError
from mesocosm.core.path import check_path

NOT_UTF8 = os.fsdecode(b"run-\xff")
ODD = {"not UTF-8": (NOT_UTF8, "must be UTF-8 text"), "NUL": ("run-\0x", "NUL character")}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("kind", [str, Path])
def test_the_api_refuses_it(name, kind, tmp_path):
    text, words = ODD[name]
    path = kind(str(tmp_path / text))
    with pytest.raises(RunError, match=words):
        meso.open_run(path)
    with pytest.raises(RunError, match=words):
        meso.record(meso.make("commons", target="python"), path)
    with pytest.raises(ConfigError, match=words):
        meso.load_config(kind(f"{path}.yaml"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("given", [b"run", 5, None, object()])
def test_what_is_no_path_is_refused(given):
    with pytest.raises(MesocosmError, match="a path must be text or a Path, got"):
        check_path(given, RunError)


COMMANDS = (
    ("run", "commons", "--target", "python", "--out", "{}"),
    ("run", "--resume", "{}"),
    ("run", "{}.yaml"),
    ("config", "validate", "{}.toml"),
    ("config", "import", "mettagrid", "{}.json"),
    ("runs", "show", "{}"),
    ("runs", "list", "{}"),
    ("runs", "compare", "{}", "{}"),
    ("replay", "verify", "{}"),
    ("query", "{}", "SELECT 1"),
    ("explain", "{}"),
    ("show", "commons", "--target", "python", "--out", "{}.png"),
)


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_refuses_it_in_one_line(name, command, capsys):
    text, words = ODD[name]
    assert status([part.format(text) for part in command]) == BAD_INPUT
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize("name", ["x" * 300, "run.json"])
def test_a_name_that_the_system_refuses_is_one_error(name, tmp_path, capsys):
    (tmp_path / "run.json").write_text("")
    for command in (["runs", "show"], ["runs", "list"], ["replay", "verify"]):
        assert status([*command, str(tmp_path / name)]) == BAD_INPUT
        assert capsys.readouterr().err.startswith("mesocosm: ")
