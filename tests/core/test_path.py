"""A path that no file system or terminal can hold is one error of our own, wherever it is given."""

import os
import signal
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


@pytest.fixture
def impatient():
    """Fail a test that waits."""

    def fail(number, frame):
        raise TimeoutError("waited for ten seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(10)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("suffix", [".yaml", ".toml", ".json"])
def test_a_config_at_a_fifo_is_refused_without_waiting(suffix, tmp_path, impatient, capsys):
    path = tmp_path / f"config{suffix}"
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="cannot be read: not a regular file"):
        meso.load_config(path)
    assert status(["config", "validate", str(path)]) == BAD_INPUT
    assert capsys.readouterr().err == f"mesocosm: {path}: cannot be read: not a regular file\n"


@pytest.mark.parametrize("name", ["run.json", "files.json", "config.yaml", "replay.meso", "lock"])
def test_a_fifo_in_the_place_of_a_run_file_is_named_without_waiting(
    name, tmp_path, impatient, capsys
):
    folder = tmp_path / "run"
    env = meso.make("commons", target="python")
    with meso.record(env, folder):
        env.reset()
        env.step(env.spec.roles["harvester"].action.noop((1, 6)))
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    for command in ("runs show", "replay show", "replay verify --target python", "runs list"):
        code = status([*command.split(), str(tmp_path if command == "runs list" else folder)])
        said = capsys.readouterr()
        if "verify" in command:
            assert (code == 0) == (name == "lock")
            assert name in said.out + said.err
