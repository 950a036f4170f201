"""Hostile programs: each ends in a move or a forfeit with a reason, and leaves nothing behind."""

import os
import tempfile
from pathlib import Path

import pytest

from benchmarks.hostile.proof import attempt, trials
from mesocosm.evaluation.programs import containment

QUICK = (
    "closes_output",
    "answers_ahead_and_stops_reading",
    "floods_its_output",
    "nests_a_million_lists",
    "numbers_its_answer_with_an_array",
    "leaves_a_child_that_holds_its_output",
    "leaves_daemons",
    "starts_many_patient_children",
    "eats_memory_at_once",
    "keeps_memory_in_unmapped_files",
    "keeps_detached_shared_memory",
    "forgets_shared_memory_that_it_keeps",
    "maps_zeros_as_shared_memory",
    "makes_a_million_files",
    "leaves_a_locked_folder",
    "looks_for_recordings",
    "kills_its_parents",
)
LOOSE = (
    "closes_output",
    "leaves_daemons",
    "starts_many_patient_children",
    "keeps_memory_in_unmapped_files",
    "forgets_shared_memory_that_it_keeps",
)
TRIALS = {trial.name: trial for trial in trials()}


def check(name, tmp_path):
    verdict = attempt(TRIALS[name], tmp_path / "run")
    assert verdict.raised == ""
    assert verdict.as_expected, verdict
    assert verdict.left == 0
    assert verdict.verified
    assert verdict.seconds < 60.0  # on a machine that does much else, too
    assert list(Path(tempfile.gettempdir()).glob(f"mesocosm-program-{os.getpid()}-*")) == []


def test_there_are_more_than_forty():
    assert len(TRIALS) >= 40


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_program_ends_in_a_result_with_a_reason(name, tmp_path):
    check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(TRIALS) - set(QUICK)))
def test_every_other_hostile_program_does_so_too(name, tmp_path):
    check(name, tmp_path)


@pytest.mark.parametrize("name", LOOSE)
def test_without_namespaces_nothing_is_left_behind_either(name, tmp_path, monkeypatch):
    monkeypatch.setattr(containment, "find_containment", lambda: "process group")
    check(name, tmp_path)
