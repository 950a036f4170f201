"""Foreign programs: each in a closed room of its own, asked for actions in lines of JSON.

`ProgramPolicy` is a policy like any other, whose actions come from such a program. Imports point
down: program_policy → player_process | command | handed → message | limits | fault; `player` is
the program's side, `keeper` what stands between.
"""
