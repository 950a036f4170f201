import os

import pytest
from arena_samples import make_arena, rogue
from odd_jobs import OddJob

from mesocosm.core.errors import ConfigError, RunError
from mesocosm.distributed.executor import MOST_ATTEMPTS
from mesocosm.evaluation.arena.bout import to_data
from mesocosm.evaluation.jobs.files import checksum
from mesocosm.evaluation.tournament.exploitability import Budget, probe

MIX = (0, 1, 0, 1, 0, 1)


def nothing(k, share):
    pass


def do(executor, *jobs, watch=nothing):
    found = dict(executor.run(jobs, watch))
    return [found[k] for k in range(len(jobs))]


def played(*texts, **more):
    arena = make_arena("commons", *texts, episodes=7, num_envs=2, **more)
    arena.play_all([(MIX, 0), ((1,) * 6, 0), ((0,) * 6, 0)])
    return [to_data(bout) for bout in arena.bouts]


@pytest.fixture(scope="module")
def alone():
    return played("random", "trained/harvester")


@pytest.mark.parametrize("num_shards", [1, 2, 4, 7, 12])
def test_bouts_in_any_number_of_shards_are_those_of_one_process(executor, alone, num_shards):
    executor.num_shards = num_shards
    assert played("random", "trained/harvester", executor=executor) == alone


def test_forfeits_are_told_in_the_same_words(executor):
    texts = ("steady", rogue("Crashes"))
    found = played(*texts, executor=executor)
    assert found == played(*texts)
    assert "Crashes: act raised ZeroDivisionError" in found[0]["forfeits"]["1"]


def test_best_responses_are_those_of_one_process(executor, tmp_path):
    tiny = {"num_envs": 6, "horizon": 4, "minibatches": 1, "network.hidden": [8]}
    rows = []
    for name, more in {"here": {}, "there": {"executor": executor}}.items():
        arena = make_arena("commons/wardens", "steady", **more)
        (tmp_path / name).mkdir()
        rows.append(probe(arena, Budget(40, 1, tiny), tmp_path / name))
    assert rows[0] == rows[1]
    assert len(rows[0]) == 2
    for path in (tmp_path / "here").iterdir():
        assert path.read_bytes() == (tmp_path / "there" / path.name).read_bytes()


def test_jobs_run_in_other_processes(executor):
    assert os.getpid() not in do(executor, *[OddJob("answer")] * 5)


def test_own_error_of_a_worker_is_the_same_error_here(executor):
    with pytest.raises(ConfigError, match=r"^this is refused$"):
        do(executor, OddJob("answer"), OddJob("complain"))


def test_foreign_error_of_a_worker_is_one_line(executor):
    with pytest.raises(RunError, match=r"^an odd job: failed on a worker: .*the sky fell"):
        do(executor, OddJob("stumble"))


def test_job_whose_worker_was_killed_begins_again(executor, tmp_path):
    jobs = [OddJob("answer"), OddJob("die_once", note=tmp_path / "note"), OddJob("answer")]
    assert do(executor, *jobs)[1] == "lived"
    assert executor.said == ["mesocosm: a worker died; an odd job begins again"]


def test_job_that_kills_every_worker_is_given_up(executor):
    with pytest.raises(RunError, match=f"an odd job: its worker died {MOST_ATTEMPTS} times"):
        do(executor, OddJob("die"))


def test_what_the_watcher_raises_ends_the_jobs(executor):
    def watch(k, share):
        if share == 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do(executor, OddJob("wait"), OddJob("wait"), watch=watch)
    assert len(do(executor, OddJob("answer"), OddJob("answer"))) == 2  # the cores are free again


def test_file_is_read_where_it_lies(executor, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("hello")
    job = OddJob("read", files={str(file): checksum(str(file))})
    assert do(executor, job) == [(str(file), str(file), "hello")]


def test_file_that_was_changed_is_refused(executor, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("hello")
    job = OddJob("read", files={str(file): "0" * 64})
    with pytest.raises(RunError, match="is not the file that the job was planned with"):
        do(executor, job)


def test_outputs_come_back_and_are_gone_on_with(executor, tmp_path):
    out = tmp_path / "new" / "out.txt"
    for _ in range(2):
        do(executor, OddJob("write", outputs=(out,)))
    assert out.read_text() == "xx"
    assert [path.name for path in out.parent.iterdir()] == ["out.txt"]


def test_job_that_no_machine_can_do_is_refused(executor):
    with pytest.raises(ConfigError, match="no machine has 64 cores, the largest 2"):
        do(executor, OddJob("answer", cores=64))
    with pytest.raises(ConfigError, match="no machine of the cluster has a GPU"):
        do(executor, OddJob("answer", target="cuda"))


def test_program_of_this_machine_is_refused_on_a_cluster(executor):
    job = OddJob("answer", local_needs=("program:./bot",))
    executor.cluster = executor.cluster._replace(is_local=False)
    with pytest.raises(ConfigError, match=r"program:./bot: is on this machine only"):
        do(executor, job)
