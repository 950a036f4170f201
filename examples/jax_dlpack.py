"""Actor-critic in plain JAX, which shares arrays with Mesocosm by DLPack.

    python examples/jax_dlpack.py --preset townlet/L1 --seed 1 --total-steps 1000000

An env writes the same arrays in every step, and JAX takes it for granted that an array never
changes. So a rollout is kept in arrays of ours, `[time, env * agent, ...]`: each step is copied
into its place once, and JAX reads it there, without another copy, until the update is done. On a
GPU, `jax.dlpack.from_dlpack(step.obs)` gives the env's own array, there: `jnp.copy` what you keep.
"""

import argparse
import time
from collections import deque
from functools import partial
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np

import mesocosm

GAMMA, LAMBDA, ENTROPY, RATE, CLIP = 0.97, 0.95, 0.01, 1e-3, 0.2
EPOCHS, MINIBATCHES = 4, 8
ALIGNMENT = 64  # bytes; JAX shares host memory only where it begins at a multiple of this


def aligned(shape, dtype):
    """Make an array that JAX can share."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)


def make_network(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    scales = [2.0**0.5] * (len(sizes) - 2) + [0.01]
    return [
        (jax.nn.initializers.orthogonal(scale)(k, shape), jnp.zeros(shape[1]))
        for k, shape, scale in zip(keys, pairwise(sizes), scales, strict=True)
    ]


def apply(network, x):
    for weight, bias in network[:-1]:
        x = jnp.tanh(x @ weight + bias)
    return x @ network[-1][0] + network[-1][1]


def log_probs(params, obs, mask):
    return jax.nn.log_softmax(jnp.where(mask, apply(params["actor"], obs), -1e9))


@jax.jit
def act(params, key, obs, mask):
    """Draw an action for every row."""
    return jax.random.categorical(key, log_probs(params, obs, mask)).astype(jnp.int32)


def loss(params, rows):
    """Weigh the clipped gain, the error of the value, and the entropy."""
    chances = log_probs(params, rows["obs"], rows["mask"])
    chosen = jnp.take_along_axis(chances, rows["action"][:, None], axis=1)[:, 0]
    ratio = jnp.exp(chosen - rows["log_prob"])
    gain = (rows["advantage"] - rows["advantage"].mean()) / (rows["advantage"].std() + 1e-8)
    gained = jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain)
    error = jnp.square(apply(params["critic"], rows["obs"])[:, 0] - rows["return"])
    entropy = -(jnp.exp(chances) * chances).sum(axis=1)
    there = rows["acting"]  # where nobody acted there is nothing to learn
    return (there * (0.5 * error - gained - ENTROPY * entropy)).sum() / there.sum()


def adam(params, gradient, moments):
    """Take one step of Adam, each network's gradient clipped to length 0.5."""
    for name, tree in gradient.items():
        length = jnp.sqrt(sum(jnp.square(leaf).sum() for leaf in jax.tree.leaves(tree)))
        shorter = partial(jnp.multiply, jnp.minimum(1.0, 0.5 / (length + 1e-8)))
        gradient = gradient | {name: jax.tree.map(shorter, tree)}
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradient)
    count = moments[2] + 1
    rate = RATE * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    move = partial(_move, rate)
    return jax.tree.map(move, params, first, second), (first, second, count)


def _move(rate, parameter, first, second):
    return parameter - rate * first / (jnp.sqrt(second) + 1e-6)


@jax.jit
def update(params, moments, key, kept):
    """Improve the networks by one rollout: advantages (GAE), then a few epochs."""
    value = apply(params["critic"], kept["obs"])[..., 0]
    following = apply(params["critic"], kept["next_obs"])[..., 0]
    # after a death nothing follows; after an end imposed from outside, the last moment's value does
    error = kept["reward"] + GAMMA * following * (1 - kept["terminated"]) - value

    def back(running, now):
        running = now[0] + GAMMA * LAMBDA * (1 - now[1]) * running
        return running, running

    start = jnp.zeros(value.shape[1:])
    _, advantage = jax.lax.scan(back, start, (error, kept["done"]), reverse=True)
    chances = log_probs(params, kept["obs"], kept["mask"])
    rows = {name: kept[name] for name in ("obs", "mask", "action", "acting")} | {
        "log_prob": jnp.take_along_axis(chances, kept["action"][..., None], axis=-1)[..., 0],
        "advantage": advantage,
        "return": advantage + value,
    }
    rows = {name: values.reshape(-1, *values.shape[2:]) for name, values in rows.items()}

    def learn(carry, chosen):
        params, moments = carry
        gradient = jax.grad(loss)(params, {name: values[chosen] for name, values in rows.items()})
        return adam(params, gradient, moments), None

    keys = jax.random.split(key, EPOCHS)
    orders = jnp.stack([jax.random.permutation(k, value.size) for k in keys])
    batches = orders.reshape(EPOCHS * MINIBATCHES, -1)
    return jax.lax.scan(learn, (params, moments), batches)[0]


class Rollout:
    """Steps of every agent, kept where both libraries read and write them."""

    def __init__(self, num_steps, num_rows, role):
        lead = (num_steps, num_rows)
        seen, options = (*lead, *role.observation.shape), (*lead, role.action.mask_size)
        shapes = {"obs": (seen, np.float32), "next_obs": (seen, np.float32)}
        shapes |= {"mask": (options, np.bool_), "action": (lead, np.int32)}
        names = ("reward", "done", "terminated", "acting")
        shapes |= dict.fromkeys(names, (lead, np.float32))
        self.arrays = {name: aligned(*entry) for name, entry in shapes.items()}
        self.returns, self._earned = [], np.zeros(num_rows)

    def before(self, t, step):
        """Keep what is seen before a step; give it to JAX."""
        for name, values in (("obs", step.obs), ("mask", step.mask), ("acting", step.acting)):
            place = self.arrays[name][t]
            np.copyto(place, np.asarray(values).reshape(place.shape))
        return tuple(jax.dlpack.from_dlpack(self.arrays[name][t]) for name in ("obs", "mask"))

    def after(self, t, action, step):
        """Keep what was done and what it brought."""
        ended, num_rows = np.asarray(step.ended).reshape(-1), len(action)
        self.arrays["action"][t] = action
        for name, values in (("reward", step.reward), ("terminated", step.terminated)):
            self.arrays[name][t] = np.asarray(values).reshape(-1)
        self.arrays["terminated"][t] *= ended
        self.arrays["done"][t] = ended
        seen, last = (np.asarray(x).reshape(num_rows, -1) for x in (step.obs, step.final_obs))
        place = self.arrays["next_obs"][t].reshape(num_rows, -1)
        np.copyto(place, np.where(ended[:, None], last, seen))
        self._earned += self.arrays["reward"][t]
        self.returns += self._earned[ended].tolist()
        self._earned[ended] = 0.0

    def share(self):
        """Give the whole rollout to JAX, which reads it where it lies: no copy is made."""
        return {
            name: jax.dlpack.from_dlpack(array, copy=False) for name, array in self.arrays.items()
        }


def train(preset, *, seed=1, total_steps=1_000_000, num_envs=128, target="cpu", watch=None):
    """Train all agents of a world's only role, whose action is one choice.

    `watch(agent_steps, params, rollout)` is called before each update.
    """
    env = mesocosm.make(preset, num_envs=num_envs, seed=seed, target=target)
    (role,) = env.spec.roles.values()
    num_steps, num_rows = 64, num_envs * role.num_agents
    key, *keys = jax.random.split(jax.random.key(seed), 3)
    inputs, options = int(np.prod(role.observation.shape)), role.action.mask_size
    networks = {"actor": (inputs, 64, 64, options), "critic": (inputs, 64, 64, 1)}
    params = {
        name: make_network(k, sizes)
        for k, (name, sizes) in zip(keys, networks.items(), strict=True)
    }
    zeros = jax.tree.map(jnp.zeros_like, params)
    moments = (zeros, zeros, jnp.zeros(()))
    rollout, step = Rollout(num_steps, num_rows, role), env.reset()
    for k in range(max(1, total_steps // (num_steps * num_rows))):
        for t in range(num_steps):
            key, own = jax.random.split(key)
            action = np.from_dlpack(act(params, own, *rollout.before(t, step)))
            step = env.step(action.reshape(num_envs, role.num_agents, 1))
            rollout.after(t, action, step)
        if watch is not None:
            watch(k * num_steps * num_rows, params, rollout)
        key, own = jax.random.split(key)
        # wait: the next rollout is written where JAX reads this one
        params, moments = jax.block_until_ready(update(params, moments, own, rollout.share()))
    return params


def main(given=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", default="townlet/L1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--total-steps", type=int, default=1_000_000)
    parser.add_argument("--num-envs", type=int, default=128)
    parser.add_argument("--target", default="cpu", help="python or cpu")
    args = parser.parse_args(given)
    began, recent = time.monotonic(), deque(maxlen=200)

    def tell(steps, params, rollout):
        recent.extend(rollout.returns)
        rollout.returns.clear()
        mean, speed = sum(recent) / max(1, len(recent)), steps / (time.monotonic() - began)
        print(f"{steps:>9} steps: return {mean:7.2f} of recent lives; {speed:,.0f} steps/s")

    train(**vars(args), watch=tell)


if __name__ == "__main__":
    main()
