"""Tokens are decoded and encoded back."""

import numpy as np
import pytest
from games import ALL_HINTS, id_map
from hypothesis import given
from hypothesis import strategies as st

from mesocosm.core.errors import MesocosmError
from mesocosm.worlds.mettagrid.client import tokens


@given(st.integers(0, 2**32 - 1))
def test_tokens_decode_and_encode_back(seed):
    table = id_map(obs=ALL_HINTS)
    rng = np.random.default_rng(seed)
    size = len(table.features())
    made = np.full((30, 3), 255, np.uint8)
    used = int(rng.integers(0, 31))
    made[:used, 0] = rng.choice([0xFE, *range(0xEE)], used)
    made[:used, 1] = rng.integers(0, size, used)
    made[:used, 2] = rng.integers(0, 256, used)
    made[:used][made[:used, 0] & 15 == 15] = [0x11, 0, 0]
    views = tokens.decode(made, table)
    assert (tokens.encode(views, table, 30) == made).all()


def test_unknown_feature_id_raises():
    with pytest.raises(MesocosmError, match="no feature 200"):
        tokens.decode([[0x11, 200, 0]], id_map())
