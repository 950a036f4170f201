"""The card of a bundle: what the policy is, what it saw and did, and how it was made."""

import json
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import ConfigDict, Field, JsonValue, ValidationError

from mesocosm.config.identity import behaviour_hash, config_hash
from mesocosm.config.schema import Config
from mesocosm.config.section import Section
from mesocosm.core.errors import BundleError, SpecError, short
from mesocosm.core.spec import Role
from mesocosm.learning.bundles.spec_card import (
    ActionCard,
    Name,
    ObservationCard,
    Text,
    describe_action,
    describe_observation,
    rebuild_role,
)
from mesocosm.learning.bundles.strict_json import parse_object
from mesocosm.learning.settings import (
    LearningSettings,
    NetworkSettings,
    check_widths,
    settings_hash,
)
from mesocosm.version import __version__

SCHEMA: Literal[1] = 1
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{0,64}$")]
PACKAGES = ("torch", "numpy", "safetensors")


class Card(Section):
    """Everything about a policy but its weights."""

    model_config = ConfigDict(populate_by_name=True)

    schema_version: Literal[1] = Field(SCHEMA, alias="schema")
    role: Name
    num_agents: Annotated[int, Field(ge=0, le=1 << 32)]
    observation: ObservationCard
    action: ActionCard
    world: Name
    world_version: Annotated[int, Field(ge=0, le=1 << 32)]
    preset: Name
    config_hash: Hash
    behaviour_hash: Hash
    network: NetworkSettings
    truth_size: Annotated[int, Field(ge=0, le=1 << 20)]
    learning: dict[str, JsonValue]  # the settings as they were; later versions may have others
    learning_hash: Hash
    metrics: dict[str, JsonValue]
    agent_steps: Annotated[int, Field(ge=0, le=1 << 62)]
    seed: Annotated[int, Field(ge=0, le=1 << 64)]
    versions: dict[str, Name]
    command: Text
    weights_sha256: Hash = ""

    def make_role(self) -> Role:
        """Rebuild the role that the policy learnt to play."""
        return rebuild_role(self.role, self.num_agents, self.observation, self.action)

    def dump(self) -> bytes:
        """Write the card, always the same way."""
        data = self.model_dump(mode="json", by_alias=True)
        text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"


class Training(NamedTuple):
    """How a policy came to be.

    Args:
        metrics: What it achieved, as plain data.
        command: What to type to make it again.
    """

    settings: LearningSettings
    agent_steps: int = 0
    seed: int = 0
    metrics: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    command: str = ""
    truth_size: int = 0


def make_card(role: Role, config: Config[Any], training: Training) -> Card:
    """Describe a policy that learnt to play a role of a config."""
    identity, settings = config.identity, training.settings
    try:
        return Card(
            role=role.name,
            num_agents=role.num_agents,
            observation=describe_observation(role.observation),
            action=describe_action(role.action),
            world=identity.world,
            world_version=identity.version,
            preset=f"{identity.world}/{identity.preset}",
            config_hash=config_hash(config),
            behaviour_hash=behaviour_hash(config),
            network=settings.network,
            truth_size=training.truth_size,
            learning=settings.model_dump(mode="json"),
            learning_hash=settings_hash(settings),
            metrics=training.metrics,
            agent_steps=training.agent_steps,
            seed=training.seed,
            versions=_versions(),
            command=training.command,
        )
    except ValidationError as error:
        raise _as_bundle_error(error, f"card of role {role.name!r}") from None


def _versions() -> dict[str, str]:
    found = {"mesocosm": __version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def parse_card(raw: bytes, where: str) -> Card:
    """Read a card that anyone may have written; whatever is wrong with it is one error."""
    data = parse_object(raw, where)
    if data.get("schema") != SCHEMA:
        got = short(data.get("schema"))
        raise BundleError(f"{where}: schema: this version reads {SCHEMA}, the bundle has {got}")
    try:
        card = Card.model_validate_json(raw)
    except ValidationError as error:
        raise _as_bundle_error(error, where) from None
    check_widths(card.network, f"{where}: network", BundleError)
    try:
        card.make_role()
    except SpecError as error:
        raise BundleError(f"{where}: {error}") from None
    return card


def _as_bundle_error(error: ValidationError, where: str) -> BundleError:
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"])) or "card"
    return BundleError(f"{where}: {place}: {first['msg']}, got {short(first['input'])}")
