"""Memory that processes share: what one hands over is what the others get."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from mesocosm.learning.meeting import PLACE_BYTES, Meeting, make_meeting, meeting_bytes
from mesocosm.learning.ranks import Ranks

PEER = """
import sys
from pathlib import Path
import numpy as np
from mesocosm.learning.meeting import Meeting
rank, turns = int(sys.argv[2]), int(sys.argv[3])
here = Meeting(Path(sys.argv[1]), rank, 3, lambda: None)
for turn in range(turns):
    own = np.full(1 + turn % 5000, (rank + turn) % 251, np.uint8)
    found = {k: np.empty(own.size, np.uint8) for k in range(3) if k != rank}
    here.exchange(own, found)
    for k, one in found.items():
        if (one != (k + turn) % 251).any():
            sys.exit(f"turn {turn}: rank {rank} got {one[:5]} of rank {k}")
print("ok")
"""


def test_every_rank_gets_what_each_handed_over_in_every_turn(tmp_path):
    make_meeting(tmp_path / "memory", 3)
    assert (tmp_path / "memory").stat().st_size == meeting_bytes(3)
    assert (tmp_path / "memory").stat().st_mode & 0o077 == 0
    peers = [
        subprocess.Popen(
            [sys.executable, "-c", PEER, str(tmp_path / "memory"), str(rank), "4000"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(3)
    ]
    assert [peer.communicate(timeout=120) for peer in peers] == [("ok\n", "")] * 3


def test_who_waits_for_somebody_who_is_gone_is_told(tmp_path):
    make_meeting(tmp_path / "memory", 2)

    def check():
        raise ConnectionError("gone")

    here = Meeting(tmp_path / "memory", 0, 2, check)
    begun = time.monotonic()
    with pytest.raises(ConnectionError, match="gone"):
        here.exchange(np.zeros(3, np.uint8), {})
    assert time.monotonic() - begun < 10.0


def test_a_place_holds_what_it_should_and_no_more(tmp_path):
    make_meeting(tmp_path / "memory", 1)
    here = Meeting(tmp_path / "memory", 0, 1, lambda: None)
    here.exchange(np.zeros(PLACE_BYTES, np.uint8), {})
    with pytest.raises(ValueError, match="broadcast"):
        here.exchange(np.zeros(PLACE_BYTES + 1, np.uint8), {})
    with pytest.raises(FileExistsError):
        make_meeting(tmp_path / "memory", 1)


def test_arrays_larger_than_a_place_are_joined_split_added_and_shared(tmp_path):
    make_meeting(tmp_path / "memory", 3)
    whole = np.random.default_rng(0).integers(0, 1000, (7, 3, PLACE_BYTES // 40))  # int64

    def follow(rank):
        ranks = Ranks(7, rank, 3)
        ranks.meet(tmp_path / "memory", lambda: None)
        joined = ranks.join(whole[ranks.envs])
        split = ranks.split(whole if rank == 0 else None, np.empty_like(whole[ranks.envs]))
        added = ranks.sum(torch.full((PLACE_BYTES // 4 + 5,), rank + 1.0))
        shared = torch.full((PLACE_BYTES // 4 + 5,), float(rank))
        ranks.share(shared)
        empty = ranks.join(np.empty((ranks.count(rank), 0), np.float32))
        return joined, split, added, shared, empty

    with ThreadPoolExecutor(3) as threads:
        found = [job.result() for job in [threads.submit(follow, rank) for rank in range(3)]]
    np.testing.assert_array_equal(found[0][0], whole)
    for rank, (_, split, added, shared, _) in enumerate(found):
        np.testing.assert_array_equal(split, whole[Ranks(7, rank, 3).envs])
        assert (added == 6.0).all()
        assert (shared == 0.0).all()
    assert found[0][4].shape == (7, 0)
