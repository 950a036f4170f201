"""Run the command line as `python -m mesocosm.cli`."""

from mesocosm.cli.app import main

main()
