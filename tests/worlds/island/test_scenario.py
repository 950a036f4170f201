"""Scenarios: which are refused, and which are generated."""

import pytest

import mesocosm as meso
from mesocosm.core.errors import ConfigError
from mesocosm.worlds.island.scenario import generate

from .war import wait, war


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("core.laydown.forces.0.unit", "MFR", "no 'MFR'. Did you mean 'MRF'"),
        ("core.laydown.base.depth", 1.0, "bases and the island must be"),
        ("core.max_entities", 5, "more than the 5 ids"),
        ("core.laydown.forces.0.depth", 900.0, "is off a map"),
        ("core.physics.tiers", [5.0, 1.0, 10.0, 500.0], "must be positive and rise"),
        ("core.physics.stand_off", [0.99, 0.75, 0.5, 0.2], "must be at most launch"),
        ("core.laydown.wing.0.unit", "SAM", "is no aircraft"),
        ("core.units.0.load", {"AAM_X": 2}, "no 'AAM_X'"),
        ("core.units.0.cruise", 900.0, "aircraft need altitude and 0 < cruise <= top"),
    ],
)
def test_scenarios_that_cannot_be_played_are_refused_in_words(path, value, message):
    config = meso.load_config("island/skirmish").model_dump(mode="json", by_alias=True)
    at, *_ = [config]
    *keys, last = path.split(".")
    for key in keys:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[last] = value
    with pytest.raises(ConfigError) as caught:
        meso.load_config(config)
    assert message in str(caught.value)


def test_the_order_in_which_a_load_is_written_does_not_matter():
    config = meso.load_config("island/skirmish").model_dump(mode="json", by_alias=True)
    for unit in config["core"]["units"]:
        unit["load"] = dict(sorted(unit["load"].items()))
    tables = [
        meso.make(source, target="python").host_params.load
        for source in ("island/skirmish", config)
    ]
    assert (tables[0] == tables[1]).all()


def test_generated_scenarios_are_seeded_valid_and_playable():
    made = [generate(seed) for seed in range(12)]
    assert made == [generate(seed) for seed in range(12)]
    assert len({str(laydown) for laydown in made}) == 12
    for laydown in made:
        meso.load_config("island/standard", {"core.laydown": laydown})
    small = generate(3, units=10, map_km=400.0)
    env = war("skirmish", {"laydown": small, "max_entities": 40})
    wait(env, 3)
    assert env.truth("num_units")[0, 0] == sum(force["count"] for force in small["forces"])
