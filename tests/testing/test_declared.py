"""A handle that a world declares and its rules never read fails by name."""

from dataclasses import replace

import pytest

import mesocosm as meso
from mesocosm.core.spec import Conflict, Effect, Link, Tunable
from mesocosm.resolve import resolve
from mesocosm.testing import check_world
from mesocosm.testing.declared import find_reads, unread_handles

WIND = Tunable("wind", 1.0, 0.0, 2.0)


def declared(preset):
    """Give the world's own spec and the rules of a preset."""
    resolved = resolve(preset)
    spec = resolved.spec if resolved.layering is None else resolved.layering.inner
    return spec, resolved.world.fitted(resolved.config.core).rules


@pytest.mark.parametrize("preset", [*meso.presets(), "beacon/tokens"])
def test_rules_read_every_handle_that_is_declared(preset):
    assert [*unread_handles(*declared(preset))] == []


@pytest.mark.parametrize(
    ("preset", "changes", "what"),
    [
        ("commons", {"tunables": (WIND, WIND, WIND)}, "the tunable 'wind': f.tunable[e, 2]"),
        ("commons", {"effects": (Effect("harvest"), Effect("luck"))}, "the effect 'luck'"),
        ("beacon", {"links": (Link("theft", "oil"),)}, "the link 'theft': may(f, e, a, other, 0)"),
        ("beacon", {"conflicts": (Conflict("light", "a light", "split", True, True),)},
         "'light' is declared divisible, but no rule reads f.split"),
        ("island", {"conflicts": (Conflict("capture", "the island", "first", ordered=True),)},
         "'capture' is declared ordered, but no rule reads f.order"),
        ("beacon", {"conflicts": ()}, "rules read f.order, but no conflict is declared ordered"),
        ("commons", {"conflicts": (Conflict("harvest", "stock", "in order", ordered=True),)},
         "rules read f.split, but no conflict is declared divisible"),
    ],
)  # fmt: skip
def test_a_handle_that_no_rule_reads_is_named(preset, changes, what):
    spec, rules = declared(preset)
    assert any(what in found for found in unread_handles(replace(spec, **changes), rules))


def test_numbers_are_found_behind_names_of_the_module():
    reads = find_reads(declared("mettagrid/forage")[1])
    assert (reads.tunable, reads.effect, reads.link) == ({0, 1}, {0}, {0})
    reads = find_reads(declared("mettagrid/clipped")[1])
    assert (reads.tunable, reads.effect, reads.link) == ({0}, set(), {0, 1})


def test_check_world_fails_by_name(monkeypatch):
    from beacon import WORLD

    from mesocosm.core.errors import ContractError
    from mesocosm.worlds import registry

    def spec(core):
        return replace(WORLD.spec(core), tunables=(Tunable("fading", 1.0, 0.0, 9.0), WIND))

    broken = replace(WORLD, spec=spec)
    find = registry.find
    monkeypatch.setattr(registry, "find", lambda name: broken if name == "beacon" else find(name))
    with pytest.raises(ContractError, match=r"beacon/tokens: handles: no rule reads .*'wind'"):
        check_world("beacon", presets=["beacon/tokens"], steps=4)
