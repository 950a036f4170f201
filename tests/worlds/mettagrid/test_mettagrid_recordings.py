"""Every recording of the program plays back byte for byte."""

import json
from pathlib import Path

import golden
import pytest

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.json"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_plays_back_byte_for_byte(path):
    result = golden.replay(path)
    assert (result.mismatching, result.others, result.first) == (0, 0, "")


@pytest.mark.parametrize("name", ["cogs_basic", "classic_assembler_chest"])
def test_plain_python_plays_back_the_same(name):
    (path,) = (path for path in RECORDINGS if path.stem == name)
    assert golden.replay(path, "python").good


def test_the_command_says_what_differs(tmp_path, capsys):
    data = json.loads(RECORDINGS[0].read_text())
    data["frames"][0]["obs"][0][0][2] += 1
    (tmp_path / "bad.json").write_text(json.dumps(data))
    assert golden.main([str(tmp_path / "bad.json")]) == 1
    assert "1 mismatching bytes" in capsys.readouterr().out
    assert golden.main([str(RECORDINGS[0])]) == 0
