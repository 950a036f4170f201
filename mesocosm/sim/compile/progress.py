"""Tell a person how far compiling is: rules done of all, then linking, and the time left."""

import os
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from mesocosm.sim.compile.fingerprint import reached_functions
from mesocosm.sim.rule import RULES

LINKING_SHARE = 0.25  # of the time, measured on all worlds: linking and optimising, after all rules
FIRST_GUESS = 0.02  # of the work must be done before time is told
REFRESHES_PER_S = 5

_current: ContextVar["Compilation | None"] = ContextVar("compilation", default=None)


def rule_compiled(function: Callable[..., Any]) -> None:
    """Take note that a rule is done, once or again, where a person is told about it."""
    compilation = _current.get()
    if compilation is not None:
        compilation.note(function)


class Compilation:
    """One step on its way to machine code; a context that tells while it lasts.

    Args:
        entry: The rule that calls all others; when it is done only linking is left.
    """

    def __init__(self, name: str, target: str, entry: Callable[..., Any]) -> None:
        self.name, self.target, self._entry = name, target, entry
        rules = {id(function) for function in RULES}
        found = [rule for rule in reached_functions([entry]) if id(rule) in rules]
        self._waiting = {id(rule): len(rule.__code__.co_code) for rule in found}
        self.total, self.done = len(found), 0
        self._size, self._done_size = sum(self._waiting.values()), 0
        self._linking_since = 0.0
        self._bar: Any = None
        self.begin, self.seconds = time.monotonic(), 0.0

    def note(self, function: Callable[..., Any]) -> None:
        """Count a rule; a rule that is compiled for several types of arguments counts once."""
        size = self._waiting.pop(id(function), None)
        if size is not None:
            self.done, self._done_size = self.done + 1, self._done_size + size
        if function is self._entry and not self.linking:
            self._linking_since = time.monotonic()
        if self._bar is not None:
            self._bar.update(0, completed=self.fraction)

    @property
    def linking(self) -> bool:
        """Whether all rules are done."""
        return self._linking_since > 0.0

    @property
    def fraction(self) -> float:
        """Tell how much of the work is done, by the size of rules."""
        if self.linking:
            return 1 - LINKING_SHARE
        return self._done_size / max(self._size, 1) * (1 - LINKING_SHARE)

    def seconds_left(self, now: float) -> float | None:
        """Guess how long it takes still, from how long it took so far; none in the beginning."""
        fraction = self.fraction
        if fraction < FIRST_GUESS:
            return None
        known = self._linking_since if self.linking else now
        expected = (known - self.begin) / fraction
        return max(expected - (now - self.begin), 0.0)

    def standing(self) -> str:
        """Say how far it is."""
        left = self.seconds_left(time.monotonic())
        parts = [f"{self.done}/{self.total} rules"]
        parts += ["linking"] * self.linking
        parts += [] if left is None else [f"about {max(round(left), 1)} s left"]
        return ", ".join(parts)

    def __enter__(self) -> "Compilation":
        self.begin = time.monotonic()
        self._token = _current.set(self)
        if not os.environ.get("MESOCOSM_QUIET") and sys.stderr is not None:
            if sys.stderr.isatty():
                self._bar = _make_bar(self)
            else:
                announce(self.name, self.target)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        _current.reset(self._token)
        self.seconds = time.monotonic() - self.begin
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
            if error is None:
                said = f"mesocosm: compiled {self.name} for {self.target} in {self.seconds:.1f} s"
                print(said, file=sys.stderr, flush=True)


def _make_bar(compilation: Compilation) -> Any:
    """Draw a bar on the terminal; importing rich takes a tenth of a second."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
    from rich.text import Text

    class Standing(ProgressColumn):
        """What the compilation says of itself, at every refresh."""

        def render(self, task: Any) -> Text:
            return Text(compilation.standing(), no_wrap=True)

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(20),
        Standing(),
        console=console,
        refresh_per_second=REFRESHES_PER_S,
        transient=True,
    )
    bar.add_task(f"compiling {compilation.name} for {compilation.target}", total=1.0)
    bar.start()
    console.show_cursor(True)  # Ctrl-C may end the process before it could be shown again
    return bar


def announce(name: str, target: str) -> None:
    """Say in one line that compiling takes a moment."""
    if not os.environ.get("MESOCOSM_QUIET"):
        message = f"mesocosm: compiling {name} for {target} (once; the result is cached) ..."
        print(message, file=sys.stderr, flush=True)
