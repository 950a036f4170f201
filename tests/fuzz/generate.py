"""Draw whole configs: a preset, with fields of every section off their defaults."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

import mesocosm as meso
from mesocosm.config.identity import dump
from mesocosm.core.errors import MesocosmError
from mesocosm.core.layer import LAYERS
from tests.fuzz.core_draft import CoreDraft, Edit, allowed_slots, overrides, put
from tests.fuzz.layer_draft import WRONG, LayerDraft, Vocabulary
from tests.fuzz.limits import core_pools
from tests.fuzz.schema import schema_of
from tests.fuzz.values import Drawer

# how often each world's presets are taken in turn, and how many core fields one config changes
TURNS = {"commons": 1, "townlet": 2, "island": 4, "mettagrid": 3}
CLASSIC_TURNS = {"mettagrid/assembly": 6, "mettagrid/clipped": 5, "mettagrid/arena100": 1}
CORE_FIELDS = {"commons": 5, "townlet": 8, "island": 10, "mettagrid": 12}
RAW = 8  # one config in so many is played as drawn, never repaired
MAX_REPAIRS = 40
MAX_AGENTS = 24
MAX_ERROR = 4000  # characters that a person would read
WHOLE = {("Unit", "code"), ("Weapon", "name"), ("Core", "profile")}  # drawn first: they touch much
PATH = re.compile(r"\b(identity|core|layers|agents|instrumentation)\b((?:\.[^\s:,;.]+)*)")


@dataclass
class Drawn:
    """One drawn config, as overrides of a preset."""

    index: int
    preset: str
    overrides: dict[str, Any]
    raw: bool
    refused: str = ""  # the reason, if it was
    drafts: Counter[str] = field(default_factory=Counter)  # why earlier drafts were refused
    faults: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # not refused properly


@lru_cache
def preset_data(preset: str) -> dict[str, Any]:
    """Give a preset as plain data, all defaults written out."""
    return dump(meso.load_config(preset))


def start_data(preset: str) -> dict[str, Any]:
    """Give what a draft begins as: the preset, with fewer agents where it has very many."""
    data = preset_data(preset)
    core = data["core"]
    if core.get("num_agents", 0) <= MAX_AGENTS:
        return data
    return {**data, "core": {**core, "num_agents": MAX_AGENTS}}


@lru_cache
def turns() -> tuple[str, ...]:
    """List presets in the order in which they are taken."""
    found = [
        preset
        for world in TURNS
        for preset in meso.presets(world)
        for _ in range(CLASSIC_TURNS.get(preset, TURNS[preset.partition("/")[0]]))
    ]
    order = np.random.default_rng(5).permutation(len(found))
    return tuple(found[k] for k in order)


def draw(seed: int, index: int) -> Drawn:
    """Draw one config; the same for the same numbers."""
    return _Generator(seed, index).draw()


class _Generator:
    def __init__(self, seed: int, index: int) -> None:
        self.rng = np.random.default_rng((seed, index))
        self.round, place = divmod(index, len(turns()))
        self.preset = turns()[place]
        self.place = place
        self.world = self.preset.partition("/")[0]
        self.schema = schema_of(self.world)
        self.base = preset_data(self.preset)
        self.drawn = Drawn(index, self.preset, {}, raw=index % RAW == RAW - 1)

    def draw(self) -> Drawn:
        """Draw the core, then what depends on it, and repair what is refused."""
        start = self._start()
        pools = core_pools(self.world, self.base["core"])
        drawer = Drawer(self.schema, self.rng, pools)
        core = CoreDraft(drawer, start)
        groups = self._useful(core)
        groups = self._repair(start, groups)
        data = put(start, [edit for group in groups for edit in group])
        try:
            spec = meso.config_spec(self.preset, overrides(self.base, data))
        except MesocosmError as error:
            return self._finish(data, str(error))
        rest = self._rest(spec, data)
        if self.drawn.raw:
            rest.append(self._wrong(spec))
            return self._finish(put(data, [edit for group in rest for edit in group]))
        rest = self._repair(data, rest)
        return self._finish(put(data, [edit for group in rest for edit in group]))

    def _useful(self, core: CoreDraft) -> list[list[Edit]]:
        """Draw edits of the fields in turn, and of later ones for what they leave as it is."""
        made: list[list[Edit]] = []
        for slot in self._targets():
            edits = core.edits(slot)
            default = self.schema.field(slot).get("default")
            if edits and (edits[-1][1] != default or self.rng.random() < 0.2):
                made.append(edits)
            if len(made) == CORE_FIELDS[self.world]:
                break
        return made

    def _finish(self, data: dict[str, Any], refused: str = "") -> Drawn:
        self.drawn.overrides = overrides(self.base, data)
        self.drawn.refused = refused or self._refusal(self.drawn.overrides)
        return self.drawn

    def _start(self) -> dict[str, Any]:
        """Give the preset's data, its own layers kept or taken away."""
        if self.rng.random() < 0.4:
            return start_data(self.preset)
        return {**start_data(self.preset), "layers": {}}

    def _targets(self) -> list[tuple[str, str]]:
        """Choose the core fields of this config: the next ones in turn."""
        core = self.base["core"]
        kin = [p for p in turns() if self._kin(p) == self._kin(self.preset)]
        rank = sum(self._kin(p) == self._kin(self.preset) for p in turns()[: self.place])
        slots = self.schema.sections["core"]
        slots = allowed_slots(slots, self.schema, core)
        count = CORE_FIELDS[self.world]
        first = (self.round * len(kin) + rank) * count
        order = np.random.default_rng(17).permutation(len(slots))
        chosen = [slots[order[(first + k) % len(slots)]] for k in range(2 * count)]
        return sorted(chosen, key=lambda slot: slot not in WHOLE)

    def _kin(self, preset: str) -> tuple[str, str]:
        """Say which rotation of core fields a preset is in."""
        core = preset_data(preset)["core"]
        return preset.partition("/")[0], core.get("profile", "")

    def _rest(self, spec: Any, data: dict[str, Any]) -> list[list[Edit]]:
        """Draw layers, agents, instrumentation and identity."""
        words = Vocabulary(spec)
        drawer = Drawer(self.schema, self.rng, words.pools(), optional=0.5)
        chosen = [entry.name for entry in LAYERS if self.rng.random() < 0.4]
        groups: list[list[Edit]] = [[e] for e in LayerDraft(drawer, words).edits(chosen)]
        groups += [[e] for e in self._agents(drawer, spec)]
        groups += [[e] for e in self._instrumentation(drawer, words)]
        if drawer.chance(0.3):
            groups.append([(("identity", "seed"), int(self.rng.integers(1, 2**62)))])
        if drawer.chance(0.1):
            groups.append([(("identity", "preset"), "drawn")])
        return groups

    def _agents(self, drawer: Drawer, spec: Any) -> list[Edit]:
        found: list[Edit] = []
        for role in spec.all_roles:
            at = ("agents", "roles", role.name)
            if drawer.chance(0.5):
                found.append(((*at, "count"), role.num_agents))
            for key in ("scope", "permissions", "attribution"):
                slot = ("RoleSettings", key)
                if role.num_agents and drawer.chance(0.2):
                    value = drawer.value(self.schema.field(slot), slot)
                    found.append(((*at, key), value))
        return found

    def _instrumentation(self, drawer: Drawer, words: Vocabulary) -> list[Edit]:
        found: list[Edit] = []
        for key in ("max_events", "part_steps"):
            slot = ("Instrumentation", key)
            if drawer.chance(0.15):
                found.append(
                    (("instrumentation", key), drawer.value(self.schema.field(slot), slot))
                )
        for part, model in (*((level, "Level") for level in LEVELS), ("artefacts", "Artefacts")):
            held = self.base["instrumentation"][part]
            for key in held:
                slot = (model, key)
                if drawer.chance(0.1):
                    value = drawer.value(self.schema.field(slot), slot, held[key])
                    if key == "metrics":
                        value = drawer.some(words.events if part == "event" else METRICS[part])
                    found.append((("instrumentation", part, key), value))
        return found

    def _wrong(self, spec: Any) -> list[Edit]:
        """Draw one setting with a name that means nothing."""
        name = str(self.rng.choice(WRONG))
        blur = {"features": name, "noise": 0.1}
        wrong: list[Edit] = [
            (("layers", "information"), {"intensity": 1.0, "blurs": [blur]}),
            (("layers", "uncertainty"), {"intensity": 1.0, "drift": {name: {"amount": 0.1}}}),
            (("layers", "incentives"), {"intensity": 1.0, "costs": {name: 0.5}}),
            (("agents", "roles", next(iter(spec.roles)), "scope"), {name: "hidden"}),
        ]
        return [wrong[int(self.rng.integers(len(wrong)))]] if self.rng.random() < 0.7 else []

    def _repair(self, data: dict[str, Any], groups: list[list[Edit]]) -> list[list[Edit]]:
        """Drop what the product names as wrong until it takes the rest."""
        kept = list(groups)
        for _ in range(MAX_REPAIRS):
            made = put(data, [edit for group in kept for edit in group])
            reason = self._refusal(overrides(self.base, made))
            if not reason or not kept:
                return kept
            self.drawn.drafts[shorten(reason)] += 1
            del kept[_culprit(reason, kept, self.rng)]
        return []

    def _refusal(self, changes: dict[str, Any]) -> str:
        """Give the reason for which a draft is refused, and note what is no proper refusal."""
        try:
            meso.load_config(self.preset, changes)
        except MesocosmError as error:
            text = str(error)
            if "\n" in text or not text or len(text) > MAX_ERROR:
                what = f"unclear error of {len(text)} characters: {text[:200]!r}"
                self.drawn.faults.append((what, changes))
            return text or "no reason"
        except Exception as error:
            self.drawn.faults.append((f"load: {type(error).__name__}: {error}", changes))
            return f"CRASH {type(error).__name__}: {error}"
        return ""


LEVELS = ("episode", "step", "agent", "event")
METRICS = {
    "episode": ["length", "mean_return", "outcome", "m*"],
    "step": ["reward*", "acting", "*"],
    "agent": ["reward*", "*"],
}


def shorten(reason: str) -> str:
    """Leave names and numbers out of a reason, so that like ones are counted together."""
    text = reason.partition(": ")[2] if "/" in reason.partition(": ")[0] else reason
    text = re.sub(r"'[^']*'", "'…'", text)
    text = re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)
    return text[:110]


def _culprit(reason: str, groups: list[list[Edit]], rng: np.random.Generator) -> int:
    """Find the edits that a reason names; if none, any."""
    best, found = 1, []
    for match in PATH.finditer(reason.replace("core: ", "core.")):
        named = [match[1], *match[2].split(".")[1:]]
        for k, group in enumerate(groups):
            for path, _ in group:
                common = 0
                for one, other in zip(named, path, strict=False):
                    if one != str(other):
                        break
                    common += 1
                if common > best:
                    best, found = common, [k]
                elif common == best and common > 1:
                    found.append(k)
    known = found or range(len(groups))
    return int(known[int(rng.integers(len(known)))])
