"""Reports from made-up numbers, without any training."""

import numpy as np

import mesocosm
from mesocosm.evaluation.report.compared import Player
from mesocosm.evaluation.report.document import Film
from mesocosm.evaluation.report.page import Report
from mesocosm.evaluation.score import Scores

NO_LIFE = {"lives": 0, "mean_return": None, "mean_length": None, "success": None}


def curve_row(update, role, **changes):
    values = {"lives": 10 + update, "mean_return": 3.5 * update, "mean_length": 50.0 + update}
    values |= {"success": min(update / 100, 1.0), "entropy": 1.6 - update / 200}
    return {"update": update, "agent_steps": 1000 * update, "role": role} | values | changes


def some_scores(preset, num_episodes=120, seed=0):
    """One life of each agent in each episode, with random lengths, returns and ends."""
    spec, rng = mesocosm.config_spec(preset), np.random.default_rng(seed)
    lives = num_episodes * spec.num_agents
    env, agent = np.divmod(np.arange(lives), spec.num_agents)
    zeros, reason = np.zeros(lives, np.int64), rng.integers(1, len(spec.reasons) + 1, lives)
    outcome = rng.integers(1, 3, lives)
    length, earned = rng.integers(1, 500, lives), rng.normal(100, 20, lives)
    return Scores(
        spec, num_episodes, num_episodes, env, agent, zeros, zeros, length, earned, reason, outcome
    )


def no_scores(preset, num_episodes=3):
    empty = np.zeros(0, np.int64)
    spec = mesocosm.config_spec(preset)
    return Scores(spec, num_episodes, 0, *(empty,) * 5, empty.astype(float), empty, empty)


def make_report(preset="townlet/L3", *, curve=None, players=None, film=None, about=None):
    roles = mesocosm.config_spec(preset).roles
    rows = [curve_row(k, role) for k in range(1, 101) for role in roles]
    said = {
        "preset": preset,
        "world": preset.partition("/")[0],
        "world_version": 3,
        "kind": "training",
        "plan": {"agent_steps": 100_000, "seed": 4},
        "learning": {"gamma": 0.999, "network": {"hidden": [64, 64]}},
        "config_hash": "c0ffee",
        "learning_hash": "1ea4",
        "versions": {"mesocosm": "0.1"},
    }
    played = {
        "random": Player(some_scores(preset, seed=1)),
        "trained": Player(some_scores(preset, seed=2)),
        "greedy": Player(some_scores(preset, seed=3), privileged=True),
    }
    return Report(
        said | (about or {}),
        rows if curve is None else curve,
        played if players is None else players,
        seed=77,
        bundles={"last.mesop": "ab" * 32},
        commands={"Train": "mesocosm train x"},
        films=(Film(b"GIF89a", "a life") if film is None else film,),
    )
