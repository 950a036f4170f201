"""Play episodes between programs, each closed in and with limits on all that it uses.

A program sees what its agents receive and nothing else. One that is late, raises, exits, uses too
much or answers nonsense forfeits: the episode stops, and the reason says in words what happened.
Whatever was played is in the recording, which `mesocosm replay verify` proves.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from mesocosm.build import make
from mesocosm.config.schema import Config
from mesocosm.core.policy import Policy, check_policy
from mesocosm.core.spec import Spec
from mesocosm.evaluation.match_result import MatchResult, Score
from mesocosm.evaluation.programs.command import is_program
from mesocosm.evaluation.programs.containment import find_containment
from mesocosm.evaluation.programs.limits import Limits
from mesocosm.evaluation.programs.program_policy import ProgramPolicy
from mesocosm.evaluation.seats import SeatedPlayer, join_actions, read_seats
from mesocosm.learning.policies.load import load_policy
from mesocosm.sim.engine import Engine
from mesocosm.telemetry.recorder import Recorder, record

SEED_BITS = 62
Program = str | Policy


class Players:
    """Makes players of what names them, and ends all programs at last.

    Scripted policies, bundles and policy objects play in this process; programs in theirs.

    Args:
        readable: What programs may read beside their own folders.
        hidden: What they must not see.
    """

    def __init__(
        self,
        config: Config[Any],
        limits: Limits,
        *,
        readable: Iterable[str | Path] = (),
        hidden: Iterable[Path] = (),
    ) -> None:
        self._config, self._limits = config, limits
        self._readable, self._hidden = tuple(readable), tuple(hidden)
        self._stack = ExitStack()

    def make(self, given: Program, role: str, spec: Spec) -> Policy:
        """Make a player for a seat of a role."""
        if isinstance(given, str) and is_program(given):
            paths = {"readable": self._readable, "hidden": self._hidden}
            return self._stack.enter_context(
                ProgramPolicy(given, self._config, self._limits, **paths)  # type: ignore[arg-type]
            )
        if not isinstance(given, str):
            return check_policy(given)
        made = load_policy(given, spec.world).policy
        check = getattr(made, "check_role", None)
        if check is not None:
            check(spec.roles[role])
        return made

    def close(self) -> None:
        """End every program."""
        self._stack.close()


def draw_seed() -> int:
    """Draw a seed that nobody can guess."""
    return secrets.randbits(SEED_BITS)


def derive_seed(*words: int) -> int:
    """Make a seed of several numbers."""
    high, low = np.random.SeedSequence(words).generate_state(2, np.uint32).tolist()
    return (high << 32 | low) >> (64 - SEED_BITS)


def play_match(  # noqa: PLR0913 (the one front door)
    source: Any,
    programs: Mapping[str, Program],
    overrides: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    program_seed: int | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    out: Path | None = None,
    target: str = "cpu",
    archetypes: str | Iterable[str] = (),
    readable: Iterable[str | Path] = (),
) -> MatchResult:
    """Play one episode.

    Args:
        programs: By role, or by `role[0,2]` where players share one: `FILE.py:CLASS`,
            `MODULE:CLASS` or a command line, which are closed in; or a trusted policy: an object,
            a scripted one's name or a bundle.
        seed: Of the env; if not given, one that no program can guess.
        program_seed: What the programs' own seeds are made of; if not given, chance.
        out: Where the match is recorded: a new run folder.
        readable: What programs may read beside the folders that they are in.
    """
    env = make(source, overrides, target=target, autoreset="off", archetypes=archetypes)
    seats = read_seats(programs, env.spec)
    hidden = () if out is None else (Path(out),)
    players = Players(env.config, limits, readable=readable, hidden=hidden)
    own = draw_seed() if program_seed is None else program_seed
    result = MatchResult(
        seed=draw_seed() if seed is None else seed,
        program_seeds={name: derive_seed(own, 0, k) for k, name in enumerate(seats)},
        programs={name: name_program(program) for name, program in programs.items()},
    )
    with recording(env, out) as recorder:
        play_between(env, players, programs, result)
        if recorder is not None:
            result.run = str(out)
            recorder.note(match={"games": [asdict(result)]})
    return result


def play_between(
    env: Engine, players: Players, programs: Mapping[str, Program], result: MatchResult
) -> list[Any]:
    """Seat fresh players, play the episode of `result.seed`, and end every program.

    Gives the actions of every step.
    """
    spec = env.spec
    try:
        seated = [
            SeatedPlayer(seat, players.make(programs[name], seat.role, spec), spec.roles[seat.role])
            for name, seat in read_seats(programs, spec).items()
        ]
        return play_episode(env, seated, result)
    finally:
        players.close()


@contextmanager
def recording(env: Engine, out: Path | None) -> Iterator[Recorder | None]:
    """Record an env into a new run folder, if one is given."""
    with nullcontext() if out is None else record(env, out) as recorder:
        yield recorder


def name_program(program: Program) -> str:
    """Name a player, for people."""
    return program if isinstance(program, str) else type(program).__name__


def play_episode(env: Engine, players: list[SeatedPlayer], result: MatchResult) -> list[Any]:
    """Play the episode of `result.seed`; a forfeit ends it, after all were asked.

    Gives the actions of every step.
    """
    seats = {player.seat.name: player.seat for player in players}
    result.outcome = dict.fromkeys(seats, "none")
    result.mean_return = dict.fromkeys(seats, 0.0)
    result.lives = {name: {} for name in seats}
    if any(isinstance(player.policy, ProgramPolicy) for player in players):
        result.containment = find_containment()
    step = env.reset(seed=result.seed)
    score = Score(env, step, seats)
    for player in players:
        player.begin(env, result.program_seeds[player.seat.name])
    _note_forfeits(players, result)
    alone, done = len(env.spec.roles) == 1, []
    while not result.forfeits and not bool(np.asarray(step.episode_over)[0]):
        answers = {p.seat: p.choose(step, score.began, alone=alone) for p in players}
        _note_forfeits(players, result)
        if not result.forfeits:
            done.append(join_actions(env.spec, answers))
            step = env.step(done[-1])
            score.add(step, result)
    return done


def _note_forfeits(players: list[SeatedPlayer], result: MatchResult) -> None:
    """Take down whose program plays no more, why, and how slow it was."""
    for player in players:
        name, policy = player.seat.name, player.policy
        if isinstance(policy, ProgramPolicy):
            result.slowest[name] = policy.slowest
            if policy.forfeit:
                when = f"step {result.steps}" if policy.started else "start"
                said = f"{result.programs[name]} {policy.forfeit}"
                result.forfeits[name] = f"{when}: {said}"
