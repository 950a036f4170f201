"""Settings that work untuned, by what a spec's roles see and do."""

from mesocosm.core.spec import Role, Spec
from mesocosm.learning.settings import LearningSettings, override

ROWS = 1024  # agents played side by side; tokens, of which each costs more, half as many
MAX_BYTES = 1 << 29  # of a rollout
DENSE = {
    "horizon": 64,
    "epochs": 1,
    "minibatches": 16,
    "gamma": 0.9995,
    "gae_lambda": 0.98,
    "learning_rate": 2e-3,
    "entropy": 0.06,
    "network.hidden": [64, 64],
    "network.activation": "relu",
}
TABLES = DENSE | {
    "network.embedding": 32,
    "network.pooling": "attention",
    "network.shared": True,
}
TOKENS = DENSE | {
    "minibatches": 8,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "entropy": 0.02,
    "network.hidden": [64],
    "network.embedding": 64,
    "network.shared": True,
}
COMPOSITE = {"gamma": 0.99, "gae_lambda": 0.95, "entropy": 0.02}  # actions of several parts
KINDS = {"dense": (DENSE, ROWS), "tables": (TABLES, ROWS), "tokens": (TOKENS, ROWS // 2)}


def observation_kind(spec: Spec) -> str:
    """Name the kind of observation that settings are chosen by: the dearest of any role."""
    layouts = [role.observation for role in spec.roles.values()]
    if any(layout.tokens is not None for layout in layouts):
        return "tokens"
    if any(feature.lists_entities for layout in layouts for feature in layout.features):
        return "tables"
    return "dense"


def settings_for(spec: Spec) -> LearningSettings:
    """Choose settings by the kind of observation, the parts of actions, and the agents."""
    changes, rows = KINDS[observation_kind(spec)]
    if any(len(role.action.rows()) > 1 for role in spec.roles.values()):
        changes = changes | COMPOSITE
    settings = override(LearningSettings(), changes)
    fitting = MAX_BYTES // (settings.horizon * bytes_per_step(spec))
    num_envs = max(1, min(rows // spec.num_agents, fitting))
    minibatches = min(settings.minibatches, num_envs * settings.horizon)
    return override(settings, {"num_envs": num_envs, "minibatches": minibatches})


def bytes_per_step(spec: Spec) -> int:
    """Say how much is kept of one step of one env, observations and noise above all."""
    return sum(role.num_agents * _row_bytes(role) for role in spec.roles.values())


def _row_bytes(role: Role) -> int:
    layout, action = role.observation, role.action
    width = 1 if layout.dtype in ("uint8", "int8", "bool") else 4
    options = sum(len(part.options) for part in action.choices)
    return width * layout.size + action.mask_size + 4 * (options + 2 * len(action.levels) + 8)
