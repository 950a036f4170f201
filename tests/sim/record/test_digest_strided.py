"""Digests and sums of arrays that lie with the env innermost, as they do on a GPU."""

import numpy as np
import pytest

from mesocosm.sim.record.digest import row_hashes, total
from mesocosm.sim.record.digest_rules import bind_env, hash_strided, sum_strided
from mesocosm.sim.record.digester import _strided_table, _sum_in_order
from mesocosm.sim.rule import rule
from mesocosm.sim.targets.launch import launch


@rule
def digest_all(table, index, digests, sums):
    for k in range(table.shape[0]):
        for e in range(index.shape[0]):
            digests[k] += hash_strided(table, k, e, bind_env(index[e]))
            sums[k, e] = sum_strided(table, k, e)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float64", "bool"])
@pytest.mark.parametrize("shape", [(5,), (5, 3), (5, 2, 7), (4, 3, 2, 5), (3, 0), (2, 1, 1, 1)])
def test_strided_array_digests_and_sums_as_a_contiguous_one(dtype, shape):
    rng = np.random.default_rng(len(shape))
    plain = np.ascontiguousarray(rng.integers(-100, 100, shape).astype(dtype))
    strided = np.asfortranarray(plain)
    index = np.arange(shape[0], dtype=np.int64) + 7
    digests, sums = np.zeros(1, np.int64), np.zeros((1, shape[0]))
    table = _strided_table([strided], [strided.ctypes.data])
    launch(digest_all, "cpu")(table, index, digests, sums)
    assert digests.view(np.uint64)[0] == total(row_hashes(plain), index)
    expected = _sum_in_order(plain.reshape(shape[0], -1))
    assert (sums[0] == expected).all()
