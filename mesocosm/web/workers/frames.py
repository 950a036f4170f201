"""Frames: what one moment looks like to everybody, or to one agent alone."""

from typing import Any

import numpy as np

from mesocosm.core.follow import Follower
from mesocosm.core.glyph import BOX, plain_glyphs
from mesocosm.core.palette import THEMES
from mesocosm.core.scene import Scene
from mesocosm.core.spec import OUTCOMES
from mesocosm.web.encoding import encode
from mesocosm.web.workers.live import LiveGame
from mesocosm.web.workers.plan import AGENT, EVERYTHING, check_perspective
from mesocosm.web.workers.playback import Playback

Game = LiveGame | Playback


class FrameMaker:
    """Draws and encodes moments of a game."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._followers: dict[str, tuple[int, Follower]] = {}  # by perspective, with the episode

    def check(self, perspective: str) -> str:
        """Refuse a perspective that there is not."""
        return check_perspective(perspective, self._game.spec.num_agents)

    def make(self, perspective: str, events: list[dict[str, Any]]) -> bytes:
        """Give the frame of this moment.

        Args:
            events: Of the steps since the last frame, for those who see everything.
        """
        if perspective == EVERYTHING:
            return encode(self._everything(events))
        return encode(self._agent(int(perspective.removeprefix(AGENT))))

    def drawings(self) -> dict[str, Any]:
        """Give what all scenes of this world name: `tables` of docs/scenes.md."""
        game = self._game
        views = [f"{AGENT}{role.first}" for role in game.spec.roles.values()]
        scenes = [self.scene(perspective) for perspective in (*views, EVERYTHING)]
        glyphs: dict[str, Any] = {}
        for scene in scenes:
            glyphs |= {} if scene is None else plain_glyphs(scene.drawings)
        themes = {name: dict(colours) for name, colours in THEMES.items()}
        return {"box": BOX, "glyphs": glyphs, "themes": themes}

    def scene(self, perspective: str) -> Scene | None:
        """Draw this moment, without paths; nothing where the world has no scene."""
        if perspective == EVERYTHING:
            draw = self._game.world.scene
            return None if draw is None else draw(self._truth(), self._game.env.config.core)
        return self._view(int(perspective.removeprefix(AGENT)))

    def forget(self) -> None:
        """Forget the paths of what moved: another moment follows."""
        self._followers.clear()

    def _view(self, agent: int) -> Scene:
        """Draw what one agent received, of that alone."""
        game = self._game
        role, _ = game.seat(agent)
        obs, mask, info = self._received(agent)
        return game.world.view(game.env.config.core, role, obs, mask, info)

    def _received(self, agent: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Copy what one agent received."""
        game, step = self._game, self._game.view
        role, slot = game.seat(agent)
        told = game.of(step.info, role)
        return (
            np.array(game.of(step.obs, role)[0, slot]),
            np.array(game.of(step.mask, role)[0, slot]),
            {name: np.array(value[0, slot]) for name, value in told.items()},
        )

    def _truth(self) -> dict[str, np.ndarray]:
        env = self._game.env
        names = [*(entry.name for entry in env.spec.truth), *env.spec.exposed]
        return {name: np.asarray(env.truth(name))[0] for name in names}

    def _follow(self, perspective: str, scene: Scene | None) -> dict[str, Any] | None:
        if scene is None:
            return None
        episode, follower = self._followers.get(perspective, (-1, Follower()))
        if episode != self._game.episode:
            follower.reset()
        self._followers[perspective] = self._game.episode, follower
        return follower.follow(scene).plain()

    def _everything(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        game = self._game
        step, spec = game.view, game.spec
        return {
            "type": "frame",
            "perspective": EVERYTHING,
            "step": game.step,
            "t": game.t,
            "episode": game.episode,
            "over": bool(step.episode_over[0]),
            "reason": spec.reason_name(int(step.episode_reason[0])),
            "outcome": OUTCOMES[int(step.episode_outcome[0])],
            "scene": self._follow(EVERYTHING, self.scene(EVERYTHING)),
            "agents": self._agents(),
            "events": events,
        }

    def _agents(self) -> list[dict[str, Any]]:
        """Say of all agents what they earned, for what, and whether they still play."""
        game = self._game
        terms = game.env.copy(game.env.driver.f.terms)[0]
        made = []
        for role in game.spec.roles.values():
            step = game.view
            names = [term.name for term in role.terms]
            columns = zip(
                *(
                    np.asarray(game.of(value, role))[0].tolist()
                    for value in (step.reward, step.terminated, step.truncated, step.acting)
                ),
                np.asarray(game.of(step.reason, role))[0].tolist(),
                strict=True,
            )
            for slot, (reward, terminated, truncated, acting, reason) in enumerate(columns):
                agent = role.first + slot
                values = terms[agent, : len(names)].tolist()
                entry = {
                    "agent": agent,
                    "role": role.name,
                    "reward": reward,
                    "terms": dict(zip(names, values, strict=True)),
                    "acting": acting,
                    "ended": terminated or truncated,
                    "reason": game.spec.reason_name(reason),
                    "action": self._action(role.name, slot),
                    "taken": agent in game.persons,
                }
                chances = game.probabilities(agent)
                made.append(entry if chances is None else entry | {"probabilities": chances})
        return made

    def _action(self, role: str, slot: int) -> dict[str, Any] | None:
        """Give what an agent did in the step that led here."""
        if self._game.actions is None:
            return None
        choice, level = self._game.actions[role]
        return {"choice": choice[slot].tolist(), "level": level[slot].tolist()}

    def _agent(self, agent: int) -> dict[str, Any]:
        """Show what one agent received, and what follows from that alone."""
        game, step = self._game, self._game.view
        role, slot = game.seat(agent)
        obs, mask, info = self._received(agent)
        perspective = f"{AGENT}{agent}"
        made = {
            "type": "frame",
            "perspective": perspective,
            "step": game.step,
            "t": game.t,
            "episode": game.episode,
            "agent": agent,
            "role": role.name,
            "obs": obs.reshape(-1).tolist(),
            "mask": mask.astype(int).tolist(),
            "info": {name: value.tolist() for name, value in info.items()},
            "reward": float(game.of(step.reward, role)[0, slot]),
            "began": bool(game.of(game.began, role)[0, slot]),
            "terminated": bool(game.of(step.terminated, role)[0, slot]),
            "truncated": bool(game.of(step.truncated, role)[0, slot]),
            "acting": bool(game.of(step.acting, role)[0, slot]),
            "decoded": role.observation.decode(obs),
            "allowed": _allowed(role, mask),
            "action": self._action(role.name, slot),
            "taken": agent in game.persons,
            "scene": self._follow(perspective, self._view(agent)),
        }
        chances = game.probabilities(agent)
        return made if chances is None else made | {"probabilities": chances}


def _allowed(role: Any, mask: np.ndarray) -> dict[str, list[int]]:
    """List the options of every choice that may be chosen now."""
    masks = role.action.mask_parts(mask)
    return {
        part.name: [
            k
            for k in range(len(part.options))
            if k not in part.forbidden and (part.name not in masks or masks[part.name][k])
        ]
        for part in role.action.choices
    }
