"""Rows of metrics of a game: rewards by role and term, and how episodes ended."""

from typing import Any

import numpy as np

from mesocosm.core.spec import OUTCOMES
from mesocosm.web.workers.frames import Game


class ReturnCounter:
    """Adds up what agents earned in the episode that is played."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._returns = np.zeros(game.spec.num_agents)

    def advance(self) -> None:
        """Take the last step in."""
        if self._game.t == 0:
            self._returns[:] = 0.0
        for role in self._game.spec.roles.values():
            self._returns[role.span] += np.asarray(self._game.of(self._game.view.reward, role))[0]

    def row(self) -> dict[str, Any]:
        """Give the row of this step; means are over the agents of a role."""
        game = self._game
        terms = game.env.copy(game.env.driver.f.terms)[0]
        made: dict[str, Any] = {"step": game.step, "t": game.t, "episode": game.episode}
        made["reward"], made["terms"], made["return"] = {}, {}, {}
        for name, role in game.spec.roles.items():
            reward = np.asarray(game.of(game.view.reward, role))[0]
            own = terms[role.span, : len(role.terms)].mean(0).tolist()
            made["reward"][name] = float(reward.mean())
            made["return"][name] = float(self._returns[role.span].mean())
            made["terms"][name] = {
                term.name: value for term, value in zip(role.terms, own, strict=True)
            }
        if game.view.episode_over[0]:
            made["reason"] = game.spec.reason_name(int(game.view.episode_reason[0]))
            made["outcome"] = OUTCOMES[int(game.view.episode_outcome[0])]
        return made
