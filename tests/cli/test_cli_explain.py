"""The `explain` command: one agent at one step of a run."""

import json

import pytest


def test_explain_tells_what_an_agent_saw_did_and_earned(cli, recorded):
    done = cli(f"explain {recorded}/a --env 1 --agent 3 --step 10 --target python")
    assert done.status == 0, done.err
    for words in ("Agent 3 (harvester) of env 1, step 10", "step 2 of episode 1", "It saw",
                  "stock", "It did", "effort", "It earned", "catch", "Around it"):  # fmt: skip
        assert words in done.out
    text = f"explain {recorded}/a --env 1 --agent 3 --step 10 --target python --json"
    data = json.loads(cli(text).out)
    assert sum(data["terms"].values()) == pytest.approx(data["reward"], abs=1e-6)
    for flags, words in (
        ("--step 20", "no step 20: must be between 0 and 19"),
        ("--step 3 --agent 6", "no agent 6: must be between 0 and 5"),
        ("--step 3 --env 3", "no env 3: must be between 0 and 2"),
    ):
        refused = cli(f"explain {recorded}/a {flags} --target python")
        assert refused.status == 2
        assert words in refused.err
