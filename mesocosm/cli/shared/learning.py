"""What commands that train need before anything else."""

from mesocosm.core.extra import missing_extra


def import_learning() -> None:
    """Import what training needs, or say what to install."""
    try:
        import safetensors
        import torch  # noqa: F401 (asked for here, used where learning is)
    except ImportError as error:
        raise missing_extra("training needs PyTorch and safetensors", "learn") from error
    del safetensors
