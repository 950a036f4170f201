"""One declarative object that describes an experiment completely.

`schema` has the five sections (`layers` one of them), `source` reads files, `validate` turns plain
data into a config, `agents` applies a config's agents to a spec, `identity` writes and hashes one.

Imports point down: validate | identity | agents → schema | source | glob → layers → section.
"""
