"""Draw one moment of a preset in a worker."""

import json
from dataclasses import dataclass

from mesocosm.build import load_config
from mesocosm.config.identity import dump
from mesocosm.web.workers.channel import RESULT
from mesocosm.web.workers.entry import Desk
from mesocosm.web.workers.frames import FrameMaker
from mesocosm.web.workers.live import LiveGame
from mesocosm.web.workers.plan import EVERYTHING, PlayPlan

STEPS = 12  # by when something has happened, and nothing has ended


@dataclass(frozen=True)
class ThumbnailPlan:
    """Which preset is drawn."""

    preset: str


def make_thumbnail(desk: Desk, plan: ThumbnailPlan) -> None:
    """Play some steps by chance, and give the scene."""
    game = LiveGame(PlayPlan("python", dump(load_config(plan.preset))))
    frames = FrameMaker(game)
    for _ in range(STEPS):
        game.advance()
    frame = json.loads(frames.make(EVERYTHING, []))
    desk.channel.send_data(RESULT, {"scene": frame["scene"], "drawings": frames.drawings()})
