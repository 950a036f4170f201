"""Write a bundle's actor as ONNX: what it sees in, its actions out, and its memory both ways."""

import io
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

import torch
from torch import Tensor, nn

from mesocosm.core.errors import BundleError
from mesocosm.core.extra import missing_extra
from mesocosm.core.path import check_path
from mesocosm.learning.bundles.bundle import Bundle, write_whole
from mesocosm.learning.networks.network import Network

OPSET = 18
ROWS = 3  # of the example that the graph is traced with; any number may be given
CARD_KEY = "mesocosm.card"


class Actor(nn.Module):
    """What a policy does in one step, as a function of tensors `[row, ...]`.

    Inputs: `obs`, `mask` (where the role has one), `noise` (uniform in 0..1 for each choice,
    then normal for each level: what a sample is made of), and with memory `began` and `state`.
    Outputs: `logits` of all options, `choice` and `level` of the most probable action, and
    `sampled_choice` and `sampled_level` of the one that the noise draws; with memory `state_out`.
    """

    def __init__(self, network: Network, mask_size: int) -> None:
        super().__init__()
        self._network, self._mask_size = network, mask_size
        head = network.head
        self.inputs = ["obs", *(["mask"] if mask_size else []), "noise"]
        self.inputs += ["began", "state"] if network.has_memory else []
        kinds = (["choice"] if head.num_options else []) + (["level"] if head.num_levels else [])
        self.outputs = [*(["logits"] if head.num_options else []), *kinds]
        self.outputs += [f"sampled_{kind}" for kind in kinds]
        self.outputs += ["state_out"] if network.has_memory else []

    def forward(self, *given: Tensor) -> tuple[Tensor, ...]:
        """Give the outputs in the order of `outputs`."""
        named = dict(zip(self.inputs, given, strict=True))
        network, head, obs = self._network, self._network.head, named["obs"]
        rows = obs.shape[0]
        mask = named.get("mask", obs.new_ones((rows, 0), dtype=torch.bool))
        state = named.get("state", obs.new_zeros((rows, 0), dtype=torch.float32))
        began = named.get("began", obs.new_zeros((rows,), dtype=torch.bool))
        numbers, state = network.act(obs.unsqueeze(0), state, began.unsqueeze(0))
        numbers = numbers[0]
        choice, level = head.best(numbers, mask)
        drawn_choice, drawn_level, _ = head.sample(numbers, mask, named["noise"])
        made = {"choice": choice, "level": head.scale_levels(level)}
        made |= {"sampled_choice": drawn_choice, "sampled_level": head.scale_levels(drawn_level)}
        if head.num_options:
            made["logits"] = torch.cat(head.logits(numbers, mask, choice), -1)
        made["state_out"] = state
        return tuple(made[name] for name in self.outputs)

    def example(self, bundle: Bundle, rows: int = ROWS) -> tuple[Tensor, ...]:
        """Make inputs of the right shapes."""
        layout, network = bundle.role.observation, self._network
        dtype = getattr(torch, layout.dtype)
        made = {
            "obs": torch.zeros((rows, *layout.shape), dtype=dtype),
            "mask": torch.ones((rows, self._mask_size), dtype=torch.bool),
            "noise": torch.full((rows, network.head.noise_size), 0.5),
            "began": torch.ones(rows, dtype=torch.bool),
            "state": network.begin(rows).actor,
        }
        return tuple(made[name] for name in self.inputs)


def make_actor(bundle: Bundle) -> Actor:
    """Make the function that is exported."""
    return Actor(bundle.make_network(), bundle.role.action.mask_size).eval()


def export_onnx(bundle: Bundle, path: str | os.PathLike[str]) -> tuple[list[str], list[str]]:
    """Write a bundle's actor, whole or not at all; give the names of its inputs and outputs."""
    target = check_path(path, BundleError)
    if target.suffix != ".onnx":
        raise BundleError(f"{target}: the name of an ONNX file must end in .onnx")
    try:
        import onnx
        import onnxscript
    except ImportError:
        raise missing_extra("exporting needs onnx and onnxscript", "learn") from None
    del onnxscript
    actor = make_actor(bundle)
    model = _trace(actor, bundle).model_proto
    entry = model.metadata_props.add()
    entry.key, entry.value = CARD_KEY, bundle.card.dump().decode()
    onnx.checker.check_model(model)
    write_whole(target, model.SerializeToString(deterministic=True))
    return actor.inputs, actor.outputs


def _trace(actor: Actor, bundle: Bundle) -> Any:
    rows = torch.export.Dim("rows", min=1)
    with _silence():
        program = torch.onnx.export(
            actor,
            actor.example(bundle),
            input_names=actor.inputs,
            output_names=actor.outputs,
            dynamic_shapes=(tuple({0: rows} for _ in actor.inputs),),
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
    if program is None:
        raise BundleError(f"{bundle.path}: torch made no ONNX program of it")
    return program


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the exporter's progress and its advice to developers from whoever exports."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
