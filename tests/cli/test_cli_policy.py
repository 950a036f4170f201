"""Policies from files, as a person types them: played, recorded, shown, refused."""

import json

import pytest
import torch

import mesocosm as meso
from mesocosm.learning.bundles.bundle import write_bundle
from mesocosm.learning.bundles.card import Training, make_card
from mesocosm.learning.networks.network import Network
from mesocosm.learning.settings import LearningSettings, NetworkSettings

SMALL = "--target python --num-envs 3 --set core.max_steps=8"
CODE = """
from mesocosm.core.policy import NoopPolicy

class Mine(NoopPolicy): ...

class Breaks(NoopPolicy):
    steps = 0

    def act(self, obs, mask, info, began):
        self.steps += 1
        if self.steps == 5:
            raise ValueError("no idea what to do")
        return super().act(obs, mask, info, began)

class Shrinks(NoopPolicy):
    steps = 0

    def act(self, obs, mask, info, began):
        self.steps += 1
        given = super().act(obs, mask, info, began)
        return given if self.steps < 5 else type(given)(given.choice[:1], given.level)
"""


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def bundle(path, preset="commons", role=None, seed=0, command="mesocosm train"):
    """Write a bundle for a role of a preset."""
    roles = meso.config_spec(preset).roles
    chosen = roles[role or next(iter(roles))]
    settings = LearningSettings(network=NetworkSettings(hidden=(8,)))
    torch.manual_seed(seed)
    training = Training(settings, 5_000, seed, {"mean_return": 2.5}, f"{command} {preset}")
    card = make_card(chosen, meso.load_config(preset), training)
    return write_bundle(path, Network(chosen, settings.network), card)


@pytest.fixture
def code(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    return path


def test_run_plays_a_bundle_and_names_it_with_its_hash(cli, tmp_path):
    sha256 = bundle(tmp_path / "a.mesop")
    done = cli(f"run commons --steps 10 {SMALL} --policy {tmp_path}/a.mesop --out {tmp_path}/r")
    assert done.status == 0, done.err
    assert f"{tmp_path}/a.mesop (sha256 {sha256[:12]})" in done.out
    noted = json.loads((tmp_path / "r/run.json").read_text())["policies"]
    assert noted == {
        "harvester": {"kind": "bundle", "path": f"{tmp_path}/a.mesop", "sha256": sha256}
    }
    shown = cli(f"runs show {tmp_path}/r").out
    row = next(line for line in shown.splitlines() if line.startswith("harvester policy"))
    assert sha256[:12] in row
    assert json.loads(cli(f"runs show {tmp_path}/r --json").out)["policies"] == noted
    assert cli(f"replay verify {tmp_path}/r --target python").status == 0


def test_compare_tells_two_files_apart_by_their_hashes(cli, tmp_path):
    made = [bundle(tmp_path / "a.mesop", seed=seed) for seed in (1,)]
    for name in ("one", "two"):
        done = cli(
            f"run commons --steps 3 {SMALL} --policy {tmp_path}/a.mesop --out {tmp_path}/{name}"
        )
        assert done.status == 0, done.err
        made.append(bundle(tmp_path / "a.mesop", seed=2))
    compared = cli(f"runs compare {tmp_path}/one {tmp_path}/two").out
    row = next(line for line in compared.splitlines() if line.startswith("harvester policy"))
    assert made[0][:12] in row
    assert made[1][:12] in row
    assert row.split()[-1] == "differs"


def test_equal_runs_of_a_bundle_are_equal_and_greedy_ones_differ(cli, tmp_path):
    bundle(tmp_path / "a.mesop")

    def returns(how):
        done = cli(
            f"run commons --steps 20 --seed 3 {SMALL} --policy {tmp_path}/a.mesop{how} --json"
        )
        return json.loads(done.out)["mean_return"]

    assert returns("") == returns("") == returns(":sampled")
    assert returns(":greedy") != returns("")


def test_one_agent_of_a_role_may_have_a_policy_of_its_own(cli, tmp_path, code):
    sha256 = bundle(tmp_path / "a.mesop")
    done = cli(
        f"run commons --steps 10 {SMALL} --policy steady --policy harvester[3]={tmp_path}/a.mesop "
        f"--policy harvester[0]={code}:Mine --out {tmp_path}/r"
    )
    assert done.status == 0, done.err
    noted = json.loads((tmp_path / "r/run.json").read_text())["policies"]
    assert noted["harvester"] == {"kind": "scripted", "name": "steady"}
    assert noted["harvester[3]"]["sha256"] == sha256
    assert noted["harvester[0]"]["kind"] == "code"
    assert len(noted["harvester[0]"]["sha256"]) == 64
    assert "harvester[3] policy" in cli(f"runs compare {tmp_path}/r {tmp_path}/r").out


def test_bundle_without_a_role_plays_the_one_it_learnt(cli, tmp_path):
    bundle(tmp_path / "h.mesop", "commons/wardens", "harvester")
    bundle(tmp_path / "w.mesop", "commons/wardens", "warden")
    both = f"--policy {tmp_path}/w.mesop --policy {tmp_path}/h.mesop"
    done = cli(f"run commons/wardens --steps 3 {SMALL} {both} --json")
    assert done.status == 0, done.err
    played = {role: entry["name"] for role, entry in json.loads(done.out)["policies"].items()}
    assert played == {"harvester": f"{tmp_path}/h.mesop", "warden": f"{tmp_path}/w.mesop"}


def test_what_a_bundle_does_not_know_is_said(cli, tmp_path):
    bundle(tmp_path / "a.mesop", "townlet/L3")
    done = cli(
        f"run townlet/L5 --steps 2 --target python --num-envs 2 --policy {tmp_path}/a.mesop "
        f"--out {tmp_path}/r"
    )
    assert done.status == 0, done.err
    assert f"mesocosm: note: {tmp_path}/a.mesop: observation: grid: missing here" in done.err
    assert "observation: window: dropped, 25 of 25 numbers" in done.err
    noted = json.loads((tmp_path / "r/run.json").read_text())["policies"]["resident"]
    assert any("window" in note for note in noted["notes"])


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("{folder}/none.mesop", "none.mesop: cannot be read: No such file"),
        ("{folder}/text.mesop", "text.mesop: no bundle: it must begin as a zip does"),
        ("{folder}/town.mesop", "is a policy for 'resident' of townlet/L3; it cannot play commons"),
        ("{folder}/mine.py:Nobody", "mine.py: no policy named 'Nobody'."),
        ("{folder}/mine.py", "name the class in it as well"),
        ("stedy", "no policy of commons named 'stedy'. Did you mean 'steady'?"),
        ("harvester[6]=random", "harvester has agents 0 to 5, got '6'"),
        ("harvester[-1]=random", "harvester has agents 0 to 5, got '-1'"),
        ("harvester[]=random", "harvester has agents 0 to 5, got ''"),
        ("harvster[1]=random", "no role with agents named 'harvster'. Did you mean 'harvester'?"),
        ("harvester[1]=", "harvester[1] needs one policy, got none"),
        ("harvester=", "harvester needs one policy, got none"),
        (
            "harvester[1]=noop --policy harvester[01]=random",
            "needs one policy, got noop and random",
        ),
        ("harvester=noop --policy harvester=steady", "needs one policy, got noop and steady"),
        ("harvester[1]=stedy", "no policy of commons named 'stedy'. Did you mean 'steady'?"),
    ],
)
def test_bad_policy_is_one_line_and_leaves_no_folder(cli, policy, message, tmp_path, code):
    (tmp_path / "text.mesop").write_text("I am a policy")
    bundle(tmp_path / "town.mesop", "townlet/L3")
    named = policy.format(folder=tmp_path)
    done = cli(f"run commons --steps 3 {SMALL} --policy {named} --out {tmp_path}/r")
    assert done.status == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Breaks", "Breaks: act raised ValueError: no idea what to do (line 12)"),
        (
            "Shrinks",
            "Shrinks: choices must be of shape (3, 6, 2) [env, agent, part], got (1, 6, 2)",
        ),
    ],
)
def test_policy_that_fails_while_it_plays_leaves_the_run_whole(cli, name, message, tmp_path, code):
    done = cli(f"run commons --steps 20 {SMALL} --policy {code}:{name} --out {tmp_path}/r")
    assert done.status == 2
    assert message in done.err.splitlines()[-1]
    assert done.err.count("mesocosm: ") == 1
    shown = json.loads(cli(f"runs show {tmp_path}/r --json").out)
    assert shown["status"] == "failed"
    assert message in shown["error"]
    assert (shown["steps"], shown["problems"]) == (4, [])
    assert cli(f"replay verify {tmp_path}/r --target python").status == 0


def test_resume_goes_on_with_the_same_file_and_refuses_another(cli, tmp_path):
    bundle(tmp_path / "a.mesop", seed=1)
    whole = f"run commons --steps 9 --seed 3 {SMALL} --policy {tmp_path}/a.mesop"
    assert cli(f"{whole} --out {tmp_path}/r").status == 0
    assert cli(f"run --resume {tmp_path}/r --steps 15 --target python").status == 0
    assert cli(f"replay verify {tmp_path}/r --target python").status == 0
    bundle(tmp_path / "a.mesop", seed=2)
    done = cli(f"run --resume {tmp_path}/r --steps 20 --target python")
    assert done.status == 2
    assert f"harvester: {tmp_path}/a.mesop is not the file that played: sha256 was" in done.err


def test_show_plays_a_file(cli, tmp_path, code):
    assert cli(f"show commons --steps 3 --policy {code}:Mine").status == 0


def test_inspect_says_what_a_bundle_is(cli, tmp_path):
    sha256 = bundle(tmp_path / "a.mesop", "mettagrid/forage")
    text = cli(f"policy inspect {tmp_path}/a.mesop").out
    for part in (sha256, "cog of mettagrid/forage", "agent:group", "move_north", "gamma 0.9995",
                 "5,000 agent-steps", "mean_return", "train mettagrid/forage"):  # fmt: skip
        assert part in text
    data = json.loads(cli(f"policy inspect {tmp_path}/a.mesop --json").out)
    assert (data["sha256"], data["role"], data["schema"]) == (sha256, "cog", 1)
    assert data["bytes"] == (tmp_path / "a.mesop").stat().st_size


def test_inspect_lets_no_bundle_steer_the_terminal(cli, tmp_path):
    bundle(tmp_path / "a.mesop", command="x\n\x1b[2J\u202etrain")
    text = cli(f"policy inspect {tmp_path}/a.mesop").out
    assert "made by" in text
    assert r"x\n\x1b[2J\u202etrain" in text


@pytest.mark.parametrize("command", ["inspect {0}", "export {0} --onnx {0}.onnx"])
def test_commands_refuse_what_is_no_bundle(cli, command, tmp_path):
    (tmp_path / "a.mesop").write_bytes(b"PK\x03\x04" + b"\0" * 100)
    done = cli("policy " + command.format(tmp_path / "a.mesop"))
    assert done.status == 2
    assert done.err == f"mesocosm: {tmp_path}/a.mesop: damaged: File is not a zip file\n"


@pytest.mark.slow
def test_export_says_what_goes_in_and_out(cli, tmp_path):
    bundle(tmp_path / "a.mesop", "townlet/L3")
    done = cli(f"policy export {tmp_path}/a.mesop --onnx {tmp_path}/a.onnx")
    assert done.out == f"{tmp_path}/a.onnx: obs, mask, noise -> logits, choice, sampled_choice\n"
    assert (tmp_path / "a.onnx").stat().st_size > 1000
