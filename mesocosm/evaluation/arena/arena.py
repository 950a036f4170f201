"""An arena: entrants play bouts on the same episodes, of one preset or of several."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mesocosm.build import make
from mesocosm.config.identity import dump
from mesocosm.core.errors import RunError
from mesocosm.core.spec import Role, Spec
from mesocosm.evaluation.arena import tables
from mesocosm.evaluation.arena.bout import Bout, play_bout
from mesocosm.evaluation.arena.bout_folder import BoutFolder
from mesocosm.evaluation.arena.entrant import Entrant, load_for_role
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.evaluation.arena.lineup import Lineup, describe
from mesocosm.evaluation.arena.seated import Forfeits, SeatedPolicy, seat_policies
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.programs.program_policy import ProgramPolicy
from mesocosm.resolve import Resolved
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.recorder import record

Progress = Callable[[str, int], None]  # what is played, and how many bouts are done


@dataclass(frozen=True)
class Conditions:
    """What is the same for every entrant.

    Args:
        presets: What is played, the first names the run.
        move_seconds: How long a program may take for one answer about a whole batch.
    """

    presets: tuple[Resolved, ...]
    episodes: Episodes
    target: str = "cpu"
    move_seconds: float = 1.0
    start_seconds: float = 60.0
    recorded: bool = False

    def preset_name(self, preset: int) -> str:
        """Name a preset for people."""
        identity = self.presets[preset].config.identity
        return f"{identity.world}/{identity.preset}"


class Arena:
    """Plays bouts, or takes those that its folder has; every bout meets the same episodes.

    Args:
        folder: Where bouts are kept; None: nowhere.
        on_step: Is called after every step; what it raises ends the bout that is played.
        on_bout: Is told of every bout before it is played, and how many were.
    """

    def __init__(
        self,
        conditions: Conditions,
        entrants: Sequence[Entrant],
        *,
        open_folder: Callable[[Engine], BoutFolder] | None = None,
        on_step: Callable[[], None] | None = None,
        on_bout: Progress | None = None,
    ) -> None:
        self.conditions, self.entrants = conditions, list(entrants)
        self.names = [entrant.name for entrant in entrants]
        self._on_step, self._on_bout = on_step, on_bout
        self._engines: dict[int, Engine] = {}
        self.bouts: list[Bout] = []
        self.folder = None if open_folder is None else open_folder(self._engine(0))

    def on_update(self, what: str, share: float) -> None:
        """Show how far a training on the way is; it can be interrupted like a bout."""
        if self._on_bout is not None:
            self._on_bout(f"best response to {what}: {100 * share:.0f} %", len(self.bouts))
        if self._on_step is not None:
            self._on_step()

    def add(self, entrant: Entrant) -> None:
        """Let somebody in after the others."""
        self.entrants.append(entrant)
        self.names.append(entrant.name)

    def spec(self, preset: int = 0) -> Spec:
        """Give what a preset declares."""
        return self.conditions.presets[preset].spec

    def _engine(self, preset: int) -> Engine:
        if preset not in self._engines:
            episodes = self.conditions.episodes
            self._engines[preset] = make(
                self.conditions.presets[preset],
                num_envs=episodes.batch_size,
                target=self.conditions.target,
                seed=episodes.batch_seed(0),
                autoreset="off",
            )
        return self._engines[preset]

    def enter(self, entrant: Entrant) -> None:
        """Let somebody else play too."""
        self.entrants.append(entrant)
        self.names.append(entrant.name)

    def tell(self, what: str) -> None:
        """Say what goes on between two bouts."""
        if self._on_bout is not None:
            self._on_bout(what, len(self.bouts))

    def check(self) -> None:
        """Say that time goes by; raises if the arena is to end."""
        if self._on_step is not None:
            self._on_step()

    def release(self, preset: int) -> None:
        """Let go of a preset's env, of which no more bouts are played soon."""
        self._engines.pop(preset, None)

    def play(self, lineup: Lineup, preset: int = 0) -> Bout:
        """Play the next bout, unless the folder has it."""
        number = len(self.bouts)
        if self._on_bout is not None:
            self._on_bout(describe(self.spec(preset), lineup, self.names), number)
        bout = None if self.folder is None else self.folder.find(number)
        if bout is None:
            bout = self._play(lineup, preset, number)
            if self.folder is not None:
                self.folder.keep(bout)
        elif (bout.number, bout.preset, bout.lineup) != (number, preset, lineup):
            where = "" if self.folder is None else self.folder.path
            raise RunError(f"{where}: damaged: bout {number} was of another lineup")
        self.bouts.append(bout)
        return bout

    def _play(self, lineup: Lineup, preset: int, number: int) -> Bout:
        env, forfeits = self._engine(preset), Forfeits()
        opened: list[Any] = []

        def load(k: int, role: Role) -> SeatedPolicy:
            made, checked = self._load(self.entrants[k], role, preset)
            opened.append(made)
            return SeatedPolicy(made, k, forfeits, checked=checked)

        policies = seat_policies(self.spec(preset), lineup, load)
        try:
            with self._recording(env, number):
                return play_bout(
                    env,
                    policies,
                    forfeits,
                    self.conditions.episodes,
                    number=number,
                    preset=preset,
                    lineup=lineup,
                    on_step=self._on_step,
                )
        finally:
            for policy in opened:
                if hasattr(policy, "close"):
                    policy.close()

    def _load(self, entrant: Entrant, role: Role, preset: int) -> tuple[Any, bool]:
        """Make an entrant's policy for a role; say whether its answers have to be checked."""
        if entrant.is_program:
            return self._open_program(entrant, preset), False
        loaded = load_for_role(entrant, role, self.spec(preset).world)
        return loaded.policy, False

    def _open_program(self, entrant: Entrant, preset: int) -> ProgramPolicy:
        conditions = self.conditions
        limits = Limits(
            start_seconds=conditions.start_seconds, move_seconds=conditions.move_seconds
        )
        hidden = [] if self.folder is None else [self.folder.path.absolute()]
        config = conditions.presets[preset].config
        return ProgramPolicy(entrant.program, config, limits, hidden=hidden)

    def _recording(self, env: Engine, number: int) -> AbstractContextManager[Any]:
        if self.folder is None or not self.conditions.recorded:
            return nullcontext()
        place = self.folder.recording(number)
        shutil.rmtree(place, ignore_errors=True)  # of a bout that was cut off
        return record(env, place, about={"evaluation": {"bout": number}})

    def close(self, status: str = "finished", error: str = "") -> None:
        """Write the tables of what was played, and let go of the folder."""
        if self.folder is None:
            return
        self.folder.write_tables(self.tables())
        self.folder.close(status, error)

    def tables(self) -> dict[str, tuple[tables.Kinds, list[tables.Row]]]:
        """Give the rows of all bouts, by table."""
        made: dict[str, tuple[tables.Kinds, list[tables.Row]]] = {
            "bout": (tables.BOUT, []),
            "episode": (tables.EPISODE, []),
            "episode_agents": (tables.EPISODE_AGENTS, []),
            "event_count": (tables.EVENT_COUNT, []),
        }
        for bout in self.bouts:
            given = (bout, self.spec(bout.preset), self.conditions.preset_name(bout.preset))
            made["bout"][1].append(tables.bout_row(*given, self.names))
            made["episode"][1].extend(tables.episode_rows(*given, self.names))
            made["episode_agents"][1].extend(tables.life_rows(*given, self.names))
            made["event_count"][1].extend(tables.event_rows(*given, self.names))
        return made


OpenFolder = Callable[[Engine], BoutFolder]


def open_new(path: Path, conditions: Conditions, about: dict[str, Any]) -> OpenFolder:
    """Say that a new folder is to be made."""
    return lambda env: BoutFolder(path, env, _configs(conditions), about)


def open_again(path: Path, conditions: Conditions) -> OpenFolder:
    """Say that a folder is to be gone on with."""
    return lambda env: BoutFolder(path, env, _configs(conditions), None)


def _configs(conditions: Conditions) -> list[dict[str, Any]]:
    return [dump(resolved.config) for resolved in conditions.presets]
