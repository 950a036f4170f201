"""The TorchRL adapter. Imports point down: env → role_view → specs."""

from mesocosm.core.extra import missing_extra

try:
    import torchrl  # noqa: F401 (asked for here, so that one error says what is missing)
except ImportError as error:
    raise missing_extra("the TorchRL adapter needs torchrl", "torchrl") from error

from mesocosm.adapters.torchrl.env import TorchRLEnv

__all__ = ["TorchRLEnv"]
