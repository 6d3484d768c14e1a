"""Competitions: units, schedules, faults, a journal, statistics, ratings and reports."""
