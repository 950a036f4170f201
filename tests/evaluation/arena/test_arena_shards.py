import numpy as np
import pytest
from arena_samples import make_arena, rogue

from mesocosm.evaluation.arena.arena import open_again, open_new
from mesocosm.evaluation.arena.bout import to_data
from mesocosm.evaluation.arena.bout_parts import divide
from mesocosm.evaluation.arena.play_job import Shard
from mesocosm.evaluation.jobs.job import LocalExecutor

MIX = (0, 1, 0, 1, 0, 1)


class Shards(LocalExecutor):
    """Carries out jobs here, in another order than they were given."""

    def __init__(self, num_shards, most=None):
        self.num_shards, self.done, self._most = num_shards, 0, most

    def run(self, jobs, watch):
        for k, job in reversed(list(enumerate(jobs))):
            if self.done == self._most:
                raise KeyboardInterrupt
            self.done += 1
            yield k, job.run(lambda share, k=k: watch(k, share))


def play(num_shards=None, *texts, num_envs=2, **more):
    executor = {} if num_shards is None else {"executor": Shards(num_shards)}
    arena = make_arena("commons", *texts, episodes=7, num_envs=num_envs, **executor, **more)
    arena.play_all([(MIX, 0), ((1,) * 6, 0), ((0,) * 6, 0)])
    return arena


def data(arena):
    return [to_data(bout) for bout in arena.bouts]


@pytest.mark.parametrize("num_shards", [1, 2, 4, 7, 12, 99])
def test_bouts_in_any_number_of_shards_are_those_of_one_process(num_shards):
    texts = ("random", "greedy")
    assert data(play(num_shards, *texts)) == data(play(None, *texts))


@pytest.mark.parametrize("num_envs", [1, 3, 7])
def test_policies_that_draw_nothing_do_not_depend_on_the_batch(num_envs):
    one, other = (play(None, "steady", "greedy", num_envs=n) for n in (2, num_envs))
    for mine, theirs in zip(one.bouts, other.bouts, strict=True):
        assert np.array_equal(mine.returns(), theirs.returns())
        assert np.array_equal(mine.endings, theirs.endings)
        assert np.array_equal(mine.events, theirs.events)


def test_policies_that_draw_by_chance_draw_anew_in_every_batch():
    (bout,) = make_arena("commons", "random", episodes=4, num_envs=1).play_all([((0,) * 6, 0)])
    assert len({tuple(row) for row in bout.returns().tolist()}) == 4


@pytest.mark.parametrize("name", ["Crashes", "FailsToStart"])
def test_first_forfeit_of_a_bout_ends_it_in_any_number_of_shards(name):
    texts = ("steady", rogue(name))
    found = [play(n, *texts) for n in (None, 1, 4, 99)]
    assert [bool(bout.forfeits) for bout in found[0].bouts] == [True, True, False]
    assert all(data(arena) == data(found[0]) for arena in found)


def test_shards_are_divided_into_neighbours_of_like_number():
    shards = [Shard(bout, 0, MIX, batch) for bout in range(3) for batch in range(3)]
    assert [len(own) for own in divide(shards, 4)] == [2, 2, 2, 3]
    assert [shard for own in divide(shards, 4) for shard in own] == shards
    assert [len(own) for own in divide(shards, 10**18)] == [1] * 9
    assert [len(own) for own in divide(shards, None)] == [3, 3, 3]
    assert divide([], 4) == divide([], None) == []


def test_folder_of_batches_is_gone_on_with(tmp_path):
    about, texts = {"kind": "evaluate", "plan": {}}, ("random", "greedy")
    whole = play(None, *texts)
    lineups = [(MIX, 0), ((1,) * 6, 0), ((0,) * 6, 0)]
    first = make_arena(
        "commons", *texts, episodes=7, num_envs=2, executor=Shards(12, most=6),
        open_folder=open_new(tmp_path / "e", whole.conditions, about),
    )  # fmt: skip
    with pytest.raises(KeyboardInterrupt):
        first.play_all(lineups)
    first.close("interrupted")
    kept = sorted(path.name for path in (tmp_path / "e" / "checkpoints").glob("bout-*"))
    assert kept == [
        "bout-000001-batch-000002.json", "bout-000001-batch-000003.json", "bout-000002.json",
    ]  # fmt: skip
    again = make_arena(
        "commons", *texts, episodes=7, num_envs=2, executor=Shards(12),
        open_folder=open_again(tmp_path / "e", whole.conditions),
    )  # fmt: skip
    assert [to_data(bout) for bout in again.play_all(lineups)] == data(whole)
    again.close()
    assert again._executor.done == 6
    kept = sorted(path.name for path in (tmp_path / "e" / "checkpoints").glob("bout-*"))
    assert kept == [f"bout-{k:06d}.json" for k in range(3)]


def test_recordings_of_a_bout_in_batches_verify(tmp_path):
    import mesocosm

    plain = make_arena("commons", "steady", episodes=3, num_envs=2, recorded=True)
    about = {"kind": "evaluate", "plan": {}}
    arena = make_arena(
        "commons", "steady", episodes=3, num_envs=2, recorded=True,
        open_folder=open_new(tmp_path / "e", plain.conditions, about),
    )  # fmt: skip
    bout = arena.play((0,) * 6)
    arena.close()
    returns = []
    for batch in range(2):
        run = mesocosm.open_run(tmp_path / "e" / "recordings" / f"bout-000000-batch-{batch:06d}")
        assert run.verify("python").holds
        rows = run.table("episode").to_table().to_pylist()
        returns += [row["returns"] for row in sorted(rows, key=lambda row: row["env"])]
    assert np.array_equal(bout.returns(), returns)
