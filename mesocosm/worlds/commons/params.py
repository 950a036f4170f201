"""What rules read of the config: one read-only record, with the offsets of the features."""

from typing import Any, NamedTuple

from mesocosm.core.observation import offsets_class
from mesocosm.core.spec import Spec
from mesocosm.worlds.commons.config import Core
from mesocosm.worlds.commons.declare import harvester_features, warden_features

HarvesterAt = offsets_class("HarvesterAt", harvester_features(Core()), __name__)
WardenAt = offsets_class("WardenAt", warden_features(Core()), __name__)


class Params(NamedTuple):
    """Read-only numbers for the rules."""

    harvesters: int
    sight: int
    max_steps: int
    capacity: float
    initial_stock: float
    growth_low: float
    growth_high: float
    skill_low: float
    upkeep: float
    initial_wealth: float
    wealth_cap: float
    gift_size: float
    sanction_cost: float
    sanction_size: float
    fine_size: float
    collapse_level: float
    collapse_penalty: float
    depletion_weight: float
    drought_prob: float
    drought_size: float
    death_prob: float
    leaves_estate: bool
    full_catch: float
    most_hauled: float
    most_fined: int
    at: Any  # HarvesterAt
    warden_at: Any  # WardenAt


def params(core: Core, spec: Spec) -> Params:
    """Turn the config into what rules read."""
    harvester, warden = spec.all_roles
    same = {name: getattr(core, name) for name in Params._fields if name in type(core).model_fields}
    return Params(
        harvesters=core.num_harvesters,
        leaves_estate=core.leaves_estate,
        full_catch=core.most_harvest_rate,
        most_hauled=core.most_harvest_rate * core.max_steps,
        most_fined=core.max_steps * core.num_agents,
        at=HarvesterAt(**harvester.observation.offsets),
        warden_at=WardenAt(**warden.observation.offsets),
        **same,
    )
