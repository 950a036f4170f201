"""Register every preset with Gymnasium, by the version of its world."""

import gymnasium

from mesocosm.build import presets, world_names
from mesocosm.core.errors import MesocosmError
from mesocosm.worlds import registry

NAMESPACE = "mesocosm"
HOME = "mesocosm.adapters.gymnasium"
ENTRY_POINTS = {
    "entry_point": f"{HOME}:GymEnv",
    "vector_entry_point": f"{HOME}:GymVectorEnv",
}


def register_presets() -> list[str]:
    """Register every preset that is not yet; give all ids. A world that does not load has none."""
    made = []
    for world in world_names():
        try:
            version = registry.find(world).version
            names = presets(world)
        except MesocosmError:
            continue
        for preset in names:
            made.append(f"{NAMESPACE}/{preset.replace('/', '-')}-v{version}")
            if made[-1] not in gymnasium.registry:
                gymnasium.register(made[-1], **ENTRY_POINTS, kwargs={"source": preset})
    return made
