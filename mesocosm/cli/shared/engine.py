"""Who does the work of a command: this process, or Ray."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal, NamedTuple

import typer

from mesocosm.cli.shared.options import at_least
from mesocosm.cli.shared.output import say
from mesocosm.core.errors import ConfigError
from mesocosm.evaluation.jobs.job import LOCAL, Executor

LOCAL_ENGINE, RAY_ENGINE = "local", "ray"
EngineName = Annotated[
    Literal["local", "ray"],
    typer.Option("--engine", help="Who does the work: this process, or Ray's workers."),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Of a Ray cluster that runs; if not said, one is started on this machine.",
    ),
]
Shards = Annotated[
    int | None,
    typer.Option(help="Jobs that Ray gets; one for each batch of every bout if not said."),
]


class Engine(NamedTuple):
    """Who does the work."""

    name: str = LOCAL_ENGINE
    address: str | None = None
    shards: int | None = None


def choose_engine(name: str, address: str | None, shards: int | None = None) -> Engine:
    """Check what was asked; refuse what would do nothing."""
    at_least(1, shards=shards)
    for option, value in {"--address": address, "--shards": shards}.items():
        if value is not None and name == LOCAL_ENGINE:
            raise ConfigError(f"{option}: is for --engine ray")
    return Engine(name, address, shards)


@contextmanager
def open_executor(engine: Engine) -> Iterator[Executor]:
    """Give who carries out jobs; a Ray that was started for it ends with it."""
    if engine.name == LOCAL_ENGINE:
        yield LOCAL
        return
    from mesocosm.distributed import executor

    with executor.open_executor(engine.address, num_shards=engine.shards, say=say) as made:
        yield made
