from types import SimpleNamespace

import pytest

import mesocosm
from mesocosm.core.errors import ContractError


@pytest.fixture
def testing(monkeypatch):
    fake = SimpleNamespace(calls=[])
    monkeypatch.setattr(mesocosm, "testing", fake, raising=False)
    return fake


def report(*leaks):
    return SimpleNamespace(preset="commons/default", num_checks=12, leaks=list(leaks))


def test_audit_passes_on_what_it_was_asked(cli, testing):
    def audit(preset, **options):
        testing.calls.append((preset, options))
        return report()

    testing.audit = audit
    result = cli("audit commons --states 3 --seed 5 --set core.max_steps=7")
    options = {"states": 3, "seed": 5, "overrides": {"core.max_steps": 7}}
    assert testing.calls == [("commons", options)]
    assert (result.status, result.out) == (0, "commons/default: 12 checks, no leaks\n")


def test_audit_lists_leaks_and_fails(cli, testing):
    leak = SimpleNamespace(text="harvester.stock depends on growth of all")
    testing.audit = lambda preset, **options: report(leak)
    result = cli("audit commons")
    assert result.status == 1
    assert result.out.splitlines() == [
        "leak: harvester.stock depends on growth of all",
        "commons/default: 12 checks, 1 leak",
    ]


def test_check_shows_progress_and_the_verdict(cli, testing):
    testing.check_world = lambda name, progress: progress("replay", name)
    result = cli("check commons")
    assert (result.status, result.err) == (0, "replay commons\n")
    assert result.out == "commons: keeps the contract\n"


def test_check_of_a_broken_world_says_what_broke(cli, testing):
    def check_world(name, progress):
        raise ContractError("commons: the same seed played two different episodes")

    testing.check_world = check_world
    result = cli("check commons")
    assert (result.status, result.out) == (1, "")
    assert result.err == "mesocosm: commons: the same seed played two different episodes\n"
