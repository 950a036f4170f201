"""What is handed in as a policy is checked before it plays."""

import pytest

import mesocosm as meso
from mesocosm.adapters.gymnasium import GymEnv
from mesocosm.cli.shared.play import begin_episodes
from mesocosm.core.errors import PolicyError
from mesocosm.core.policy import GENERIC_POLICIES, NoopPolicy, check_policy
from mesocosm.worlds import registry


class Forgetful(NoopPolicy):
    """Takes the three arguments of before."""

    def act(self, obs, mask, info):
        return self._action


SAID = (
    r"Forgetful: act must take \(obs, mask, info, began\), it takes \(obs, mask, info\)\. "
    r"Add began: bool \[env, agent\], True where an episode or a life begins"
)


def test_a_policy_of_three_arguments_is_told_what_to_add():
    with pytest.raises(PolicyError, match=SAID):
        check_policy(Forgetful())


@pytest.mark.parametrize("thing", [object(), NoopPolicy, None, "random"])
def test_what_is_no_policy_is_refused(thing):
    with pytest.raises(PolicyError, match=r"is no policy|act must take"):
        check_policy(thing)


def test_every_place_that_takes_a_policy_checks_it():
    env = meso.make("commons", target="python", autoreset="off")
    with pytest.raises(PolicyError, match=SAID):
        GymEnv("commons", target="python", policies={"harvester": Forgetful()})
    with pytest.raises(PolicyError, match=SAID):
        begin_episodes(env, {"harvester": Forgetful()}, 0)


def test_a_world_that_ships_an_old_policy_is_named(monkeypatch):
    monkeypatch.setitem(registry.find("commons").policies, "old", Forgetful)
    with pytest.raises(PolicyError, match="policy 'old' of commons: act must take"):
        meso.policy("commons", "old")


@pytest.mark.parametrize("world", meso.world_names())
def test_every_shipped_policy_takes_began(world):
    for name in (*GENERIC_POLICIES, *registry.find(world).policies):
        assert check_policy(meso.policy(world, name))
