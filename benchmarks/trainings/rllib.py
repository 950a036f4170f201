"""RLlib's PPO through the batched runner: with its own learner, and as our command trains."""

import atexit
import tempfile
from contextlib import ExitStack
from pathlib import Path

import torch

import mesocosm

NUM_PROBES, WORKERS = 4, 2
NUM_ENVS, HORIZON = 128, 64
_stack = ExitStack()


def _open_cluster():
    """Start Ray once for all trainings of this process."""
    import ray

    from mesocosm.distributed.cluster import open_cluster

    if not ray.is_initialized():
        _stack.enter_context(open_cluster(num_cpus=WORKERS, variables={"PYTHONHASHSEED": "0"}))
        atexit.register(_stack.close)


def play(network, seed=0):
    """Give what acts by a network of one choice, drawn by its probabilities."""
    generator = torch.Generator().manual_seed(seed)

    @torch.no_grad()
    def act(obs, mask):
        rows = len(obs)
        state = network.begin(rows).actor
        began = torch.zeros(1, rows, dtype=torch.bool)
        numbers, _ = network.act(torch.from_numpy(obs)[None], state, began)
        noise = torch.empty(rows, network.head.noise_size)
        network.head.draw_noise(noise, generator)
        return network.head.sample(numbers[0], torch.from_numpy(mask), noise)[0].numpy()

    return act


def train_stock(preset, seed, num_steps, probe):
    """Train by `PPOConfig` and RLlib's own learner; runners step all envs in one call."""
    from ray.rllib.algorithms.ppo import PPOConfig

    from mesocosm.adapters.rllib import RllibEnv, RllibRunner, module_specs, role_of

    _open_cluster()
    spec = mesocosm.config_spec(preset)
    (name,) = spec.roles
    config = (
        PPOConfig()
        .environment(RllibEnv, env_config={"source": preset}, disable_env_checking=True)
        .env_runners(
            env_runner_cls=RllibRunner,
            num_env_runners=WORKERS,
            num_envs_per_env_runner=NUM_ENVS // WORKERS,
            rollout_fragment_length=HORIZON,
        )
        .multi_agent(policies=set(spec.roles), policy_mapping_fn=role_of)
        .rl_module(rl_module_spec=module_specs(spec))
        .training(
            train_batch_size_per_learner=NUM_ENVS * HORIZON,
            minibatch_size=1024,
            num_epochs=4,
            lr=1e-3,
            gamma=0.97,
            entropy_coeff=0.01,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
        )
        .debugging(seed=seed)
    )
    algorithm = config.build_algo()
    network = algorithm.learner_group._learner.module[name].unwrapped().network
    probe(0, play(network))
    done = 0
    for part in range(1, NUM_PROBES + 1):
        while done < num_steps * part / NUM_PROBES:
            algorithm.train()
            done += NUM_ENVS * HORIZON * spec.num_agents
        probe(done, play(network))
    algorithm.stop()


def train_command(preset, seed, num_steps, probe):
    """Train as `mesocosm train --engine rllib --workers 2` does, with the settings of the spec."""
    from mesocosm.distributed.rllib.training import open_new
    from mesocosm.learning.open_training import Plan, choose_settings
    from mesocosm.resolve import resolve

    _open_cluster()
    resolved = resolve(preset)
    plan = Plan(resolved, (), steps=num_steps, seed=seed, target="cpu", threads=1)
    settings = choose_settings(resolved, {"learning.num_envs": NUM_ENVS}, {})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        with open_new(path, plan, settings, workers=WORKERS) as (run, trainer), run:
            (learnt,) = trainer.learners.values()
            probe(0, play(learnt.network))
            wanted = 1
            for update in trainer.run():
                run.note(update)
                if update.number >= trainer.num_updates * wanted / NUM_PROBES:
                    probe(update.agent_steps, play(learnt.network))
                    wanted += 1
