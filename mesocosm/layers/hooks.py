"""What layers do at each stage of a step: all seven, in their fixed order."""

import numpy as np

from mesocosm.layers.arrays import Dials, Own
from mesocosm.layers.hierarchy import aggregate_views, pool_columns, show_shared
from mesocosm.layers.incentives import (
    charge_actions,
    clear_bills,
    collect_penalties,
    forget_fines,
)
from mesocosm.layers.interaction import order_agents, spill_changes
from mesocosm.layers.mixing import defer_rewards, forget_owed, mix_rewards
from mesocosm.layers.perception import blur_row, copy_view, keep_late_values, pass_tokens
from mesocosm.layers.power import (
    apply_multipliers,
    hide_unseen,
    mask_forbidden,
    refuse_forbidden,
)
from mesocosm.layers.standing import decay_standing, forget_agent, show_standing
from mesocosm.layers.temporal import delay_changes, keep_rows, queue_actions, show_history
from mesocosm.layers.uncertainty import apply_shocks, follow_rewards, move_parameters
from mesocosm.sim.frame import REBIRTH, Frame, RoleFrame
from mesocosm.sim.handles import Hooks
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import blank


@rule
def begin_episode(f: Frame, dials: Dials, e: int) -> None:
    """Forget the last episode."""
    dials.uncertainty.mean_reward[e] = 0.0
    f.split[e] = False
    for a in range(f.active.shape[1]):
        begin_life(f, dials, e, a, 0)
        apply_multipliers(f, dials.power, e, a)


@rule
def begin_life(f: Frame, dials: Dials, e: int, a: int, t: int) -> None:
    """Begin a life at time t: nobody thinks anything of it, nothing is owed."""
    dials.temporal.since[e, a] = t
    forget_agent(f, e, a)
    forget_owed(dials.interaction.mixing, e, a)
    forget_fines(dials.incentives, e, a)


@rule
def begin_step(f: Frame, dials: Dials, e: int) -> None:
    """Let what was thought of agents fade."""
    decay_standing(f, dials.standing, e)
    clear_bills(f, e)


@rule
def keep_views(f: Frame, r: RoleFrame, own: Own, e: int) -> None:
    """Remember what agents were shown, for later."""
    if own.information.late.shape[0] > 0:
        keep_late_values(f, r, own.world_view, own.information, e)
    keep_rows(f, r, own.world_view, own.temporal, e)


@rule
def change_actions(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int) -> None:
    """Delay, forbid and charge for actions."""
    queue_actions(f, dials.temporal, r, e)
    refuse_forbidden(f, r, own.power, e)
    charge_actions(f, dials.incentives, r, own.incentives, e)


@rule
def before_transition(f: Frame, dials: Dials, e: int) -> None:
    """Say who comes first."""
    order_agents(f, dials.handles, dials.interaction, dials.power, e)


@rule
def change_columns(f: Frame, dials: Dials, e: int) -> None:
    """Delay, pool, spill over and shock what the transition did."""
    delay_changes(f, dials.handles, dials.temporal, e)
    pool_columns(f, dials.handles, dials.hierarchy, e)
    spill_changes(f, dials.handles, dials.interaction, dials.hierarchy.group, e)
    apply_shocks(f, dials.handles, dials.uncertainty, e)


@rule
def change_parameters(f: Frame, dials: Dials, e: int) -> None:
    """Move the world's tunable parameters."""
    move_parameters(f, dials.uncertainty, e)


@rule
def change_rewards(f: Frame, dials: Dials, e: int) -> None:
    """Mix and defer what was earned, then charge each agent what it owes."""
    mix_rewards(f, dials.interaction.mixing, dials.hierarchy, e)
    defer_rewards(f, dials.interaction.mixing, e)
    collect_penalties(f, dials.incentives, e)


@rule
def end_step(f: Frame, dials: Dials, e: int) -> None:
    """Follow how well agents do; let the newborn begin afresh."""
    follow_rewards(f, dials.uncertainty, e)
    if f.control[REBIRTH] != 0:
        for a in range(f.active.shape[1]):
            if f.birth[e, a] and f.active[e, a]:
                begin_life(f, dials, e, a, f.t[e])


@rule
def share_views(f: Frame, dials: Dials, r: RoleFrame, own: Own, e: int) -> None:
    """Write what groups know of their members."""
    aggregate_views(f, dials.hierarchy, r, own.world_view, own.hierarchy, e)


@rule
def change_observation(
    f: Frame, dials: Dials, own: Own, e: int, i: int, a: int, out: np.ndarray
) -> None:
    """Write what an agent sees of what the world shows it, and what layers add."""
    view = own.world_view
    since = dials.temporal.since
    if own.information.token.shape[0] > 0:
        unseen = own.power.unseen
        pass_tokens(f, since, view, own.information, own.added, unseen, e, i, a, out)
    else:
        copy_view(view, e, i, out)
        blur_row(f, since, view, own.information, e, a, out)
        hide_unseen(view, own.power, i, out)
    show_history(f, since, view, own.temporal, e, a, out)
    show_standing(f, dials.handles, dials.standing, own.standing, own.added, e, a, out)
    show_shared(dials.hierarchy, view, own.hierarchy, own.added, e, i, a, out)


@rule
def change_info(r: RoleFrame, own: Own, out: np.ndarray) -> None:
    """Blank the info that is masked."""
    blank(out, own.information.untold, r.info_absent)


@rule
def change_mask(r: RoleFrame, own: Own, i: int, out: np.ndarray) -> None:
    """Take back what an agent's caste may not do."""
    mask_forbidden(r, own.power, i, out)


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
