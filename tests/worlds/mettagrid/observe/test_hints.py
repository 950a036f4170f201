"""Global hints."""

import pytest

from mesocosm.worlds.mettagrid.observe.hints import completion


@pytest.mark.parametrize(("t", "value"), list(enumerate([0, 36, 73, 109, 146, 182, 219, 255])))
def test_completion_scales_steps_to_a_byte(t, value):
    assert completion(t, 7) == value
