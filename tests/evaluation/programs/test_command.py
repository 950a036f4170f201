import sys
from pathlib import Path

import pytest

from mesocosm.core.errors import PolicyError
from mesocosm.evaluation.programs.command import is_program, read_command
from mesocosm.evaluation.programs.files import digest_files


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("steady", False),
        ("best.mesop", False),
        ("runs/a/best.mesop:greedy", False),
        ("trained/best", False),
        ("mine.py:Mine", True),
        ("my.bots:Mine", True),
        ("./bot --fast", True),
        ("/usr/bin/bot", True),
        ("python3 bot.py", True),
        ("program:bot", True),
    ],
)
def test_files_of_code_and_command_lines_are_foreign(text, foreign):
    assert is_program(text) is foreign


def test_code_is_played_by_our_player_and_reads_its_own_folder(tmp_path):
    file = tmp_path / "bot.py"
    file.write_text("")
    command = read_command(f"{file}:Bot")
    assert command.arguments == (sys.executable, "-m", "mesocosm.evaluation.programs.player")
    assert command.player == f"{file}:Bot"
    assert str(tmp_path) in command.readable
    assert str(Path.cwd()) not in command.readable


def test_a_file_among_everyones_files_is_shown_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / "bot.py").write_text("")
    readable = read_command(f"{tmp_path}/bot.py:Bot").readable
    assert f"{tmp_path}/bot.py" in readable
    assert str(tmp_path) not in readable


def test_paths_in_a_command_line_become_absolute_and_readable(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "a.bin").write_text("")
    command = read_command("sh -c 'echo it' weights/a.bin --weights weights")
    assert command.arguments[0].endswith("/sh")
    assert command.arguments[1:3] == ("-c", "echo it")
    assert command.arguments[3] == str(tmp_path / "weights" / "a.bin")
    assert str(tmp_path / "weights") in command.readable
    assert str(tmp_path) not in command.readable


def test_a_word_before_it_may_say_that_it_is_a_program():
    assert read_command("program:sh -c true") == read_command("sh -c true")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no-such-program --fast", "'no-such-program' is no program that can be run"),
        ("sh 'unfinished", "is no command line: No closing quotation"),
        ("/nowhere/bot.py:Bot", "no such file"),
    ],
)
def test_what_cannot_be_run_is_refused_before_the_match(text, said):
    with pytest.raises(PolicyError, match=said):
        read_command(text)


def test_the_environment_holds_nothing_of_ours(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "x")
    command = read_command("sh -c true")
    assert set(command.environment("/room")) == {
        "PATH", "HOME", "TMPDIR", "LANG", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "MESOCOSM_CACHE_DIR",
    }  # fmt: skip


def test_every_file_that_a_command_line_names_belongs_to_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("bot.py", "weights.bin", "more.bin"):
        (tmp_path / name).write_text(name)
    command = read_command("sh bot.py --weights=weights.bin --fast none.bin", ["more.bin"])
    named = [str(tmp_path / name) for name in ("bot.py", "weights.bin", "more.bin")]
    assert list(command.files) == [command.arguments[0], *named]
    assert len(set(digest_files(command).values())) == 4
    assert read_command("bot.py:Bot").files == (str(tmp_path / "bot.py"),)


def test_a_python_that_leads_to_another_is_replaced_by_it(tmp_path, monkeypatch):
    shim = tmp_path / "python3.99"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    command = read_command("python3.99 -c pass")
    assert command.arguments[0] == sys.executable
    assert {sys.prefix, sys.base_prefix} <= set(command.readable)
    assert read_command(f"{shim} -c pass").arguments[0] == str(shim)  # nobody's path: never run
