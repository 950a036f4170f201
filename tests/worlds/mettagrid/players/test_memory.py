"""What a crew remembers: things by their tags, the nearest first, and what nobody saw yet."""

import numpy as np

from mesocosm.worlds.mettagrid.players.memory import NEVER, Memory, Wanted

WALL, HUB, LODE = 1, 2, 4


def remember(*rows, teams=1):
    """Return a memory of one look, from the middle of a window drawn as text."""
    memory = Memory(teams, WALL)
    tags = np.array([[{"#": WALL, "H": HUB, "L": LODE}.get(x, 0) for x in row] for row in rows])
    seen = np.array([[NEVER if char == "?" else 0 for char in row] for row in rows])
    memory.note(np.array([0]), np.zeros((1, 2), int), tags[None], seen[None])
    return memory


def look_for(memory, every, *, agent=0, clock=0, alone=0.0, team=0):
    """Ask for the nearest thing with a tag, from the middle."""
    one, none = np.array([every]), np.array([0])
    wanted = Wanted(one, none, none, np.zeros(1), np.zeros(1), np.array([alone]))
    who = (np.array([team]), np.array([agent]), np.zeros((1, 2), int), np.array([clock]))
    place, found = memory.nearest(*who, wanted)
    return tuple(place[0].tolist()) if found[0] else None


def test_nearest_thing_with_a_tag_is_found():
    memory = remember("L...L", ".....", ".....", ".L...", "....H")
    assert look_for(memory, LODE) == (1, -1)
    assert look_for(memory, HUB) == (2, 2)


def test_what_was_not_seen_or_is_another_teams_is_not_known():
    memory = remember("L....", ".....", ".....", ".....", ".....", teams=2)
    assert look_for(memory, HUB) is None
    assert look_for(memory, LODE, team=1) is None


def test_what_is_avoided_is_left_alone_until_then():
    memory = remember(".....", ".....", "...L.", ".....", "L....")
    memory.avoid(np.array([0]), np.array([[0, 1]]), np.array([9]))
    assert look_for(memory, LODE, clock=8) == (2, -2)
    assert look_for(memory, LODE, clock=9) == (0, 1)


def test_what_another_agent_is_after_counts_as_farther():
    memory = remember(".....", ".....", "...L.", ".....", "L....")
    memory.claim(np.array([0]), np.array([[0, 1]]), np.array([7]), np.array([5]))
    assert look_for(memory, LODE, alone=20.0) == (2, -2)
    assert look_for(memory, LODE, alone=20.0, agent=7) == (0, 1)
    assert look_for(memory, LODE, alone=20.0, clock=5) == (0, 1)


def test_forgotten_things_are_gone():
    memory = remember("L....", ".....", ".....", ".....", ".....")
    memory.forget(np.array([0]))
    memory.note(
        np.array([0]), np.zeros((1, 2), int), np.zeros((1, 5, 5), int), np.zeros((1, 5, 5), int)
    )
    assert look_for(memory, LODE) is None


def test_frontier_is_beside_a_free_cell_that_was_seen():
    memory = remember("?????", "?###?", "?#.??", "?###?", "?????")
    who = (np.array([0]), np.zeros((1, 2), int), np.array([0]))
    place, found = memory.frontier(*who, np.random.default_rng(0))
    assert found[0]
    assert tuple(place[0]) == (0, 1)
