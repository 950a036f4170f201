"""Land that is told to agents who see less than their window.

MettaGrid keeps whose land is told in a table that it reads and writes by two different widths.
Where it finds what it wrote itself, ours shows the same; where it finds memory that nobody wrote,
it differs from itself. Away from the north-west corner it writes in front of that table and crashes
sooner or later, so these games are all played there.
"""

import tempfile
from pathlib import Path

import pytest

pytest.importorskip(
    "mettagrid.config.mettagrid_config", reason="MettaGrid has no wheel for this Python"
)

from live.small import config, delta, handler, query

from tests.worlds.mettagrid.differential.run import Arena

SEED, STEPS = 2, 40
MARGIN = 8  # of walls in the south and east, so that the window ends on the map there
INNER = ("@.E..&F.F", ".&@..@&@F")
WIDE = {"width": 15, "height": 11}


@pytest.fixture(scope="module")
def arena():
    with tempfile.TemporaryDirectory() as folder:
        made = Arena("python", Path(folder))
        yield made
        made.close()


def on_land(radius, **window):
    """Return a game of two teams with land, of which agents see a part."""
    side = "#" * MARGIN
    wall = "#" * len(INNER[0] + side)
    rows = [*(row + side for row in INNER), *[wall] * MARGIN]
    control = {"territory": "land", "strength": 3, "decay": 1}
    weak = control | {"strength": 1}
    grows = handler(delta("actor", y=1))
    objects = {
        "ext": {"tags": ["team:a"], "territory_controls": [control], "on_use_handler": grows},
        "fo": {"tags": ["team:b"], "territory_controls": [control]},
        "wall": {"pydantic_type": "wall", "tags": ["team:c"], "territory_controls": [weak]},
    }
    limits = {"y": {"base": 3, "resources": ["y"]}}
    agents = [
        {"team_id": k % 2, "tags": [f"team:{'ab'[k % 2]}"],
         "inventory": {"initial": {"x": (2, 3, 7, 2, 3, 5, 2)[k], "y": 2}, "limits": limits}}
        for k in range(7)
    ]  # fmt: skip
    obs = {"width": 11, "height": 11, "num_tokens": 900, "territory": True} | window
    return config(
        *rows, objects=objects, agents=agents, num_agents=7, tags=["team:a", "team:b", "team:c"],
        obs=obs | {"observation_radius_value": radius}, legend={"&": "agent.blue"},
        territories={"land": {"tag_prefix": "team:"}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("radius", "window"),
    [
        ({"value": 2.0}, {}),
        ({"value": 3.0}, {}),
        ({"item": "x"}, {}),
        ({"item": "y"}, {}),
        ({"item": "y"}, WIDE),
        ({"query": query("type:fo")}, {}),
    ],
)
def test_land_seen_within_a_radius_is_equal(arena, radius, window):
    found = arena.play(on_land(radius, **window), SEED, STEPS)
    assert found["status"] == "equal", found.get("first") or found.get("why")


def test_mettagrid_that_shows_memory_it_never_wrote_differs_from_itself(arena):
    found = arena.play(on_land({"value": 4.0}), SEED, STEPS)
    assert (found["status"], found["why"]) == ("wheel_differs", "obs")
