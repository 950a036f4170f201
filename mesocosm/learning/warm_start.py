"""Begin from what a policy has learnt elsewhere: weights are taken over by name."""

from collections.abc import Sequence

import torch
from torch import Tensor

from mesocosm.core.action import ActionSpec
from mesocosm.core.errors import ConfigError, unknown
from mesocosm.core.spec import Role
from mesocosm.learning.bundles.bundle import Bundle, read_bundle
from mesocosm.learning.networks.encoder import NumberEncoder
from mesocosm.learning.networks.tokens import TokenEncoder, token_names
from mesocosm.learning.ppo import Learner

FIRST, LAST = "body.0.weight", ("last.weight", "last.bias")


def read_starts(texts: Sequence[str], roles: Sequence[str]) -> dict[str, Bundle]:
    """Read the policies that roles begin from: `FILE` where there is one role, or `ROLE=FILE`."""
    made: dict[str, Bundle] = {}
    for text in texts:
        role, equals, path = text.partition("=")
        if not equals:
            bundle = read_bundle(text)
            role = bundle.card.role if bundle.card.role in roles or len(roles) > 1 else roles[0]
        else:
            bundle = read_bundle(path)
        if role not in roles:
            raise unknown("role with agents", role, roles)
        if role in made:
            raise ConfigError(f"--from: two policies for {role}: {made[role].path}, {bundle.path}")
        made[role] = bundle
    return made


def warm_start(learner: Learner, bundle: Bundle) -> list[str]:
    """Give a learner the weights of a bundle; say what could not be taken over.

    Numbers that the bundle's policy never saw begin with no influence, and options that it
    never had as they were.
    """
    old, new = bundle.make_network(), learner.network
    if bundle.card.network != learner.settings.network:
        raise ConfigError(
            f"{bundle.path}: its network is {_told(bundle.card.network)}, this training's "
            f"{_told(learner.settings.network)}; without --set learning.network it is taken over"
        )
    weights = dict(new.state_dict())
    notes = []
    for name, value in old.state_dict().items():
        if name in weights and weights[name].shape == value.shape:
            weights[name] = value
    same_names = _input_names(bundle.role) == _input_names(learner.role)
    if isinstance(new.encoder, TokenEncoder) and isinstance(old.encoder, TokenEncoder):
        notes += _map_tokens(weights, old.state_dict(), old.encoder, new.encoder)
    elif not same_names and not isinstance(new.encoder, NumberEncoder):
        raise ConfigError(
            f"{bundle.path}: sees other features than role {learner.role.name!r}, and only "
            "observations that are plain numbers or tokens can be taken over by name"
        )
    elif not same_names:
        notes += _map_inputs(weights, old.state_dict(), bundle, learner)
    if _option_names(bundle.role.action) != _option_names(learner.role.action):
        notes += _map_options(weights, old.state_dict(), bundle, learner)
    if weights["critic." + FIRST].shape != old.state_dict()["critic." + FIRST].shape and same_names:
        notes.append("the critic reads other truth fields: its first layer begins anew")
    for module in learner.modules.values():
        module.load_state_dict(weights)
    return notes


def _told(settings: object) -> str:
    return str(settings)


def _input_names(role: Role) -> list[str]:
    tokens = role.observation.tokens
    if tokens is None:
        return role.observation.names()
    return sorted({name for kind in tokens.kinds for name in token_names(kind)})


def _option_names(action: ActionSpec) -> list[str]:
    options = [f"{part.name}.{option}" for part in action.choices for option in part.options]
    return options + [part.name for part in action.levels]


def _map_inputs(
    weights: dict[str, Tensor], old: dict[str, Tensor], bundle: Bundle, learner: Learner
) -> list[str]:
    """Move the first layers' columns to where the same numbers are now."""
    before, now = _input_names(bundle.role), _input_names(learner.role)
    places = {name: k for k, name in enumerate(before)}
    common = [(k, places[name]) for k, name in enumerate(now) if name in places]
    if not common:
        raise ConfigError(f"{bundle.path}: sees nothing that role {learner.role.name!r} sees")
    into, source = (torch.tensor(column) for column in zip(*common, strict=True))
    for tower in ("actor", "critic"):
        made = torch.zeros_like(weights[f"{tower}.{FIRST}"])
        made[:, into] = old[f"{tower}.{FIRST}"][:, source]
        weights[f"{tower}.{FIRST}"] = made
        weights[f"{tower}.body.0.bias"] = old[f"{tower}.body.0.bias"]
    added, gone = len(now) - len(common), len(before) - len(common)
    return [f"{added} numbers are new to the policy, {gone} that it saw are no longer there"]


def _map_tokens(
    weights: dict[str, Tensor], old: dict[str, Tensor], before: TokenEncoder, now: TokenEncoder
) -> list[str]:
    """Move the vectors of names and places to where the same ones are now."""
    names = {name: k for k, name in enumerate(before.names)}
    places = {name: k for k, name in enumerate(before.places)}
    for encoder in ("encoder", "critic_encoder"):
        what, where = torch.zeros_like(now.what), weights[f"{encoder}.where"].clone()
        for k, name in enumerate(now.names):
            if name in names:
                what[k] = old[f"{encoder}.what"][names[name]]
        for k, name in enumerate(now.places):
            if name in places:
                where[k] = old[f"{encoder}.where"][places[name]]
        weights |= {f"{encoder}.what": what, f"{encoder}.where": where}
    new, gone = set(now.names) - set(names), set(names) - set(now.names)
    if not new and not gone:
        return []
    return [f"{len(new)} tokens are new to the policy, {len(gone)} that it saw are no longer there"]


def _map_options(
    weights: dict[str, Tensor], old: dict[str, Tensor], bundle: Bundle, learner: Learner
) -> list[str]:
    """Move the last layer's rows to where the same options are now."""
    before = _option_names(bundle.role.action)
    now = _option_names(learner.role.action)
    places = {name: k for k, name in enumerate(before)}
    for k, name in enumerate(now):
        if name in places:
            for part in LAST:
                weights[f"actor.{part}"] = weights[f"actor.{part}"].clone()
                weights[f"actor.{part}"][k] = old[f"actor.{part}"][places[name]]
    new, gone = set(now) - set(before), set(before) - set(now)
    return [f"{len(new)} options are new to the policy, {len(gone)} that it had are gone"]
