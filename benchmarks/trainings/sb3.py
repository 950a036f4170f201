"""Stable-Baselines3's PPO and sb3-contrib's MaskablePPO, unmodified."""

from mesocosm.adapters import SB3VecEnv

SETTINGS = {
    "n_steps": 64,
    "batch_size": 1024,
    "n_epochs": 4,
    "learning_rate": 1e-3,
    "gamma": 0.97,
    "ent_coef": 0.01,
    "device": "cpu",
}
NUM_PROBES = 4


def train_ppo(preset, seed, num_steps, probe):
    from stable_baselines3 import PPO

    def play(model):
        return lambda obs, mask: model.predict(obs)[0]

    _train(PPO, play, preset, seed, num_steps, probe)


def train_maskable_ppo(preset, seed, num_steps, probe):
    from sb3_contrib import MaskablePPO

    def play(model):
        return lambda obs, mask: model.predict(obs, action_masks=mask)[0]

    _train(MaskablePPO, play, preset, seed, num_steps, probe)


def _train(algorithm, play, preset, seed, num_steps, probe):
    env = SB3VecEnv(preset, num_envs=128, seed=seed)
    model = algorithm("MlpPolicy", env, seed=seed, **SETTINGS)
    probe(0, play(model))
    for _ in range(NUM_PROBES):
        model.learn(num_steps // NUM_PROBES, reset_num_timesteps=False)
        probe(model.num_timesteps, play(model))
    env.close()
