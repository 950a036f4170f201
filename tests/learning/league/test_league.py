import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from mesocosm.core.errors import ConfigError
from mesocosm.learning.league.ratings import Player
from mesocosm.learning.networks.network import Network
from tests.learning.small import StepWatcher, same_weights, small_settings, small_trainer, weights

LEAGUE = {"league__share": 0.5, "league__every": 2, "league__size": 3, "league__seats": 1}
CASES = [("commons/wardens", "none"), ("commons/wardens", "lstm"), ("commons", "gru")]


def _trainer(preset="commons/wardens", **changes):
    short = {"core.max_steps": 10}
    return small_trainer(preset, core=short, **(LEAGUE | changes))


def _tamper(trainer, pick):
    """Change what the picked rows of every role earned, before anything is learnt from it."""
    for name, learner in trainer.learners.items():
        estimate = learner.estimate

        def changed(name=name, learner=learner, estimate=estimate):
            taken = trainer.league._past[name].taken
            learner.experience.reward[:, pick(taken)] += 50.0
            estimate()

        trainer._replays[name].estimate = changed


def _trained(pick=None, **changes):
    trainer = _trainer(**changes)
    if pick is not None:
        _tamper(trainer, pick)
    for _ in range(3):
        trainer.advance()
    return weights(trainer)


@pytest.mark.parametrize("preset", ["commons/wardens", "commons"])
def test_what_past_selves_earn_changes_no_weight(preset):
    assert same_weights(_trained(preset=preset), _trained(lambda taken: taken, preset=preset))


def test_what_those_who_learn_earn_changes_weights():
    assert not same_weights(_trained(), _trained(lambda taken: ~taken))


@pytest.mark.parametrize(("preset", "memory"), CASES, ids=[f"{p}-{m}" for p, m in CASES])
def test_past_self_plays_as_its_network_would(preset, memory):
    trainer = _trainer(preset, network__memory=memory, league__stay=1000.0)
    trainer.advance()
    states = {id(one): one.state.clone() for one in trainer.league.selves}
    trainer.advance()
    checked = 0
    for one in trainer.league.selves:
        learner = trainer.learners[one.seat.role]
        network = Network(learner.role, trainer.settings.network)
        network.load_state_dict(trainer.league.members[one.player])
        assert not same_weights(network.state_dict(), learner.network.state_dict())
        played, state = learner.experience, states[id(one)]
        for t in range(played.horizon):
            mine = [played.flat(x)[t][one.rows] for x in ("obs", "began", "mask")]
            with torch.no_grad():
                numbers, state = network.act(mine[0][None], state, mine[1][None])
                noise = learner.noise[t][one.rows]
                choice, levels, _ = network.head.sample(numbers[0], mine[2], noise)
            assert torch.equal(choice, played.flat("choice")[t][one.rows])
            assert torch.equal(levels, played.flat("levels")[t][one.rows])
            checked += len(choice)
    assert checked == sum(len(one.rows) for one in trainer.league.selves) * 8


def test_envs_are_given_the_actions_of_past_selves():
    trainer = _trainer()
    given = []
    arrays = trainer.env.buffers["warden"]
    StepWatcher(trainer.env, lambda step: given.append(np.array(arrays.choice)))
    trainer.advance()
    played = trainer.learners["warden"].experience.choice.numpy()
    np.testing.assert_array_equal(np.stack(given), played)


class _NoWaiting(TorchDispatchMode):
    """Refuses what would make a GPU answer, which nothing inside a rollout may do."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket._qualified_op_name
        assert name not in {"aten::_local_scalar_dense", "aten::nonzero", "aten::equal"}, name
        if name in {"aten::index", "aten::index_put_"}:
            assert not any(x.dtype == torch.bool for x in args[1] if x is not None), name
        return function(*args, **(kwargs or {}))


def test_past_selves_play_without_waiting_for_a_device_and_in_the_same_memory():
    trainer = _trainer(network__memory="gru")
    trainer.advance()
    selves = trainer.league.selves
    before = [[x.data_ptr() for x in (*one.network.parameters(), one.state)] for one in selves]
    for one in selves:
        one.exchange(one.player, trainer.league.members[one.player])
    with torch.no_grad(), _NoWaiting():
        for name, past in trainer.league._past.items():
            past.act(0, trainer.learners[name].noise[0])
            past.observe(0)
    after = [[x.data_ptr() for x in (*one.network.parameters(), one.state)] for one in selves]
    assert before == after


def test_lives_of_past_selves_are_not_counted():
    trainer = _trainer("commons", updates=5)
    taken = trainer.league._past["harvester"].taken.numpy()
    ended = np.zeros(taken.shape, int)

    def count(step):
        nonlocal ended
        ended += np.array(step.ended)

    StepWatcher(trainer.env, count)
    counted = sum(update.lives["harvester"].num for update in trainer.run())
    assert counted == ended[~taken].sum() > 0
    assert ended[taken].sum() > 0


def test_settings_of_a_league_that_is_off_change_nothing():
    plain, off = small_trainer(), small_trainer(league__every=1, league__size=2)
    list(plain.run()), list(off.run())
    assert off.league is None
    assert same_weights(weights(plain), weights(off))


def test_first_self_is_the_network_before_any_update():
    trainer = _trainer(updates=8)
    before = weights(trainer)
    list(trainer.run())
    for role in ("harvester", "warden"):
        first = trainer.league.members[Player(role, 0)]
        assert all(torch.equal(before[f"{role}/{name}"], value) for name, value in first.items())
        assert [x.number for x in trainer.league.members_of(role)] == [0, 4, 6]


def test_past_selves_are_exchanged_once_their_envs_have_played():
    trainer = _trainer(updates=12, league__draw="uniform")
    seen = set()
    for _ in trainer.run():
        seen |= {one.player for one in trainer.league.selves}
        assert all(one.player in trainer.league.members for one in trainer.league.selves)
    assert len({x for x in seen if x.role == "harvester"}) > 2
    games = [row["games"] for row in trainer.league.table()]
    assert sum(games) > 20


def test_one_role_plays_against_itself_in_half_of_its_seats():
    trainer = _trainer("commons")
    taken = trainer.league._past["harvester"].taken
    assert taken.sum(1).tolist() == [3, 3, 3, 3, 0, 0, 0, 0]
    assert taken[0].tolist() != taken[1].tolist()


def test_roles_are_rated_by_who_won_where_the_world_says_so():
    trainer = _trainer("island/skirmish", horizon=4, updates=1)
    league = trainer.league
    league.prepare(0)
    legacy_wins = 1 + [reason.name for reason in trainer.env.spec.reasons].index("legacy_win")
    for past in league._past.values():
        past.over[3] = True
        past.reason[3] = legacy_wins
    league.rate()
    for role, won in (("legacy", True), ("dynasty", False)):
        for number in (-1, 0):
            rating = league.ratings.values[Player(role, number)]
            assert rating.games > 0
            assert (rating.mu > 25.0) == won
            assert rating.score_rate == float(won)


def test_world_of_one_agent_has_no_league():
    with pytest.raises(ConfigError, match=r"learning.league.share: must be 0 .* one agent"):
        small_trainer("townlet/L0", **LEAGUE)


def test_league_of_q_learning_is_refused():
    with pytest.raises(ConfigError, match=r"learning.league.share: must be 0 for algorithm 'q'"):
        small_trainer("townlet/L6", algorithm="q", **LEAGUE)


def test_league_with_too_few_envs_is_refused():
    with pytest.raises(ConfigError, match=r"learning.league.share: 0.5 of 8 envs are too few"):
        _trainer(league__seats=4)


def test_share_of_all_envs_is_refused():
    with pytest.raises(ConfigError, match=r"learning\.league\.share"):
        small_settings(league__share=1.0)
