"""Turn what Numba says about a rule into one sentence: where it is, and what is wrong."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mesocosm.core.errors import RuleError
from mesocosm.core.world import World
from mesocosm.sim.rule import RULES

ENGINE = ("mesocosm.sim.", "mesocosm_step_")
STEP = re.compile(r"\(step: [^)]*\)\n+\s*(.+)")
CALLED = re.compile(r"No implementation of function Function\(<function (\w+) at ")
PLACE = re.compile(r'File "([^"]+)", line (\d+):|at (\S+\.py) \((\d+)\)')
# what Numba says: what it means
MEANINGS: tuple[tuple[str, str], ...] = (
    (
        r"Untyped global name '(\w+)'.*(?:<class 'function'>|'function')",
        "calls {0!r}, which is not marked with @rule",
    ),
    (r"Untyped global name '(\w+)'", "uses {0!r}, which is no number and no rule"),
    (r"Unknown attribute '(\w+)' of type (\w+)", "uses {0!r}, which {1} does not have"),
    (r"NameError: name '(\w+)' is not defined", "uses {0!r}, which is not defined"),
    (
        r"Cannot unify (.+?) and (.+?) for '(\w+)[\w.]*'",
        "{2!r} is {0} in one place and {1} in another",
    ),
    (r"Can't unify return type|cannot unify return", "gives values of different types back"),
    (r"NRT required", "allocates memory: rules make no arrays, lists or strings"),
    (r"Only accept returning of array", "allocates an array: rules allocate nothing"),
    (
        r"<built-in function (getitem|setitem)>",
        "indexes with what is no integer",
    ),
    (
        r"No implementation of function Function\(<built-in function (\w+)>\)",
        "uses {0!r} on values that it does not take",
    ),
)


@contextmanager
def diagnosing(world: World) -> Iterator[None]:
    """Raise what Numba says about a world's rules as a `RuleError`."""
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith("numba"):
            raise
        raise diagnose(world, error) from error


def diagnose(world: World, error: Exception) -> RuleError:
    """Say in one sentence why a world's rules do not compile."""
    text = str(error)
    names = {function.__name__ for function in RULES}
    path, line = _place(text)
    where = f"{_function_at(path, line)} ({path}:{line}) " if path else ""
    return RuleError(f"{world.name}: {where}{_reason(text, names)}")


def _reason(text: str, names: set[str]) -> str:
    """Translate the first complaint that is not about calling another rule."""
    said = [line.strip() for line in STEP.findall(text)] or [text.strip().partition("\n")[0]]
    own = [line for line in said if not _is_call(line, names)]
    first = (own or said[-1:])[0]
    for pattern, meaning in MEANINGS:
        found = re.search(pattern, first) or (None if own else re.search(pattern, text))
        if found:
            return meaning.format(*(_plain(part) for part in found.groups()))
    called = CALLED.search(first)
    if called:
        return f"calls {called[1]!r} with arguments that it does not take"
    return f"does not compile: {first[:200]}"


def _is_call(line: str, names: set[str]) -> bool:
    called = CALLED.match(line)
    return called is not None and called[1] in names


def _plain(kind: str) -> str:
    """Name a Numba type as a person would."""
    kind = re.sub(r"Literal\[(\w+)\]\([^)]*\)", r"\1", kind)
    return {"unicode_type": "a string", "none": "None"}.get(kind, kind)


def _place(text: str) -> tuple[Path | None, int]:
    """Find the innermost place in a file of rules that is not the engine's: it is named first."""
    own = [rule for rule in RULES if not rule.__module__.startswith(ENGINE)]
    sources = sorted({Path(rule.__code__.co_filename).resolve() for rule in own})
    for match in PLACE.finditer(text):
        named, line = match[1] or match[3], int(match[2] or match[4])
        for path in sources:
            if path.as_posix().endswith(named.removeprefix("..").lstrip("./")):
                return path, line
    return None, 0


def _function_at(path: Path | None, line: int) -> str:
    """Name the rule that holds a line."""
    best, start = "a rule", 0
    for function in RULES:
        code = function.__code__
        in_file = path is not None and Path(code.co_filename).resolve() == path.resolve()
        if in_file and start < code.co_firstlineno <= line:
            best, start = function.__name__, code.co_firstlineno
    return best
