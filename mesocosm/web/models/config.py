"""Configs: what is asked, and what was found out about it."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Asked(BaseModel):
    """What a client sends; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What is wrong, and at which field."""

    path: str = Field(description="dotted path in the config; empty: nowhere in particular")
    message: str


class Refusal(BaseModel):
    """Why something was refused."""

    error: str
    problems: list[Problem] = []


class ConfigRequest(Asked):
    """A preset or a whole config, with what goes on it."""

    preset: str | None = Field(None, max_length=200, description="world or world/preset")
    config: dict[str, Any] | None = Field(None, description="all five sections, instead")
    overrides: dict[str, Any] = Field({}, max_length=1000, description="values by dotted path")
    archetypes: list[str] = Field([], max_length=32, description="such as fog or fog:0.5")
    variants: list[str] = Field([], max_length=32, description="mission variants of the world")


class Difference(BaseModel):
    """A setting that differs from the preset."""

    path: str
    keys: tuple[str, ...] = Field(description="the parts of its path, which may hold dots")
    preset: Any = Field(description="what the preset has; null: nothing")
    value: Any


class LayerNote(BaseModel):
    """What an active layer does to something that agents see, do or earn."""

    layer: str
    what: str
    how: str


class RoleInfo(BaseModel):
    """What a role sees, does and earns."""

    name: str
    first: int = Field(description="number of its first agent")
    num_agents: int
    meaning: str
    dtype: str
    shape: list[int]
    features: list[dict[str, Any]]
    tokens: dict[str, Any] | None = Field(
        None, description="how to read a row of tokens: places, and kinds by number"
    )
    info: list[dict[str, Any]]
    parts: list[dict[str, Any]]
    mask_size: int
    terms: list[dict[str, Any]]


class Validation(BaseModel):
    """What a config is, or what is wrong with it."""

    valid: bool
    problems: list[Problem] = []
    preset: str = ""
    config: dict[str, Any] | None = Field(None, description="the whole resolved config")
    config_hash: str = ""
    differences: list[Difference] = []
    layers: list[LayerNote] = Field([], description="what the dials touch, as they are turned")
    roles: list[RoleInfo] = []
    written: dict[str, str] = Field({}, description="as yaml, command and python")
