"""The conformance suite and the audit that ship with the package."""

from mesocosm.testing.perturb import AuditReport, Leak, audit
from mesocosm.testing.conformance import CheckReport, check_world

__all__ = ["AuditReport", "CheckReport", "Leak", "audit", "check_world"]
