"""Encoders by kind of observation: scales, tables, and tokens by name and place."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import mesocosm
from mesocosm.core.observation import Feature, Layout, Read, Token, Tokens
from mesocosm.learning.networks.encoder import NumberEncoder, make_encoder
from mesocosm.learning.networks.tables import TableEncoder, group_tables, make_pool
from mesocosm.learning.networks.tokens import TokenEncoder
from mesocosm.learning.settings import NetworkSettings

KINDS = (Token(0, "tag", labels=("wall", "ore")), Token(1, "energy", high=100), Token(2, "group"))
TOKENS = Tokens(6, KINDS, places=("north", "here", "south"))


POSITION = (Read("position"),)


def tables(reads=POSITION):
    who = Feature("who", "", (3, 2), low=-2.0, high=2.0, table=True, reads=reads)
    looks = Feature("looks", "", (3, 4), table=True, reads=(Read("position"), Read("cue")))
    return Layout((Feature("hunger", "", high=10.0), who, looks))


def encode(tokens, rows, seed=0):
    torch.manual_seed(seed)
    encoder = TokenEncoder(tokens, NetworkSettings(embedding=8))
    return encoder(torch.tensor(rows, dtype=torch.uint8))


def padded(*rows, num=6):
    return [[*row, *[[255] * 3] * (num - len(row))] for row in rows]


@pytest.mark.parametrize(
    ("preset", "kind"),
    [
        ("townlet/L3", NumberEncoder),
        ("townlet/L6", TableEncoder),
        ("mettagrid/forage", TokenEncoder),
    ],
)
def test_encoder_is_chosen_by_the_kind_of_observation(preset, kind):
    env = mesocosm.make(preset, num_envs=2, target="python")
    (role,) = env.spec.roles.values()
    encoder = make_encoder(role.observation, NetworkSettings())
    obs = torch.from_numpy(np.array(env.reset(seed=1).obs))
    assert isinstance(encoder, kind)
    assert encoder(obs).shape == (2, role.num_agents, encoder.size)
    assert encoder(obs[:1, :1]).isfinite().all()


def test_numbers_are_scaled_by_their_declared_ranges():
    layout = Layout((Feature("a", "", high=10.0), Feature("b", "", low=3.0, high=3.0, absent=3.0)))
    made = make_encoder(layout, NetworkSettings())(torch.tensor([[0.0, 3.0], [10.0, 3.0]]))
    assert made.tolist() == [[-1.0, 0.0], [1.0, 0.0]]


def test_tables_about_the_same_entities_are_read_side_by_side():
    assert [[f.name for f in group] for group in group_tables(tables())] == [["who", "looks"]]


def test_tables_about_other_entities_stay_apart():
    apart = tables(reads=(Read("money"),))
    assert [[f.name for f in group] for group in group_tables(apart)] == [["who"], ["looks"]]


@pytest.mark.parametrize("pooling", ["mean", "max", "attention"])
def test_absent_rows_of_a_table_change_nothing_but_their_share(pooling):
    pool = make_pool(8, pooling)
    rows = torch.randn(5, 3, 8)
    present = torch.tensor([True, False, True])
    other = rows.clone()
    other[:, 1] += 7.0
    assert torch.equal(pool(rows, present.expand(5, -1)), pool(other, present.expand(5, -1)))
    torch.testing.assert_close(
        pool(rows, present.expand(5, -1)), pool(rows[:, [0, 2]], torch.ones(5, 2, dtype=bool))
    )
    assert (pool(rows, torch.zeros(5, 3, dtype=bool)) == 0.0).all()


@pytest.mark.parametrize("pooling", ["mean", "max", "attention"])
def test_order_of_a_tables_rows_does_not_matter_before_training(pooling):
    torch.manual_seed(0)
    encoder = make_encoder(tables(), NetworkSettings(pooling=pooling))
    obs = torch.rand(4, 19)
    order = [2, 0, 1]
    mixed = obs.clone()
    mixed[:, 1:7] = obs[:, 1:7].view(4, 3, 2)[:, order].flatten(1)
    mixed[:, 7:] = obs[:, 7:].view(4, 3, 4)[:, order].flatten(1)
    torch.testing.assert_close(encoder(obs), encoder(mixed))


def test_permuted_ids_of_features_and_labels_give_the_same_numbers():
    other = replace(
        TOKENS,
        kinds=(
            Token(5, "energy", high=100),
            Token(7, "tag", labels=("ore", "wall")),
            Token(9, "group"),
        ),
    )
    mine = encode(TOKENS, padded([[0, 0, 1], [1, 1, 40], [2, 2, 0]]))
    theirs = encode(other, padded([[0, 7, 0], [1, 5, 40], [2, 9, 0]]))
    torch.testing.assert_close(mine, theirs, rtol=0, atol=0)


def test_order_and_padding_of_tokens_do_not_matter():
    first = encode(TOKENS, padded([[0, 0, 1], [1, 1, 40]]))
    second = encode(replace(TOKENS, num=4), padded([[1, 1, 40], [0, 0, 1]], num=4))
    torch.testing.assert_close(first, second)


def test_rows_do_not_reach_each_other():
    alone = encode(TOKENS, padded([[0, 0, 1]]))
    beside = encode(TOKENS, padded([[0, 0, 1]], [[1, 1, 40]] * 6))
    torch.testing.assert_close(beside[:1], alone)


def test_places_amounts_and_labels_make_a_difference():
    rows = padded([[0, 0, 0]], [[1, 0, 0]], [[0, 0, 1]], [[0, 1, 2]], [[0, 1, 90]], [])
    made = encode(TOKENS, rows)
    for first in range(6):
        for second in range(first):
            assert not torch.allclose(made[first], made[second])


def test_unknown_feature_id_says_nothing():
    assert torch.equal(encode(TOKENS, padded([[0, 77, 3]])), encode(TOKENS, padded([])))


def test_what_is_traced_for_export_equals_what_is_run():
    torch.manual_seed(0)
    encoder = TokenEncoder(TOKENS, NetworkSettings(embedding=8))
    obs = torch.tensor(padded([[0, 0, 1], [1, 1, 40]], []), dtype=torch.uint8)
    traced = torch.export.export(encoder, (obs,)).module()
    torch.testing.assert_close(traced(obs), encoder(obs))
