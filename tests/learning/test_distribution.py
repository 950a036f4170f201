"""The head against torch.distributions: probabilities, entropies, frequencies, masks."""

import numpy as np
import pytest
import torch
from torch.distributions import Categorical, Normal

from mesocosm.core.action import ActionSpec, Choice, Level
from mesocosm.learning.distribution import ActionHead, draw_options

LETTERS = "abcdefgh"
DEAL = Choice("deal", tuple(LETTERS[:3]))
PICK = Choice("pick", tuple(LETTERS[:4]), noop=2)
FREE = Choice("free", tuple(LETTERS[:5]), masked=False)
BANNED = Choice("banned", tuple(LETTERS[:4]), forbidden=(1, 3))
EFFORT = Level("effort", 0.0, 4.0)
AMOUNT = Level("amount", -1.0, 1.0)


def make_head(*parts, autoregressive=True, seed=0):
    choices = tuple(part for part in parts if isinstance(part, Choice))
    levels = tuple(part for part in parts if isinstance(part, Level))
    torch.manual_seed(seed)
    head = ActionHead(ActionSpec(choices, levels), autoregressive)
    if head.autoregressive:
        torch.nn.init.normal_(head.heard)
    return head


def draw(head, rows, seed=1):
    """Numbers, an open mask and noise for some rows."""
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randn(rows, head.size, generator=generator)
    noise = torch.empty(rows, head.noise_size)
    head.draw_noise(noise, generator)
    return numbers, noise


def open_mask(head, parts, rows):
    return torch.ones(rows, sum(len(part.options) for part in parts if part.masked), dtype=bool)


def test_independent_parts_agree_with_torch_distributions():
    head = make_head(DEAL, PICK, EFFORT, AMOUNT, autoregressive=False)
    numbers, noise = draw(head, 50)
    mask = open_mask(head, (DEAL, PICK), 50)
    choice, levels, log_prob = head.sample(numbers, mask, noise)
    deal, pick = Categorical(logits=numbers[:, :3]), Categorical(logits=numbers[:, 3:7])
    normal = Normal(numbers[:, 7:], head.log_std.exp())
    wanted = deal.log_prob(choice[:, 0]) + pick.log_prob(choice[:, 1])
    wanted = wanted + normal.log_prob(levels).sum(-1)
    entropy = deal.entropy() + pick.entropy() + normal.entropy().sum(-1)
    torch.testing.assert_close(log_prob, wanted)
    torch.testing.assert_close(head.evaluate(numbers, mask, choice, levels), (wanted, entropy))


def test_dependent_parts_agree_with_a_table_of_all_combinations():
    head = make_head(DEAL, PICK, BANNED)
    numbers, _ = draw(head, 1)
    mask = torch.ones(1, 11, dtype=bool)
    combinations = torch.cartesian_prod(torch.arange(3), torch.arange(4), torch.tensor([0, 2]))
    many = len(combinations)
    log_prob, _ = head.evaluate(
        numbers.expand(many, -1), mask.expand(many, -1), combinations, torch.zeros(many, 0)
    )
    torch.testing.assert_close(log_prob.exp().sum(), torch.tensor(1.0))
    independent = make_head(DEAL, PICK, BANNED, autoregressive=False)
    other, _ = independent.evaluate(
        numbers.expand(many, -1), mask.expand(many, -1), combinations, torch.zeros(many, 0)
    )
    assert (log_prob - other).abs().max() > 0.1


@pytest.mark.parametrize("autoregressive", [True, False])
def test_sampled_frequencies_pass_a_chi_square_test(autoregressive):
    head = make_head(DEAL, FREE, autoregressive=autoregressive)
    rows = 20_000
    numbers, noise = draw(head, rows)
    numbers = numbers[:1].expand(rows, -1)
    mask = torch.tensor([True, False, True]).expand(rows, -1)
    choice, _, log_prob = head.sample(numbers, mask, noise)
    _, wanted = torch.unique(choice, dim=0, return_inverse=True)
    seen = torch.bincount(wanted).double()
    first = torch.full_like(seen, rows).long().scatter_reduce(0, wanted, torch.arange(rows), "amin")
    expected = log_prob[first].double().exp() * rows
    torch.testing.assert_close(expected.sum(), torch.tensor(float(rows), dtype=torch.float64))
    chi_square = ((seen - expected) ** 2 / expected).sum()
    assert len(seen) == 10
    assert chi_square < 27.88  # 9 degrees of freedom, one in a thousand


def test_sampled_levels_have_their_mean_and_spread():
    head = make_head(EFFORT)
    _, noise = draw(head, 20_000)
    numbers = torch.full((20_000, 1), 0.3)
    choice, levels, _ = head.sample(numbers, torch.ones(20_000, 0, dtype=bool), noise)
    assert choice.shape == (20_000, 0)
    assert abs(levels.mean() - 0.3) < 0.02
    assert abs(levels.std() - head.log_std.exp()) < 0.02


@pytest.mark.parametrize("autoregressive", [True, False])
def test_masked_and_forbidden_options_are_never_chosen(autoregressive):
    parts = (DEAL, FREE, BANNED)
    head = make_head(*parts, autoregressive=autoregressive)
    numbers, noise = draw(head, 4000)
    generator = torch.Generator().manual_seed(5)
    mask = torch.rand(4000, 7, generator=generator) < 0.5
    mask[:, 0] = mask[:, 3] = True
    for choice in (head.sample(numbers, mask, noise)[0], head.best(numbers, mask)[0]):
        assert mask[:, :3].gather(1, choice[:, :1].long()).all()
        assert mask[:, 3:].gather(1, choice[:, 2:].long()).all()
        assert set(choice[:, 2].tolist()) <= {0, 2}
    assert set(choice[:, 1].tolist()) == {0, 1, 2, 3, 4}


def test_row_without_an_allowed_option_plays_the_noop_and_stays_finite():
    head = make_head(PICK, DEAL)
    numbers, noise = draw(head, 64)
    numbers.requires_grad_()
    mask = torch.zeros(64, 7, dtype=bool)
    choice, levels, log_prob = head.sample(numbers, mask, noise)
    assert (choice == torch.tensor([2, 0])).all()
    assert (log_prob == 0.0).all()
    evaluated, entropy = head.evaluate(numbers, mask, choice, levels)
    (evaluated.sum() + entropy.sum()).backward()
    assert evaluated.isfinite().all()
    assert (entropy == 0.0).all()
    assert numbers.grad.isfinite().all()


@pytest.mark.parametrize("drawn", [0.0, 0.5, 1.0 - 2.0**-24, 1.0])
@pytest.mark.parametrize(
    "allowed", [(False, True, False), (True, False, False), (False,) * 2 + (True,)]
)
def test_numbers_at_the_edges_choose_no_masked_option(drawn, allowed):
    head = make_head(DEAL)
    numbers = torch.tensor([[-80.0, 80.0, 0.0], [3.0, -3.0, 0.3]])
    noise = torch.full((2, 1), drawn)
    choice, _, log_prob = head.sample(numbers, torch.tensor([allowed] * 2), noise)
    assert choice[:, 0].tolist() == [allowed.index(True)] * 2
    assert log_prob.isfinite().all()


def test_options_follow_their_probabilities_along_the_unit_interval():
    logits = 1.0 + torch.tensor([0.5, 0.0, 0.3, 0.2, 0.0]).log().expand(5, -1)
    uniform = torch.tensor([0.0, 0.49, 0.51, 0.79, 0.99]).unsqueeze(-1)
    drawn, log_prob = draw_options(logits, uniform)
    assert drawn[:, 0].tolist() == [0, 0, 2, 2, 3]
    torch.testing.assert_close(log_prob[:, 0].exp(), torch.tensor([0.5, 0.5, 0.3, 0.3, 0.2]))


def test_impossible_options_are_not_drawn_at_the_ends_of_the_interval():
    logits = torch.tensor([-1e9, -1e9, 0.0, -1e9, 3.0, -1e9]).expand(2, -1)
    drawn, _ = draw_options(logits, torch.tensor([[0.0], [1.0]]))
    assert drawn[:, 0].tolist() == [2, 4]


@pytest.mark.parametrize("autoregressive", [True, False])
def test_evaluating_what_was_sampled_gives_the_same_log_probabilities(autoregressive):
    parts = (DEAL, PICK, FREE, BANNED, EFFORT)
    head = make_head(*parts, autoregressive=autoregressive)
    numbers, noise = draw(head, 300)
    mask = open_mask(head, parts[:4], 300)
    choice, levels, log_prob = head.sample(numbers, mask, noise)
    torch.testing.assert_close(head.evaluate(numbers, mask, choice, levels)[0], log_prob)


def test_earlier_choice_changes_later_probabilities_but_not_the_other_way_round():
    head = make_head(DEAL, PICK)
    numbers, _ = draw(head, 1)
    mask = torch.ones(1, 7, dtype=bool)
    by_first = [head.logits(numbers, mask, torch.tensor([[k, 0]])) for k in range(3)]
    by_second = [head.logits(numbers, mask, torch.tensor([[0, k]])) for k in range(4)]
    assert not torch.equal(by_first[0][1], by_first[1][1])
    assert all(torch.equal(by_first[0][0], other[0]) for other in by_first)
    assert all(torch.equal(by_second[0][0], other[0]) for other in by_second)


def test_best_takes_the_most_probable_options_and_the_means():
    head = make_head(DEAL, FREE, EFFORT)
    numbers, _ = draw(head, 100)
    mask = torch.ones(100, 3, dtype=bool)
    choice, levels = head.best(numbers, mask)
    logits = head.logits(numbers, mask, choice)
    assert torch.equal(choice[:, 0], logits[0].argmax(-1).int())
    assert torch.equal(choice[:, 1], logits[1].argmax(-1).int())
    assert torch.equal(levels, numbers[:, -1:])


def test_levels_are_put_into_their_declared_ranges():
    head = make_head(EFFORT, AMOUNT)
    scaled = head.scale_levels(torch.tensor([[-3.0, 0.5], [0.0, -1.0], [1.0, 9.0]]))
    np.testing.assert_allclose(scaled, [[0.0, 0.5], [2.0, -1.0], [4.0, 1.0]])


KIND = Choice("kind", ("none", "give", "take"))
WHOM = Choice("whom", tuple(LETTERS[:4]), noop=2, used_with={"kind": ("give", "take")})
HOW = Choice(
    "how", ("well", "badly"), masked=False, used_with={"whom": ("a", "c"), "kind": ("give",)}
)
FORCE = Level("force", 0.1, 0.7, noop=0.1, used_with={"how": ("badly",)})
PARTS = (KIND, WHOM, HOW, EFFORT, FORCE)
SPEC = ActionSpec(PARTS[:3], PARTS[3:])


IDLE = torch.tensor([0, 2, 0], dtype=torch.int32)


def all_combinations():
    return torch.cartesian_prod(torch.arange(3), torch.arange(4), torch.arange(2)).int()


@pytest.mark.parametrize("autoregressive", [True, False])
def test_probabilities_of_all_used_combinations_sum_to_one(autoregressive):
    head = make_head(*PARTS[:3], autoregressive=autoregressive)
    numbers, _ = draw(head, 1)
    every = all_combinations()
    used = torch.from_numpy(ActionSpec(PARTS[:3]).used(every.numpy()))
    distinct, same_as = torch.where(used, every, IDLE).unique(dim=0, return_inverse=True)
    assert len(distinct) == 1 + 2 * 2 + 2 + 4  # none; give to a, c: how; give to b, d; take
    rows = len(every)
    log_prob, _ = head.evaluate(
        numbers.expand(rows, -1), torch.ones(rows, 7, dtype=bool), every, torch.zeros(rows, 0)
    )
    each = torch.zeros(len(distinct)).scatter(0, same_as, log_prob)
    torch.testing.assert_close(each.exp().sum(), torch.tensor(1.0))
    assert torch.equal(each[same_as], log_prob)  # what an unused part is does not matter


@pytest.mark.parametrize("autoregressive", [True, False])
def test_unused_parts_are_idle_and_add_nothing(autoregressive):
    head = make_head(*PARTS, autoregressive=autoregressive)
    numbers, noise = draw(head, 3000)
    mask = torch.ones(3000, 7, dtype=bool)
    mask[:1000, 5] = False  # not even the no-op of `whom` is allowed
    choice, levels, log_prob = head.sample(numbers, mask, noise)
    best, means = head.best(numbers, mask)
    for chosen, level in ((choice, levels), (best, means)):
        used = torch.from_numpy(SPEC.used(chosen.numpy()))
        assert used[:, 3].all()
        assert 0 < used[:, 1:].sum() < used[:, 1:].numel()
        assert (chosen[~used[:, 1], 1] == 2).all()
        assert (chosen[~used[:, 2], 2] == 0).all()
        scaled = head.scale_levels(level)
        assert (scaled[~used[:, 4], 1] == torch.tensor(0.1)).all()
        assert (scaled[:, 1] >= torch.tensor(0.1)).all()
        assert (scaled[:, 1] <= torch.tensor(0.7)).all()
    evaluated, entropy = head.evaluate(numbers, mask, choice, levels)
    torch.testing.assert_close(evaluated, log_prob)
    used = torch.from_numpy(SPEC.used(choice.numpy()))
    wanted, spread = torch.zeros(3000), torch.zeros(3000)
    for k, logits in enumerate(head.logits(numbers, mask, choice)):
        part = Categorical(logits=logits)
        wanted += torch.where(used[:, k], part.log_prob(choice[:, k]), 0.0)
        spread += torch.where(used[:, k], part.entropy(), 0.0)
    normal = Normal(numbers[:, head.num_options :], head.log_std.exp())
    wanted += torch.where(used[:, 3:], normal.log_prob(levels), 0.0).sum(1)
    spread += torch.where(used[:, 3:], normal.entropy(), 0.0).sum(1)
    torch.testing.assert_close(evaluated, wanted)
    torch.testing.assert_close(entropy, spread)


def test_unused_parts_have_no_gradient():
    head = make_head(*PARTS)
    numbers, _ = draw(head, 1)
    numbers.requires_grad_()
    mask = torch.ones(1, 7, dtype=bool)
    choice, levels = torch.tensor([[0, 3, 1]], dtype=torch.int32), torch.tensor([[0.2, 7.0]])
    log_prob, entropy = head.evaluate(numbers, mask, choice, levels)
    (log_prob.sum() + entropy.sum()).backward()
    assert (numbers.grad[0, :3] != 0.0).all()
    assert (numbers.grad[0, 3:9] == 0.0).all()
    assert (numbers.grad[0, 9:] != 0.0).tolist() == [True, False]
    assert head.log_std.grad[1] == 0.0


def test_head_without_conditions_keeps_the_weights_and_actions_that_it_had():
    plain = [Choice(p.name, p.options, masked=p.masked, noop=p.noop) for p in PARTS[:3]]
    head, other = make_head(*PARTS[:3]), make_head(*plain)
    assert head.state_dict().keys() == other.state_dict().keys()
    other.load_state_dict(head.state_dict())
    numbers, noise = draw(head, 500)
    mask = torch.ones(500, 7, dtype=bool)
    mine, theirs = head.sample(numbers, mask, noise)[0], other.sample(numbers, mask, noise)[0]
    assert torch.equal(mine[:, 0], theirs[:, 0])
    gives = theirs[:, 0] == 1
    assert torch.equal(mine[gives, 1], theirs[gives, 1])
    assert not torch.equal(mine, theirs)


def test_nothing_that_the_head_does_depends_on_the_values_it_computes():
    head = make_head(*PARTS).to("meta")  # tensors without values: to ask for one would fail
    numbers, noise = (torch.empty(5, n, device="meta") for n in (head.size, head.noise_size))
    mask = torch.empty(5, 7, dtype=bool, device="meta")
    choice, levels, log_prob = head.sample(numbers, mask, noise)
    assert head.best(numbers, mask)[0].shape == choice.shape == (5, 3)
    assert head.evaluate(numbers, mask, choice, levels)[0].shape == log_prob.shape == (5,)
