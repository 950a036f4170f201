"""What a training left behind to be played: the policies in its run folder, by role."""

from pathlib import Path
from typing import Any

from mesocosm.core.errors import ConfigError, RunError
from mesocosm.core.policy import Policy
from mesocosm.core.spec import Spec
from mesocosm.evaluation.score import Scores
from mesocosm.learning.policies.load import load_policy
from mesocosm.telemetry.run_folder import RunFolder


def find_bundles(folder: RunFolder, spec: Spec, which: str = "last") -> dict[str, Path]:
    """Name the policy file of every role."""
    alone = len(spec.roles) == 1
    found = {
        role: folder.policies / (f"{which}.mesop" if alone else f"{which}-{role}.mesop")
        for role in spec.roles
    }
    for path in found.values():
        if not path.is_file():
            raise RunError(
                f"{folder.path}: has no {path.relative_to(folder.path)}: no policy was kept yet; "
                f"`mesocosm train --resume {folder.path}` goes on"
            )
    return found


def load_bundles(bundles: dict[str, Path], spec: Spec) -> tuple[dict[str, Policy], dict[str, str]]:
    """Give every role's policy, and the files' sha256 by their names."""
    policies, digests = {}, {}
    for role, path in bundles.items():
        loaded = load_policy(str(path), spec.world)
        check: Any = loaded.policy
        check.check_role(spec.roles[role])
        policies[role], digests[path.name] = loaded.policy, str(loaded.about["sha256"])
    return policies, digests


def check_unseen(seed: int, about: dict[str, Any], where: Path) -> None:
    """Refuse to judge a policy by the episodes that it was trained on."""
    if seed in (about["seed"], about.get("plan", {}).get("seed")):
        raise ConfigError(f"--seed: {seed} is the seed of {where}; choose another")


def find_typical(scores: Scores, role: str) -> int | None:
    """Find a life of a role with the most frequent outcome and, among these, the median return.

    Gives its index among all lives; None if none ended.
    """
    span = scores.spec.roles[role].span
    mine = [k for k, agent in enumerate(scores.agent.tolist()) if span.start <= agent < span.stop]
    if not mine:
        return None
    outcomes = scores.outcome[mine].tolist()
    usual = max(sorted(set(outcomes)), key=outcomes.count)
    chosen = [k for k, outcome in zip(mine, outcomes, strict=True) if outcome == usual]
    chosen.sort(key=lambda k: (float(scores.total_return[k]), k))
    return chosen[(len(chosen) - 1) // 2]


def find_extremes(scores: Scores, role: str) -> dict[str, int]:
    """Find the lives of a role with the best and the worst return; nothing if all are alike.

    Gives their indices among all lives, by `best` and `worst`.
    """
    span = scores.spec.roles[role].span
    mine = [k for k, agent in enumerate(scores.agent.tolist()) if span.start <= agent < span.stop]
    if not mine:
        return {}
    best = max(mine, key=lambda k: float(scores.total_return[k]))
    worst = min(mine, key=lambda k: float(scores.total_return[k]))
    return {} if best == worst else {"best": best, "worst": worst}
