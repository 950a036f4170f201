"""The model that every part of a config is made of: frozen, strict, closed."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A frozen record; unknown keys, loose types, NaN and infinity are rejected."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        validate_default=True,
        ser_json_inf_nan="strings",
    )
