import itertools

from mesocosm.evaluation.tournament.schedule import num_swiss_rounds, pair_round, round_robin


def test_round_robin_lets_all_meet_once():
    pairs = round_robin(5, with_self=False)
    assert pairs == list(itertools.combinations(range(5), 2))
    assert len(round_robin(5, with_self=True)) == 15


def test_swiss_needs_a_round_more_than_halvings():
    assert [num_swiss_rounds(n) for n in (2, 3, 4, 8, 9, 16)] == [1, 2, 3, 4, 5, 5]


def test_first_round_pairs_in_the_order_given():
    assert pair_round(6, {}, [], []) == ([(0, 1), (2, 3), (4, 5)], None)


def test_next_round_pairs_those_of_like_score():
    points = {0: 1.0, 1: 0.0, 2: 0.0, 3: 1.0}
    assert pair_round(4, points, [(0, 1), (2, 3)], [])[0] == [(0, 3), (1, 2)]


def test_nobody_meets_twice_while_others_are_left():
    met, points = [], dict.fromkeys(range(8), 0.0)
    for _ in range(7):
        pairs, _ = pair_round(8, points, met, [])
        assert not set(pairs) & set(met)
        met += pairs
        for first, _ in pairs:
            points[first] += 1.0
    assert sorted(met) == list(itertools.combinations(range(8), 2))


def test_all_met_then_they_meet_again():
    assert pair_round(2, {}, [(0, 1)], [])[0] == [(0, 1)]


def test_of_an_odd_number_the_last_sits_out_and_another_next_time():
    assert pair_round(3, {}, [], []) == ([(0, 1)], 2)
    assert pair_round(3, {0: 1.0, 2: 1.0}, [(0, 1)], [2]) == ([(0, 2)], 1)
