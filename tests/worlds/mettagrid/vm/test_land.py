"""Land: what happens to agents on it."""

import numpy as np

import mesocosm as meso
from mesocosm.worlds.mettagrid.upstream import import_config


def test_land_that_nobody_claims_belongs_to_nobody():
    presence = {"here": {"mutations": [{"mutation_type": "resource_delta", "deltas": {"ore": 1}}]}}
    game = {
        "resource_names": ["ore"],
        "num_agents": 1,
        "agents": [{"tags": ["team:a"]}],
        "territories": {"land": {"tag_prefix": "team:", "presence": presence}},
        "map_builder": {
            "type": "mettagrid.map_builder.ascii.AsciiMapBuilder.Config",
            "map_data": [["@", "."], [".", "."]],
            "char_to_map_name": {},
        },
    }
    env = meso.make(import_config({"game": game}), target="python")
    env.reset()
    for _ in range(3):
        env.step(np.zeros((1, 1, 1), np.int32))
    assert not np.asarray(env.truth("amount")).any()
