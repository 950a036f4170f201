"""What onnxruntime computes of an exported bundle are torch's actions, row for row."""

import json
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from bundle_samples import sample_bundle

from mesocosm.core.errors import BundleError, MissingExtra
from mesocosm.learning.bundles.bundle import read_bundle
from mesocosm.learning.bundles.onnx_export import CARD_KEY, export_onnx, make_actor

QUICK = "tables, lstm"  # torch takes some seconds to export one
ROWS, STEPS = 2_500, 4  # 10,000 rows for each bundle
CASES = {
    "dense numbers, no memory": ("townlet/L3", {}),
    "tokens, gru": ("mettagrid/forage", {"memory": "gru"}),
    "tables, lstm": ("townlet/L7", {"memory": "lstm"}),
    "composite action": ("commons/wardens", {}),
}


def draw_inputs(bundle, network, rng):
    """Draw observations, masks, noise and beginnings as a role would get them."""
    layout, action = bundle.role.observation, bundle.role.action
    if layout.tokens is None:
        obs = rng.uniform(layout.low, layout.high, (ROWS, layout.size)).astype(np.float32)
        obs[rng.random(obs.shape) < 0.2] = 0.0
    else:
        obs = rng.integers(0, 30, (ROWS, *layout.shape)).astype(np.uint8)
        obs[:, layout.tokens.num // 2 :] = layout.tokens.empty
    mask = rng.random((ROWS, action.mask_size)) < 0.7
    for part in action.choices:
        mask[:, action.mask_offset(part.name) + part.noop] = True
    head = network.head
    noise = np.concatenate(
        (rng.random((ROWS, len(head.sizes))), rng.normal(size=(ROWS, head.num_levels))), 1
    )
    return {"obs": obs, "mask": mask, "noise": noise.astype(np.float32)} | {
        "began": rng.random(ROWS) < 0.1
    }


@pytest.mark.parametrize(
    "case",
    [case if case == QUICK else pytest.param(case, marks=pytest.mark.slow) for case in CASES],
)
def test_onnxruntime_takes_the_same_actions_as_torch(case, tmp_path):
    preset, network = CASES[case]
    sample_bundle(tmp_path / "a.mesop", preset, **network)
    bundle = read_bundle(tmp_path / "a.mesop")
    inputs, outputs = export_onnx(bundle, tmp_path / "a.onnx")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(tmp_path / "a.onnx", options)
    assert [entry.name for entry in session.get_inputs()] == inputs
    assert [entry.name for entry in session.get_outputs()] == outputs
    actor, rng, seen = make_actor(bundle), np.random.default_rng(0), set()
    state = actor.example(bundle, ROWS)[-1].numpy()
    for _ in range(STEPS):
        given = draw_inputs(bundle, bundle.make_network(), rng) | {"state": state}
        given = {name: given[name] for name in inputs}
        theirs = dict(zip(outputs, session.run(None, given), strict=True))
        with torch.no_grad():
            made = actor(*(torch.from_numpy(given[name]) for name in inputs))
        ours = dict(zip(outputs, (value.numpy() for value in made), strict=True))
        for name in ("choice", "sampled_choice"):
            assert np.array_equal(theirs[name], ours[name]), name
            seen |= set(ours[name][:, 0].tolist())
        for name in set(outputs) - {"choice", "sampled_choice"}:
            np.testing.assert_allclose(theirs[name], ours[name], rtol=1e-4, atol=1e-4)
        state = ours.get("state_out", state)
    assert len(seen) > 2
    card = {entry.key: entry.value for entry in onnx.load(tmp_path / "a.onnx").metadata_props}
    assert json.loads(card[CARD_KEY])["role"] == bundle.role.name


def test_without_onnx_an_export_says_what_to_install(tmp_path, monkeypatch):
    sample_bundle(tmp_path / "a.mesop")
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(MissingExtra, match=r"exporting needs onnx and onnxscript: pip .*\[learn\]"):
        export_onnx(read_bundle(tmp_path / "a.mesop"), tmp_path / "a.onnx")


def test_export_to_another_suffix_or_a_missing_folder_is_one_error(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    bundle = read_bundle(tmp_path / "a.mesop")
    with pytest.raises(BundleError, match=r"must end in \.onnx"):
        export_onnx(bundle, tmp_path / "a.zip")
