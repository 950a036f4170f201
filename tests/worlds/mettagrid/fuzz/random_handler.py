"""Draw random handlers, filters, mutations and queries, as MettaGrid's own config has them."""

from typing import Any

import numpy as np
from choice import ALL, CARDINAL, TAGS, VIBES, pick


class HandlerGenerator:
    """Draws the handlers of one game.

    Some combinations crash MettaGrid (nobody to change, a use within a use): these are
    never drawn.
    """

    def __init__(self, rng: np.random.Generator, names: list[str], kinds: list[str]) -> None:
        self.rng, self.names, self.kinds = rng, names, kinds
        self.tags = [*TAGS, "team:a", "team:b"]
        self.made: list[str] = []
        self.empties = False  # whether what is emptied may vanish: never an agent
        self.moves = True  # whether the target may be moved: never after it vanished

    def chance(self, part: float) -> bool:
        return bool(self.rng.random() < part)

    def pick(self, options: Any) -> Any:
        return pick(self.rng, options)

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def who(self) -> str:
        return str(self.pick(("actor", "target")))

    def amounts(self, high: int, most: int) -> dict[str, int]:
        chosen = self.rng.permutation(len(self.names))[: self.number(1, most)]
        return {self.names[k]: self.number(1, high) for k in chosen}

    def any_tag(self) -> str:
        types = [f"type:{name}" for name in (*self.kinds, "agent", "agent")]
        return str(self.pick([*self.tags, *self.made, *types, *types]))

    def prefix(self) -> str:
        return str(self.pick(("team:", "type:", "r", "a")))

    # filters

    def filter(self, depth: int = 2) -> dict[str, Any]:
        made = self._filter(depth)
        return {"filter_type": "not", "inner": made} if self.chance(0.2) else made

    def _filter(self, depth: int) -> dict[str, Any]:
        draw = self.rng.random()
        return self._place_filter(depth, draw) if draw < 0.4 else self._own_filter(draw)

    def _place_filter(self, depth: int, draw: float) -> dict[str, Any]:
        if depth > 0 and draw < 0.12:
            inner = [self.filter(depth - 1) for _ in range(self.number(1, 3))]
            return {"filter_type": "or", "inner": inner}
        if depth > 0 and draw < 0.24:
            query = self.query(depth - 1)
            made = {"filter_type": "max_distance", "target": self.who(), "query": query}
            return made | {"radius": self.number(0, 5)}
        if draw < 0.32:
            made = {"filter_type": "max_distance", "target": "target"}
            return made | {"radius": self.number(0, 4)}
        made = {"filter_type": "periodic", "period": self.number(1, 4)}
        return made | ({"start_on": self.number(0, 5)} if self.chance(0.5) else {})

    def _own_filter(self, draw: float) -> dict[str, Any]:
        if draw < 0.48:
            return {"filter_type": "shared_tag_prefix", "tag_prefix": self.prefix()}
        if draw < 0.56:
            prefix = self.prefix()
            return {"filter_type": "tag_prefix", "target": self.who(), "tag_prefix": prefix}
        if draw < 0.75:
            return {"filter_type": "tag", "target": self.who(), "tag": self.any_tag()}
        if draw < 0.85:
            return {"filter_type": "vibe", "target": self.who(), "vibe": self.pick(VIBES)}
        return {"filter_type": "resource", "target": self.who(), "resources": self.amounts(3, 2)}

    def blockers(self) -> list[dict[str, Any]]:
        """What ends a ray: MettaGrid takes filters of one part only."""
        plain = ("tag", "tag_prefix", "vibe", "resource")
        drawn = (self._filter(0) for _ in range(self.number(0, 6)))
        return [entry for entry in drawn if entry["filter_type"] in plain][:2]

    # queries

    def query(self, depth: int = 1) -> dict[str, Any]:
        draw = self.rng.random()
        filters = [self.filter(depth - 1) for _ in range(self.number(0, 2))] if depth > 0 else []
        made: dict[str, Any]
        if depth > 0 and draw < 0.2:
            made = {"query_type": "closure", "source": self.source(depth - 1)}
            made |= {"candidates": self.source(depth - 1), "filters": filters}
            edges = [{"filter_type": "max_distance", "radius": self.number(0, 5)}]
            edges += [self.filter(depth - 1)] if self.chance(0.4) else []
            made["edge_filters"] = edges
        elif depth > 0 and draw < 0.4:
            made = {"query_type": "raycast", "source": self.source(depth - 1)}
            made |= {"max_range": self.number(1, 5), "include_blocker": self.chance(0.5)}
            made["directions"] = [x for x in CARDINAL if self.chance(0.7)]
            made["blocker"] = self.blockers()
        else:
            made = {"query_type": "query", "source": self.any_tag(), "filters": filters}
            if depth > 0 and self.chance(0.3):
                made["source"] = self.query(depth - 1)
        if self.chance(0.4):
            made["order_by"] = "random"
        if self.chance(0.4):
            made["max_items"] = self.number(0, 4)
        if self.made and self.chance(0.1):
            tag = self.pick(self.made)
            inner = {"query_type": "query", "source": self.any_tag()}
            return {"query_type": "materialized", "tag": tag, "query": inner}
        return made

    def source(self, depth: int) -> Any:
        return self.any_tag() if self.chance(0.5) else self.query(depth)

    def materialized(self) -> list[dict[str, Any]]:
        tags = ["mat:a", "mat:b"][: self.number(0, 2)]
        made = [{"query_type": "materialized", "tag": tag, "query": self.query(2)} for tag in tags]
        self.made = tags
        return made

    # mutations

    def mutation(self, nobody: bool = False, event: bool = False) -> dict[str, Any]:
        """One change; with nobody as the target, only those that can do without."""
        draw = self.rng.random()
        if draw < 0.35 and not nobody:
            return self._inventory()
        return self._look(draw, nobody) if draw < 0.6 else self._group(draw, nobody, event)

    def _look(self, draw: float, nobody: bool) -> dict[str, Any]:
        if draw < 0.5:
            kind = self.pick(("add_tag", "remove_tag"))
            tag = self.pick((*self.tags, *self.made))
            who = "actor" if nobody else self.who()
            return {"mutation_type": kind, "target": who, "tag": tag}
        if draw < 0.55:
            who = "actor" if nobody else self.who()
            return {"mutation_type": "remove_tags_with_prefix", "target": who, "prefix": "team:"}
        vibe = self.pick(VIBES)
        return {"mutation_type": "change_vibe", "target": self.who(), "vibe_name": vibe}

    def _group(self, draw: float, nobody: bool, event: bool) -> dict[str, Any]:
        if draw < 0.66 and self.made:
            return {"mutation_type": "recompute_materialized_query", "tag_prefix": "mat:"}
        if draw < 0.72:
            made = {"mutation_type": "query_place_adjacent", "query": self.query(1)}
            return made | {"target": self.who() if self.moves and not nobody else "actor"}
        if draw < 0.82:
            return self.by_query(
                self.pick((None, "actor") if nobody else (None, "actor", "target"))
            )
        return self._place(event)

    def _place(self, event: bool) -> dict[str, Any]:
        kinds = ("relocate", "spawn_object", "raycast_spawn", "push_object", "swap")
        kind = self.pick(kinds[:3] if event else kinds)
        made: dict[str, Any] = {"mutation_type": kind}
        if kind == "spawn_object":
            made["object_type"] = self.pick(self.kinds)
        if kind == "raycast_spawn":
            made |= {"object_type": self.pick(self.kinds), "max_range": self.number(1, 3)}
            made["directions"] = [x for x in CARDINAL if self.chance(0.3)] or ["east"]
            made["blocker"] = self.blockers()
        if kind == "raycast_spawn" and self.chance(0.7):
            return {"mutation_type": "relocate"}
        if kind == "push_object" and not self.moves:
            return {"mutation_type": "swap"}
        return made

    def _inventory(self) -> dict[str, Any]:
        draw, who = self.rng.random(), self.who()
        if draw < 0.45:
            deltas = {name: x * self.pick((1, 1, -1)) for name, x in self.amounts(4, 3).items()}
            return {"mutation_type": "resource_delta", "target": who, "deltas": deltas}
        if draw < 0.9:
            moved = {name: int(self.pick((x, x, -1))) for name, x in self.amounts(4, 3).items()}
            other = "target" if who == "actor" else "actor"
            made = {"mutation_type": "resource_transfer", "from_target": who, "to_target": other}
            gone = self.empties and who == "target" and self.chance(0.4)
            return made | {"resources": moved, "remove_source_when_empty": gone}
        return {"mutation_type": "clear_inventory", "target": who, "limit_name": "every"}

    def by_query(self, giver: str | None) -> dict[str, Any]:
        deltas = {name: x * self.pick((1, -1)) for name, x in self.amounts(3, 2).items()}
        made = {"mutation_type": "query_inventory", "query": self.query(2), "deltas": deltas}
        return made | ({} if giver is None else {"source": giver})

    # handlers

    def handler(self, *, aims: bool = True, uses: bool = False) -> dict[str, Any]:
        filters = [self.filter() for _ in range(self.number(0, 2))]
        filters += [{"filter_type": "target_is_usable"}] if self.chance(0.1) else []
        if aims and self.chance(0.2):
            return {"name": "h", "filters": filters, "mutations": self.aimed(uses)}
        mutations = [self.mutation() for _ in range(self.number(1, 4))]
        return {"name": "h", "filters": filters, "mutations": mutations}

    def aimed(self, uses: bool, event: bool = False) -> list[dict[str, Any]]:
        """Turn to another cell, then do something there that can do without anybody."""
        way, far = self.pick(ALL), self.number(1, 2)
        aim = {"mutation_type": "set_relative_target", "direction": way, "distance": far}
        after = [self.mutation(nobody=True, event=event) for _ in range(self.number(1, 2))]
        if uses and self.chance(0.5):
            after.append({"mutation_type": "use_target"})
        return [aim, *after]

    def nested(self, depth: int = 2) -> dict[str, Any]:
        if depth == 0 or self.chance(0.5):
            return self.handler(aims=depth == 2)
        kind = self.pick(("first_match", "all_of"))
        inner = [self.nested(depth - 1) for _ in range(self.number(0, 3))]
        return {"handler_type": kind, "handlers": inner}

    def on_move(self) -> dict[str, Any]:
        """A handler of moves: some take free cells, some look farther, some use the target."""
        made = self.handler(uses=True)
        draw = self.rng.random()
        if draw < 0.3:
            made["filters"].insert(0, {"filter_type": "target_loc_empty"})
            made["mutations"] = [self.mutation(nobody=True) for _ in range(self.number(1, 2))]
        elif draw < 0.5:
            made["mutations"].append({"mutation_type": "use_target"})
        if self.chance(0.4):
            made["filters"].append({"filter_type": "max_distance", "radius": self.number(0, 4)})
        return made | {"name": self.pick(("a", "b", "c", ""))}

    def on_game_tick(self) -> dict[str, Any]:
        filters = [{"filter_type": "periodic", "period": self.number(1, 5)}]
        return {"name": "g", "filters": filters, "mutations": [self.by_query(None)]}

    def areas(self) -> dict[str, Any]:
        return {f"area{k}": self._area() for k in range(self.number(1, 2))}

    def _area(self) -> dict[str, Any]:
        made: dict[str, Any] = {"radius": self.number(0, 4), "is_static": self.chance(0.6)}
        made["effect_self"] = self.chance(0.5)
        made["filters"] = [self.filter(1) for _ in range(self.number(0, 2))]
        if self.chance(0.5):
            gains = self.amounts(4, 2)
            made["presence_deltas"] = {name: x * self.pick((1, -1)) for name, x in gains.items()}
        if self.chance(0.8):
            made["mutations"] = [self.effect() for _ in range(self.number(1, 3))]
        return made

    def effect(self) -> dict[str, Any]:
        if self.chance(0.5):
            deltas = {name: x * self.pick((1, -1)) for name, x in self.amounts(3, 2).items()}
            return {"mutation_type": "resource_delta", "target": "target", "deltas": deltas}
        kinds = ("relocate", "swap", "push_object", "spawn_object", "raycast_spawn")
        made = self.mutation()
        while made["mutation_type"] in kinds:  # who is moved within an area can be in two places
            made = self.mutation()
        return made

    def event(self, name: str, others: list[str]) -> dict[str, Any]:
        steps = sorted({self.number(0, 60) for _ in range(self.number(1, 12))})
        made = {"name": name, "target_query": self.source(2), "timesteps": steps}
        made |= {"filters": [self.filter() for _ in range(self.number(0, 1))]}
        made["mutations"] = [self.mutation(event=True) for _ in range(self.number(1, 3))]
        made["priority"] = self.number(0, 2)
        if self.chance(0.2):
            made["mutations"] = self.aimed(False, event=True)
        if self.chance(0.5):
            made["max_targets"] = self.number(1, 3)
        if others and self.chance(0.3):
            made["fallback"] = self.pick(others)
        return made


def add_handlers(config: dict[str, Any], rng: np.random.Generator, level: int) -> dict[str, Any]:
    """Give the things and agents of a drawn game handlers of every kind.

    Levels: 1 on-use handlers; 2 also what happens after a use, at every step and on moves;
    3 also events; 4 also areas of effect.
    """
    game = config["game"]
    kinds = list(game["objects"])
    draw = HandlerGenerator(rng, game["resource_names"], kinds)
    game["tags"] = sorted({*game["tags"], *draw.tags})
    game["materialize_queries"] = draw.materialized()
    for name, thing in game["objects"].items():
        if name == "wall" or "territory_controls" in thing:
            continue
        thing["tags"] = [tag for tag in draw.tags if draw.chance(0.25)]
        draw.empties = draw.chance(0.5)
        draw.moves = not draw.empties
        if draw.chance(0.85):
            thing["on_use_handler"] = draw.nested()
        draw.empties, draw.moves = False, True
        if level > 3 and draw.chance(0.6):
            thing["aoes"] = draw.areas()
    people = {id(entry): entry for entry in (game["agent"], *game["agents"])}
    for entry in people.values():
        every = {"base": 60000, "resources": []}
        entry["inventory"].setdefault("limits", {})["every"] = every
        if draw.chance(0.4):
            entry["on_use_handler"] = draw.nested()
        draw.moves = False
        if level > 1 and draw.chance(0.4):
            entry["on_after_use_handler"] = draw.nested(1)
        draw.moves = True
        if level > 1 and draw.chance(0.4):
            entry["on_tick"] = draw.handler(uses=True)
        if level > 3 and draw.chance(0.6):
            entry["aoes"] = draw.areas()
    if level > 1 and draw.chance(0.5):
        game["actions"]["move"]["handlers"] = [draw.on_move() for _ in range(draw.number(1, 3))]
    if level > 1 and draw.chance(0.3):
        game["on_tick"] = draw.on_game_tick()
    if level > 2:
        names = ["storm", "rain", "wind", "sun"][: draw.number(1, 4)]
        game["events"] = {name: draw.event(name, names[:k]) for k, name in enumerate(names)}
    return config
