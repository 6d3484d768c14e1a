"""Tests of Ctrl-C do not depend on how the tests were started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

LISTENING = """
import signal
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""

IGNORING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""What a shell does that starts something in the background."""


def test_ctrl_c_is_heard_here_and_in_what_a_test_starts() -> None:
    started = subprocess.run(
        [sys.executable, "-c", LISTENING], capture_output=True, text=True, check=True
    )
    assert started.stdout == "True\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_is_heard_where_a_shell_has_started_the_tests_to_ignore_it() -> None:
    test = f"{Path(__file__)}::{test_ctrl_c_is_heard_here_and_in_what_a_test_starts.__name__}"
    # The inner tests are no part of the outer ones.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    inner = subprocess.run(
        [sys.executable, "-c", IGNORING, "-m", "pytest", "-q", test],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
        env=environment,
    )
    assert inner.returncode == 0, inner.stdout
    assert "1 passed" in inner.stdout
