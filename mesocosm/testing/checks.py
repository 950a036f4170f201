"""The rules of the contract in the order in which they are checked; each raises when broken."""

from mesocosm.testing.bodies import bodies_are_as_declared
from mesocosm.testing.declared import handles_are_read
from mesocosm.testing.endings import endings_are_sticky, episodes_end, slots_are_born_again
from mesocosm.testing.repetition import (
    autoresets_agree,
    batches_are_independent,
    invalid_actions_are_handled,
    repeats,
    repeats_in_another_process,
    snapshots_continue,
)
from mesocosm.testing.structure import (
    declared_is_seen,
    rebuild_changes_nothing,
    shapes_and_ranges,
    state_stays_in_range,
)
from mesocosm.testing.unused_parts import unused_parts_do_nothing

CHECKS = (
    handles_are_read,
    shapes_and_ranges,
    state_stays_in_range,
    repeats,
    repeats_in_another_process,
    batches_are_independent,
    snapshots_continue,
    rebuild_changes_nothing,
    declared_is_seen,
    episodes_end,
    endings_are_sticky,
    slots_are_born_again,
    bodies_are_as_declared,
    autoresets_agree,
    invalid_actions_are_handled,
    unused_parts_do_nothing,
)
