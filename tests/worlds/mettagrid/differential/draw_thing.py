"""Draw objects and agents: inventories with limits, handlers, areas, territory."""

from tests.worlds.mettagrid.differential.draw_handler import (
    draw_any_handler,
    draw_area,
    draw_handler,
)
from tests.worlds.mettagrid.differential.draw_value import draw_value
from tests.worlds.mettagrid.differential.names import Json, Names

LIMITS = (0, 1, 2, 3, 5, 10, 20, 100, 255, 1000, 65535)


def draw_inventory(names: Names, *, agent: bool) -> Json:
    """Draw an inventory: what it begins with, and how much it holds."""
    found: Json = {"initial": {}, "limits": {}}
    if names.chance(0.75):
        found["initial"] = {
            name: min(65535, names.amount() * names.pick((1, 1, 5)))
            for name in names.some(names.resources, 1, 4)
        }
    if not agent and names.odd():
        found["initial"]["unheard_of"] = 3
    if names.chance(0.3):
        found["default_limit"] = names.pick(LIMITS)
    if names.chance(0.5):
        keys = names.limits if agent or names.chance(0.5) else ["own"]
        for key in names.some(keys, 1, 3):
            found["limits"][key] = draw_limit(names, agent=agent)
    return found


def draw_limit(names: Names, *, agent: bool) -> Json:
    """Draw a limit that resources share, which some of them raise."""
    found: Json = {"base": names.pick(LIMITS), "resources": names.some(names.resources, 1, 3)}
    if names.chance(0.1):
        found["resources"] = []
    if not agent and names.odd():
        found["resources"].append("unheard_of")
    if names.chance(0.5):
        found["max"] = names.pick(LIMITS)
    if names.chance(0.5):
        found["modifiers"] = {
            name: names.pick((1, 2, 5, 10)) for name in names.some(names.resources, 1, 2)
        }
        if names.odd():
            found["modifiers"]["unheard_of"] = 4
    return found


def draw_thing(names: Names) -> Json:
    """Draw what objects and agents have in common, but for inventory and name."""
    found: Json = {}
    if names.chance(0.3):
        found["vibe"] = names.pick((0, 1, 2, 3, 200, 255) if names.odd() else (1, 2))
    if names.chance(0.25):
        found["aoes"] = {f"a{k}": draw_area(names) for k in range(names.rng.randint(1, 2))}
    if names.territories and names.chance(0.35):
        found["territory_controls"] = [
            {"territory": names.pick(names.territories), "strength": names.rng.randint(1, 6),
             "decay": names.pick((1, 1, 2, 3))}
            for _ in range(names.rng.randint(1, 2))
        ]  # fmt: skip
    if names.chance(0.6):
        found["on_use_handler"] = draw_any_handler(names, place="use")
    if names.chance(0.03):
        found["handlers"] = {"old": draw_handler(names)}
    if names.chance(0.2):
        keys = names.some((*names.prefixes, *names.plain_tags, *names.tags), 1, 2)
        found["on_tag_remove"] = {key: draw_handler(names, high=2) for key in keys}
    return found


def draw_object(names: Names, *, wall: bool = False) -> Json:
    """Draw an object without its name."""
    if wall and names.chance(0.7):
        return {"pydantic_type": "wall", "blocks_vision": names.chance(0.3)}
    found = draw_thing(names)
    if wall:
        found["pydantic_type"] = "wall"
    if names.chance(0.6):
        found["tags"] = names.some(names.plain_tags, 1, 3)
    if names.chance(0.25):
        found["blocks_vision"] = True
    if names.chance(0.9):
        found["inventory"] = draw_inventory(names, agent=False)
    return found


def draw_agent(names: Names, team: int, tags: list[str], name: str = "agent") -> Json:
    """Draw an agent of a team."""
    found = draw_thing(names)
    found |= {"team_id": team, "tags": list(tags), "name": name}
    if names.chance(0.05):
        found["map_name"] = "someone"
    found["inventory"] = draw_inventory(names, agent=True)
    found["rewards"] = {
        f"r{k}": {"reward": draw_value(names), "per_tick": names.chance(0.35)}
        for k in range(names.rng.randint(0, 3))
    }
    if names.chance(0.25):
        stats = names.some(names.stats, 1, 2)
        found["initial_stats"] = {stat: names.number() for stat in stats}
    if names.chance(0.4):
        found["on_tick"] = draw_any_handler(names, rare=True)
    if names.chance(0.3):
        found["on_after_use_handler"] = draw_any_handler(names, place="after")
    return found
