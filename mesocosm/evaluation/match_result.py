"""How a match ended, by seat, counted over all agents of each."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mesocosm.core.beginnings import Beginnings
from mesocosm.core.spec import OUTCOMES
from mesocosm.core.step import Step
from mesocosm.evaluation.seats import Seat
from mesocosm.sim.engine import Engine


@dataclass
class MatchResult:
    """How a match ended; every dict is by seat, which is a role unless players share one."""

    steps: int = 0
    reason: str = ""
    winner: str = ""  # the role that the ending's reason names as the winner, if it names one
    outcome: dict[str, str] = field(default_factory=dict)  # what the agents agree on
    lives: dict[str, dict[str, int]] = field(default_factory=dict)  # lives ended, by outcome
    forfeits: dict[str, str] = field(default_factory=dict)  # in words
    mean_return: dict[str, float] = field(default_factory=dict)  # per life
    slowest: dict[str, float] = field(default_factory=dict)  # seconds of a program's slowest move
    programs: dict[str, str] = field(default_factory=dict)
    program_seeds: dict[str, int] = field(default_factory=dict)
    seed: int = 0  # of the env; no program was told
    containment: str = ""  # of the programs: namespaces, process group, or nothing for want of any
    run: str = ""  # folder of the recording

    @property
    def winners(self) -> list[str]:
        """The seats that won: by the rules, or because others forfeited."""
        if self.forfeits:
            return [name for name in self.outcome if name not in self.forfeits]
        return [name for name in self.outcome if name.partition("[")[0] == self.winner]


class Score:
    """Counts the steps of a match, and says where an episode or a life begins."""

    def __init__(self, env: Engine, step: Step, seats: Mapping[str, Seat]) -> None:
        self._spec, self._seats, self._beginnings = env.spec, seats, Beginnings(env)
        self._total, self._lives = dict.fromkeys(seats, 0.0), dict.fromkeys(seats, 0)
        self._ended = {name: Counter[str]() for name in seats}
        self._follow(step)

    def add(self, step: Step, result: MatchResult) -> None:
        """Count a step, and name how the episode ended if it did."""
        self._follow(step)
        result.steps += 1
        for name, seat in self._seats.items():
            self._total[name] += float(self._part(step.reward, seat).sum())
            result.mean_return[name] = self._total[name] / max(self._lives[name], 1)
            outcomes = [OUTCOMES[code] for code in self._part(step.outcome, seat).tolist()]
            result.outcome[name] = joint_outcome(outcomes)
            ended = self._part(step.ended, seat).tolist()
            self._ended[name].update(o for o, over in zip(outcomes, ended, strict=True) if over)
            result.lives[name] = dict(self._ended[name])
        code = int(np.asarray(step.episode_reason)[0])
        result.reason, result.winner = self._spec.reason_name(code), self._spec.winner(code)

    def _follow(self, step: Step) -> None:
        self.began = self._beginnings.follow(step)
        for name, seat in self._seats.items():
            gone = self._part(step.terminated, seat) | self._part(step.truncated, seat)
            self._lives[name] += int((self._part(self.began, seat) & ~gone).sum())

    def _part(self, value: Any, seat: Seat) -> np.ndarray:  # [slot]
        """Pick a seat's entries; one role's array stands alone."""
        array = np.asarray(value if len(self._spec.roles) == 1 else value[seat.role])
        return array[0, list(seat.slots)]


def joint_outcome(outcomes: Iterable[str]) -> str:
    """Give the outcome that all agents share; `neutral` if they differ, `none` before the end."""
    found = set(outcomes) or {"none"}
    if "none" in found:
        return "none"
    return found.pop() if len(found) == 1 else "neutral"
