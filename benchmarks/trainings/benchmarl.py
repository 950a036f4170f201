"""BenchMARL's algorithms, unmodified; run it by the Python of .venv-benchmarl."""

ON_POLICY = {
    "on_policy_n_envs_per_worker": 128,
    "on_policy_collected_frames_per_batch": 128 * 32,
    "on_policy_n_minibatch_iters": 4,
    "on_policy_minibatch_size": 1024,
    "lr": 1e-3,
    "gamma": 0.97,
}
OFF_POLICY = {
    "off_policy_n_envs_per_worker": 256,
    "off_policy_collected_frames_per_batch": 256 * 8,
    "off_policy_n_optimizer_steps": 32,
    "off_policy_train_batch_size": 256,
    "off_policy_memory_size": 100_000,
    "exploration_eps_init": 1.0,
    "exploration_eps_end": 0.05,
    "lr": 5e-4,
    "gamma": 0.97,
}


def train_mappo(*run):
    _train("mappo", ON_POLICY, {"entropy_coef": 0.01}, run)


def train_qmix(*run):
    _train("qmix", OFF_POLICY, {}, run)


def train_masac(*run):
    _train("masac", OFF_POLICY, {"alpha_init": 0.1}, run)


def _train(name, settings, tuned, run):
    from benchmarks.trainings.benchmarl_experiment import train

    train(name, settings, tuned, run)
