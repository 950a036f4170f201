from itertools import pairwise

import pytest
import torch
from torch import nn

from mesocosm.learning.networks.fused import relu_layers, score_choices


@pytest.mark.parametrize("hidden", [(7,), (5, 3), (4, 4, 4)])
@pytest.mark.parametrize("lead", [(6,), (3, 4)])
def test_layers_by_hand_equal_those_that_autograd_records(hidden, lead):
    torch.manual_seed(1)
    sizes = (5, *hidden)
    layers = [nn.Linear(a, b) for a, b in pairwise(sizes)]
    rows = torch.randn(*lead, 5, requires_grad=True)
    weight = torch.randn(*lead, hidden[-1])
    made = nn.Sequential(*(x for layer in layers for x in (layer, nn.ReLU())))(rows)
    parameters = [p for layer in layers for p in layer.parameters()]
    wanted = torch.autograd.grad((made * weight).sum(), [rows, *parameters])
    fused = relu_layers(rows, parameters)
    found = torch.autograd.grad((fused * weight).sum(), [rows, *parameters])
    torch.testing.assert_close(fused, made)
    for mine, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, theirs)


@pytest.mark.parametrize("lead", [(8,), (3, 5)])
def test_scores_by_hand_equal_those_that_autograd_records(lead):
    torch.manual_seed(2)
    logits = torch.randn(*lead, 6, requires_grad=True)
    with torch.no_grad():
        logits[..., 2] = -1e9  # not allowed
    choice = torch.randint(3, 6, lead)
    weights = torch.randn(2, *lead)
    log_probs = logits.log_softmax(-1)
    score = log_probs.gather(-1, choice.unsqueeze(-1))[..., 0]
    entropy = -(log_probs.exp() * log_probs).sum(-1)
    (wanted,) = torch.autograd.grad((score * weights[0] + entropy * weights[1]).sum(), logits)
    mine = score_choices(logits, choice)
    torch.testing.assert_close(mine[0], score)
    torch.testing.assert_close(mine[1], entropy)
    (found,) = torch.autograd.grad((mine[0] * weights[0] + mine[1] * weights[1]).sum(), logits)
    torch.testing.assert_close(found, wanted)
