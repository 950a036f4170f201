"""`meso.policy` takes a world and a name, or a file; without torch it says what to install."""

import dataclasses
import subprocess
import sys

import pytest
from bundle_samples import sample_bundle

import mesocosm as meso
from mesocosm.core.errors import BundleError, MissingExtra, PolicyError, UnknownName
from mesocosm.learning.policies.load import load_policy
from mesocosm.worlds import registry


def test_two_arguments_name_a_scripted_policy():
    assert type(meso.policy("commons", "random")).__name__ == "RandomPolicy"
    with pytest.raises(UnknownName, match="no policy of commons named 'stedy'"):
        meso.policy("commons", "stedy")


def test_one_argument_is_a_file(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    assert not meso.policy(str(tmp_path / "a.mesop")).greedy
    assert not meso.policy(tmp_path / "a.mesop").greedy
    assert meso.policy(f"{tmp_path}/a.mesop:greedy").greedy
    with pytest.raises(PolicyError, match="a bundle plays sampled or greedy, got 'best'"):
        meso.policy(f"{tmp_path}/a.mesop:best")


@pytest.mark.parametrize("given", ["commons", "a.zip", "", "a\0.mesop", 3, None, b"a.mesop"])
def test_what_names_no_policy_is_one_clear_error(given):
    with pytest.raises(PolicyError):
        meso.policy(given)


def test_file_is_named_with_kind_path_and_hash(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    made, about = load_policy(f"{tmp_path}/a.mesop", "townlet")
    assert about == {
        "kind": "bundle",
        "path": f"{tmp_path}/a.mesop",
        "sha256": made.bundle.sha256,
    }
    assert load_policy("steady", "commons").about == {"kind": "scripted", "name": "steady"}


def test_bundles_that_come_with_a_world_have_names(tmp_path, monkeypatch):
    (tmp_path / "trained").mkdir()
    sample_bundle(tmp_path / "trained/L3.mesop")
    monkeypatch.setattr(registry, "folder", lambda name: tmp_path)
    made = meso.policy("townlet", "trained/L3:greedy")
    assert made.greedy
    about = load_policy("trained/L3", "townlet").about
    assert about == {"kind": "bundle", "path": "trained/L3", "sha256": made.bundle.sha256}
    with pytest.raises(UnknownName, match="Did you mean 'trained/L3'"):
        load_policy("trained/L4", "townlet")
    with pytest.raises(UnknownName, match="no world named 'twonlet'"):
        meso.policy("twonlet", "trained/L3")


def test_bundle_of_another_world_is_refused(tmp_path):
    sample_bundle(tmp_path / "a.mesop")
    message = "is a policy for 'resident' of townlet/L3; it cannot play commons"
    with pytest.raises(BundleError, match=message):
        load_policy(f"{tmp_path}/a.mesop", "commons")


def test_without_torch_a_bundle_says_what_to_install(tmp_path, monkeypatch):
    sample_bundle(tmp_path / "a.mesop")
    monkeypatch.delitem(sys.modules, "mesocosm.learning.policies.bundle_policy", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"policy bundles need PyTorch: pip install .*\[learn\]"):
        meso.policy(tmp_path / "a.mesop")


def test_scripted_policies_and_commands_load_no_torch():
    code = (
        "import sys, mesocosm, mesocosm.cli.app; mesocosm.policy('commons', 'random'); "
        "print([name for name in ('torch', 'onnx', 'safetensors') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_bundle_of_another_version_of_the_world_says_so(tmp_path, monkeypatch):
    sample_bundle(tmp_path / "a.mesop")
    role = meso.config_spec("townlet/L3").roles["resident"]
    assert load_policy(f"{tmp_path}/a.mesop", "townlet").policy.check_role(role) == []
    world = registry.find("townlet")
    later = dataclasses.replace(world, version=world.version + 1)
    monkeypatch.setattr(registry, "find", lambda name: later)
    made = meso.policy(f"{tmp_path}/a.mesop")
    made.reset(role, 2, seed=1)
    says = f"learnt in version {world.version} of townlet, here is {world.version + 1}"
    assert made.notes == made.check_role(role) == [says]
