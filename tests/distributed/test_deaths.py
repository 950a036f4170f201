import threading
from types import SimpleNamespace

import pytest

from mesocosm.core.errors import RunError
from mesocosm.distributed import deaths
from mesocosm.distributed.deaths import MOST_NOTICES, DeathNotices, watching_ray


def test_first_deaths_are_named_and_the_others_counted(monkeypatch):
    now, said = [100.0], []
    monkeypatch.setattr(deaths.time, "monotonic", lambda: now[0])
    notices = DeathNotices(said.append)
    for k in range(MOST_NOTICES + 300):
        notices.add(f"job {k}")
    now[0] += deaths.NOTICE_SECONDS + 1
    notices.add("job")
    assert said[:2] == [
        "mesocosm: a worker died; job 0 begins again",
        "mesocosm: a worker died; job 1 begins again",
    ]
    assert said[MOST_NOTICES:] == [
        "mesocosm: 301 more deaths of workers; their jobs begin again",
    ]
    notices.flush()
    assert len(said) == MOST_NOTICES + 1


def test_ended_process_of_ray_is_one_error(monkeypatch):
    ended = SimpleNamespace(process=SimpleNamespace(poll=lambda: -9))
    lives = SimpleNamespace(process=SimpleNamespace(poll=lambda: None))
    node = SimpleNamespace(all_processes={"gcs_server": [lives], "raylet": [ended]})
    private = SimpleNamespace(worker=SimpleNamespace(_global_node=node))
    monkeypatch.setattr(deaths, "import_ray", lambda: SimpleNamespace(_private=private))
    with pytest.raises(RunError, match=r"raylet is gone.*--resume goes on"):
        deaths.check_ray_lives()
    node.all_processes.pop("raylet")
    deaths.check_ray_lives()


def test_end_of_ray_is_told_beside_a_call_that_waits(monkeypatch):
    def gone():
        raise RunError("gone")

    told, known = [], threading.Event()
    monkeypatch.setattr(deaths, "check_ray_lives", gone)
    with watching_ray(lambda error: (told.append(str(error)), known.set())):
        assert known.wait(10)
    assert told == ["gone"]
    monkeypatch.setattr(deaths, "LOOK_SECONDS", 60.0)
    with watching_ray(told.append):
        pass  # over before the first look
    assert told == ["gone"]
