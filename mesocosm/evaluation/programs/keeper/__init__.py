"""What stands between a match and a program: run as a script (`python -I -S FOLDER`), stdlib only.

Imports point down: __main__ → room | processes.
"""
