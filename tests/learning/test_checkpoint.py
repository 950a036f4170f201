import json

import pytest

from mesocosm.core.errors import RunError
from mesocosm.learning.checkpoint import load_checkpoint, save_checkpoint
from tests.learning.small import same_weights, small_trainer, weights

LEAGUE = {
    "league__share": 0.5,
    "league__every": 1,
    "league__size": 2,
    "league__seats": 1,
    "core": {"core.max_steps": 10},
}
CASES = [
    ("commons", {}),
    ("commons/wardens", {"network__memory": "lstm"}),
    ("commons/turns", {}),
    ("townlet/L5", {"network__memory": "gru"}),
    ("townlet/L8", {}),
    ("townlet/L0", {"algorithm": "q"}),
    ("townlet/L6", {"truth": ["meters", "hour"], "network__shared": True}),
    ("commons", LEAGUE),
    ("commons/wardens", LEAGUE | {"network__memory": "gru", "network__hidden": [8]}),
]


def _league(trainer):
    """All that a league goes on from, in plain values."""
    kept = {} if trainer.league is None else trainer.league.tensors()
    return {name: value.tolist() for name, value in kept.items()}


@pytest.mark.parametrize(("preset", "changes"), CASES, ids=[f"{p}-{'-'.join(c)}" for p, c in CASES])
def test_training_goes_on_from_a_checkpoint_to_the_same_weights(tmp_path, preset, changes):
    whole = small_trainer(preset, **changes)
    curve = list(whole.run())
    broken = small_trainer(preset, **changes)
    for _ in range(3):
        broken.advance()
    save_checkpoint(tmp_path, broken, {"note": 1})
    resumed = small_trainer(preset, **changes)
    assert load_checkpoint(tmp_path, resumed) == {"note": 1}
    rest = list(resumed.run())
    assert same_weights(weights(whole), weights(resumed))
    assert _league(whole) == _league(resumed)
    assert [u.reports for u in rest] == [u.reports for u in curve[3:]]
    for mine, theirs in zip(rest, curve[3:], strict=True):
        assert {r: x.num for r, x in mine.lives.items()} == {
            r: x.num for r, x in theirs.lives.items()
        }


def test_only_the_last_checkpoint_is_kept(tmp_path):
    trainer = small_trainer()
    for _ in range(3):
        trainer.advance()
        save_checkpoint(tmp_path, trainer, {})
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "last.json",
        "update-000003.safetensors",
    ]


def _saved(tmp_path):
    trainer = small_trainer()
    trainer.advance()
    save_checkpoint(tmp_path, trainer, {})
    return tmp_path / "update-000001.safetensors"


def test_changed_checkpoint_is_refused(tmp_path):
    path = _saved(tmp_path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(RunError, match="not what was written"):
        load_checkpoint(tmp_path, small_trainer())


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "update-1.safetensors", 7, None])
def test_checkpoint_that_names_another_file_is_refused(tmp_path, name):
    _saved(tmp_path)
    about = json.loads((tmp_path / "last.json").read_text())
    (tmp_path / "last.json").write_text(json.dumps(about | {"file": name}))
    with pytest.raises(RunError, match="names no checkpoint"):
        load_checkpoint(tmp_path, small_trainer())


def test_checkpoint_of_another_training_is_refused(tmp_path):
    _saved(tmp_path)
    with pytest.raises(RunError, match="does not fit"):
        load_checkpoint(tmp_path, small_trainer(network__hidden=[32]))


def test_a_number_that_changed_in_the_curve_is_noticed(tmp_path):
    trainer = small_trainer()
    trainer.advance()
    save_checkpoint(tmp_path, trainer, {"curve": [{"update": 1, "mean_return": 0.25}]})
    place = tmp_path / "last.json"
    place.write_text(place.read_text().replace("0.25", "0.75"))
    with pytest.raises(RunError, match=r"last\.json: damaged: its content is not what was written"):
        load_checkpoint(tmp_path, small_trainer())
