"""The agents of one episode by name: who takes part, and what became of each."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mesocosm.adapters.spaces import Parts
from mesocosm.adapters.step_view import Ends
from mesocosm.adapters.whole_role import WholeRole
from mesocosm.core.adapter import AdapterEnv
from mesocosm.core.errors import MesocosmError, unknown
from mesocosm.core.spec import Role
from mesocosm.core.step import Step


class Columns(NamedTuple):
    """What the agents that take part get after a reset or a step, each by name."""

    obs: dict[str, np.ndarray]
    reward: dict[str, float]
    terminated: dict[str, bool]
    truncated: dict[str, bool]
    info: dict[str, dict[str, Any]]


class Roster:
    """Agents named `role_index` in config order, over a batch of one env without autoreset.

    In a role that respawns the slot is the agent: it ends with the episode only, and the end of a
    life is in its info.
    """

    def __init__(self, env: AdapterEnv) -> None:
        self._env = env
        self._roles = {name: WholeRole(role) for name, role in env.spec.roles.items()}
        self.slots: dict[str, tuple[Role, int]] = {
            name: (whole.role, index)
            for whole in self._roles.values()
            for index, name in enumerate(whole.names)
        }
        self._lone = next(iter(self._roles.values())) if len(self._roles) == 1 else None
        self._may_leave = False
        self._ends, self._tells = Ends(env.spec), env.tells

    def slot(self, name: str) -> tuple[Role, int]:
        """Find an agent's role and its index in that role."""
        if name not in self.slots:
            raise unknown("agent", name, self.slots)
        return self.slots[name]

    def reset(self, seed: int | None) -> list[str]:
        """Start episode 0 of a seed, or the next; give the agents that take part."""
        parts = self._env.reset(seed=seed)
        for name, whole in self._roles.items():
            gone = _gone(parts[name]).tolist()
            whole.take_part([i for i, out in enumerate(gone) if whole.role.respawn or not out])
        return self.agents

    @property
    def agents(self) -> list[str]:
        """The agents that take part."""
        return [name for whole in self._roles.values() for name in whole.here]

    def read(self, name: str, action: Any) -> Parts | int:
        """Check the form of an agent's action, and copy it."""
        return self._roles[self.slot(name)[0].name].read(action)

    def play(self, actions: Mapping[str, Any]) -> None:
        """Play one step with samples of all agents that take part."""
        if self._lone is not None:
            self._env.step(self._lone.gather(actions))
            return
        self._env.step({name: whole.gather(actions) for name, whole in self._roles.items()})

    def play_read(self, actions: Mapping[str, Parts | int]) -> None:
        """Play one step with actions that were read; agents without one play the no-op."""
        self._env.step({name: whole.join(actions) for name, whole in self._roles.items()})

    def columns(self) -> Columns:
        """Tell what everybody who takes part gets."""
        if self._lone is not None:
            return self._role_columns(self._lone)
        made = Columns({}, {}, {}, {}, {})
        for whole in self._roles.values():
            for mine, theirs in zip(made, self._role_columns(whole), strict=True):
                mine |= theirs  # type: ignore[operator]  # noqa: PLW2901 (changes the dict)
        return made

    def _role_columns(self, whole: WholeRole) -> Columns:
        part, by_name = self._env.parts[whole.role.name], whole.by_name
        seen, paid, infos = whole.columns(part)
        if self._tells:
            for place, info in zip(whole.places, infos, strict=True):
                info.update(self._env.tell(whole.role.name, env=0, agent=place))
        made = Columns(
            by_name(*seen),
            by_name(*paid),
            whole.nobody.copy(),
            whole.nobody.copy(),
            by_name(*infos),
        )
        if whole.role.respawn or whole.has_ends:
            self._add_ends(made, whole, part)
            self._may_leave = True
        return made

    def leave(self) -> bool:
        """Let those go whose end was among the last columns; say whether anybody did."""
        if not self._may_leave:
            return False
        left = self._may_leave = False
        for name, whole in self._roles.items():
            part = self._env.parts[name]
            over = np.broadcast_to(part.episode_over, whole.role.num_agents)
            gone = over if whole.role.respawn else _gone(part)
            stay = [i for i in whole.places if not gone[i]]
            left |= len(stay) < len(whole.places)
            whole.take_part(stay)
        return left

    def acting(self) -> list[str]:
        """List the agents whose action the next step will take."""
        return [
            name
            for role, whole in self._roles.items()
            for name, acts in zip(
                whole.names, self._env.parts[role].acting[0].tolist(), strict=True
            )
            if acts
        ]

    @property
    def is_started(self) -> bool:
        """Whether there was a reset."""
        return bool(self._env.parts)

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return bool(next(iter(self._env.parts.values())).episode_over[0])

    def observe(self, name: str) -> np.ndarray:
        """Copy an agent's observation."""
        role, i = self.slot(name)
        if not self._env.parts:
            raise MesocosmError("no episode is running: call reset() first")
        return np.array(self._env.parts[role.name].obs[0, i])

    def _add_ends(self, made: Columns, whole: WholeRole, part: Step) -> None:
        """Tell who ended, how, and why."""
        ended, terminated, truncated = (
            array[0].tolist() for array in (part.ended, part.terminated, part.truncated)
        )
        for i, name in zip(whole.places, whole.here, strict=True):
            fresh, info, flags = ended[i], made.info[name], (terminated[i], truncated[i])
            if fresh:
                info |= self._ends.name(part.reason[0, i], part.outcome[0, i])
            if whole.role.respawn:
                info |= {"generation": int(part.generation[0, i]), "life_ended": fresh}
                info |= {"final_observation": made.obs[name].copy()} if fresh else {}
                flags = self._slot_end(part, flags, fresh)
                if any(flags) and not fresh:
                    info |= self._ends.name(part.episode_reason[0], part.episode_outcome[0])
            made.terminated[name], made.truncated[name] = flags

    def _slot_end(self, part: Step, life: tuple[bool, bool], fresh: bool) -> tuple[bool, bool]:
        """Say how a slot that respawns ends: never before the episode."""
        if not part.episode_over[0]:
            return False, False
        cut = bool(self._ends.truncates[part.episode_reason[0]])
        return life if fresh else (not cut, cut)


def _gone(part: Step) -> np.ndarray:  # bool [agent]
    return np.logical_or(part.terminated[0], part.truncated[0])
