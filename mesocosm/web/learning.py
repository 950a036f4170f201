"""Learning settings that clients ask for: what suits a config, and what each of them means."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mesocosm.core.errors import ConfigError, short
from mesocosm.core.spec import Spec
from mesocosm.learning.presets import settings_for
from mesocosm.learning.settings import PREFIX, LearningSettings, override
from mesocosm.web.models.session import LearningSetting


def choose_learning(spec: Spec, changes: Mapping[str, Any]) -> LearningSettings:
    """Take the settings that suit a spec, as changed; refuse what is not allowed."""
    for path in changes:
        if not path.startswith(PREFIX):
            raise ConfigError(f"learning: paths begin with {PREFIX!r}, got {short(path)}")
    return override(settings_for(spec), changes)


def describe_settings(settings: LearningSettings) -> list[LearningSetting]:
    """Say of every setting what it is, what it may be, and what it means."""
    return list(_describe(settings, PREFIX))


def _describe(section: BaseModel, lead: str) -> Iterator[LearningSetting]:
    data = section.model_dump(mode="json")
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _describe(value, f"{lead}{name}.")
            continue
        yield LearningSetting(
            path=f"{lead}{name}",
            value=data[name],
            meaning=field.description or "",
            choices=[text for text in get_args(field.annotation) if isinstance(text, str)],
            **_limits(field),
        )


def _limits(field: FieldInfo) -> dict[str, float | None]:
    """Find the least and the greatest value; what lies at an open end is not allowed itself."""
    known: dict[str, float | None] = {"low": None, "high": None}
    for mark in field.metadata:
        for name, ends in (("low", ("ge", "gt")), ("high", ("le", "lt"))):
            for end in ends:
                if hasattr(mark, end):
                    known[name] = getattr(mark, end)
    return known
