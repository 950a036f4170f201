"""The proofs of evaluation: what was published meets what is required, and the scripts run."""

import json
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "evaluation"


@pytest.fixture
def proofs(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.evaluation import coverage, coverage_table, distributions, verdicts

    return {
        "coverage": coverage,
        "table": coverage_table,
        "distributions": distributions,
        "verdicts": verdicts,
    }


def test_published_intervals_cover_wherever_one_is_given():
    data = json.loads((RESULTS / "coverage.json").read_text())
    rows = [row for row in data["rows"] if row["promised"]]
    assert {row["n"] for row in rows} == {5, 10, 30, 100}
    assert {"normal", "skewed", "bimodal", "0/1"} <= {row["kind"] for row in rows}
    assert all(row["trials"] == 2000 for row in rows)
    assert min(row["coverage"] for row in rows if row["given"]) >= 0.93
    assert all(row["why"] for row in rows if not row["given"])


def test_published_verdicts_meet_what_is_required():
    data = json.loads((RESULTS / "verdicts.json").read_text())
    assert all(row["trials"] == 2000 for row in data["equal"])
    assert min(row["equal"] for row in data["equal"]) >= 0.935
    assert all(row["trials"] == 100 for row in data["handicap"])
    assert min(row["found"] for row in data["handicap"]) >= 0.8
    planted, alike = data["seats"]
    assert planted["lucky"] >= 80
    assert alike["none"] >= 93


def test_coverage_is_measured_and_written(proofs, monkeypatch):
    monkeypatch.setattr(proofs["distributions"], "TRUTH_DRAWS", 10_000)
    rows = list(proofs["coverage"].measure_single(proofs["distributions"].two_peaks(0.3), 20))
    rows += proofs["coverage"].measure_grouped(5)
    rows = [{"promised": True} | row for row in rows]
    wide = next(row for row in rows if row.get("of") == "mean" and row["n"] == 100)
    assert wide["given"] == 1.0
    assert wide["coverage"] > 0.7
    assert wide["width"] > wide["percentile_width"]
    data = {"rows": rows, "required": 0.93, "trials": 20, "seed": 17}
    assert "| bimodal | 30% low | ours | - | - |" in proofs["table"].write_tables(data)


def test_handicaps_are_looked_for_with_the_episodes_asked_for(proofs, monkeypatch):
    monkeypatch.setattr(proofs["verdicts"], "HANDICAPPED", ("normal",))
    for row in proofs["verdicts"].handicap_simulated(4):
        assert row["needed"][0] > proofs["verdicts"].PILOT
        assert sum(row["verdicts"].values()) == 4


def test_long_samples_are_cut_by_episodes(proofs):
    sample = proofs["verdicts"].Sample(np.arange(12.0), np.repeat(np.arange(6), 2))
    parts = list(proofs["verdicts"].cut(sample, 3))
    assert [part.values.tolist() for part in parts] == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
