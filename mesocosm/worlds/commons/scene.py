"""How the commons look: a lake, how full it is, and the people who sit round it."""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from mesocosm.core.glyph import load_glyphs
from mesocosm.core.palette import share_colour
from mesocosm.core.scene import Bars, Circle, Glyph, Legend, Primitive, Ring, Scene, Text
from mesocosm.worlds.commons.config import Core

GLYPHS = load_glyphs(Path(__file__).parent / "data" / "glyphs.json")
LEAST_LAKE, SEAT_WIDTH, BANK = 2.6, 1.5, 1.0  # radius of a small lake, width of a seat, of the bank
MOST_FISH, FISH = 28, 0.5
GOLDEN = 2.399963  # the angle by which fish follow one another
SWIM = 0.11  # by which they turn per step
FINES_SHOWN = 10.0
WARDEN_ROW = 1.6


def lake_radius(core: Core) -> float:
    """Return how large a lake is, for everybody to have a seat."""
    return max(LEAST_LAKE, core.num_harvesters * SEAT_WIDTH / (2.0 * math.pi) - BANK)


def middle(core: Core) -> float:
    """Return where the lake's middle is, along both sides."""
    return lake_radius(core) + 2.0 * BANK + 0.1


def seat_at(core: Core, seat: float) -> tuple[float, float]:
    """Return where a seat is; the first is at the top, the others follow clockwise."""
    angle = 2.0 * math.pi * seat / core.num_harvesters - math.pi / 2.0
    reach = lake_radius(core) + BANK
    return middle(core) + reach * math.cos(angle), middle(core) + reach * math.sin(angle)


def scene(truth: Mapping[str, np.ndarray], core: Core) -> Scene:
    """Draw the lake, the people round it, and the wardens below."""
    share, clock = float(truth["stock"]) / core.capacity, int(truth["clock"])
    drawn: list[Primitive] = [*lake(core, share, clock)]
    for a in range(core.num_harvesters):
        drawn += _harvester(truth, core, a)
    size = 2.0 * middle(core)
    for k in range(core.num_wardens):
        x = size * (k + 1) / (core.num_wardens + 1)
        a = core.num_harvesters + k
        drawn += person(
            "warden", x, size + WARDEN_ROW / 2, "kind2", f"W{k}", f"warden {a}", f"agent {a}"
        )
    height = size + (WARDEN_ROW if core.num_wardens else 0.0)
    return Scene(
        size, height, tuple(drawn), caption(truth, core), "grass", legend(core), glyphs=GLYPHS
    )


def caption(truth: Mapping[str, np.ndarray], core: Core) -> str:
    """Return in one line how things stand."""
    alive = int(truth["alive"][: core.num_harvesters].sum())
    stock, clock = float(truth["stock"]), int(truth["clock"])
    return (
        f"commons, step {clock} of {core.max_steps}: stock {stock:.1f} of {core.capacity:g}, "
        f"{alive} of {core.num_harvesters} alive"
    )


def legend(core: Core) -> tuple[Legend, ...]:
    """Say what glyphs and bars mean."""
    wardens = (Legend("warden", "kind2", "warden", "kind3"),) if core.num_wardens else ()
    return (
        Legend("fisher", "good", "harvester, by its wealth", "fair"), *wardens,
        Legend("fish", "kind4", "the stock"), Legend("", "sun", "wealth"),
        Legend("", "kind4", "catch of the step"), Legend("", "bad", "times fined"),
        Legend("gift", "kind6", "gained in deals"), Legend("cross", "bad", "lost in deals"),
        Legend("grave", "faint", "gone"), Legend("", "ink", "level of collapse"),
    )  # fmt: skip


def lake(
    core: Core, share: float, clock: int = 0, source: tuple[str, ...] = ()
) -> Iterator[Primitive]:
    """Draw a lake as full as its stock, and fish in it."""
    at, radius = middle(core), lake_radius(core)
    share = min(max(share, 0.0), 1.0)
    yield Circle(at, at, 2.0 * radius + 0.3, "land_edge")
    yield Circle(at, at, 2.0 * radius, "land", label="dry ground")
    wet = radius * math.sqrt(share)
    said = f"stock {share:.0%}"
    yield Circle(at, at, 2.0 * wet, "deep_water", label=said, source=source)
    yield Circle(at, at, 2.0 * max(wet - 0.18, 0.0), "water", label=said, source=source)
    least = radius * math.sqrt(core.collapse_level)
    yield Ring(at, at, 2.0 * least, "ink", 0.04, 0.7, label="level of collapse")
    count, fish = round(MOST_FISH * share), max(FISH, 0.16 * radius)
    for k in range(count):
        away = (wet - 0.4) * math.sqrt((k + 0.5) / MOST_FISH / max(share, 0.01))
        angle = k * GOLDEN + SWIM * clock
        x, y = at + away * math.cos(angle), at + away * math.sin(angle)
        turn = math.degrees(angle) - 90.0
        yield Glyph("fish", x, y, fish, "kind4", turn, 0.85, source=source)
    yield Text(at, at, max(0.4, 0.12 * radius), "ink", f"{share:.0%}", halo="water", source=source)


def _harvester(truth: Mapping[str, np.ndarray], core: Core, a: int) -> Iterator[Primitive]:
    x, y = seat_at(core, int(truth["seat"][a]))
    if not truth["alive"][a]:
        yield Glyph("grave", x, y, 0.8, "faint", label=f"harvester {a}: gone", key=f"agent {a}")
        yield Text(x, y + 0.6, 0.3, "faint", str(a))
        return
    wealth, catch, received, fined = (
        float(truth[name][a]) for name in ("wealth", "catch", "received", "fined")
    )
    share = wealth / core.wealth_cap
    label = f"harvester {a}: wealth {wealth:.2f}, catch {catch:.2f}, fined {fined:g}"
    colour = share_colour(share * 4.0)
    yield from person("fisher", x, y, colour, str(a), label, key=f"agent {a}")
    values = (share, catch / core.harvest_rate, fined / FINES_SHOWN)
    yield owned(x, y, values)
    yield from deal(x, y, received)


def person(
    glyph: str, x: float, y: float, colour: str, name: str, label: str,
    key: str = "", source: tuple[str, ...] = (),
) -> Iterator[Primitive]:  # fmt: skip
    """Draw someone with a name."""
    yield Glyph(
        glyph, x, y - 0.15, 1.0, colour, accent="kind3" if glyph == "warden" else "fair",
        label=label, key=key, source=source,
    )  # fmt: skip
    yield Text(x - 0.04, y + 0.12, 0.32, "white", name, key=key, source=source)


def owned(
    x: float, y: float, values: tuple[float, float, float], source: tuple[str, ...] = ()
) -> Bars:
    """Draw wealth, catch and fines of someone as bars."""
    return Bars(
        x - 0.45, y + 0.42, 0.9, 0.36, values, ("sun", "kind4", "bad"),
        names=("wealth", "catch", "times fined"), source=source,
    )  # fmt: skip


def deal(x: float, y: float, received: float, source: tuple[str, ...] = ()) -> Iterator[Primitive]:
    """Draw what deals brought or cost someone in this step."""
    if abs(received) > 1e-9:
        glyph, colour = ("gift", "kind6") if received > 0 else ("cross", "bad")
        yield Glyph(
            glyph, x + 0.5, y - 0.5, 0.42, colour, label=f"deals {received:+.2f}", source=source
        )
