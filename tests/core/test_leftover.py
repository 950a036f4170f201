import os
import subprocess
import sys

from mesocosm.core.leftover import remove_leftovers

PREFIX = "mesocosm-test-"


def test_folders_of_dead_processes_are_removed_and_those_of_living_ones_stay(tmp_path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f"{PREFIX}{ended.pid}-abc"
    used = tmp_path / f"{PREFIX}{os.getpid()}-abc"
    foreign = tmp_path / f"{PREFIX}notes-abc"
    kept = tmp_path / "kept"
    for folder in (left, used, foreign, kept):
        folder.mkdir()
        (folder / "file").write_text("x")
    (tmp_path / f"{PREFIX}{ended.pid}-link").symlink_to(kept)
    remove_leftovers(PREFIX, str(tmp_path))
    assert not left.exists()
    assert all((folder / "file").is_file() for folder in (used, foreign, kept))
