"""What the `train` command tells of a training: in its bar, and when it is done."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mesocosm.cli.shared.output import console, print_table, rate_text, say

if TYPE_CHECKING:
    from mesocosm.learning.trainer import Trainer, Update
    from mesocosm.learning.training_run import TrainingRun

RECENT = 0.02  # share of the training whose lives the bar and the summary tell of


def preset_of(trainer: "Trainer") -> str:
    """Name what is played now; in a curriculum, its stage."""
    identity = trainer.env.config.identity
    return f"{identity.world}/{identity.preset}"


def bar_text(run: "TrainingRun", update: "Update", speed: float) -> str:
    """Say how it goes, for the bar."""
    seconds = update.seconds
    total = sum(seconds) or 1.0
    shares = "/".join(f"{100 * part / total:.0f}" for part in seconds)
    recent = recent_lives(run)
    returns = ", ".join(f"{x['mean_return']:.1f}" for x in recent.values() if x["lives"]) or "-"
    entropy = ", ".join(f"{report.entropy:.2f}" for report in update.reports.values())
    return f"{rate_text(speed)}/s, return {returns}, entropy {entropy}, env/act/learn {shares} %"


def recent_lives(run: "TrainingRun") -> dict[str, dict[str, Any]]:
    """Sum up the lives of the last few updates, by role."""
    roles = list(dict.fromkeys(row["role"] for row in run.curve))
    count = max(1, int(RECENT * len(run.curve) / max(len(roles), 1)))
    made = {}
    for role in roles:
        rows = [row for row in run.curve if row["role"] == role and row["lives"]][-count:]
        lives = sum(row["lives"] for row in rows)
        keys = ("mean_return", "mean_length", "success", "failure", "neutral", "timeout")
        means = {
            key: sum(row[key] * row["lives"] for row in rows) / lives if lives else None
            for key in keys
        }
        made[role] = {"lives": lives, **means}
    return made


def summarise(run: "TrainingRun", trainer: "Trainer", path: Path) -> dict[str, Any]:
    """Sum up a training, as plain data."""
    seconds = {
        part: sum(row[f"{part}_seconds"] for row in run.curve)
        for part in ("env", "inference", "learning")
    }
    total = sum(seconds.values()) or 1.0
    return {
        "preset": preset_of(trainer),
        "run": str(path),
        "agent_steps": run.agent_steps,
        "updates": trainer.number,
        "shares": {part: value / total for part, value in seconds.items()},
        "lately": recent_lives(run),
        "best": run.best,
        "reached_its_preset": run.reached_its_preset,
        "league": [] if trainer.league is None else trainer.league.table(),
    }


def print_summary(summary: dict[str, Any]) -> None:
    """Print what `summarise` made."""
    stopped = ", interrupted" if summary["interrupted"] else ""
    console().print(f"{summary['preset']}: trained{stopped}", style="bold")
    if not summary["reached_its_preset"]:
        say("mesocosm: the curriculum was not done: its score was not reached, and what it was "
            "to lead to was never played")  # fmt: skip
    shares = ", ".join(f"{name} {100 * part:.0f} %" for name, part in summary["shares"].items())
    rows = [
        ("agent-steps", f"{summary['agent_steps']:,} in {summary['updates']:,} updates"),
        ("speed", f"{rate_text(summary['agent_steps_per_second'])} agent-steps/s ({shares})"),
    ]
    for role, lately in summary["lately"].items():
        rows.append((f"lives of a {role} lately", _lives(lately)))
    rows.append(("run folder", f"{summary['run']} (see: mesocosm runs show {summary['run']})"))
    print_table(("", ""), rows)
    if summary["league"]:
        title = ("role", "network", "rating", "rated episodes", "did better")
        print_table(title, [_rating(entry) for entry in summary["league"]])


def _rating(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Say how strong a network of the league is."""
    network = "now" if entry["update"] is None else f"after update {entry['update']}"
    rating = f"{entry['rating']:.1f} ± {entry['uncertainty']:.1f}"
    rate = entry["score_rate"]
    better = "-" if rate is None else f"{100 * rate:.0f} %"
    return entry["role"], network, rating, f"{entry['games']:,}", better


def _lives(lately: dict[str, Any]) -> str:
    if not lately["lives"]:
        return "none ended"
    shares = [
        f"{name} {100 * lately[name]:.0f} %"
        for name in ("success", "failure", "neutral", "timeout")
        if lately[name]
    ]
    mean = f"return {lately['mean_return']:.1f}, {lately['mean_length']:.0f} steps"
    return f"{lately['lives']:,}: {mean}; {', '.join(shares)}"
