"""Runs one of the programs that misbehave; see :mod:`spades_agents.misbehaving.programs`."""

from __future__ import annotations

import sys

from spades_agents.misbehaving.programs import PROGRAMS, main

if len(sys.argv) == 2 and sys.argv[1] in PROGRAMS:
    main(sys.argv[1])
else:
    sys.exit(f"Name one kind: {', '.join(PROGRAMS)}.")
