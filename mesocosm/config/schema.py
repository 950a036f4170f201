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


class Level(Section):
    """One level of logging."""

    enabled: bool = Field(False, description="whether this level is recorded")
    every: int = Field(1, ge=1, le=2**31, description="record each so many (see the level)")
    verbosity: Literal["summary", "full"] = Field(
        "summary", description="how much of it (see the level)"
    )
    metrics: tuple[str, ...] = Field(
        ("*",), description="globs of the metrics to keep (of the event level: kinds of events)"
    )


class EpisodeLevel(Level):
    """The level of episodes: recorded unless it is turned off."""

    enabled: bool = Field(True, description="whether this level is recorded")


class EventLevel(EpisodeLevel):
    """The level of events: recorded in full unless something else is said."""

    verbosity: Literal["summary", "full"] = Field(
        "full", description="how much of it (see the level)"
    )


class Artefacts(Section):
    """Which files a run folder gets, beside its config and run.json."""

    tables: bool = Field(True, description="Parquet tables of the enabled levels")
    replay: bool = Field(True, description="replay.meso: actions and digests, for re-simulation")
    tensorboard: bool = Field(False, description="the same numbers as TensorBoard scalars")


class Instrumentation(Section):
    """What is recorded; nothing here changes any episode."""

    max_events: int = Field(
        64, ge=1, le=65_536, description="events kept per env between two readings of the log"
    )
    part_steps: int = Field(
        4096, ge=1, le=2**31, description="steps whose rows make one file of a table"
    )
    episode: EpisodeLevel = Field(
        EpisodeLevel(),
        description="a row per finished episode (every: of each env); full adds its reward terms",
    )
    step: Level = Field(
        Level(), description="a row per recorded step, over all envs; full: per step and env"
    )
    agent: Level = Field(
        Level(), description="a row per recorded step and agent; full: per step, env and agent"
    )
    event: EventLevel = Field(
        EventLevel(),
        description="a row per event of a recorded step; full adds the sentence a person reads",
    )
    artefacts: Artefacts = Field(Artefacts(), description="which files are written")


class Config(Section, Generic[Core]):
    """An experiment: everything that decides what happens, and nothing else."""

    schema_version: Literal[1] = Field(alias="schema", description="format of this file")
    identity: Identity = Field(description="what is instantiated")
    core: SerializeAsAny[Core] = Field(description="the world's own parameters")
    layers: Layers = Field(description="how far each dimension of complexity is turned up")
    agents: Agents = Field(description="who takes part, sees what, may do what, earns what")
    instrumentation: Instrumentation = Field(description="what is recorded")
