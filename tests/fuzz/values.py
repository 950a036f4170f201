"""Draw values off their default within the limits that a schema node declares."""

import math
from typing import Any

import numpy as np

from tests.fuzz.limits import CAPS, FORMS, GROWING, ODD, Pools
from tests.fuzz.schema import Schema, Slot

DEPTH = 3  # how deep new models nest
EXTREME = 0.2  # chance of the least or the greatest value
TRIES = 4  # to find a number that is not there already
ROOM = 1000.0  # limit of numbers that declare none


class Drawer:
    """Draws values of schema nodes from one random stream."""

    def __init__(
        self, schema: Schema, rng: np.random.Generator, pools: Pools, optional: float = 0.25
    ) -> None:
        self.schema, self.rng, self.pools = schema, rng, pools
        self.optional = optional  # chance that a new model has a field it need not have

    def chance(self, prob: float) -> bool:
        return bool(self.rng.random() < prob)

    def pick(self, options: Any) -> Any:
        """Choose one of some options."""
        found = list(options)
        return found[int(self.rng.integers(len(found)))]

    def some(self, options: Any, most: int = 3) -> list[Any]:
        """Choose one or several different options, in random order."""
        found = list(options)
        count = int(self.rng.integers(1, min(most, len(found)) + 1)) if found else 0
        return [found[k] for k in self.rng.permutation(len(found))[:count]]

    def number(self, node: dict[str, Any], slot: Slot, current: Any = None) -> Any:
        """Draw a number: an extreme, something near the current value, or any."""
        whole = node["type"] == "integer"
        low, high = self._limits(node, slot, whole)
        if self.chance(EXTREME):
            made = self.pick((low, high))
        elif isinstance(current, int | float) and current and self.chance(0.4):
            made = float(current) * float(np.exp(self.rng.uniform(-1.0, 1.0)))
        elif high - low > ROOM:
            made = low + 10 ** self.rng.uniform(-1.0, math.log10(high - low))
            if low < 0 <= high:
                made = self.pick((-1, 1)) * 10 ** self.rng.uniform(-2.0, math.log10(high))
        else:
            made = self.rng.uniform(low, high)
        made = min(max(float(made), low), high)
        if (self.schema.world, *slot) in ODD:
            made = made // 2 * 2 + 1
        return round(made) if whole else float(made)

    def _limits(self, node: dict[str, Any], slot: Slot, whole: bool) -> tuple[float, float]:
        low = node.get("minimum", node.get("exclusiveMinimum", -ROOM))
        high = node.get("maximum", max(ROOM, low + ROOM))
        least, most = CAPS.get((self.schema.world, *slot), CAPS.get(slot, (low, high)))
        low, high = max(low, least), min(high, most)
        if "exclusiveMinimum" in node and low == node["exclusiveMinimum"]:
            low = low + (1 if whole else 1e-3 * min(1.0, high - low))
        return low, high

    def text(self, slot: Slot, current: Any = None) -> str:
        """Draw a name that means something at this place."""
        names = self.pools.names(slot)
        if not names:
            return str(current or "x")
        other = [name for name in names if name != current] or names
        return str(self.pick(other))

    def value(self, node: dict[str, Any], slot: Slot, current: Any = None, depth: int = 0) -> Any:
        """Draw any value of a node, other than the current one where there is another."""
        node = self.pick(self.schema.choices(node))
        model = self.schema.model_of(node)
        if model is not None:
            return self.model(model, depth=depth + 1)
        kind = node.get("type")
        options = node.get("enum", (False, True) if kind == "boolean" else ())
        if options:
            return self.pick([e for e in options if e != current] or options)
        if kind in ("integer", "number"):
            drawn = [self.number(node, slot, current) for _ in range(TRIES)]
            return next((x for x in drawn if x not in (current, node.get("default"))), drawn[0])
        if kind == "string":
            return self.text(slot, current)
        if kind == "array":
            return self._array(node, slot, current, depth)
        return self._mapping(node, slot, current, depth)

    def _array(self, node: dict[str, Any], slot: Slot, current: Any, depth: int) -> list[Any]:
        items = node["items"]
        if node.get("minItems") and node.get("minItems") == node.get("maxItems") and current:
            factor = float(self.rng.uniform(0.3, 1.0))
            return [entry * factor for entry in current]
        if items.get("type") == "string":
            known = items.get("enum") or self.pools.names(slot)
            if current and slot in GROWING:  # others refer to what is there
                return [*current, *self.some([n for n in known if n not in current], 1)]
            return self.some(known, 4)
        made = list(current or [])
        if made and len(made) > node.get("minItems", 0) and self.chance(0.25):
            return made[:-1]
        if len(made) >= node.get("maxItems", 99):
            return made[:-1]
        return [*made, self.value(items, slot, depth=depth)]

    def _mapping(
        self, node: dict[str, Any], slot: Slot, current: Any, depth: int
    ) -> dict[str, Any]:
        made = dict(current or {})
        if made and self.chance(0.2):
            made.popitem()
            return made
        inner = (slot[0], slot[1] + ".values")  # what a mapping of mappings holds
        nested = node["additionalProperties"].get("type") == "object"
        for key in self.some(self.pools.keys(slot), 2):
            at = inner if nested else slot
            made[key] = self.value(node["additionalProperties"], at, made.get(key), depth)
        return made

    def model(self, name: str, *, wanted: str | None = None, depth: int = 0) -> dict[str, Any]:
        """Draw a new model: a form of it that has the wanted field, and what that form needs."""
        body = self.schema.models[name]
        fields = body.get("properties", {})
        forms = FORMS.get((self.schema.world, name), FORMS.get(name))
        if forms is None:
            optional = [key for key in fields if key not in body.get("required", ())]
            chosen = [key for key in optional if depth < DEPTH and self.chance(self.optional)]
            needed = [*body.get("required", ()), *chosen]
            if wanted is not None and wanted not in needed:
                needed.append(wanted)
            return {key: self.value(fields[key], (name, key), depth=depth) for key in needed}
        fitting = [form for form in forms if wanted in (None, "kind", *form[1], *form[2])]
        if depth >= DEPTH:
            shallow = [form for form in fitting if form[3]]
            fitting = shallow or fitting
        kind, needed, optional, _ = self.pick(fitting or forms)
        keys = [*needed, *(k for k in optional if k == wanted or self.chance(0.3))]
        made = {} if kind is None else {"kind": kind}
        return made | {k: self.value(fields[k], (name, k), depth=depth) for k in keys}
