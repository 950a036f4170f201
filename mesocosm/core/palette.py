"""Colours by name, in light and in dark; teams stay apart for the colour-blind."""

from collections.abc import Mapping
from types import MappingProxyType

from mesocosm.core.errors import unknown

TEAMS, KINDS, RAMP = 6, 10, 11  # how many colours there are of each

_TEAM = ("#0a56cb", "#aa2c00", "#2fb071", "#e58400", "#7f2f7b", "#4d493d")
_TEAM_DARK = ("#5878f5", "#dd6718", "#5ee88f", "#ffe23c", "#a07fc2", "#badfda")
_KIND = ("#b5803a", "#4f8a5b", "#7a5ea8", "#a8504a", "#3f7f9f",
         "#84843a", "#9a5a80", "#54809c", "#8c6a45", "#66707a")  # fmt: skip
_KIND_DARK = ("#d9a45e", "#74b883", "#a48cd6", "#d67f78", "#6cb0d1",
              "#b5b560", "#cc8cb3", "#85b4d1", "#bd9a72", "#9aa5b0")  # fmt: skip
_SHARED = {"white": "#ffffff", "black": "#000000"}
_LIGHT = {
    "paper": "#fbfaf6", "panel": "#f0ede4", "grid": "#e3dfd3", "ink": "#2f2e2a",
    "faint": "#716d63", "wall": "#8d887d", "wall_edge": "#6b675f", "water": "#cfe3ee",
    "deep_water": "#a9cbe0", "land": "#d8cba4", "land_edge": "#b9a976", "place": "#d3e3ef",
    "closed": "#e9e7e0", "night": "#1b2f73", "fog": "#8d929b", "plate": "#d6d2c6",
    "accent": "#2f6f9f", "bubble": "#ffffff", "sun": "#eaa520", "moon": "#6f7fb0",
    "grass": "#dfe6cf",
}  # fmt: skip
_DARK = {
    "paper": "#17191d", "panel": "#22252b", "grid": "#2c3037", "ink": "#eceae4",
    "faint": "#a3a199", "wall": "#565a63", "wall_edge": "#6b707a", "water": "#16303f",
    "deep_water": "#245069", "land": "#6a6040", "land_edge": "#8a7d55", "place": "#2b4257",
    "closed": "#282a2f", "night": "#05070f", "fog": "#4a4f58", "plate": "#3b4048",
    "accent": "#6db1e3", "bubble": "#30343c", "sun": "#f3c04d", "moon": "#a9b6e0",
    "grass": "#242c20",
}  # fmt: skip
_RAMPS = {"light": ("#c8401f", "#e0a921", "#2f8f6f"), "dark": ("#ef6a45", "#edc04b", "#4fc39d")}


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mix(one: str, other: str, share: float) -> str:
    """Mix a share of another colour into one; both are `#rrggbb`."""
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _ramp(low: str, middle: str, high: str) -> dict[str, str]:
    """Give the colours of shares from 0 to 1: low, middling, high."""
    half = (RAMP - 1) / 2
    return {
        f"ramp{k}": mix(low, middle, k / half) if k < half else mix(middle, high, k / half - 1)
        for k in range(RAMP)
    }


def _theme(
    plain: Mapping[str, str], teams: tuple[str, ...], kinds: tuple[str, ...], ramp: tuple[str, ...]
) -> Mapping[str, str]:
    """Name all colours of a theme; `on0` is what is written in on `team0`."""
    made = {**_SHARED, **plain, **_ramp(*ramp)}
    made |= {f"team{k}": colour for k, colour in enumerate(teams)}
    made |= {f"on{k}": text_on(colour) for k, colour in enumerate(teams)}
    made |= {f"kind{k}": colour for k, colour in enumerate(kinds)}
    made |= {"bad": ramp[0], "fair": ramp[1], "good": ramp[2]}
    return MappingProxyType(made)


def luminance(colour: str) -> float:
    """Return how bright a colour is, from 0 to 1, as contrast is reckoned."""
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def text_on(colour: str) -> str:
    """Return black or white, whichever is read more easily on a colour."""
    bright = luminance(colour)
    return "#ffffff" if 1.05 / (bright + 0.05) > (bright + 0.05) / 0.05 else "#16181c"


THEMES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "light": _theme(_LIGHT, _TEAM, _KIND, _RAMPS["light"]),
        "dark": _theme(_DARK, _TEAM_DARK, _KIND_DARK, _RAMPS["dark"]),
    }
)


def resolve_colour(name: str, theme: str = "light") -> str:
    """Return the `#rrggbb` of a colour in a theme."""
    if name.startswith("#"):
        return name
    colours = THEMES[theme]
    if name not in colours:
        raise unknown("colour", name, colours)
    return colours[name]


def team(number: int) -> str:
    """Name the colour of a team."""
    return f"team{number % TEAMS}"


def on_team(number: int) -> str:
    """Name the colour that is written in on a team's colour."""
    return f"on{number % TEAMS}"


def share_colour(value: float) -> str:
    """Name the colour of a share between 0, which is bad, and 1, which is good."""
    return f"ramp{round(min(max(value, 0.0), 1.0) * (RAMP - 1))}"
