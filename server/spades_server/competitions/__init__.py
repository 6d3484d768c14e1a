"""Competitions on a server: entries, tables on the same deals, results that can be verified."""
