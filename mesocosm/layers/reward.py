"""The layers' part of a reward, in their order: interaction, then incentives."""

from mesocosm.layers.dials import Dials
from mesocosm.layers.incentives import punish
from mesocosm.layers.interaction import defer, mix_rewards
from mesocosm.sim.frame import Frame
from mesocosm.sim.rule import rule


@rule
def reward(f: Frame, dials: Dials, e: int) -> None:
    """Mix and defer what was earned, then charge each agent what it owes."""
    mix_rewards(f, dials, e)
    defer(f, dials, e)
    punish(f, dials, e)
