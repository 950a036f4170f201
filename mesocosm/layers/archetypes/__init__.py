"""Archetypes: bundles of layer settings with a name, which any world can be played with.

Each is a YAML file here, or one that a path names: `summary` says what it does, `layers` is a part
of the section of that name in a config, and `needs` lists what a world must declare for it to do
anything. A layer's intensity is 1 unless the file says otherwise, and a dial (`fog:0.5`) scales it.
"""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

from mesocosm.config.layers import Layers
from mesocosm.config.section import Section
from mesocosm.config.source import SUFFIXES, read_file, to_plain_data
from mesocosm.core.errors import ConfigError, hint, short, unknown
from mesocosm.core.spec import Spec
from mesocosm.layers.draft import all_columns, pays_before_the_end

HERE = Path(__file__).parent
KEYS = ("summary", "needs", "layers")
LACKS: dict[str, tuple[Callable[[Spec], bool], str]] = {
    "agents": (lambda spec: spec.num_agents < 2, "there is one agent"),
    "columns": (
        lambda spec: not any(column.per_agent for column in all_columns(spec)),
        "agents have no malleable field",
    ),
    "conflicts": (
        lambda spec: not any(entry.ordered for entry in spec.conflicts),
        "the world declares no conflict that is decided by an order of agents",
    ),
    "effects": (lambda spec: not spec.effects, "the world declares no effect"),
    "events": (lambda spec: not _deeds(spec), "the world declares no event that agents cause"),
    "links": (lambda spec: not spec.links, "the world declares no link between agents"),
    "pay": (lambda spec: not pays_before_the_end(spec), "rewards are paid only at an agent's end"),
}
# settings that are left out where the world lacks what they act on, by the key of LACKS
OPTIONAL = (
    ("temporal.reputation.links", "links"),
    ("interaction.contention", "conflicts"),
    ("interaction.need", "conflicts"),
    ("interaction.timing", "pay"),
    ("interaction.period", "pay"),
    ("power.castes.*.priority", "conflicts"),
    ("power.castes.*.effects", "effects"),
)
EVENT_SETTINGS = ("temporal.reputation.weights", "temporal.trust.weights")


class Archetype(NamedTuple):
    """A named bundle of layer settings.

    Args:
        name: As it was asked for, with its dial.
        needs: What a world must have, of the keys of `LACKS`; `a|b`: one of them.
        layers: Settings by layer, each with its intensity.
    """

    name: str
    summary: str
    needs: tuple[str, ...]
    layers: dict[str, dict[str, Any]]


def archetype_names() -> list[str]:
    """List the archetypes that come with the package."""
    return sorted(path.stem for path in HERE.glob("*.yaml"))


def load_archetypes(
    asked: str | Iterable[str],
    folder: Path = Path(),
) -> tuple[Archetype, ...]:
    """Load archetypes by name or path, each with its dial if it has one; commas separate them.

    Args:
        folder: What a relative path starts from.
    """
    texts = [asked] if isinstance(asked, str) else asked
    if not isinstance(texts, Iterable) or isinstance(texts, Mapping):
        raise ConfigError(f"archetypes: must be a list of names such as 'fog', got {short(asked)}")
    found: list[Archetype] = []
    for text in texts:
        if not isinstance(text, str):
            raise ConfigError(f"archetypes: must be names such as 'fog:0.5', got {short(text)}")
        found += [_load(part.strip(), folder) for part in text.split(",")]
    return tuple(found)


def _load(text: str, folder: Path) -> Archetype:
    name, dial = _split(text)
    if name.endswith(SUFFIXES):
        data = read_file(folder / name)
    elif name in archetype_names():
        data = read_file(HERE / f"{name}.yaml")
    else:
        raise unknown("archetype", name, archetype_names())
    return _check(to_plain_data(data, name), name, text, dial)


def _split(text: str) -> tuple[str, float]:
    """Split a name from its dial; what follows the last colon is one if nothing else fits."""
    name, colon, dial = text.rpartition(":")
    if not colon or text.endswith(SUFFIXES):
        return text, 1.0
    try:
        value = float(dial)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ConfigError(f"archetype {text}: the dial must be between 0 and 1, got {short(dial)}")
    return name, value


def _check(data: dict[str, Any], where: str, name: str, dial: float) -> Archetype:
    """Check the parts of an archetype that are its own; its settings are checked with a world."""
    where = f"archetype {where}"
    for key in data:
        if key not in KEYS:
            raise ConfigError(f"{where}: {key}: unknown key.{hint(key, KEYS)}")
    summary, needs, layers = data.get("summary"), data.get("needs", []), data.get("layers")
    if not isinstance(summary, str) or not summary:
        raise ConfigError(f"{where}: summary: must say what it does, got {short(summary)}")
    if not isinstance(needs, list):
        raise ConfigError(f"{where}: needs: must be a list, got {short(needs)}")
    for need in "|".join(map(str, needs)).split("|") if needs else ():
        if need not in LACKS:
            raise ConfigError(f"{where}: needs: no such thing {short(need)}.{hint(need, LACKS)}")
    if not isinstance(layers, dict) or not layers:
        raise ConfigError(f"{where}: layers: must have settings of layers, got {short(layers)}")
    made = {layer: _turn(where, layer, layers[layer], dial) for layer in layers}
    return Archetype(name, summary, tuple(needs), made)


def _turn(where: str, layer: str, settings: Any, dial: float) -> dict[str, Any]:
    """Give the settings of one layer with their intensity scaled."""
    at = f"{where}: layers.{layer}"
    if layer not in Layers.model_fields:
        raise ConfigError(f"{at}: no such layer.{hint(layer, Layers.model_fields)}")
    if not isinstance(settings, dict):
        raise ConfigError(f"{at}: must be a section, got {short(settings)}")
    intensity = settings.get("intensity", 1.0)
    if isinstance(intensity, bool) or not isinstance(intensity, int | float):
        raise ConfigError(f"{at}.intensity: must be a number, got {short(intensity)}")
    return settings | {"intensity": intensity * dial}


def combine(chosen: Iterable[Archetype], spec: Spec, where: str) -> dict[str, dict[str, Any]]:
    """Give the settings of several archetypes together, by layer, as they fit a world.

    Two that give one setting different values contradict each other. Names of events that a world
    does not have are left out, and so are the settings of `OPTIONAL` that it has no use for.
    """
    made: dict[str, Any] = {}
    owners: dict[str, str] = {}
    for one in chosen:
        for need in one.needs:
            why = _lacking(need, spec)
            if why:
                raise ConfigError(f"{where}: archetype {one.name} would do nothing: {why}")
        _merge(made, one.layers, one.name, owners, where, "layers")
    names = _deeds(spec)
    for path in EVENT_SETTINGS:
        for holder, key in _find(made, path):
            weights = holder[key].items() if isinstance(holder[key], dict) else ()
            holder[key] = {
                glob: weight for glob, weight in weights if any(fnmatchcase(n, glob) for n in names)
            }
    for path, need in OPTIONAL:
        for holder, key in _find(made, path) if _lacking(need, spec) else ():
            del holder[key]
    return {layer: settings for layer, settings in made.items() if set(settings) != {"intensity"}}


def put_over(
    below: Mapping[str, Any], above: Mapping[str, Any], model: type[Section] = Layers
) -> dict[str, Any]:
    """Put layer settings over others: sections merge, a setting replaces the whole of another."""
    made = dict(below)
    for key, new in above.items():
        field, known = model.model_fields.get(key), made.get(key)
        kind = None if field is None else field.annotation
        if (
            isinstance(kind, type)
            and issubclass(kind, Section)
            and isinstance(new, Mapping)
            and isinstance(known, Mapping)
        ):
            made[key] = put_over(known, new, kind)
        else:
            made[key] = new
    return made


def _lacking(need: str, spec: Spec) -> str:
    """Say what a world lacks of what is needed; nothing if it has one of it."""
    reasons = [LACKS[part] for part in need.split("|")]
    lacks = all(is_lacking(spec) for is_lacking, _ in reasons)
    return " and ".join(why for _, why in reasons) if lacks else ""


def _find(settings: dict[str, Any], path: str) -> list[tuple[dict[str, Any], str]]:
    """Give every section that has what a dotted path names, with its key there."""
    key, _, rest = path.partition(".")
    keys = list(settings) if key == "*" else [key] * (key in settings)
    if not rest:
        return [(settings, key) for key in keys]
    inner = [settings[key] for key in keys]
    return [found for entry in inner if isinstance(entry, dict) for found in _find(entry, rest)]


def _merge(
    made: dict[str, Any],
    new: Mapping[str, Any],
    name: str,
    owners: dict[str, str],
    where: str,
    path: str,
) -> None:
    """Write settings into those of earlier archetypes, or say who contradicts whom."""
    for key, value in new.items():
        at = f"{path}.{key}"
        if key not in made:
            made[key] = {} if isinstance(value, dict) else value
            owners[at] = name
        known = made[key]
        if isinstance(value, dict) and isinstance(known, dict):
            _merge(known, value, name, owners, where, at)
        elif known != value:
            both = f"{owners[at]} sets it to {short(known)}, {name} to {short(value)}"
            raise ConfigError(f"{where}: {at}: archetypes contradict each other: {both}")


def _deeds(spec: Spec) -> list[str]:
    """Name the events that agents cause."""
    return [event.name for event in spec.events if event.actor == "agent"]
