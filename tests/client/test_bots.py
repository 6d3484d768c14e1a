"""`spades agent run` and `--auto` with programs: they play, and what does not start is told in a sentence."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from spades import EndReason
from spades_proto.verification import read_records
from spades_server.app import running
from spades_server.config import ServerConfig

LINES = Path(__file__).parents[2] / "examples" / "bots" / "lines.py"
PROGRAM = f"cmd:'{sys.executable}' '{LINES}'"


def spades(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "spades_client", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "match.jsonl"


def test_a_program_plays_ones_own_seat(tmp_path: Path, record: Path) -> None:
    words = ("play", "--plain", "--auto", PROGRAM, "--rules", "classic,max_hands=1", "--seed", "7")
    done = spades(*words, "--record", str(record), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    with record.open(encoding="utf-8") as file:
        (verified,) = read_records(file)
    assert len(verified.match.sheet) == 1


@pytest.mark.parametrize("command", ["./nothing --fast", "sh -c 'echo no weights >&2; exit 3'"])
def test_a_program_that_does_not_start_is_told_in_a_sentence(tmp_path: Path, command: str) -> None:
    done = spades("play", "--plain", "--auto", f"cmd:{command}", cwd=tmp_path)
    assert done.returncode == 1
    first, *evidence = done.stderr.splitlines()
    assert first.endswith(("No such file or directory.", "with exit code 3 before it was ready."))
    assert evidence in ([], ["no weights"])
    assert "Traceback" not in done.stderr


HEARING = """
from spades_agents.bots import Beginner

class Hearing(Beginner):
    def get_ready(self):
        self.say("ready")

    def start_match(self, seat, rules):
        self.say(f"start at {seat}, {rules.max_hands} hand")

    def bid(self, view):
        self.say("bid")
        return super().bid(view)

    async def end_match(self, seat, outcome):
        self.say(f"end at {seat}: {outcome.reason.value}")

    def close(self):
        self.say("closed")

    def say(self, text):
        with open("heard.txt", "a") as file:
            file.write(text + "\\n")
"""


def test_a_bot_at_ones_own_seat_hears_of_its_match_and_is_closed(tmp_path: Path) -> None:
    (tmp_path / "hearing.py").write_text(HEARING, encoding="utf-8")
    words = ("play", "--plain", "--auto", "hearing.py:Hearing", "--rules", "classic,max_hands=1")
    done = spades(*words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "heard.txt").read_text().splitlines() == [
        "ready",
        "start at South, 1 hand",
        "bid",
        f"end at South: {EndReason.MAX_HANDS.value}",
        "closed",
    ]


async def test_a_program_that_ends_again_and_again_is_given_up_in_a_sentence(
    tmp_path: Path,
) -> None:
    path = tmp_path / "dying.py"
    path.write_text("input()\nprint('{\"ready\": {}}', flush=True)\ninput()\nexit(5)\n")
    program = f"cmd:{sys.executable} {path}"
    async with running(ServerConfig(port=0, tempo_ms=0)) as server:
        target = f"127.0.0.1:{server.port}"
        run = ("agent", "run", program, "--server", target)
        done = await asyncio.to_thread(spades, *run, cwd=tmp_path)
    assert done.returncode == 1
    assert "is given up: it ended 3 times in a row without a good answer." in done.stderr
    assert done.stderr.rstrip().endswith("dying.py ended with exit code 5.")
    assert "Traceback" not in done.stderr
