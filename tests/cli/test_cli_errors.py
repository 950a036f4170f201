import pytest

from mesocosm.cli.app import COMMANDS, CONFIG_COMMANDS, GROUPS

BAD_INPUT = {
    "run": "needs a preset or a config file",
    "runn": "No such command 'runn'. Did you mean 'run', 'runs'?",
    "worlds --jsn": "No such option: --jsn",
    "run comons": "no world named 'comons'. Did you mean 'commons'?",
    "run commons/defalt": "Did you mean 'commons/default'?",
    "run commons --steps 0": "--steps: must be at least 1, got 0",
    "run commons --steps x": "--steps",
    "run commons --num-envs 0": "--num-envs: must be at least 1, got 0",
    "run commons --seed -1": "--seed: must be at least 0, got -1",
    "run commons --seed 9223372036854775808": "--seed: must be at most 9223372036854775807",
    "run commons --policy foo": "no policy of commons named 'foo'",
    "run commons --policy boss=steady": "no role with agents named 'boss'",
    "run commons --policy a --policy b": "one name for all roles, got a, b",
    "run commons --target gpu": "no target named 'gpu'. Did you mean 'cpu'?",
    "run commons --set core.num_agents=1": "core.num_agents: must be between 2 and 64, got 1",
    "run commons --set core.numagents=3": "unknown key. Did you mean 'num_agents'?",
    "run commons --set x": "must look like core.max_steps=100",
    "describe nothing.yaml": "nothing.yaml: cannot be read",
    "config schema nothing": "no world named 'nothing'",
    "config hash commons --set layers.power.intensity=1.5": "must be between 0.0 and 1.0, got 1.5",
    "bench commons nothing": "no world named 'nothing'",
    "bench commons --target gpu": "no target named 'gpu'",
    "audit commons --states 0": "--states: must be at least 1, got 0",
}


@pytest.mark.parametrize("line", BAD_INPUT)
def test_bad_input_ends_with_status_2_and_one_line(cli, line):
    result = cli(line)
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("mesocosm: ")
    assert result.err.count("\n") == 1
    assert BAD_INPUT[line] in result.err


def test_too_many_envs_for_the_memory_is_bad_input(cli):
    result = cli("run commons --target python --num-envs 2000000000")
    assert result.status == 2
    assert "num_envs: 2000000000 envs of " in result.err
    assert "GiB are free: at most" in result.err


NAMES = [function.__name__ for function, _ in COMMANDS]
NAMES += [f"config {name}" for name, _, _ in CONFIG_COMMANDS]


@pytest.mark.parametrize(("function", "_"), COMMANDS)
def test_a_command_is_in_the_file_of_its_name(function, _):
    assert function.__module__ == f"mesocosm.cli.{function.__name__}"


@pytest.mark.parametrize(("name", "_", "commands"), GROUPS)
def test_the_commands_of_a_group_are_in_the_file_of_its_name(name, _, commands):
    assert {function.__module__ for _, function, _ in commands} == {f"mesocosm.cli.{name}"}


@pytest.mark.parametrize("name", ["", "config", *NAMES])
def test_help_gives_an_example(cli, name):
    result = cli(f"{name} --help")
    assert result.status == 0
    assert f"Example:\n    mesocosm {name}".rstrip() in result.out


@pytest.mark.parametrize("line", [text for _, text in COMMANDS if text.split()[1] == "describe"])
def test_example_of_describe_runs(cli, line):
    assert cli(line.removeprefix("mesocosm ")).status == 0


def test_no_command_prints_the_help(cli):
    assert "Commands:" in cli("").out
    assert "Commands:" in cli("config").out


def test_version_is_printed(cli):
    from mesocosm.version import __version__

    assert cli("--version").out == f"mesocosm {__version__}\n"


def test_a_number_that_nothing_counts_to_is_refused(cli):
    done = cli(f"run commons --target python --steps {10**20}")
    assert done.status == 2
    assert "--steps: must be at most 9223372036854775807" in done.err


@pytest.mark.parametrize(
    "command",
    [
        f"config validate commons --set core.{'x' * 10_000}=1",
        f"config validate commons --set {'x.' * 60}y=1",
        f"config validate {'x' * 10_000}.YAML",
        "config validate x.YAML",
    ],
    ids=["long key", "deep key", "long source", "upper case"],
)
def test_a_refusal_is_short_whatever_was_given(cli, command):
    done = cli(command)
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert len(done.err) < 1200
