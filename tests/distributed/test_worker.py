import pickle
from pathlib import Path

import pytest
from odd_jobs import OddJob

from mesocosm.core.errors import RunError
from mesocosm.distributed.identity import check_identity, own_identity
from mesocosm.distributed.parcel import pack, unpack
from mesocosm.distributed.worker import File, Order, carry_out
from mesocosm.evaluation.jobs.files import sha256


def order(job, files=(), outputs=(), identity=None):
    return Order(identity or own_identity(), pickle.dumps(job), tuple(files), tuple(outputs))


def test_file_that_is_not_here_is_placed():
    content = b"hello"
    file = File("far/a.txt", "/nowhere/far/a.txt", sha256(content))
    (report,) = carry_out(order(OddJob("read"), [file]), content)
    given, place, text = report.result
    assert (given, text) == ("far/a.txt", "hello")
    assert Path(place).name == "a.txt"
    assert not Path(place).exists()  # it is gone with the job


def test_another_file_in_the_same_place_is_not_taken(tmp_path):
    (tmp_path / "a.txt").write_text("mine")
    file = File("a.txt", str(tmp_path / "a.txt"), sha256(b"yours"))
    (report,) = carry_out(order(OddJob("read"), [file]), b"yours")
    assert report.result[2] == "yours"


def test_content_with_another_checksum_is_refused():
    file = File("a.txt", "/nowhere/a.txt", sha256(b"hello"))
    with pytest.raises(RunError, match=r"a.txt: came to the worker with another sha256"):
        list(carry_out(order(OddJob("read"), [file]), b"hallo"))


def test_worker_with_another_version_is_refused_before_it_reads_the_job():
    mine = own_identity()
    other = mine._replace(versions=mine.versions | {"numpy": "1.0"})
    bad = Order(other, b"no pickle at all", (), ())
    with pytest.raises(RunError, match=r"worker on .* it has numpy .*, the driver 1.0; install"):
        list(carry_out(bad))


def test_worker_with_other_files_of_the_same_version_is_refused():
    mine = own_identity()
    with pytest.raises(RunError, match="but its files differ"):
        check_identity(mine._replace(digest="0" * 64), mine, "there")
    check_identity(mine, mine, "there")


def test_worker_without_a_package_is_refused():
    mine = own_identity()
    less = {name: text for name, text in mine.versions.items() if name != "torch"}
    with pytest.raises(RunError, match="it has torch none, the driver"):
        check_identity(mine, mine._replace(versions=less), "there")


def test_config_that_means_something_else_here_is_refused():
    from mesocosm.evaluation.jobs.plain_preset import to_plain
    from mesocosm.resolve import resolve

    plain = to_plain(resolve("commons"))
    other = plain._replace(config_hash="0" * len(plain.config_hash))
    with pytest.raises(RunError, match=r"its config is .* in this process, and 000"):
        other.resolve()


def test_folder_is_replaced_as_a_whole(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    (one / "sub").mkdir(parents=True)
    (one / "sub" / "a").write_bytes(b"a")
    (one / "lock").write_bytes(b"somebody")
    (one / ".b.tmp").write_bytes(b"half")
    parcel = pack(one)
    assert parcel == {"sub/a": b"a"}
    two.mkdir()
    (two / "old").write_bytes(b"old")
    unpack(parcel, two)
    assert [path.name for path in two.iterdir()] == ["sub"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


@pytest.mark.parametrize("name", ["../a", "/etc/a", "a/../../b", ".hidden", "a\0b"])
def test_parcel_that_leads_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(RunError, match="a worker sent a file with the name"):
        unpack({name: b"x"}, tmp_path / "here")
    assert not list(tmp_path.iterdir())


def _report_steps(job, outputs=()):
    """Carry out a training; give every report that has outputs."""
    made = list(carry_out(order(job, outputs=[(str(job.path), {}), *outputs][-1:])))
    assert made[-1].is_last
    return [report for report in made if report.outputs]


def test_training_goes_on_from_what_a_dead_worker_had_sent(monkeypatch, tmp_path):
    from mesocosm.distributed import worker
    from mesocosm.evaluation.jobs.plain_preset import to_plain
    from mesocosm.evaluation.jobs.train_job import TrainJob
    from mesocosm.resolve import resolve

    monkeypatch.setattr(worker, "CHECKPOINT_SECONDS", 0.0)
    tiny = {"num_envs": 8, "horizon": 8, "minibatches": 2, "network.hidden": [8]}
    learning = {f"learning.{name}": value for name, value in tiny.items()}
    preset = to_plain(resolve("commons"))
    job = TrainJob(tmp_path / "run", preset, 3072, 5, "python", 1, learning)
    whole = _report_steps(job)
    half = whole[len(whole) // 2]
    assert 0.2 < half.share < 0.8
    again = _report_steps(job, half.outputs.items())
    assert len(again) < len(whole)
    last = "policies/last.mesop"
    ends = [reports[-1].outputs[str(job.path)][last] for reports in (whole, again)]
    assert ends[0] == ends[1]
    assert half.outputs[str(job.path)][last] != ends[0]
