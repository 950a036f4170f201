"""Fail on Python files and functions that have grown too long to read."""

import ast
import sys
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def problems(path: Path) -> list[str]:
    """List what is too long in one file."""
    text = path.read_text(encoding="utf-8")
    count = len(text.splitlines())
    found = [f"{path}: {count} lines, at most {MAX_FILE_LINES}"] if count > MAX_FILE_LINES else []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > MAX_FUNCTION_LINES:
                where = f"{path}:{node.lineno}: {node.name}"
                found.append(f"{where}: {size} lines, at most {MAX_FUNCTION_LINES}")
    return found


def main(folders: list[str]) -> int:
    """Check every Python file in the folders; give the exit status."""
    files = sorted(path for folder in folders for path in Path(folder).rglob("*.py"))
    found = [line for path in files for line in problems(path)]
    print("\n".join(found) or f"{len(files)} files are short enough")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
