"""What the tests of island share: small wars, edited through their snapshots."""

import numpy as np

import mesocosm as meso
from mesocosm.build import policy
from mesocosm.core.beginnings import Beginnings
from mesocosm.sim.targets.cells import wrap
from mesocosm.worlds.island.declare import PARTS

SIDES = ("legacy", "dynasty")


def war(preset="skirmish", overrides=None, **settings):
    """Begin a war; `core` may be left out of the overrides' paths."""
    given = {f"core.{name}": value for name, value in (overrides or {}).items()}
    defaults = {"target": "python", "seed": 3, "autoreset": "off"}
    env = meso.make(f"island/{preset}", given, **(defaults | settings))
    env.reset()
    return env


def rules(env):
    """Give what rules get, for calling them as plain Python."""
    return wrap(env.driver.s), wrap(env.driver.f), wrap(env.host_params)


def kinds(env, side=0):
    """Give the ids of one side by type, as lists."""
    codes = [unit.code for unit in env.config.core.units]
    found = {code: [] for code in codes}
    for i, kind in enumerate(env.truth("kind")[0, side].tolist()):
        if kind >= 0:
            found[codes[kind]].append(i)
    return found


def put(env, **values):
    """Edit the first env: `field=array` sets all of it, `field={index: value}` parts of it."""
    saved = env.save()
    for name, value in values.items():
        if isinstance(value, dict):
            for index, entry in value.items():
                saved[name][(0, *index)] = entry
        else:
            saved[name][0] = value
    return env.load(saved)


def order(env, side=0, **parts):
    """Give one order on one side, nothing on the other, and play the step."""
    actions = {name: role.action.noop((env.num_envs, 1)) for name, role in env.spec.roles.items()}
    for name, value in parts.items():
        actions[SIDES[side]][:, 0, PARTS.index(name)] = value
    return env.step(actions)


def wait(env, steps=1):
    """Play steps without orders."""
    step = None
    for _ in range(steps):
        step = order(env)
    return step


def refused(env, side=0):
    """How many orders of the last step were invalid."""
    return int(env.truth("refused")[0, side])


def part_of(env, step, side):
    """Give one side's observation and info of the first env."""
    name = SIDES[side]
    told = {key: np.asarray(value)[0, 0] for key, value in step.info[name].items()}
    return np.array(step.obs[name])[0, 0], told


def row(env, step, side, i):
    """Give one unit's features by name."""
    name = SIDES[side]
    return env.spec.roles[name].observation.decode(step.obs[name][0, 0])["entities"][i]


def play(env, names, steps, seed=0, visit=None):
    """Let scripted sides play; give the last step."""
    players = dict(zip(SIDES, (policy("island", name) for name in names), strict=True))
    for k, (side, player) in enumerate(players.items()):
        player.reset(env.spec.roles[side], env.num_envs, seed + k)
    step, beginnings = env.reset(seed=seed), Beginnings(env)
    for _ in range(steps):
        began = beginnings.follow(step)
        if visit is not None:
            visit(step)
        step = env.step(
            {
                side: player.act(step.obs[side], step.mask[side], step.info[side], began[side])
                for side, player in players.items()
            }
        )
        if np.asarray(step.episode_over).all():
            break
    if visit is not None:
        visit(step)
    return step


def reasons(env, step, side="legacy"):
    """Name the ending of every env for one side."""
    return [env.spec.reason_name(int(code)) for code in np.asarray(step.reason[side])[:, 0]]
