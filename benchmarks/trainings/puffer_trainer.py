"""PufferLib's own trainer on the CPU, with its one compiled operation written in Python.

The wheel's extension links CUDA's libraries, so that `pufferlib.pufferl` cannot be imported without
a GPU build of PyTorch. All that the trainer takes from it is `compute_puff_advantage`.
"""

import importlib
import sys
import tempfile
import types

import torch

from mesocosm.adapters import PufferEnv

NUM_PROBES = 4
CONFIG = {
    "batch_size": "auto", "bptt_horizon": 64, "minibatch_size": 1024, "max_minibatch_size": 1024,
    "update_epochs": 4, "use_rnn": False, "device": "cpu", "cpu_offload": False, "compile": False,
    "precision": "float32", "torch_deterministic": True, "optimizer": "adam", "adam_beta1": 0.9,
    "adam_beta2": 0.999, "adam_eps": 1e-8, "learning_rate": 2e-3, "anneal_lr": False,
    "gamma": 0.97, "gae_lambda": 0.95, "vtrace_rho_clip": 1.0, "vtrace_c_clip": 1.0,
    "prio_alpha": 0.0, "prio_beta0": 0.2, "clip_coef": 0.2, "vf_clip_coef": 10.0, "vf_coef": 0.5,
    "ent_coef": 0.01, "max_grad_norm": 0.5, "checkpoint_interval": 10**9, "env": "mesocosm",
}  # fmt: skip
SIGNATURE = (
    "compute_puff_advantage(Tensor values, Tensor rewards, Tensor terminals, Tensor ratio, "
    "Tensor(a!) advantages, float gamma, float gae_lambda, float rho_clip, float c_clip) -> ()"
)


def compute_advantage(values, rewards, terminals, ratio, advantages, *settings):
    """Write GAE with clipped importance weights; entry t + 1 tells what step t brought."""
    gamma, gae_lambda, rho_clip, c_clip = settings
    running = torch.zeros_like(values[:, 0])
    for t in reversed(range(values.shape[1] - 1)):
        alive = 1.0 - terminals[:, t + 1]
        error = rewards[:, t + 1] + gamma * alive * values[:, t + 1] - values[:, t]
        trace = ratio[:, t].clamp(max=c_clip) * gamma * gae_lambda * alive
        running = ratio[:, t].clamp(max=rho_clip) * error + trace * running
        advantages[:, t] = running


def import_trainer():
    """Import PufferLib's trainer, with an operation in place of its extension's if need be."""
    import pufferlib

    if "pufferlib.pufferl" in sys.modules:
        return sys.modules["pufferlib.pufferl"]
    try:
        importlib.import_module("pufferlib._C")
    except ImportError:
        pufferlib._C = sys.modules["pufferlib._C"] = types.ModuleType("pufferlib._C")
        pufferlib._mesocosm_ops = torch.library.Library("pufferlib", "DEF")  # lives as long
        pufferlib._mesocosm_ops.define(SIGNATURE)
        pufferlib._mesocosm_ops.impl("compute_puff_advantage", compute_advantage, "CPU")
    return importlib.import_module("pufferlib.pufferl")


def train(preset, seed, num_steps, probe):
    import pufferlib.models
    import pufferlib.vector

    trainer_class = type("Quiet", (import_trainer().PuffeRL,), {"print_dashboard": _say_nothing})
    # its trainer reads `terminals` alone: hence cut_truncated
    kwargs = {"source": preset, "num_envs": 64, "cut_truncated": True}
    vec = pufferlib.vector.make(
        PufferEnv, env_kwargs=kwargs, backend=pufferlib.vector.Serial, num_envs=2
    )
    torch.manual_seed(seed)
    policy = pufferlib.models.Default(vec.driver_env, hidden_size=128)
    with tempfile.TemporaryDirectory() as folder:  # where it puts its checkpoints
        config = CONFIG | {"seed": seed, "total_timesteps": num_steps, "data_dir": folder}
        trainer = trainer_class(config, vec, policy)
        _learn(trainer, policy, num_steps, probe)
    vec.close()


def _learn(trainer, policy, num_steps, probe):
    due = [num_steps * k // NUM_PROBES for k in range(NUM_PROBES)]
    while trainer.global_step < num_steps:
        if due and trainer.global_step >= due[0]:
            probe(trainer.global_step, _player(policy))
            due.pop(0)
        trainer.evaluate()
        trainer.train()
    probe(trainer.global_step, _player(policy))
    trainer.utilization.stop()


def _player(policy):
    def act(obs, mask):
        with torch.no_grad():
            logits, _ = policy.forward_eval(torch.as_tensor(obs))
            logits = logits.masked_fill(~torch.as_tensor(mask), -1e9)
            return torch.distributions.Categorical(logits=logits).sample().numpy()

    return act


def _say_nothing(self, *args, **kwargs):
    """Print no dashboard."""
