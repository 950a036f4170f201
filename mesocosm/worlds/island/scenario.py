"""Scenarios: what makes one valid, and a generator of random ones."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from mesocosm.core.errors import hint

if TYPE_CHECKING:
    from mesocosm.worlds.island.config import Core

SLOTS = 5  # weapons per unit
APART = 4  # landing radii between bases, and between a base and the island


def check(core: "Core") -> None:
    """Reject a scenario that cannot be played, saying what is wrong with it."""
    _unique("units", [unit.code for unit in core.units])
    _unique("weapons", [weapon.name for weapon in core.weapons])
    _check_units(core)
    _check_forces(core)
    _check_places(core)
    physics = core.physics
    for name in ("tiers", "noise_km", "launch", "stand_off", "salvo"):
        if min(getattr(physics, name)) < 0.0:
            raise ValueError(f"physics.{name}: must not be negative, got {getattr(physics, name)}")
    if sorted(physics.tiers) != physics.tiers or physics.tiers[0] <= 0.0:
        raise ValueError(f"physics.tiers: must be positive and rise, got {physics.tiers}")
    for level, (near, far) in enumerate(zip(physics.stand_off, physics.launch, strict=True)):
        if not near <= far <= 1.0:
            raise ValueError(
                f"physics.stand_off.{level}: must be at most launch {far}, itself at most 1, "
                f"got {near}"
            )


def _unique(where: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{where}: {name!r} stands twice")


def _known(where: str, name: str, allowed: Iterable[str]) -> None:
    if name not in (names := list(allowed)):
        raise ValueError(f"{where}: no {name!r}.{hint(name, names)}")


def _check_units(core: "Core") -> None:
    weapons = [weapon.name for weapon in core.weapons]
    for unit in core.units:
        where = f"units.{unit.code}"
        for name, rounds in unit.load.items():
            _known(f"{where}.load", name, weapons)
            if not 1 <= rounds <= 1000:
                raise ValueError(f"{where}.load.{name}: must be between 1 and 1000, got {rounds}")
        if len(unit.load) > SLOTS:
            raise ValueError(f"{where}.load: at most {SLOTS} weapons, got {len(unit.load)}")
        if unit.domain == "air" and not (unit.top >= unit.cruise > 0.0 and unit.altitude > 0.0):
            raise ValueError(f"{where}: aircraft need altitude and 0 < cruise <= top")
        if unit.domain == "air" and unit.range_km <= 0.0:
            raise ValueError(f"{where}.range_km: aircraft need fuel")
        if unit.domain == "sea" and not unit.top >= unit.cruise > 0.0:
            raise ValueError(f"{where}: ships need 0 < cruise <= top")
        if unit.takes and unit.gives:
            raise ValueError(f"{where}: a unit takes fuel or gives it, not both")
        if unit.captures and unit.domain != "air":
            raise ValueError(f"{where}.captures: only aircraft can land on the island")


def _check_forces(core: "Core") -> None:
    codes = [unit.code for unit in core.units]
    carriers = {unit.code for unit in core.units if unit.carrier}
    wing = sum(package.count for package in core.laydown.wing)
    for package in core.laydown.wing:
        _known("laydown.wing", package.unit, codes)
        if next(u for u in core.units if u.code == package.unit).domain != "air":
            raise ValueError(f"laydown.wing: {package.unit} is no aircraft")
    for side, name in enumerate(("forces", "dynasty")):
        forces = core.forces_of(side)
        for force in forces:
            _known(f"laydown.{name}", force.unit, codes)
        start = sum(force.count for force in forces)
        later = wing * sum(force.count for force in forces if force.unit in carriers)
        if start + later > core.max_entities:
            raise ValueError(
                f"laydown.{name}: {start} units and {later} in wings are more than the "
                f"{core.max_entities} ids of core.max_entities"
            )


def _check_places(core: "Core") -> None:
    half, laydown = core.map_km / 2.0, core.laydown
    margin = laydown.jitter_km
    if max(abs(core.island_x), abs(core.island_y)) > half:
        raise ValueError(f"island: ({core.island_x:g}, {core.island_y:g}) is off the map")
    for side, sign in enumerate((-1.0, 1.0)):
        for force in core.forces_of(side):
            for lateral in (force.lateral - force.spread / 2, force.lateral + force.spread / 2):
                _inside(core, f"laydown {force.unit}", sign * force.depth, sign * lateral, margin)
        base = (sign * laydown.base.depth, sign * laydown.base.lateral)
        _inside(core, "laydown.base", *base, 0.0)
        apart = APART * core.physics.landing_km
        away = np.hypot(base[0] - core.island_x, base[1] - core.island_y)
        if away < apart or np.hypot(*base) * 2.0 < apart:
            raise ValueError(
                f"laydown.base: bases and the island must be {apart:g} km apart or they overlap"
            )


def _inside(core: "Core", what: str, x: float, y: float, margin: float) -> None:
    half = core.map_km / 2.0
    if max(abs(x), abs(y)) + margin > half:
        raise ValueError(
            f"{what}: ({x:g}, {y:g}) with a jitter of {margin:g} km is off a map of ±{half:g} km"
        )


def generate(seed: int, *, units: int = 34, map_km: float = 1200.0) -> dict[str, Any]:
    """Draw an order of battle of about so many units; the result is data for `core.laydown`."""
    rng = np.random.default_rng(seed)
    scale = map_km / 1200.0
    shares = {"INT": 4, "MRF": 6, "STK": 4, "BMB": 2, "AEW": 2, "TNK": 2, "JAM": 2, "SET": 3}
    shares |= {"CVN": 1, "DDG": 3, "SAM": 3, "CDB": 2}
    total = sum(shares.values())
    forces = []
    for code, share in shares.items():
        count = int(np.floor(share * units / total * rng.uniform(0.6, 1.4) + rng.random()))
        near, far = (180, 300) if code in ("CVN", "DDG") else (350, 470)
        if count or code == "SET":
            forces.append(
                {
                    "unit": code,
                    "count": max(count, 1),
                    "depth": round(float(rng.uniform(near, far)) * scale, 1),
                    "lateral": round(float(rng.uniform(-120, 120)) * scale, 1),
                    "spread": round(float(rng.uniform(20, 80)) * scale, 1),
                }
            )
    base = {"depth": round(450 * scale, 1), "lateral": round(float(rng.uniform(-80, 80)), 1)}
    wing = [{"unit": "STK", "count": 1}, {"unit": "MRF", "count": 1}]
    return {"base": base, "jitter_km": round(12 * scale, 1), "forces": forces, "wing": wing}
