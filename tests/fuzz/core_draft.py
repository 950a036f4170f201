"""Draw changes to the core section: fields in turn, so that a long run comes to every one."""

from typing import Any

from tests.fuzz.limits import CLASSIC, CLASSIC_FIELDS, COGS, COGS_FIELDS, FORMS
from tests.fuzz.schema import Path, Schema, Slot, at
from tests.fuzz.values import Drawer

Edit = tuple[Path, Any]
# what must fit the domain of a unit
MOBILE = {"altitude", "cruise", "top", "domain", "gives", "takes", "fuel_loads", "range_km"} | {
    "captures", "carrier", "load"
}  # fmt: skip
APPEND = "+"  # in a path: behind the last of a list
FLYING = {"altitude", "captures", "gives", "takes", "fuel_loads", "range_km"}
DEPTHS = {"core": 1, "layers": 2}  # how many dots a path has that names a whole setting
SUPPORT = {  # what must be so for a field to mean something
    ("commons", "Core", "invalid_penalty"): {"invalid": "penalty"},
    ("commons", "Core", "sight"): {"num_agents": 10},
    ("commons", "Core", "fine_size"): {"num_wardens": 1},
    ("mettagrid", "Talk", "max_length"): {"enabled": True},
    ("mettagrid", "Talk", "cooldown_steps"): {"enabled": True},
}


def allowed_slots(slots: list[Slot], schema: Schema, core: dict[str, Any]) -> list[Slot]:
    """Leave out the fields of a game's other profile."""
    if schema.world != "mettagrid":
        return slots
    classic = core["profile"] == "classic"
    other, word = (COGS, "(cogs)") if classic else (CLASSIC, "(classic)")
    kept = [
        slot
        for slot in slots
        if slot[0] not in other
        and word not in schema.field(slot)["description"]
        and slot not in (COGS_FIELDS if classic else CLASSIC_FIELDS)
        and not schema.children(schema.field(slot)) & other
    ]
    if not classic:
        return kept
    first = [s for s in kept if s[0] in CLASSIC or "(classic)" in schema.field(s)["description"]]
    return [*first, *first, *kept]


class CoreDraft:
    """Draws edits of one config's core."""

    def __init__(self, drawer: Drawer, data: dict[str, Any]) -> None:
        self.drawer, self.schema, self.data = drawer, drawer.schema, data

    def edits(self, slot: Slot) -> list[Edit]:
        """Draw what takes a field off its default, with what it needs."""
        world, (model, key) = self.schema.world, slot
        here = self._instance(model)
        if here is None:
            return self._new(model, key)
        path, held = here
        made: list[Edit] = self._land(slot) + [
            ((*path, name), value)
            for name, value in SUPPORT.get((world, *slot), {}).items()
            if isinstance(value, str) or (held.get(name) or 0) < value
        ]
        special = self._special(slot)
        if special:
            return special
        if (world, model) in FORMS:
            fresh = self.drawer.model(model, wanted=key, depth=1)
            return [*made, (path, fresh)]
        value = self.drawer.value(self.schema.field(slot), slot, held.get(key), 1)
        return [*made, ((*path, key), value)]

    def _land(self, slot: Slot) -> list[Edit]:
        """Declare a territory where something is to claim one."""
        if slot[0] != "Control" and slot != ("Thing", "controls"):
            return []
        known = self.data["core"]["territories"]
        return [] if known else [(("core", "territories"), {"land": "team:"})]

    def _special(self, slot: Slot) -> list[Edit]:
        """Draw what takes several fields at once."""
        core = self.data["core"]
        if self.schema.world == "island":
            return self._island(slot, core)
        if self.schema.world == "townlet":
            return self._townlet(slot, core)
        return self._mettagrid(slot, core) if self.schema.world == "mettagrid" else []

    def _mettagrid(self, slot: Slot, core: dict[str, Any]) -> list[Edit]:
        """Draw a whole map, every agent by itself, or a game of the other profile."""
        if slot == ("Core", "profile"):
            other = "classic" if core["profile"] == "cogs" else "cogs"
            return [*self._without_profile(core["profile"]), (("core", "profile"), other)]
        if slot in (("Map", "rows"), ("Map", "legend")):
            return self._ascii_map(core)
        if slot == ("Core", "agents"):
            kinds = [{"team": k % 2} for k in range(core["num_agents"])]
            kinds[0] = self.drawer.model("AgentKind", wanted="tags", depth=2)
            return [(("core", "agents"), kinds)]
        if slot[0] == "Damage" and core["profile"] == "classic":
            return [(("core", "agent", "damage"), self._damage(core["resources"]))]
        return []

    def _damage(self, resources: list[str]) -> dict[str, Any]:
        """Draw what harms and what is lost by it, which must be different things."""
        cut = max(1, len(resources) // 2)
        harm, loss = self.drawer.some(resources[:cut]), self.drawer.some(resources[cut:])
        amount = int(self.drawer.rng.integers(1, 9))
        return {"threshold": dict.fromkeys(harm, amount), "resources": dict.fromkeys(loss, 1)}

    def _townlet(self, slot: Slot, core: dict[str, Any]) -> list[Edit]:
        """Draw a level with the people and the cues that it can have."""
        if slot not in (("Core", "level"), ("Core", "num_agents")):
            return []
        least = 6 if slot[1] == "num_agents" else 0
        level = self.drawer.pick([k for k in range(least, 9) if k != core["level"]])
        people = int(self.drawer.rng.integers(2, 13)) if level >= 6 else 1
        cues = [cue["name"] for cue in core["cues"]] if level >= 7 else []
        made = {"level": level, "num_agents": people, "shown_cues": cues[:6]}
        return [(("core", key), value) for key, value in made.items()]

    def _new_unit(self, core: dict[str, Any], key: str) -> list[Edit]:
        """Add a type of unit whose numbers fit its domain."""
        drawer = self.drawer
        domain = "air" if key in FLYING else drawer.pick(("air", "sea", "ground"))
        unit = drawer.model("Unit", wanted="radar_km", depth=2)
        unit = {k: v for k, v in unit.items() if k not in MOBILE} | {
            "code": "NEW",
            "domain": domain,
        }
        if domain != "ground":
            top = float(drawer.rng.uniform(5.0, 1000.0))
            unit |= {"top": top, "cruise": top * float(drawer.rng.uniform(0.3, 1.0))}
        if domain == "air":
            unit |= {"altitude": float(drawer.rng.uniform(100.0, 20000.0)), "range_km": 900.0}
            fuel = drawer.pick(({"takes": ["boom"]}, {"gives": ["probe"], "fuel_loads": 3.5}, {}))
            unit |= {**fuel, "captures": key == "captures"}
        unit |= {"carrier": key == "carrier" and domain == "sea"}
        return [(("core", "units", APPEND), unit)]

    def _island(self, slot: Slot, core: dict[str, Any]) -> list[Edit]:
        """Rename something everywhere, or scale two settings that must keep their order."""
        if slot in (("Unit", "code"), ("Weapon", "name")):
            here = self._instance(slot[0])
            if here is None:
                return []
            old, new = here[1][slot[1]], self.drawer.text(slot)
            changed = _rename(core, old, new)
            return [(("core", key), changed[key]) for key in ("units", "weapons", "laydown")]
        if slot[0] == "Unit" and slot[1] in MOBILE and len(core["units"]) < 40:
            return self._new_unit(core, slot[1])
        if slot in (("Physics", "launch"), ("Physics", "stand_off")):
            factor = float(self.drawer.rng.uniform(0.3, 1.0))
            held = core["physics"]
            keys = ("stand_off", "launch") if slot[1] == "launch" else ("stand_off",)
            return [(("core", "physics", k), [x * factor for x in held[k]]) for k in keys]
        return []

    def _ascii_map(self, core: dict[str, Any]) -> list[Edit]:
        """Draw a map as text, with room for every agent and some of each object."""
        things = sorted(core["objects"])
        legend = {".": "empty", "@": "agent.agent"}
        legend |= {chr(ord("a") + k): name for k, name in enumerate(things)}
        cells = [*"@" * core["num_agents"], *(char for char in legend if char != "@")]
        width = int(self.drawer.rng.integers(5, 16))
        height = -(-3 * len(cells) // width)
        cells += ["."] * (width * height - len(cells))
        order = self.drawer.rng.permutation(len(cells))
        rows = [
            "".join(cells[k] for k in order[r * width : (r + 1) * width]) for r in range(height)
        ]
        made = {"kind": "ascii", "rows": rows, "legend": legend}
        return [(("core", "map"), made)]

    def _without_profile(self, profile: str) -> list[Edit]:
        """Take away what only one profile of a game has."""
        only, word = (COGS, "(cogs)") if profile == "cogs" else (CLASSIC, "(classic)")
        node = self.schema.root["properties"]["core"]
        made: list[Edit] = []
        for model, path, held in self.schema.instances(self.data["core"], node):
            for key, value in held.items():
                field = self.schema.field((model, key))
                own = word in field["description"] or self.schema.children(field) & only
                own = own or (model, key) in (CLASSIC_FIELDS if only is CLASSIC else COGS_FIELDS)
                if own and "default" in field and value != field["default"]:
                    made.append((("core", *path, key), field["default"]))
        return made

    def _instance(self, model: str) -> tuple[Path, dict[str, Any]] | None:
        """Choose one of the places where a model stands."""
        node = self.schema.root["properties"]["core"]
        core = self.data["core"]
        found = [
            (("core", *path), held)
            for name, path, held in self.schema.instances(core, node)
            if name == model
        ]
        return self.drawer.pick(found) if found else None

    def _new(self, model: str, key: str, depth: int = 0) -> list[Edit]:
        """Draw a model where there is none, inside a field that may hold it."""
        parents = list(self.schema.parents.get(model, []))
        known = [slot for slot in parents if self._instance(slot[0]) is not None]
        if not known:
            return []
        parent = self.drawer.pick(known)
        here = self._instance(parent[0])
        if here is None:
            return []
        path = (*here[0], parent[1])
        fresh = self.drawer.model(model, wanted=key, depth=1)
        return [
            *self._land((model, key)),
            (path, self._wrap(parent, fresh, here[1].get(parent[1]))),
        ]

    def _wrap(self, parent: Slot, fresh: dict[str, Any], held: Any) -> Any:
        """Put a model into the list, mapping or field that holds it."""
        node = self.drawer.pick(self.schema.choices(self.schema.field(parent)))
        if parent == ("Core", "events") and fresh.get("fallback") not in (None, *held):
            spare = {"targets": fresh["targets"], "mutations": fresh.get("mutations", [])}
            held = {**held, fresh["fallback"]: {**spare, "steps": [2]}}
        if node.get("type") == "array":
            return [*(held or []), fresh]
        if "additionalProperties" in node and self.schema.model_of(node) is None:
            names = self.drawer.pools.keys(parent) or ["extra"]
            return {**(held or {}), self.drawer.pick(names): fresh}
        return fresh


def _rename(value: Any, old: str, new: str) -> Any:
    """Give a copy in which a name is another, as key and as value."""
    if isinstance(value, dict):
        return {(new if k == old else k): _rename(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [_rename(entry, old, new) for entry in value]
    return new if value == old else value


def put(data: dict[str, Any], edits: list[Edit]) -> dict[str, Any]:
    """Make the edits in a copy; what has no place any more is left out."""
    made = _copy(data)
    for path, value in edits:
        parent = at(made, path[:-1])
        last = path[-1]
        if isinstance(parent, list) and last == APPEND:
            parent.append(_copy(value))
        elif isinstance(parent, dict) or (isinstance(parent, list) and int(last) < len(parent)):
            parent[last] = _copy(value)  # type: ignore[index, call-overload]
    return made


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(entry) for key, entry in value.items()}
    return [_copy(entry) for entry in value] if isinstance(value, list) else value


def overrides(base: dict[str, Any], data: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Say by dotted paths how data differ from a preset's; whole settings, as files have them."""
    found: dict[str, Any] = {}
    for key, value in data.items():
        here = f"{path}.{key}".lstrip(".")
        old = base.get(key)
        if value == old and key in base:
            continue
        both = isinstance(value, dict) and isinstance(old, dict) and old
        deep = here.count(".") >= DEPTHS.get(here.partition(".")[0], 9)
        if both and not deep and set(old) <= set(value) and all(_plain(n) for n in value):
            found |= overrides(old, value, here)
        else:
            found[here] = value
    return found


def _plain(name: str) -> bool:
    return bool(name) and "." not in name and name.isprintable()
