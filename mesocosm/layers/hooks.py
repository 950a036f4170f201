"""What layers do at each stage of a step: all seven, in their fixed order."""

import numpy as np

from mesocosm.layers.arrays import LayerArrays, RoleLayerArrays
from mesocosm.layers.hierarchy import aggregate_views, pool_columns, show_shared
from mesocosm.layers.incentives import (
    charge_actions,
    clear_bills,
    collect_penalties,
    forget_pending,
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
from mesocosm.layers.standing import (
    bar_links,
    decay_standing,
    forget_agent,
    show_standing,
    weigh_effects,
)
from mesocosm.layers.temporal import delay_changes, keep_rows, queue_actions, show_history
from mesocosm.layers.uncertainty import (
    apply_shocks,
    follow_rewards,
    forget_rewards,
    move_parameters,
)
from mesocosm.sim.frame import REBIRTH, Frame, RoleFrame
from mesocosm.sim.handles import Hooks
from mesocosm.sim.rule import rule
from mesocosm.sim.stages import blank


@rule
def begin_episode(f: Frame, layers: LayerArrays, e: int) -> None:
    """Forget the last episode."""
    forget_rewards(layers.uncertainty, e)
    f.split[e] = False
    for a in range(f.active.shape[1]):
        begin_life(f, layers, e, a, 0)
        apply_multipliers(f, layers.power, e, a)


@rule
def begin_life(f: Frame, layers: LayerArrays, e: int, a: int, t: int) -> None:
    """Begin a life at time t: nobody thinks anything of it, nothing is owed."""
    layers.temporal.since[e, a] = t
    forget_agent(f, e, a)
    forget_owed(layers.interaction.mixing, e, a)
    forget_pending(layers.incentives, e, a)


@rule
def begin_step(f: Frame, layers: LayerArrays, e: int) -> None:
    """Let what was thought of agents fade."""
    decay_standing(f, layers.standing, e)
    clear_bills(f, e)


@rule
def store_history(f: Frame, r: RoleFrame, role: RoleLayerArrays, e: int) -> None:
    """Remember what agents were shown, for later."""
    if role.information.late.shape[0] > 0:
        keep_late_values(f, r, role.world_view, role.information, e)
    keep_rows(f, r, role.world_view, role.temporal, e)


@rule
def change_actions(
    f: Frame, layers: LayerArrays, r: RoleFrame, role: RoleLayerArrays, e: int
) -> None:
    """Delay, forbid and charge for actions."""
    queue_actions(f, layers.temporal, r, e)
    refuse_forbidden(f, r, role.power, layers.power.barred_kind, e)
    charge_actions(f, layers.incentives, r, role.incentives, e)


@rule
def before_transition(f: Frame, layers: LayerArrays, e: int) -> None:
    """Say who comes first, and what agents can do by their standing."""
    weigh_effects(f, layers.standing, layers.power.multiplier, e)
    bar_links(f, layers.standing, e)
    order_agents(f, layers.handles, layers.interaction, layers.power, e)


@rule
def change_columns(f: Frame, layers: LayerArrays, e: int) -> None:
    """Delay, pool, spill over and shock what the transition did."""
    delay_changes(f, layers.handles, layers.temporal, e)
    pool_columns(f, layers.handles, layers.hierarchy, e)
    spill_changes(f, layers.handles, layers.interaction, layers.hierarchy.group, e)
    apply_shocks(f, layers.handles, layers.uncertainty, e)


@rule
def change_parameters(f: Frame, layers: LayerArrays, e: int) -> None:
    """Move the world's tunable parameters."""
    move_parameters(f, layers.uncertainty, e)


@rule
def change_rewards(f: Frame, layers: LayerArrays, e: int) -> None:
    """Mix and defer what was earned, then charge each agent what it owes.

    Only the world's own terms are mixed and deferred (`mixing.sum_own_terms`), and what is deferred
    is what mixing made of them; penalties are terms of their own, and prices were charged with
    the actions.
    """
    mix_rewards(f, layers.interaction.mixing, layers.hierarchy, e)
    defer_rewards(f, layers.interaction.mixing, e)
    collect_penalties(f, layers.incentives, e)


@rule
def end_step(f: Frame, layers: LayerArrays, e: int) -> None:
    """Follow how well agents do; let the newborn begin afresh."""
    follow_rewards(f, layers.uncertainty, e)
    if f.control[REBIRTH] != 0:
        for a in range(f.active.shape[1]):
            if f.birth[e, a] and f.active[e, a]:
                begin_life(f, layers, e, a, f.t[e])


@rule
def share_views(f: Frame, layers: LayerArrays, r: RoleFrame, role: RoleLayerArrays, e: int) -> None:
    """Write what groups know of their members."""
    aggregate_views(f, layers.hierarchy, r, role.world_view, role.hierarchy, e)


@rule
def change_observation(
    f: Frame,
    layers: LayerArrays,
    role: RoleLayerArrays,
    e: int,
    i: int,
    a: int,
    out: np.ndarray,
) -> None:
    """Write what an agent sees of what the world shows it, and what layers add."""
    view = role.world_view
    since = layers.temporal.since
    if role.information.token.shape[0] > 0:
        unseen = role.power.unseen
        pass_tokens(f, since, view, role.information, role.added, unseen, e, i, a, out)
    else:
        copy_view(view, e, i, out)
        blur_row(f, since, view, role.information, e, a, out)
        hide_unseen(view, role.power, i, out)
    show_history(f, since, view, role.temporal, e, a, out)
    show_standing(f, layers.handles, layers.standing, role.standing, role.added, e, a, out)
    show_shared(layers.hierarchy, view, role.hierarchy, role.added, e, i, a, out)


@rule
def change_info(r: RoleFrame, role: RoleLayerArrays, out: np.ndarray) -> None:
    """Blank the info that is masked."""
    blank(out, role.information.untold, r.info_absent)


@rule
def change_mask(r: RoleFrame, role: RoleLayerArrays, i: int, out: np.ndarray) -> None:
    """Take back what an agent's caste may not do."""
    mask_forbidden(r, role.power, i, out)


HOOKS = Hooks(
    begin_episode=begin_episode,
    begin_step=begin_step,
    store_history=store_history,
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
