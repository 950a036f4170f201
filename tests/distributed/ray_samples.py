"""What two run folders have in common, and processes of a command."""

import json
from pathlib import Path

import pyarrow.parquet

TIMES = ("env_seconds", "inference_seconds", "learning_seconds")
TINY = (
    "--target python --threads 1 --set learning.num_envs=8 --set learning.horizon=8 "
    "--set learning.minibatches=2 --set learning.network.hidden=[8]"
)
SHORT = "--target python --set core.max_steps=10"


def results(run):
    """Give the bytes of all tables and results of a run; of learning, all but times."""
    made = {}
    for path in sorted(Path(run).rglob("*")):
        name = path.relative_to(run).as_posix()
        if "learning/" in name and name.endswith(".parquet"):
            table = pyarrow.parquet.read_table(path)
            made[name] = table.drop_columns([x for x in TIMES if x in table.column_names])
        elif name.endswith((".parquet", ".mesop", ".svg")) or name.startswith("checkpoints/bout-"):
            made[name] = path.read_bytes()
        elif name.startswith("results."):
            made[name] = path.read_bytes()
    return made


def status_of(run):
    return json.loads((Path(run) / "run.json").read_text())["status"]


def descendants(pid):
    """Give the processes that a process has started, and those that they have."""
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    found = [int(child) for child in text.split()]
    return found + [low for child in found for low in descendants(child)]


def words_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
