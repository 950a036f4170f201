"""Write the page that tells what of MettaGrid's config is played, ignored or refused.

    python tools/mettagrid_fields.py > docs/mettagrid-config.md

Needs the wheel `mettagrid==0.26.22`: the classes and fields are its own, the notes are ours.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from typing import Any

PLAYED, IGNORED, PARTLY = "played", "ignored", "partly refused"
MODULES = (
    "mettagrid_config", "obs_config", "action_config", "event_config", "handler_config",
    "territory_config", "reward_config", "game_value", "query", "raycast_query", "filter",
    "mutation",
)  # fmt: skip
LEFT_OUT = "MettaGrid reads it and leaves it out"
NO_EFFECT = "has no effect on a simulation"
NOTES: dict[str, tuple[str, str]] = {
    "MettaGridConfig.game_engine": (IGNORED, NO_EFFECT),
    "MettaGridConfig.label": (IGNORED, NO_EFFECT),
    "MettaGridConfig.desync_episodes": (IGNORED, NO_EFFECT),
    "GameConfig.resource_names": (PARTLY, "a name that stands twice is refused"),
    "GameConfig.vibe_names": (IGNORED, "MettaGrid writes it itself, from the vibes of actions"),
    "GameConfig.map_builder": (PARTLY, "texts and random maps; others are built by MettaGrid, or "
                               "the grid is handed in"),
    "GameConfig.params": (IGNORED, NO_EFFECT),
    "GameConfig.render": (IGNORED, NO_EFFECT),
    "GameConfig.reward_estimates": (IGNORED, NO_EFFECT),
    "GameConfig.protocol_details_obs": (PLAYED, "reserves ids; nothing is shown"),
    "GridObjectConfig.map_name": (PLAYED, "objects go by it; an agent's is ignored"),
    "GridObjectConfig.handlers": (IGNORED, LEFT_OUT),
    "ObsConfig.width": (PARTLY, "an even window is refused: MettaGrid aborts on it"),
    "ObsConfig.height": (PARTLY, "an even window is refused: MettaGrid aborts on it"),
    "ObsConfig.token_dim": (IGNORED, "a token has three bytes"),
    "ObsConfig.aoe_mask": (PLAYED, "reserves an id; nothing is shown"),
    "GlobalObsConfig.last_reward": (PLAYED, "MettaGrid tells 0"),
    "GlobalObsConfig.goal_obs": (IGNORED, LEFT_OUT),
    "ActionConfig.action_handler": (IGNORED, LEFT_OUT),
    "ActionConfig.enabled": (PLAYED, "a disabled noop or move keeps its id; names shift, as there"),
    "ActionConfig.required_resources": (IGNORED, LEFT_OUT),
    "ActionConfig.consumed_resources": (IGNORED, LEFT_OUT),
    "MoveActionConfig.allowed_directions": (PARTLY, "a direction that stands twice is refused"),
    "ChangeVibeActionConfig.vibes": (PARTLY, "a vibe that stands twice is refused"),
    "ActionsConfig.attack": (IGNORED, LEFT_OUT),
    "TalkConfig.max_length": (PARTLY, "at most 1000 characters"),
    "EventConfig.name": (IGNORED, "an event goes by its key"),
    "Handler.name": (PLAYED, "handlers of moves: of one name, the last; elsewhere ignored"),
    "StatValue.delta": (IGNORED, LEFT_OUT),
    "RaycastQuery.order_by": (IGNORED, LEFT_OUT),
    "AddTagMutation.target": (PLAYED, "land with a tag is listed once more each time, as there"),
    "VibeFilter.vibe": (PLAYED, "an unknown one makes it no filter"),
    "TagFilter.tag": (PLAYED, "an unknown one makes it no filter"),
    "ResourceFilter.resources": (PLAYED, "unknown ones do not count"),
    "ChangeVibeMutation.vibe_name": (PLAYED, "an unknown one is the first"),
    "ResourceTransferMutation.remove_source_when_empty": (PLAYED, "an agent that vanishes acts on, "
                                                          "and shows again when it moves"),
    "TerritoryConfig.on_enter": (PLAYED, "a proxy with the owner's tag acts"),
}  # fmt: skip
IGNORED_CLASSES = {"AttackActionConfig": LEFT_OUT, "AttackOutcome": LEFT_OUT,
                   "AttackMutation": LEFT_OUT}  # fmt: skip
OWN_QUERY = ("source", "filters", "max_items", "order_by")  # of what gives a tag, unused


def config_classes() -> Iterator[type[Any]]:
    """Give MettaGrid's config classes, module by module."""
    from mettagrid.base_config import Config

    seen: set[type[Any]] = set()
    for name in MODULES:
        module = importlib.import_module(f"mettagrid.config.{name}")
        found = [module]
        for entry in pkgutil.iter_modules(getattr(module, "__path__", ())):
            found.append(importlib.import_module(f"mettagrid.config.{name}.{entry.name}"))
        for part in found:
            for value in vars(part).values():
                mine = isinstance(value, type) and issubclass(value, Config)
                if mine and value.__module__ == part.__name__ and value not in seen:
                    seen.add(value)
                    yield value


def fields() -> Iterator[tuple[str, str]]:
    """Give (class, field) for every field where it is declared first."""
    for found in config_classes():
        for name in found.__annotations__:
            if name in found.model_fields:
                yield found.__name__, name


def status_of(class_name: str, field: str) -> tuple[str, str]:
    """Say whether a field is played, and what there is to say about it."""
    if class_name in IGNORED_CLASSES:
        return IGNORED, IGNORED_CLASSES[class_name]
    if class_name == "MaterializedQuery" and field in OWN_QUERY:
        return IGNORED, LEFT_OUT
    return NOTES.get(f"{class_name}.{field}", (PLAYED, ""))


def page() -> str:
    """Return the page."""
    lines = [
        "# What of MettaGrid's config is played", "",
        "Every field of the config classes of the wheel `mettagrid` 0.26.22, where it is declared "
        "first. What is not played is ignored because MettaGrid ignores it, or refused with its "
        "path. Written by `tools/mettagrid_fields.py`; a test keeps it complete.", "",
        "| class | field | | |", "| --- | --- | --- | --- |",
    ]  # fmt: skip
    lines += [
        f"| {name} | `{field}` | {status} | {note} |"
        for name, field in fields()
        for status, note in [status_of(name, field)]
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())
