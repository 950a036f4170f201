"""The program's side of a match, for programs that speak for themselves."""

import json
import sys
import time


class Registry(dict):
    """Programs by name, each a function and what a result says of it.

    The text may have alternatives, with | between; if empty the program plays to the end.
    """

    def __call__(self, reason):
        def register(function):
            self[function.__name__] = (function, reason)
            return function

        return register

    def run(self):
        """Be the program that the command line names."""
        function, _ = self[sys.argv[1]]
        function(Line())


class Line:
    """Reads questions and writes answers."""

    def __init__(self):
        self.begin = None
        self.number = 0

    def read(self):
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        message = json.loads(line)
        self.number = message.get("number", 0)
        return message

    def write(self, text):
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def start(self):
        self.begin = self.read()
        self.write('{"kind": "ready"}')

    def action(self, **more):
        spec = self.begin["spec"]
        row = [0] * len(spec["action"]["choices"])
        rows = [[row] * spec["num_agents"]] * spec["num_envs"]
        return json.dumps({"kind": "action", "number": self.number, "choice": rows} | more)

    def play(self):
        while True:
            self.read()
            self.write(self.action())

    def answer(self, text):
        self.start()
        self.read()
        self.write(text)
        time.sleep(60)
