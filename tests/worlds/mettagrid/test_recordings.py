"""Every recording of MettaGrid plays back byte for byte."""

import json

import pytest
from recordings.replay import RECORDINGS, main, replay


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recording_replays_byte_for_byte(path):
    result = replay(path)
    assert (result.mismatching, result.others, result.first) == (0, 0, "")


@pytest.mark.parametrize("name", ["cogs_basic", "classic_assembler_chest"])
def test_recording_replays_byte_for_byte_in_plain_python(name):
    (path,) = (path for path in RECORDINGS if path.stem == name)
    assert replay(path, "python").good


def test_command_prints_mismatching_bytes_and_fails(tmp_path, capsys):
    data = json.loads(RECORDINGS[0].read_text())
    data["frames"][0]["obs"][0][0][2] += 1
    (tmp_path / "bad.json").write_text(json.dumps(data))
    assert main([str(tmp_path / "bad.json")]) == 1
    assert "1 mismatching bytes" in capsys.readouterr().out
    assert main([str(RECORDINGS[0])]) == 0
