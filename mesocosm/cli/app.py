"""Assemble the commands, and turn every way they can end into one exit status."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from mesocosm.cli import config, policy, replay, runs
from mesocosm.cli.archetypes import archetypes
from mesocosm.cli.audit import audit
from mesocosm.cli.bench import bench
from mesocosm.cli.check import check
from mesocosm.cli.compile import compile
from mesocosm.cli.describe import describe
from mesocosm.cli.doctor import doctor
from mesocosm.cli.evaluate import evaluate
from mesocosm.cli.explain import explain
from mesocosm.cli.layers import layers
from mesocosm.cli.match import match
from mesocosm.cli.play import play
from mesocosm.cli.query import query
from mesocosm.cli.report import report
from mesocosm.cli.run import run
from mesocosm.cli.serve import serve
from mesocosm.cli.shared.exit_status import BAD_INPUT, BROKEN_PIPE, FAILED
from mesocosm.cli.shared.output import say
from mesocosm.cli.show import show
from mesocosm.cli.sweep import sweep
from mesocosm.cli.tournament import tournament
from mesocosm.cli.train import train
from mesocosm.cli.worlds import worlds
from mesocosm.core.errors import ConfigError, ContractError, MesocosmError
from mesocosm.core.path import check_text
from mesocosm.version import __version__

COMMANDS: tuple[tuple[Callable[..., None], str], ...] = (
    (worlds, "mesocosm worlds"),
    (describe, "mesocosm describe commons --set core.num_wardens=1"),
    (layers, "mesocosm layers commons/shocks"),
    (archetypes, "mesocosm archetypes townlet/L7"),
    (run, "mesocosm run commons --policy steady --num-envs 64 --seed 7"),
    (train, "mesocosm train townlet/L3 --steps 20000000 --seed 1 --out runs/a"),
    (match, "mesocosm match island/skirmish mine.py:Mine rush --series 20 --swap"),
    (evaluate, "mesocosm evaluate commons steady greedy --episodes 100 --out runs/e"),
    (sweep, "mesocosm sweep commons --param core.harvest_rate=1:5:5 --policy steady --out runs/s"),
    (tournament, "mesocosm tournament commons steady greedy random --out runs/t"),
    (report, "mesocosm report runs/a --out report.html"),
    (show, "mesocosm show commons --policy steady --steps 50"),
    (serve, "mesocosm serve --runs runs"),
    (play, "mesocosm play commons --policy steady"),
    (query, 'mesocosm query runs/a "SELECT reason, count(*) FROM episode GROUP BY reason"'),
    (explain, "mesocosm explain runs/a --env 0 --agent 3 --step 120"),
    (audit, "mesocosm audit commons --states 16"),
    (check, "mesocosm check commons"),
    (bench, "mesocosm bench commons --num-envs 4096"),
    (compile, "mesocosm compile mettagrid"),
    (doctor, "mesocosm doctor"),
)
Commands = tuple[tuple[str, Callable[..., None], str], ...]
CONFIG_COMMANDS: Commands = (
    ("show", config.show, "mesocosm config show commons --set core.max_steps=50"),
    ("validate", config.validate, "mesocosm config validate my.yaml"),
    ("import", config.import_config, "mesocosm config import mettagrid their.json > mine.yaml"),
    ("schema", config.schema, "mesocosm config schema commons"),
    ("hash", config.print_hash, "mesocosm config hash commons"),
)
RUNS_COMMANDS: Commands = (
    ("list", runs.list_runs, "mesocosm runs list runs"),
    ("show", runs.show, "mesocosm runs show runs/a"),
    ("compare", runs.compare, "mesocosm runs compare runs/a runs/b"),
    ("export", runs.export, "mesocosm runs export runs/a --format csv --out tables"),
)
POLICY_COMMANDS: Commands = (
    ("inspect", policy.inspect, "mesocosm policy inspect runs/a/policies/best.mesop"),
    ("export", policy.export, "mesocosm policy export best.mesop --onnx best.onnx"),
)
REPLAY_COMMANDS: Commands = (
    ("show", replay.show, "mesocosm replay show runs/a"),
    ("verify", replay.verify, "mesocosm replay verify runs/a"),
    ("seek", replay.seek, "mesocosm replay seek runs/a --env 3 --step 120"),
    ("export", replay.export, "mesocosm replay export runs/a --env 3 --out film.gif"),
)


def _group() -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _assemble() -> typer.Typer:
    made = _group()
    made.callback(
        invoke_without_command=True, epilog=_example("mesocosm run commons --policy steady")
    )(_top)
    for function, example in COMMANDS:
        made.command(epilog=_example(example))(function)
    for name, callback, commands in GROUPS:
        group = _group()
        group.callback(invoke_without_command=True, epilog=_example(commands[0][2]))(callback)
        for own, function, example in commands:
            group.command(own, epilog=_example(example))(function)
        made.add_typer(group, name=name)
    return made


def _example(line: str) -> str:
    # the backspace keeps the formatter from joining the lines
    return f"\b\nExample:\n  {line}"


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Multi-agent environments that can be measured: list, describe, play, prove."""
    if version:
        print(f"mesocosm {__version__}")
        raise typer.Exit
    _help_alone(context)


def _config(context: typer.Context) -> None:
    """Show, check, document and name configurations."""
    _help_alone(context)


def _runs(context: typer.Context) -> None:
    """List, show, compare and export recorded runs."""
    _help_alone(context)


def _policy(context: typer.Context) -> None:
    """Inspect policy bundles, and export them."""
    _help_alone(context)


def _replay(context: typer.Context) -> None:
    """Show, prove, visit and draw recorded runs by playing them again."""
    _help_alone(context)


def _help_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


GROUPS: tuple[tuple[str, Callable[..., None], Commands], ...] = (
    ("config", _config, CONFIG_COMMANDS),
    ("runs", _runs, RUNS_COMMANDS),
    ("policy", _policy, POLICY_COMMANDS),
    ("replay", _replay, REPLAY_COMMANDS),
)
app = _assemble()


def status(arguments: Sequence[str]) -> int:
    """Run one command and give its exit status; bad input is one line on stderr."""
    try:
        for argument in arguments:
            check_text(argument, ConfigError)
        result: Any = app(list(arguments), prog_name="mesocosm", standalone_mode=False)
        sys.stdout.flush()
    except ContractError as error:
        say(f"mesocosm: {error}")
        return FAILED
    except (MesocosmError, TyperException) as error:
        text = error.format_message() if isinstance(error, TyperException) else str(error)
        say(f"mesocosm: {' '.join(text.split())}")
        return BAD_INPUT
    except MemoryError as error:
        say(f"mesocosm: not enough memory: {error}; use fewer --num-envs")
        return BAD_INPUT
    except BrokenPipeError:
        # whoever read us has gone; the interpreter must not flush into the void at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return result if isinstance(result, int) else 0


def main() -> None:
    """Run the command line."""
    sys.exit(status(sys.argv[1:]))
