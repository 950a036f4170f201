"""What there is: worlds, presets, layers, archetypes, policies."""

from typing import Any

from pydantic import BaseModel, Field


class ServerInfo(BaseModel):
    """The server itself."""

    version: str
    instance: str = Field(description="changes when the server is started again")
    runs_folder: str
    target: str
    clients: int
    sessions: int = Field(description="that go on")
    upload_bytes: int = Field(description="that an uploaded bundle may have")


class PresetInfo(BaseModel):
    """A preset, in a sentence."""

    name: str = Field(description="world/preset")
    world: str
    sentence: str
    default: bool
    policy: str = Field(description="who plays it when nobody is chosen")


class Thumbnail(BaseModel):
    """A moment of a preset; docs/scenes.md describes both parts."""

    scene: dict[str, Any] | None = Field(description="nothing where the world draws none")
    drawings: dict[str, Any]
    agents: dict[str, int] = Field(description="how many, by role")


class Film(BaseModel):
    """The first moments of a preset, one after another; drawn with its thumbnail's drawings."""

    scenes: list[dict[str, Any]] = Field(description="none where the world draws none")


class WorldInfo(BaseModel):
    """A world."""

    name: str
    version: int
    summary: str
    presets: list[PresetInfo]
    policies: list[str]
    variants: list[str]
    drawn: bool = Field(description="whether it has scenes")
    viewed: bool = Field(description="whether an agent's perspective is drawn")


class LayerInfo(BaseModel):
    """One of the seven layers."""

    name: str
    touches: list[str]
    controls: str


class ArchetypeInfo(BaseModel):
    """A bundle of layer settings."""

    name: str
    summary: str
    needs: list[str]
    layers: dict[str, Any]
    refused: str | None = Field(None, description="why it cannot be put on the preset asked for")


class PolicyInfo(BaseModel):
    """A policy that can be chosen by its name."""

    name: str
    kind: str = Field(description="scripted, trained, bundle, or given on the command line")


class BundleInfo(BaseModel):
    """What a policy bundle says of itself."""

    name: str
    sha256: str
    bytes: int
    weights: int
    world: str
    world_version: int
    preset: str
    role: str
    agent_steps: int
    seed: int
    metrics: dict[str, Any]
    command: str
