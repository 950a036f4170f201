"""Generated maps."""

import pytest

import mesocosm as meso


@pytest.mark.parametrize("kind", ["random", "rooms", "maze"])
def test_generated_map_puts_every_agent_and_object_on_a_cell_of_its_own(kind):
    env = meso.make("mettagrid/forage", {"core.map.kind": kind}, target="python", num_envs=3)
    env.reset(seed=1)
    rows, cols = env.truth("row").tolist(), env.truth("col").tolist()
    found = {tuple(zip(rows[e], cols[e], strict=True)) for e in range(3)}
    assert len(found) > 1
    for spots in found:
        assert len(set(spots)) == len(spots) == 20
