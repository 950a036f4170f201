"""The conformance suite and the audit that ship with the package."""

from mesocosm.testing.conformance import CheckReport, check_world
from mesocosm.testing.perturb import AuditReport, Leak, audit

__all__ = ["AuditReport", "CheckReport", "Leak", "audit", "check_world"]
