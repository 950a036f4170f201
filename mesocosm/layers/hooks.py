"""What layers do at each stage of a step: all seven, in their fixed order."""

import numpy as np

from mesocosm.layers import (
    hierarchy,
    incentives,
    information,
    interaction,
    power,
    temporal,
    uncertainty,
)
from mesocosm.layers.dials import Dials, Own
from mesocosm.sim.frame import Frame, RoleFrame
from mesocosm.sim.handles import Hooks
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import blank


@rule
def begin_episode(f: Frame, dials: Dials, e: int) -> None:
    """Forget the last episode."""
    temporal.awake(f, dials, e)


@rule
def begin_step(f: Frame, dials: Dials, e: int) -> None:
    """Let what was thought of agents fade."""
    temporal.wane(f, dials, e)


@rule
def keep_views(f: Frame, r: RoleFrame, own: Own, e: int) -> None:
    """Remember what agents were shown, for later."""
    temporal.keep(f, r, own, e)


@rule
def change_actions(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int) -> None:
    """Delay, forbid and charge for actions."""
    temporal.hold(f, dials, r, e)
    power.bar(f, r, own, e)
    incentives.charge(f, dials, r, own, e)


@rule
def before_transition(f: Frame, dials: Dials, e: int) -> None:
    """Say who comes first."""
    interaction.rank(f, dials, e)


@rule
def change_columns(f: Frame, dials: Dials, e: int) -> None:
    """Delay, pool, spill over and shock what the transition did."""
    temporal.withhold(f, dials, e)
    hierarchy.pool(f, dials, e)
    interaction.spill(f, dials, e)
    uncertainty.shake(f, dials, e)


@rule
def change_parameters(f: Frame, dials: Dials, e: int) -> None:
    """Move the world's tunable parameters."""
    uncertainty.drift(f, dials, e)


@rule
def change_rewards(f: Frame, dials: Dials, e: int) -> None:
    """Mix and defer what was earned, then charge each agent what it owes."""
    interaction.mix_rewards(f, dials, e)
    interaction.defer(f, dials, e)
    incentives.punish(f, dials, e)


@rule
def end_step(f: Frame, dials: Dials, e: int) -> None:
    """Follow how well agents do; let the newborn begin afresh."""
    uncertainty.learn(f, dials, e)


@rule
def share_views(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int) -> None:
    """Write what groups know of their members."""
    hierarchy.confide(f, dials, r, own, e)


@rule
def change_observation(
    f: Frame, dials: Dials, own: Own, e: int, i: int, a: int, out: np.ndarray
) -> None:
    """Write what an agent sees of what the world shows it, and what layers add."""
    information.perceive(f, dials, own, e, i, a, out)
    temporal.recollect(f, dials, own, e, i, a, out)


@rule
def change_info(r: RoleFrame, own: Own, out: np.ndarray) -> None:
    """Blank the info that is masked."""
    blank(out, own.untold, r.info_absent)


@rule
def change_mask(r: RoleFrame, own: Own, i: int, out: np.ndarray) -> None:
    """Take back what an agent's caste may not do."""
    power.bar_mask(r, own, i, out)


HOOKS = Hooks(
    begin_episode=begin_episode,
    begin_step=begin_step,
    keep_views=keep_views,
    change_actions=change_actions,
    before_transition=before_transition,
    change_columns=change_columns,
    change_parameters=change_parameters,
    change_rewards=change_rewards,
    end_step=end_step,
    share_views=share_views,
    change_observation=change_observation,
    change_info=change_info,
    change_mask=change_mask,
)
