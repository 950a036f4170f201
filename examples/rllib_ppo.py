"""Train a town's residents with RLlib's own PPO: its learner, its config, our env and networks.

    python examples/rllib_ppo.py [--iterations 20]

`mesocosm train PRESET --engine rllib` does more (a run folder, policies to play, resuming).
"""

import argparse

from ray.rllib.algorithms.ppo import PPOConfig

import mesocosm
from mesocosm.adapters.rllib import RllibEnv, RllibRunner, module_specs, role_of
from mesocosm.distributed.cluster import open_cluster

PRESET = "townlet/L6"
NUM_ENVS, STEPS = 32, 32


def make_config() -> PPOConfig:
    """Configure PPO: one module for each role, and a runner that steps all envs in one call."""
    spec = mesocosm.config_spec(PRESET)
    return (
        PPOConfig()
        .environment(RllibEnv, env_config={"source": PRESET}, disable_env_checking=True)
        .env_runners(
            env_runner_cls=RllibRunner,  # leave this out, and RLlib steps envs one by one
            num_env_runners=1,
            num_envs_per_env_runner=NUM_ENVS,
            rollout_fragment_length=STEPS,
        )
        .multi_agent(policies=set(spec.roles), policy_mapping_fn=role_of)
        .rl_module(rl_module_spec=module_specs(spec))
        .training(
            train_batch_size_per_learner=NUM_ENVS * STEPS,
            minibatch_size=1024,
            num_epochs=2,
            lr=1e-3,
            vf_clip_param=float("inf"),
            entropy_coeff=0.01,
        )
        .debugging(seed=1)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=20)
    given = parser.parse_args()
    with open_cluster(num_cpus=2, variables={"PYTHONHASHSEED": "0"}):
        algorithm = make_config().build_algo()
        for number in range(1, given.iterations + 1):
            lives = algorithm.train()["env_runners"]["lives"]["resident"]
            mean = lives["returns"] / max(lives["num"], 1)
            print(f"{number}: {lives['num']:.0f} lives ended, mean return {mean:.1f}")
        algorithm.stop()


if __name__ == "__main__":
    main()
