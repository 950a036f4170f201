"""The job of training a best response to an entrant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mesocosm.evaluation.arena.entrant import Entrant, load_for_role
from mesocosm.evaluation.arena.play_job import move_entrant
from mesocosm.evaluation.jobs.job import Tell
from mesocosm.evaluation.jobs.plain_preset import PlainPreset


@dataclass(frozen=True)
class ResponseJob:
    """Trains a fresh network for a role while an entrant plays all else.

    Args:
        path: The bundle that it writes; one that is there is left as it is.
        steps: Agent-steps of the best response.
        changes: Of the settings that it learns with.
    """

    path: Path
    preset: PlainPreset
    entrant: Entrant
    role: str
    steps: int
    seed: int
    target: str
    changes: Mapping[str, Any]
    files: Mapping[str, str]

    cores = 1
    local_needs = ()

    @property
    def name(self) -> str:
        """Name it for people."""
        return f"best response to {self.entrant.name} as {self.role}"

    @property
    def outputs(self) -> Sequence[Path]:
        """The bundle."""
        return (self.path,)

    def move(self, places: Mapping[str, str]) -> "ResponseJob":
        """Give the same job, whose files lie elsewhere."""
        path = Path(places.get(str(self.path), self.path))
        return replace(self, path=path, entrant=move_entrant(self.entrant, places))

    def run(self, tell: Tell) -> None:
        """Train, unless that was done."""
        from mesocosm.learning.best_response import train_response

        if self.path.is_file():
            return
        resolved = self.preset.resolve()
        spec = resolved.spec
        frozen = {
            own.name: load_for_role(self.entrant, own, spec.world).policy
            for own in spec.roles.values()
        }
        train_response(
            resolved,
            self.role,
            frozen,
            self.path,
            steps=self.steps,
            seed=self.seed,
            target=self.target,
            changes=self.changes,
            on_update=tell,
        )
