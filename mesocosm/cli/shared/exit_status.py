"""The exit statuses of commands."""

FAILED = 1  # what was to be proven does not hold
BAD_INPUT = 2
INTERRUPTED = 130  # as a shell says that Ctrl-C ended something
BROKEN_PIPE = 141  # as a shell says that nobody read the output
