"""One Ray for each test file, and the command line in this process, which then uses it."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "evaluation" / "arena"))  # samples of arenas


@pytest.fixture(scope="module")
def cluster():
    from mesocosm.distributed.cluster import open_cluster

    before = os.environ.get("PYTHONPATH", "")
    path = os.pathsep.join([str(HERE), before])  # workers find what tests define
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        with open_cluster(num_cpus=2) as made:
            yield made


@pytest.fixture
def executor(cluster):
    from mesocosm.distributed.executor import RayExecutor

    said = []
    made = RayExecutor(cluster, num_shards=None, say=said.append)
    made.said = said
    return made


@pytest.fixture
def cli(capsys, monkeypatch):
    """Run one command line in this process; give its status, output and errors."""
    from mesocosm.cli.app import status

    monkeypatch.setenv("MESOCOSM_QUIET", "1")

    def call(text):
        capsys.readouterr()
        code = status(text.split())
        out, err = capsys.readouterr()
        assert code == 0, err
        return out

    return call
