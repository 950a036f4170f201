"""The model that every part of a config is made of: frozen, strict, closed."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A frozen record; unknown keys, loose types, NaN and infinity are rejected.

    A world whose rules depend on the order of keys in its mappings says so; then that order is
    part of what the config's hashes name.
    """

    key_order_matters: ClassVar[bool] = False

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        validate_default=True,
        ser_json_inf_nan="strings",
    )
