"""What outlives the process: players, tables and what was done at them, and records."""
