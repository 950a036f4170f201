"""BenchMARL's algorithms run unmodified where a preset's spaces allow it; elsewhere one error."""

import pickle
import re
from pathlib import Path

import pytest
import torch
from benchmarl.algorithms import MappoConfig, MasacConfig, QmixConfig
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig

import mesocosm
from mesocosm.adapters import BenchMARLTask
from mesocosm.core.errors import ConfigError

pytestmark = [
    pytest.mark.filterwarnings("ignore:SyncDataCollector has been deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:size_average and reduce args will be deprecated"),
]
SHORT = {"core.max_steps": 10}
FRAMES = 80
PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "benchmarl.md"


def experiment(task, algorithm, folder):
    """Set an experiment up that collects, learns and evaluates twice."""
    config = ExperimentConfig.get_from_yaml()
    config.loggers, config.create_json, config.save_folder = [], True, str(folder)
    config.max_n_frames, config.evaluation_interval = 2 * FRAMES, FRAMES
    config.evaluation_episodes = 3
    for kind in ("on", "off"):
        setattr(config, f"{kind}_policy_collected_frames_per_batch", FRAMES)
        setattr(config, f"{kind}_policy_n_envs_per_worker", 4)
    config.on_policy_n_minibatch_iters = config.off_policy_n_optimizer_steps = 2
    config.on_policy_minibatch_size = config.off_policy_train_batch_size = 60
    return Experiment(
        task=task,
        algorithm_config=algorithm.get_from_yaml(),
        model_config=MlpConfig.get_from_yaml(),
        seed=0,
        config=config,
    )


@pytest.mark.parametrize(
    ("algorithm", "source", "options"),
    [
        (MappoConfig, "townlet/L6", {}),
        (QmixConfig, "townlet/L6", {}),
        (MasacConfig, "townlet/L6", {}),
        (QmixConfig, "townlet/L6", {"critic": ["meters"]}),
        (MasacConfig, "townlet/L6", {"archetypes": "fog"}),
        (MappoConfig, "mettagrid/network", {}),
    ],
    ids=["mappo", "qmix", "masac", "qmix-central-state", "masac-layers", "mappo-tokens"],
)
def test_an_algorithm_runs_unmodified(algorithm, source, options, tmp_path):
    task = BenchMARLTask(source, SHORT, target="python", **options)
    played = experiment(task, algorithm, tmp_path)
    before = [weights.detach().clone() for weights in played.policy.parameters()]
    played.run()
    assert played.total_frames == 2 * FRAMES
    learnt = zip(before, played.policy.parameters(), strict=True)
    assert any(not torch.equal(one, two) for one, two in learnt)


def test_the_example_on_the_page_runs(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(example, str(PAGE), "exec"), {})  # noqa: S102 (our own text)
    assert float(capsys.readouterr().out.split()[-1]) > 0


def test_every_preset_makes_a_task_or_one_clear_error():
    refused = set()
    for preset in mesocosm.presets():
        roles = mesocosm.config_spec(preset).roles.values()
        allowed = all(len(r.action.choices) == 1 and not r.action.levels for r in roles)
        if allowed:
            BenchMARLTask(preset, target="python").get_env_fun(2, False, 0, "cpu")().reset()
        else:
            refused.add(preset.partition("/")[0])
            with pytest.raises(ConfigError, match=r"need roles with one choice each.* has \d+ cho"):
                BenchMARLTask(preset)
    assert refused == {"commons", "island", "mettagrid", "townlet"}


def test_a_task_declares_agents_without_the_batch():
    task = BenchMARLTask("townlet/L6", SHORT, target="python")
    env = task.get_env_fun(num_envs=3, continuous_actions=False, seed=1, device="cpu")()
    assert env.batch_size == (3,)
    assert task.group_map(env) == {"resident": [f"resident_{k}" for k in range(8)]}
    assert task.observation_spec(env)["resident", "observation"].shape == (8, 79)
    assert task.action_spec(env)["resident", "action"].shape == (8,)
    assert task.action_mask_spec(env)["resident", "action_mask"].shape == (8, 6)
    assert task.max_steps(env) == 10
    assert task.state_spec(env) is None
    assert (task.supports_discrete_actions(), task.supports_continuous_actions()) == (True, False)


def test_a_task_can_be_pickled_as_experiments_do():
    task = BenchMARLTask("townlet/L6", SHORT, target="python")
    twin = pickle.loads(pickle.dumps(task))  # noqa: S301 (our own bytes)
    assert twin == task
    assert str(twin.get_env_fun(2, False, 0, "cpu")().group_map) != ""


def test_experiments_are_recorded_env_by_env(tmp_path):
    task = BenchMARLTask("townlet/L1", SHORT, target="python", record=tmp_path / "run")
    experiment(task, MappoConfig, tmp_path).run()
    for name in ("env-0", "env-1"):
        mesocosm.open_run(tmp_path / "run" / name).verify()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"num_envs": 4}, "num_envs: BenchMARL's experiment decides it"),
        ({"seed": 4}, "seed: BenchMARL's experiment decides it"),
        ({"max_steps": 0}, "max_steps: must be an integer from 1 on, got 0"),
        ({"max_steps": "all"}, "max_steps: must be an integer from 1 on, got 'all'"),
        ({"overrides": {"core.max_stepz": 3}}, "core.max_stepz"),
    ],
)
def test_bad_arguments_are_refused_with_one_clear_error(options, complaint):
    with pytest.raises(ConfigError, match=complaint):
        BenchMARLTask("townlet/L1", **options)
