"""The five sections of a config: identity, core, layers, agents, instrumentation."""

from typing import Generic, Literal, TypeVar

from pydantic import Field, SerializeAsAny

from mesocosm.config.layers import Layers
from mesocosm.config.section import Section
from mesocosm.core.observation import Visibility

SCHEMA = 1
SECTIONS = ("identity", "core", "layers", "agents", "instrumentation")
Core = TypeVar("Core", bound=Section)


class Identity(Section):
    """What is instantiated."""

    world: str = Field(description="the world's name")
    version: int = Field(ge=1, description="the version of the world's behaviour")
    preset: str = Field(
        "custom", pattern=r"^[A-Za-z0-9_-]{1,64}$", description="where it comes from"
    )
    seed: int = Field(0, ge=0, le=2**63 - 1, description="seed of the first episodes; 0 is a seed")


class RoleSettings(Section):
    """One role: how many, what they may see and do, and how rewards are attributed."""

    count: int = Field(ge=0, le=65_536, description="agents of this role; must agree with core")
    scope: dict[str, Visibility] = Field(
        {},
        description="feature glob to public, private or hidden (hidden: never shown); "
        "a plain name beats a glob, a longer glob a shorter one",
    )
    permissions: tuple[str, ...] = Field(
        ("*",), description="globs of part.option that the role may choose; no-ops always"
    )
    attribution: dict[str, Literal["individual", "shared"]] = Field(
        {},
        description="reward-term glob to individual or shared; "
        "a plain name beats a glob, a longer glob a shorter one",
    )


class Agents(Section):
    """Who takes part."""

    roles: dict[str, RoleSettings] = Field({}, description="settings by role name")


class Instrumentation(Section):
    """What is recorded."""

    max_events: int = Field(
        64, ge=1, le=65_536, description="events kept per env between two readings of the log"
    )


class Config(Section, Generic[Core]):
    """An experiment: everything that decides what happens, and nothing else."""

    schema_version: Literal[1] = Field(alias="schema", description="format of this file")
    identity: Identity = Field(description="what is instantiated")
    core: SerializeAsAny[Core] = Field(description="the world's own parameters")
    layers: Layers = Field(description="how far each dimension of complexity is turned up")
    agents: Agents = Field(description="who takes part, sees what, may do what, earns what")
    instrumentation: Instrumentation = Field(description="what is recorded")
