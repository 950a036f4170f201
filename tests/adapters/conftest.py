"""The test world, registered while a test asks for it."""

import pytest

from mesocosm import worlds


@pytest.fixture
def mayfly(monkeypatch):
    """Register the test world; give what builds its configs."""
    import mayfly as module

    known = worlds._folders()
    monkeypatch.setattr(worlds, "_folders", lambda: {**known, "mayfly": "mayfly"})
    return module.config
