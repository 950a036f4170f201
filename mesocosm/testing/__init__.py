"""The conformance suite and the audit that ship with the package.

`conformance` runs the checks (`plain_python`; `structure`, `repetition`, `endings` and `bodies` as
listed in `checks`; `purity`; `scribble`) and the audit (`leaks`, with `perturb` and `reads`); each
check gets a `case`. `effects` finds out what each setting of each layer does, with `trials`.
`coverage`, `edits`, `layered`, `reload` and `play` draw states, settings and actions for tests.
`adapter` proves adapters. Imports point from the former to the latter.
"""

from mesocosm.testing.adapter.check import AdapterReport, check_adapter
from mesocosm.testing.conformance import CheckReport, check_world
from mesocosm.testing.leaks import AuditReport, Leak, audit

__all__ = [
    "AdapterReport",
    "AuditReport",
    "CheckReport",
    "Leak",
    "audit",
    "check_adapter",
    "check_world",
]
