"""Team colours stay apart for people who do not see all colours, in light and in dark."""

from itertools import combinations

import numpy as np
import pytest

from mesocosm.core.palette import TEAMS, THEMES, luminance

# how full deuteranopia, protanopia and tritanopia change linear colours (Machado et al. 2009)
SIGHTS = {
    "all colours": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip
LEAST = 25.0  # CIE76; people tell colours apart from about 2.3 on, side by side
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def lab(colour, sight):
    """Give a colour as someone sees it, in a space in which distances look alike."""
    share = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    part = XYZ @ np.clip(np.asarray(sight) @ linear, 0, 1) / WHITE
    root = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_team_colours_are_apart_for_the_colour_blind(theme, sight):
    seen = [lab(THEMES[theme][f"team{k}"], SIGHTS[sight]) for k in range(TEAMS)]
    apart = {(i, j): np.linalg.norm(seen[i] - seen[j]) for i, j in combinations(range(TEAMS), 2)}
    assert min(apart.values()) >= LEAST, min(apart, key=apart.get)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("theme", THEMES)
def test_bad_fair_and_good_are_apart_for_the_colour_blind(theme, sight):
    seen = [lab(THEMES[theme][name], SIGHTS[sight]) for name in ("bad", "fair", "good")]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) >= 18.0


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_is_readable_and_teams_stand_out(theme):
    colours = THEMES[theme]
    for ground in ("paper", "water", "place", "grass", "bubble"):
        assert contrast(colours["ink"], colours[ground]) >= 7.0, ground
    assert contrast(colours["faint"], colours["paper"]) >= 4.5
    for k in range(TEAMS):
        assert contrast(colours[f"on{k}"], colours[f"team{k}"]) >= 4.5
        assert contrast(colours[f"team{k}"], colours["paper"]) >= 2.4
