"""Gradients written out by hand where that is much faster than recording every step."""

from typing import Any

import torch
from torch import Tensor


class ReluLayers(torch.autograd.Function):
    """Linear layers, each followed by a ReLU: one node of the graph instead of two a layer."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, *parameters: Tensor) -> Tensor:
        """Compute `[row, number]`; parameters are weight, bias, weight, bias, ..."""
        hidden = [rows]
        for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
            hidden.append(torch.addmm(bias, hidden[-1], weight.T).relu_())
        ctx.save_for_backward(*hidden, *parameters[::2])
        return hidden[-1]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """Go back through the layers."""
        (grad,) = grads
        count = (len(ctx.saved_tensors) - 1) // 2
        hidden, weights = ctx.saved_tensors[: count + 1], ctx.saved_tensors[count + 1 :]
        made: list[Tensor | None] = []
        for k in range(count - 1, -1, -1):
            if k == count - 1:  # what was given may belong to others
                grad = torch.ops.aten.threshold_backward(grad, hidden[k + 1], 0)
            else:
                torch.ops.aten.threshold_backward.grad_input(
                    grad, hidden[k + 1], 0, grad_input=grad
                )
            made += [grad.sum(0), grad.T @ hidden[k]]
            if k > 0 or ctx.needs_input_grad[0]:
                grad = grad @ weights[k]
        made.append(grad if ctx.needs_input_grad[0] else None)
        return tuple(reversed(made))


class CategoricalScore(torch.autograd.Function):
    """The log-probability of each row's choice, and the entropy of what it was chosen from.

    Options come first, rows last: `[option, row]`, which is how processors like it.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, choice: Tensor) -> tuple[Tensor, Tensor]:
        """Score int64 choices `[row]`."""
        log_probs = logits.log_softmax(0)
        probs = log_probs.exp()
        entropy = -(probs * log_probs).sum(0)
        ctx.save_for_backward(log_probs, probs, entropy, choice)
        return log_probs.gather(0, choice.unsqueeze(0))[0], entropy

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        """Differentiate by the logits."""
        of_choice, of_entropy = grads
        log_probs, probs, entropy, choice = ctx.saved_tensors
        made = (log_probs + entropy).mul_(-of_entropy).sub_(of_choice).mul_(probs)
        return made.scatter_add_(0, choice.unsqueeze(0), of_choice.unsqueeze(0)), None


def relu_layers(rows: Tensor, parameters: list[Tensor]) -> Tensor:
    """Apply linear layers, each followed by a ReLU, to `[..., number]`."""
    made = ReluLayers.apply(rows.flatten(0, -2), *parameters)  # type: ignore[no-untyped-call]
    return made.unflatten(0, rows.shape[:-1])


def score_choices(logits: Tensor, choice: Tensor) -> tuple[Tensor, Tensor]:
    """Give log-probabilities and entropies of choices `[...]` from logits `[..., option]`."""
    by_option = logits.flatten(0, -2).T.contiguous()
    picked = choice.flatten().long()
    score, entropy = CategoricalScore.apply(by_option, picked)  # type: ignore[no-untyped-call]
    return score.view(choice.shape), entropy.view(choice.shape)
