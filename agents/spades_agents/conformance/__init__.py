"""Does a bot keep the rules, its time and its manners? ``spades agent check`` in a program's hands."""

from spades_agents.conformance.check import LIMIT_S, check, check_networked
from spades_agents.conformance.findings import Finding, Verdict

__all__ = ["LIMIT_S", "Finding", "Verdict", "check", "check_networked"]
