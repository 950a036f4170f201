"""Tell what became of every hostile program: `python -m benchmarks.hostile [NAME ...]`."""

import argparse
import json
import platform
import tempfile
from datetime import date
from pathlib import Path

from benchmarks.hostile.proof import NEEDS_NAMESPACES, attempt, trials
from mesocosm.evaluation.programs import containment

SLACK_SECONDS = 15.0  # beside the limits; a match that takes longer counts as a hang


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--loose", action="store_true", help="as on a system without namespaces")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.loose:
        containment.find_containment = lambda: "process group"
    closed_in = containment.find_containment()
    chosen = [trial for trial in trials() if not given.names or trial.name in given.names]
    if closed_in != "namespaces":
        chosen = [trial for trial in chosen if trial.name not in NEEDS_NAMESPACES]
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        for trial in chosen:
            verdicts.append(attempt(trial, Path(folder) / trial.name))
            tell(verdicts[-1])
    hangs = sum(verdict.seconds > SLACK_SECONDS for verdict in verdicts)
    summary = {
        "containment": closed_in,
        "programs": len(verdicts),
        "with the expected result": sum(verdict.as_expected for verdict in verdicts),
        "raised out of play_match": sum(bool(verdict.raised) for verdict in verdicts),
        "hangs": hangs,
        "processes left": max((verdict.left for verdict in verdicts), default=0),
        "replays that verify": sum(verdict.verified for verdict in verdicts),
        "system": f"{platform.system()} {platform.release()}",
    }
    print("\n".join(f"{key}: {value}" for key, value in summary.items()))
    if given.out:
        rows = [verdict._asdict() for verdict in verdicts]
        given.out.write_text(json.dumps(summary | {"verdicts": rows}, indent=1) + "\n")
        given.out.with_suffix(".md").write_text(page(summary, verdicts))


def page(summary, verdicts):
    """Write the table for people."""
    lines = ["# Hostile programs", "", f"`python -m benchmarks.hostile`, {date.today()}", ""]
    lines += [f"- {key}: {value}" for key, value in summary.items()]
    lines += ["", "| program | steps | seconds | what became of it |", "| --- | --- | --- | --- |"]
    for verdict in verdicts:
        told = (verdict.raised or verdict.reason)[:160].replace("|", "/")
        lines.append(f"| {verdict.name} | {verdict.steps} | {verdict.seconds:.1f} | {told} |")
    return "\n".join(lines) + "\n"


def tell(verdict):
    sound = verdict.as_expected and verdict.verified and not verdict.left
    told = verdict.raised or verdict.reason
    line = f"{verdict.name:38} {verdict.steps:2} steps {verdict.seconds:5.1f} s  {told[:110]}"
    print(f"{'ok ' if sound else 'BAD'} {line}", flush=True)
    if not sound:
        print(f"    {verdict}")


if __name__ == "__main__":
    main()
