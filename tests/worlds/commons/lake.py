"""What the tests of commons share: a small lake, set up by editing its snapshots."""

import numpy as np

import mesocosm as meso

LEFT, RIGHT = 0, 1


def lake(overrides=None, preset="commons", **settings):
    calm = {"core.drought_prob": 0.0}
    env = meso.make(preset, calm | (overrides or {}), **({"target": "python"} | settings))
    env.reset(seed=4)
    return env


def idle(env, role="harvester"):
    return env.spec.roles[role].action.noop((env.num_envs, env.spec.roles[role].num_agents))


def put(env, **values):
    """Edit the state of the first env."""
    saved = env.save()
    for name, value in values.items():
        saved[name][0] = value
    return env.load(saved)


def kinds(env):
    return [event["kind"] for event in env.events()]


def beside(env, agent, slot):
    """Find who sits left (0) or right (1) of an agent."""
    seats = env.truth("seat")[0]
    away = -1 if slot == LEFT else 1
    return int(np.flatnonzero(seats == (seats[agent] + away) % len(seats))[0])
