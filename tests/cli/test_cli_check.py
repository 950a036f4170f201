"""The `check` command: the conformance suite, and what it says."""

from mesocosm.core.errors import ContractError
from mesocosm.testing import CheckReport


def test_check_shows_progress_and_the_verdict(cli, testing):
    def check_world(name, progress):
        progress("replay", name)
        return CheckReport(name)

    testing.check_world = check_world
    result = cli("check commons")
    assert (result.status, result.err) == (0, "replay commons\n")
    assert result.out == "commons: keeps the contract\n"


def test_check_says_what_it_did_not_see(cli, testing):
    missing = {"commons/default": {"bodies_are_as_declared": "no harvester ended"}}
    testing.check_world = lambda name, progress: CheckReport(name, unseen=missing)
    result = cli("check commons")
    said = (
        "commons/default: bodies_are_as_declared: never seen, so not checked: no harvester ended\n"
    )
    assert (result.status, result.out) == (0, said + "commons: keeps the contract\n")


def test_check_of_a_broken_world_says_what_broke(cli, testing):
    def check_world(name, progress):
        raise ContractError("commons: the same seed played two different episodes")

    testing.check_world = check_world
    result = cli("check commons")
    assert (result.status, result.out) == (1, "")
    assert result.err == "mesocosm: commons: the same seed played two different episodes\n"


def test_check_of_one_preset_checks_that_alone(cli, testing):
    testing.check_world = lambda name, progress, presets: CheckReport(f"{name} {presets}")
    result = cli("check commons/estate")
    assert (result.status, result.out) == (0, "commons/estate: keeps the contract\n")
