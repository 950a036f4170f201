"""What the tests of townlet share: small towns, set up by editing their snapshots."""

import numpy as np

import mesocosm as meso
from mesocosm.worlds.townlet.config import ACTIONS, METERS
from mesocosm.worlds.townlet.declare import FAILURES

PLACES = (
    "Bed", "LuxuryBed", "Shower", "HomeMeal", "FastFood", "Doctor", "Hospital", "Therapist",
    "Recreation", "Bar", "Job", "Labor", "Gym", "Park", "CoffeeShop",
)  # fmt: skip
CUES = (
    "looks_tired", "looks_energetic", "looks_sick", "looks_healthy", "looks_sad", "looks_happy",
    "looks_poor", "looks_wealthy", "looks_dirty", "at_job", "at_hospital", "at_bar",
)  # fmt: skip
FRESH = dict.fromkeys(METERS, 1.0) | {"money": 0.5}


def town(preset="L5", overrides=None, **settings):
    """Found a town; `core` may be left out of the overrides' paths."""
    given = {f"core.{name}": value for name, value in (overrides or {}).items()}
    env = meso.make(f"townlet/{preset}", given, **({"target": "python", "seed": 3} | settings))
    env.reset()
    return env


def society(num_agents, preset="L7", **overrides):
    """Found a town of some people, all of whom stay until the test ends."""
    return town(preset, {"num_agents": num_agents} | overrides, autoreset="off")


def put(env, *, places=None, **values):
    """Edit the state of the first env; `places` names where affordances are, no others exist."""
    saved = env.save()
    if places is not None:
        values["affordance_position"] = [places.get(name, (-1, -1)) for name in PLACES]
    for name, value in values.items():
        saved[name][0] = value
    return env.load(saved)


def feel(**levels):
    """Give the eight meters: those of a newborn, except for some."""
    return [(FRESH | levels)[name] for name in METERS]


def act(env, *names):
    """Let the agents do something each; those not named wait."""
    chosen = env.spec.roles["resident"].action.noop((env.num_envs, env.spec.num_agents))
    for agent, name in enumerate(names):
        chosen[:, agent, 0] = ACTIONS.index(name)
    return env.step(chosen)


def see(env, step, agent=0):
    """Decode what an agent of the first env sees."""
    return env.spec.roles["resident"].observation.decode(step.obs[0, agent])


def meter(env, name, agent=0):
    return env.truth("meters")[0, agent, METERS.index(name)]


def failures(step):
    """Name why each action of the first env failed."""
    return [FAILURES[int(code)] for code in step.info["action_failed"][0]]


def may(step, name, agent=0):
    return bool(step.mask[0, agent, ACTIONS.index(name)])


def shown(env, agent=0):
    """Name the cues that an agent shows."""
    names = env.config.core.shown_cues
    return {names[k] for k in np.flatnonzero(env.truth("cue")[0, agent])}
