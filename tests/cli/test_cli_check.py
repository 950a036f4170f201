"""The `check` command: the conformance suite, and what it says."""

from mesocosm.core.errors import ContractError


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
