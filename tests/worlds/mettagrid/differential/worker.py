"""A process that answers one JSON line with another, and may die or hang."""

import json
import os
import select
import subprocess
import sys

from tests.worlds.mettagrid.differential.names import Json


class Worker:
    """A module of this package that serves requests."""

    def __init__(self, module: str, **variables: str) -> None:
        self._variables = variables
        self._module = f"tests.worlds.mettagrid.differential.{module}"
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, request: Json, patience_s: float) -> Json:
        """Return the answer, or how the worker failed to give one."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self._module],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.getcwd(), **self._variables},
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], patience_s)
        line = process.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        self.close()
        how = "hangs" if not ready else f"died with {process.returncode}"
        return {"status": "crash", "why": f"ours {how}", "runs": [how]}

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process.wait()
            self._process = None
