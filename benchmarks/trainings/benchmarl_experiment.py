"""An experiment of BenchMARL's that is evaluated on the way; for its own environment."""

import tempfile

import torch
from benchmarl.algorithms import algorithm_config_registry
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torchrl.envs import ExplorationType, set_exploration_type

from mesocosm.adapters import BenchMARLTask


class Probe(Callback):
    """Evaluates half-way and at the end."""

    def __init__(self, probe, num_agents):
        super().__init__()
        self._probe, self._num_agents, self._batches = probe, num_agents, 0

    def __getstate__(self):
        return {}  # experiments pickle their callbacks; functions within functions cannot be

    def on_train_end(self, training_td, group):
        self._batches += 1
        num_batches = self.experiment.config.get_max_n_iters(self.experiment.on_policy)
        if self._batches in {num_batches // 2, num_batches}:
            frames = self.experiment.total_frames
            self._probe(frames * self._num_agents, acting(self.experiment, group))


def train(name, settings, tuned, run):
    """Train by an algorithm; `run` is what every training gets: preset, seed, steps, probe."""
    preset, seed, num_steps, probe = run
    torch.set_num_threads(1)
    algorithm = algorithm_config_registry[name].get_from_yaml()
    for key, value in tuned.items():
        setattr(algorithm, key, value)
    config = ExperimentConfig.get_from_yaml()
    task = BenchMARLTask(preset)
    (role,) = task.spec.roles.values()
    config.max_n_frames = num_steps // role.num_agents
    config.loggers, config.create_json, config.evaluation = [], False, False
    for key, value in settings.items():
        setattr(config, key, value)
    with tempfile.TemporaryDirectory() as folder:
        config.save_folder = folder
        experiment = Experiment(
            task=task,
            algorithm_config=algorithm,
            model_config=MlpConfig.get_from_yaml(),
            seed=seed,
            config=config,
            callbacks=[Probe(probe, role.num_agents)],
        )
        probe(0, acting(experiment, role.name))
        experiment.run()


def acting(experiment, group):
    """Play what an experiment's policy takes to be best, for rows of observations and masks."""
    agents = len(experiment.group_map[group])

    @torch.no_grad()
    def act(obs, mask):
        rows = {"observation": obs, "action_mask": mask}
        rows = {k: torch.from_numpy(v).unflatten(0, (-1, agents)) for k, v in rows.items()}
        lead = rows["observation"].shape[:2]
        given = TensorDict({group: TensorDict(rows, batch_size=lead)}, batch_size=lead[:1])
        with set_exploration_type(ExplorationType.DETERMINISTIC):
            return experiment.policy(given)[group, "action"].reshape(-1).numpy()

    return act
