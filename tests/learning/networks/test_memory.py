"""Memory: a chunk read at once equals its steps one by one, and lives do not mix."""

import pytest
import torch

from mesocosm.learning.networks.memory import Memory

STEPS, ROWS, INPUTS, SIZE = 12, 5, 3, 4


def make(kind, seed=0):
    torch.manual_seed(seed)
    memory = Memory(kind, INPUTS, SIZE)
    inputs = torch.randn(STEPS, ROWS, INPUTS)
    began = torch.rand(STEPS, ROWS) < 0.2
    state = torch.randn(ROWS, memory.state_size)
    return memory, inputs, began, state


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_chunk_equals_its_steps_one_by_one(kind):
    memory, inputs, began, state = make(kind)
    outputs, last = memory(inputs, state, began)
    for step in range(STEPS):
        output, state = memory(inputs[step : step + 1], state, began[step : step + 1])
        torch.testing.assert_close(output[0], outputs[step])
    torch.testing.assert_close(state, last)


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_a_life_that_begins_knows_nothing_of_what_was_before(kind):
    memory, inputs, began, state = make(kind)
    began[:] = False
    began[6] = True
    changed = inputs.clone()
    changed[:6] += 1.0
    first, _ = memory(inputs, state, began)
    second, _ = memory(changed, state + 1.0, began)
    assert not torch.allclose(first[5], second[5])
    assert torch.equal(first[6:], second[6:])


@pytest.mark.parametrize(("kind", "peer"), [("gru", torch.nn.GRU), ("lstm", torch.nn.LSTM)])
def test_without_beginnings_it_is_the_layer_that_torch_has(kind, peer):
    memory, inputs, began, state = make(kind)
    theirs = peer(INPUTS, SIZE)
    blocks = _in_torch_order(memory, kind)
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(blocks(memory.read.weight))
        theirs.weight_hh_l0.copy_(blocks(memory.recur.weight))
        theirs.bias_ih_l0.copy_(blocks(memory.read.bias))
        theirs.bias_hh_l0.copy_(blocks(memory.recur.bias))
    begin = state.unsqueeze(0) if kind == "gru" else tuple(state.unsqueeze(0).chunk(2, -1))
    begin = begin if kind == "gru" else tuple(part.contiguous() for part in begin)
    wanted, _ = theirs(inputs, begin)
    torch.testing.assert_close(memory(inputs, state, torch.zeros_like(began))[0], wanted)


def _in_torch_order(memory, kind):
    """Torch has an LSTM's gates as in, forget, fresh, out."""
    order = [0, 1, 2] if kind == "gru" else [0, 1, 3, 2]
    return lambda array: torch.cat([array.chunk(len(order))[k] for k in order])


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_gradients_stop_where_a_life_begins(kind):
    memory, inputs, began, state = make(kind)
    began[:] = False
    began[6] = True
    inputs.requires_grad_()
    outputs, _ = memory(inputs, state, began)
    outputs[9].sum().backward()
    assert (inputs.grad[:6] == 0).all()
    assert (inputs.grad[6:10] != 0).any(-1).all()
