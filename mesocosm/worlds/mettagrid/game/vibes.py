"""The vibes that MettaGrid's games choose from: a token's value is the id of one."""

from typing import NamedTuple

CLASSIC_NAMES = """
default charger carbon_a carbon_b oxygen_a oxygen_b germanium_a germanium_b silicon_a silicon_b
heart_a heart_b gear assembler chest wall paperclip up down left right up-right down-right
down-left up-left rotate swords shield wrench money factory lightning fire water tree
rotate-clockwise compass pin pushpin diamond coin oil fuel wheat corn carrot rock mountain wood
wave dagger bow hammer alembic test-tube package backpack zero one two three four five six seven
eight nine ten hash asterisk plus minus multiply divide hundred numbers red-heart orange-heart
yellow-heart green-heart blue-heart purple-heart white-heart black-heart brown-heart two-hearts
sparkling-heart growing-heart heart-arrow heart-ribbon revolving-hearts heart-decoration
broken-heart heart-exclamation love-letter grinning grinning-big-eyes grinning-smiling-eyes
beaming smiling halo heart-eyes star-struck kiss tears-of-joy rofl squinting crying sobbing
crying-cat angry pouting swearing fearful anxious monocle confused sleepy yawning drooling
savoring smirking rolling-eyes clown ghost moai skull-crossbones chart-up chart-down rocket
target red-circle orange-circle yellow-circle green-circle blue-circle purple-circle
brown-circle black-circle white-circle orange-square yellow-square purple-square brown-square
white-square red-triangle blue-diamond small-blue-diamond plug sparkle light-shade medium-shade
"""
RENAMED = {"charger": "junction", "assembler": "hub"}  # in the profile cogs


class Vibe(NamedTuple):
    """A vibe: its id in tokens, if a game has them all, and its name."""

    id: int
    name: str


VIBES = tuple(Vibe(k, name) for k, name in enumerate(CLASSIC_NAMES.split()))
COGS_VIBES = tuple(Vibe(vibe.id, RENAMED.get(vibe.name, vibe.name)) for vibe in VIBES)
