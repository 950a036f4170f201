import json

import pytest


def test_compile_makes_what_is_missing_and_says_what_was_there(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("MESOCOSM_CACHE_DIR", str(tmp_path))
    first = json.loads(cli("compile probe --json").out)
    assert [(entry["layered"], entry["source"]) for entry in first] == [(False, "compiled")]
    assert first[0]["seconds"] > 0
    assert {"probe/line", "probe/reborn"} <= set(first[0]["presets"])
    before = sorted(tmp_path.rglob("*.nbi"))
    assert {path.name.partition("-")[0] for path in before} == {
        "probe_step.drive_bound", "record.drain_events", "record.note_endings", "record.sum_agents",
        "record.digest_fields", "record.sum_fields",
    }  # fmt: skip
    assert "compiled in" not in cli("compile probe/line").out
    assert sorted(tmp_path.rglob("*.nbi")) == before
    ready = json.loads(cli("doctor --json").out)["ready"]
    states = {entry["layered"]: entry["code"] for entry in ready if entry["world"] == "probe"}
    assert states == {False: "kept", True: None}


def test_compile_layers_adds_the_layered_step_of_every_set_of_rules(cli, monkeypatch):
    asked = []

    def note(variant, target):
        from mesocosm.sim.compile.code_cache import Origin

        asked.append((variant.layered, variant.presets, target))
        return Origin("compiled", 1.25)

    monkeypatch.setattr("mesocosm.cli.compile.compile_variant", note)
    out = cli("compile mettagrid/network --layers").out
    network = ("mettagrid/network",)
    assert asked == [(False, network, "cpu"), (True, network, "cpu")]
    assert "plain" in out
    assert "compiled in 1.2 s" in out
    asked.clear()
    cli("compile --all")
    assert len(asked) > 8


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compile", "needs worlds or presets, or --all"),
        ("compile commons --all", "and not both"),
        ("compile commons --target python", "--target: must be cpu or cuda, got 'python'"),
        ("compile twonlet", "twonlet"),
    ],
)
def test_compile_refuses(cli, line, said):
    result = cli(line)
    assert result.status == 2
    assert said in result.err
