"""`spades agent check`: in words and in JSON, and an exit status that a script can heed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spades_client.checking import check_bot

BOTS = """
import sys
from spades_agents.bots import Beginner

class Good(Beginner):
    name = "good"

class Bad(Beginner):
    name = "bad"
    def play(self, view):
        raise ZeroDivisionError("nothing left")

class Leaving(Beginner):
    name = "leaving"
    def play(self, view):
        sys.exit("no more")

class Unmade(Beginner):
    def __init__(self):
        sys.exit("no model")
"""


@pytest.fixture
def bots(tmp_path: Path) -> str:
    path = tmp_path / "bots.py"
    path.write_text(BOTS, encoding="utf-8")
    return str(path)


def test_a_good_bot_passes_in_plain_words(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_bot(f"{bots}:Good", 5.0, as_json=False) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert lines[0] == "passed  ready            gets ready (it is called good)"
    assert "passed  follow-suit      follows suit when it can" in lines
    assert lines[-1] == f"{len(lines) - 1} passed."
    assert said.err == ""


def test_a_bad_bot_fails_and_its_traceback_is_told_once(
    bots: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_bot(f"{bots}:Bad", 5.0, as_json=False) == 1
    said = capsys.readouterr().out
    assert "failed  last-trick       plays its last card\n" in said
    assert said.count("ZeroDivisionError: nothing left") > 10
    assert said.count("Traceback (most recent call last)") == 1
    assert said.splitlines()[-1].split(", ")[1].endswith(" failed")


def test_a_bot_that_exits_fails_where_it_does_and_the_check_goes_on(
    bots: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_bot(f"{bots}:Leaving", 5.0, as_json=False) == 1
    said = capsys.readouterr().out
    assert "passed  first-bid        bids first, from 0 to 13\n" in said
    assert "failed  last-trick       plays its last card\n" in said
    assert "SystemExit: no more" in said
    assert "passed  close" in said


def test_a_bot_that_cannot_be_made_is_not_ready_and_asked_nothing(
    bots: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_bot(f"{bots}:Unmade", 5.0, as_json=False) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "failed  ready            gets ready"
    assert lines[-2:] == ["        SystemExit: no model", "1 failed."]


def test_findings_are_written_as_json(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_bot(f"{bots}:Bad", 5.0, as_json=True) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["bot"], report["passed"]) == (1, f"{bots}:Bad", False)
    by_clause = {one["clause"]: one for one in report["findings"]}
    assert by_clause["first-bid"]["verdict"] == "passed"
    assert by_clause["last-trick"]["verdict"] == "failed"
    assert by_clause["self-match"]["verdict"] == "noted"
    assert all(one["demand"] for one in report["findings"])


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("nobody", "There is no bot 'nobody'"),
        ("cmd:", "cmd: names no program"),
        ("misbehaving:nicely", "No bot misbehaves in the way 'nicely'"),
        ("net:./bot", "'./bot' does not say where the link goes: write {link} there."),
    ],
)
def test_what_names_no_bot_is_refused_in_a_sentence(
    spec: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_bot(spec, 1.0, as_json=False) == 1
    said = capsys.readouterr()
    assert said.err.startswith(sentence)
    assert said.err.count("\n") == 1
    assert said.out == ""
