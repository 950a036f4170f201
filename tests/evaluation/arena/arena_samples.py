"""Small arenas for tests."""

from pathlib import Path

from mesocosm.evaluation.arena.arena import Arena, Conditions
from mesocosm.evaluation.arena.entrant import parse_entrants
from mesocosm.evaluation.arena.episodes import Episodes
from mesocosm.resolve import resolve

SHORT = {"core.max_steps": 12}
ROGUES = Path(__file__).with_name("rogue_policies.py")


def make_arena(preset, *texts, episodes=3, num_envs=0, seed=0, changes=SHORT, **more):
    resolved = resolve(preset, changes)
    recorded = more.pop("recorded", False)
    conditions = Conditions(
        (resolved,), Episodes(episodes, seed, num_envs), target="python", recorded=recorded
    )
    return Arena(conditions, parse_entrants(texts, resolved.spec), **more)


def rogue(name):
    return f"{name}={ROGUES}:{name}"
