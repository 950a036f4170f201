"""For every setting of every layer, pairs of configs that differ in it, drawn from a spec."""

from collections.abc import Iterator
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin

from mesocosm.config.layers import Layers
from mesocosm.config.section import Section
from mesocosm.core.spec import Spec
from mesocosm.testing.trial_settings import TRIALS, Names, Settings


class Trial(NamedTuple):
    """Layers without and with one setting: what differs between them, the setting did."""

    without: Settings
    with_it: Settings


def setting_names() -> list[str]:
    """List every setting of every layer by its path: `information.blurs.noise`."""
    return list(_leaves(Layers, ""))


def _leaves(model: type[Section], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = _section_in(field.annotation)
        if inner is None:
            yield prefix + name
        else:
            yield from _leaves(inner, f"{prefix}{name}.")


def _section_in(annotation: Any) -> type[Section] | None:
    """Find the section that an annotation is, or that it has several of."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    if get_origin(annotation) in (tuple, dict, UnionType):
        for part in get_args(annotation):
            found = _section_in(part)
            if found is not None:
                return found
    return None


def trials(setting: str, spec: Spec) -> Iterator[Trial]:
    """Give trials of a setting, one after the other until one shows what it does."""
    layer = setting.partition(".")[0]
    for base, changed in TRIALS[setting](Names(spec)):
        if setting.endswith(".intensity"):
            yield Trial(
                {layer: {"intensity": 0.25} | changed}, {layer: {"intensity": 1.0} | changed}
            )
        else:
            without = {} if base is None else _dialled(layer, base)
            yield Trial(without, _dialled(layer, changed))


def _dialled(layer: str, settings: Settings) -> Settings:
    """Turn every layer that is set all the way up; other layers stand under `+NAME`."""
    others = {name[1:]: value for name, value in settings.items() if name.startswith("+")}
    own = {name: value for name, value in settings.items() if not name.startswith("+")}
    made = {layer: own} if own else {}
    return {name: {"intensity": 1.0} | value for name, value in (made | others).items()}
