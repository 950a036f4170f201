"""Draw a moment of a preset, or some moments one after another, in a worker."""

import json
from dataclasses import dataclass
from typing import Any

from mesocosm.build import load_config
from mesocosm.config.identity import dump
from mesocosm.web.workers.channel import RESULT
from mesocosm.web.workers.entry import Desk
from mesocosm.web.workers.frames import FrameMaker
from mesocosm.web.workers.live import LiveGame
from mesocosm.web.workers.plan import EVERYTHING, PlayPlan

FIRST_STEP = 12  # by when something has happened, and nothing has ended
DRAWN_STEPS = 6  # before it, for the paths in it
FILM_STEPS = 36


@dataclass(frozen=True)
class ShowPlan:
    """Which preset is drawn, and who plays it."""

    preset: str
    policy: str


@dataclass(frozen=True)
class ThumbnailsPlan:
    """Which presets are drawn, in order, and who plays each."""

    policies: dict[str, str]


class _Show:
    """Plays a preset as far as its thumbnail, and draws."""

    def __init__(self, plan: ShowPlan) -> None:
        config = dump(load_config(plan.preset))
        self.game = LiveGame(PlayPlan("python", config, policies={"": plan.policy}))
        self.frames = FrameMaker(self.game)
        for step in range(FIRST_STEP):
            if step >= FIRST_STEP - DRAWN_STEPS:
                self.scene()  # so that paths of the last steps are known
            self.game.advance()

    def scene(self) -> dict[str, Any] | None:
        frame: dict[str, Any] = json.loads(self.frames.make(EVERYTHING, []))
        return frame["scene"]


def make_thumbnails(desk: Desk, plan: ThumbnailsPlan) -> None:
    """Play some steps of each preset, and give its scene."""
    for preset, policy in plan.policies.items():
        show = _Show(ShowPlan(preset, policy))
        agents = {name: role.num_agents for name, role in show.game.spec.roles.items()}
        made = {"scene": show.scene(), "drawings": show.frames.drawings(), "agents": agents}
        desk.channel.send_data(RESULT, made, preset)


def make_preset_film(desk: Desk, plan: ShowPlan) -> None:
    """Give the scenes of the thumbnail's moment and of those after it, until an episode is over."""
    show = _Show(plan)
    scenes: list[dict[str, Any] | None] = []
    while len(scenes) < FILM_STEPS and not show.game.is_over:
        scenes.append(show.scene())
        show.game.advance()
    desk.channel.send_data(RESULT, {"scenes": [scene for scene in scenes if scene is not None]})
