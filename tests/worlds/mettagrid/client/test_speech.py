"""Speech as bytes."""

import pytest

from mesocosm.core.errors import ActionError
from mesocosm.worlds.mettagrid.client.speech import talk_bytes


def test_speech_over_140_bytes_is_refused():
    with pytest.raises(ActionError, match="at most 140 bytes"):
        talk_bytes("x" * 141)
    assert not talk_bytes(None).any()
