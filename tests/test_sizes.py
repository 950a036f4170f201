import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parent.parent / "tools" / "sizes.py"


def sizes(folder):
    return subprocess.run(
        [sys.executable, TOOL, folder], capture_output=True, text=True, check=False
    )


def test_long_files_and_functions_are_named(tmp_path):
    (tmp_path / "long.py").write_text("x = 1\n" * 401)
    (tmp_path / "deep.py").write_text("def walk():\n" + "    x = 1\n" * 50)
    done = sizes(tmp_path)
    assert done.returncode == 1
    assert "long.py: 401 lines, at most 400" in done.stdout
    assert "deep.py:1: walk: 51 lines, at most 50" in done.stdout


def test_short_files_pass(tmp_path):
    (tmp_path / "short.py").write_text("def walk():\n" + "    x = 1\n" * 49)
    assert sizes(tmp_path).returncode == 0
