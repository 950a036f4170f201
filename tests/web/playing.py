"""`mesocosm play` in a process of its own, and the link that it prints."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LINK = re.compile(r"Open (http://127\.0\.0\.1:(\d+)/)#/watch/([\w-]+)(\S*)[?&]token=(\S+)")


def run_play(runs, preset, *more):
    """Start it; nothing is opened."""
    command = [sys.executable, "-m", "mesocosm.cli", "play", preset, "--no-open", "--seed", "3"]
    command += ["--target", "python", "--runs", str(runs), *more]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env=environment)  # fmt: skip


@contextmanager
def playing(runs, preset, *more) -> Iterator[re.Match[str]]:
    """Give the printed link for as long as the server runs."""
    process = run_play(runs, preset, *more)
    try:
        yield read_link(process)
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def read_link(process) -> re.Match[str]:
    for line in process.stdout:
        match = LINK.search(line)
        if match:
            return match
    raise AssertionError(f"no link, exit status {process.wait(10)}")
