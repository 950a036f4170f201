import subprocess
import sys

import pytest

LEAN = """
import sys
from mesocosm.cli.app import status
code = status({arguments!r})
assert code == 0, code
assert "numba" not in sys.modules
assert "mesocosm.testing" not in sys.modules
"""


@pytest.mark.parametrize(
    "line", ["--help", "worlds", "describe commons", "config show commons", "config schema commons"]
)
def test_reading_commands_do_not_import_numba(line):
    program = LEAN.format(arguments=line.split())
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("line", ["describe commons", "config schema commons", "worlds"])
def test_a_reader_that_leaves_early_causes_no_traceback(line):
    command = [sys.executable, "-m", "mesocosm.cli", *line.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
