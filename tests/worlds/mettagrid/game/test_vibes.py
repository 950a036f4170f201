"""The vibes by id are those of MettaGrid's two versions."""

import pytest
from recordings.replay import recorded_config

from mesocosm.worlds.mettagrid.game.vibes import COGS_VIBES, VIBES


def test_vibes_are_those_of_the_classic_version():
    theirs = recorded_config("classic_basic")["game"]["vibe_names"]
    assert [vibe.name for vibe in VIBES] == theirs
    assert [vibe.id for vibe in VIBES] == list(range(len(theirs)))


def test_vibes_of_cogs_are_those_of_the_wheel():
    theirs = pytest.importorskip("mettagrid.config.vibes", reason="MettaGrid has no wheel here")
    assert [vibe.name for vibe in COGS_VIBES] == [vibe.name for vibe in theirs.VIBES]
