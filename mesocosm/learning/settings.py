"""How an agent learns, as config: frozen, hashed, recorded with the run."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError

from mesocosm.config.section import Section
from mesocosm.core.errors import ConfigError, MesocosmError, hint, short

PREFIX = "learning."
MAX_LAYERS, MAX_WIDTH = 64, 1 << 16  # of a network, which a bundle must be able to hold


class NetworkSettings(Section):
    """The network of one role, made from its spec."""

    hidden: tuple[int, ...] = Field((64, 64), description="widths of the layers of each tower")
    activation: Literal["relu", "tanh", "silu"] = Field("relu", description="between layers")
    memory: Literal["none", "gru", "lstm"] = Field("none", description="what it remembers with")
    memory_size: int = Field(64, ge=1, le=4096, description="numbers that it remembers")
    shared: bool = Field(False, description="whether the critic uses the actor's encoder")
    embedding: int = Field(32, ge=1, le=1024, description="width of an entity or a token")
    pooling: Literal["mean", "max", "attention"] = Field(
        "attention", description="how the entities of a table become one vector"
    )
    autoregressive: bool = Field(
        True, description="whether a choice depends on those made before it in the same action"
    )


class ExplorationSettings(Section):
    """How often Q-learning tries any option instead of the best one."""

    first: float = Field(1.0, ge=0.0, le=1.0, description="share of steps, at the beginning")
    last: float = Field(0.05, ge=0.0, le=1.0, description="the same later on")
    share: float = Field(0.8, ge=0.0, le=1.0, description="of training, until then")


class LeagueSettings(Section):
    """Self-play against past selves, which are kept in a league and rated."""

    share: float = Field(
        0.0, ge=0.0, le=0.9, description="share of the envs that past selves play in; 0: no league"
    )
    every: int = Field(10, ge=1, le=2**31, description="updates after which another self joins")
    size: int = Field(8, ge=2, le=1024, description="past selves that are kept of each role")
    seats: int = Field(2, ge=1, le=64, description="of each role, how many play side by side")
    draw: Literal["close", "uniform"] = Field(
        "close", description="who plays next: rather those of like strength, or anybody"
    )
    stay: float = Field(
        1.0, gt=0.0, le=1e6, description="episodes in each env before another one takes the seat"
    )


class LearningSettings(Section):
    """Everything that decides what is learnt from an env, beside its config and the seed."""

    algorithm: Literal["ppo", "q"] = Field("ppo", description="ppo, or the q-learning baseline")
    num_envs: int = Field(1024, ge=1, le=2**24, description="episodes played side by side")
    horizon: int = Field(64, ge=1, le=4096, description="steps played between two updates")
    epochs: int = Field(1, ge=1, le=100, description="passes over what was played")
    minibatches: int = Field(16, ge=1, le=4096, description="parts of a pass, one update each")
    gamma: float = Field(0.9995, ge=0.0, lt=1.0, description="discount of a step")
    gae_lambda: float = Field(0.98, ge=0.0, le=1.0, description="trace decay of the advantage")
    learning_rate: float = Field(2e-3, gt=0.0, le=1.0, description="of Adam, at the beginning")
    final_learning_rate: float = Field(0.0, ge=0.0, le=1.0, description="the same at the end")
    entropy: float = Field(0.06, ge=0.0, le=10.0, description="bonus for entropy, at the beginning")
    final_entropy: float = Field(0.0, ge=0.0, le=10.0, description="the same at the end")
    clip: float = Field(0.2, gt=0.0, le=10.0, description="how far a probability ratio counts")
    value_weight: float = Field(0.5, ge=0.0, le=100.0, description="of the critic's loss")
    max_grad_norm: float = Field(0.5, gt=0.0, le=1e6, description="longest gradient")
    stop_kl: float = Field(0.1, gt=0.0, le=100.0, description="KL divergence that ends an update")
    truth: tuple[str, ...] = Field(
        (), description="truth fields that the critic reads beside the observation; never the actor"
    )
    exploration: ExplorationSettings = Field(
        ExplorationSettings(), description="of q-learning only"
    )
    network: NetworkSettings = Field(NetworkSettings(), description="what computes actions")
    league: LeagueSettings = Field(LeagueSettings(), description="past selves to play against")

    @property
    def rows(self) -> int:
        """Env-steps between two updates."""
        return self.num_envs * self.horizon


def settings_hash(settings: LearningSettings) -> str:
    """Name settings by everything in them."""
    text = json.dumps(settings.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def override(settings: LearningSettings, changes: Mapping[str, Any]) -> LearningSettings:
    """Change settings by dotted path (`gamma`, `network.hidden`); refuse what is not allowed."""
    data = settings.model_dump(mode="json")
    for path, value in changes.items():
        _place(data, path, value)
    return parse(data)


def parse(data: Mapping[str, Any]) -> LearningSettings:
    """Read settings from plain data."""
    try:
        made = LearningSettings.model_validate_json(json.dumps(data))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{PREFIX}{where}: {first['msg']}, got {first['input']!r}") from None
    check_widths(made.network, f"{PREFIX}network", ConfigError)
    return made


def check_widths(network: NetworkSettings, where: str, error: type[MesocosmError]) -> None:
    """Refuse a network of more or wider layers than a bundle holds."""
    widths = network.hidden
    if len(widths) > MAX_LAYERS or not all(1 <= width <= MAX_WIDTH for width in widths):
        raise error(
            f"{where}.hidden: must be at most {MAX_LAYERS} widths of 1 to {MAX_WIDTH:,}, "
            f"got {short(widths)}"
        )


def _place(data: dict[str, Any], path: str, value: Any) -> None:
    path = path.removeprefix(PREFIX)
    *folders, last = path.split(".")
    at: Any = data
    for name in (*folders, last):
        if not isinstance(at, dict) or name not in at:
            known = at if isinstance(at, dict) else ()
            raise ConfigError(f"{PREFIX}{path}: no setting named {name!r}.{hint(name, known)}")
        at = at[name]
    at = data
    for name in folders:
        at = at[name]
    at[last] = value
