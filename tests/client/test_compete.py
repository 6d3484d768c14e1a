"""`spades compete` as it is typed."""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from spades_arena.events import EventFolder
from spades_arena.runner import Progress
from spades_client.bar import pace
from spades_client.cli import app
from spades_client.competing import resume_command
from tests.arena.scene import SEED, an_event

MATCH = ["compete", "match", "gentle", "beginner", "--games", "20000"]
QUICK = ["--rules", "quick,target=100,max_hands=2"]


def type_in(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["compete", *map(str, words)])


def test_a_match_ends_with_a_verdict_an_interval_and_the_path_of_a_report(tmp_path: Path) -> None:
    out = tmp_path / "event"
    done = type_in(
        "match",
        "random",
        "beginner",
        "--games",
        "20",
        "--jobs",
        "2",
        "--seed",
        "1",
        "--out",
        out,
        *QUICK,
    )

    assert done.exit_code == 0, done.output
    first, figures, control, report = done.output.splitlines()
    assert first == "random is worse than beginner."
    assert re.match(
        r"random – beginner: 0\.\d+ (± \d\.\d+|\[0\.\d+, 0\.\d+\]) points a unit", figures
    )
    assert "95 % t intervals" in figures
    assert control == "Self-match control: it ended level."
    assert report == f"Report: {out / 'report.html'}"
    assert (out / "report.html").read_text().startswith("<!doctype html>")


def test_an_event_is_looked_at_and_verified(tmp_path: Path) -> None:
    out = tmp_path / "event"
    type_in("round-robin", "random", "beginner", "gentle", "--games", "4", "--out", out, *QUICK)
    status, report, verified = (type_in(word, out) for word in ("status", "report", "verify"))

    assert "9 of 9 units are done" in status.output
    assert "1. " in status.output
    assert report.exit_code == 0
    assert verified.output == f"{out} holds: 18 records; 9 of 9 units are done.\n"
    (out / "report.md").write_text("I won.\n")
    tampered = type_in("verify", out)
    assert tampered.exit_code == 1
    assert tampered.output.splitlines()[0].startswith("report.md, line 1: byte 1")


def test_an_event_can_be_played_again_from_its_file_and_its_seed(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    type_in("match", "gentle", "beginner", "--games", "4", "--out", first, *QUICK)
    head = json.loads((first / "report.json").read_text())["head"]
    seed = head["command"].split()[-1]
    refused = type_in("run", first / "event.json", "--seed", "other", "--out", second)
    again = type_in("run", first / "event.json", "--seed", seed, "--out", second)

    assert refused.exit_code == 1
    assert "has committed itself to a seed" in refused.output
    assert again.exit_code == 0, again.output
    assert (first / "report.md").read_bytes() == (second / "report.md").read_bytes()


def test_the_status_of_an_event_tells_what_its_faults_were(tmp_path: Path) -> None:
    bot, out = tmp_path / "rude.py", tmp_path / "event"
    bot.write_text(
        "from spades_agents import Agent\n\n\nclass Rude(Agent):\n"
        "    def bid(self, view):\n        return 3\n\n"
        "    def play(self, view):\n        raise ValueError('no cards, please')\n"
    )
    type_in("match", bot, "gentle", "--games", "2", "--out", out, *QUICK)
    lines = type_in("status", out).output.splitlines()

    assert lines[-1].startswith("rude had faults: crashed: ")
    assert "no cards, please" in lines[-1]


@pytest.mark.parametrize("command", ["match", "round-robin", "gauntlet", "test"])
def test_entries_have_the_names_that_they_are_given(command: str, tmp_path: Path) -> None:
    out = tmp_path / "event"
    length = ("--boards", "50") if command == "test" else ("--games", "2")
    done = type_in(command, "Old one=random", "new=beginner", *length, "--out", out, *QUICK)

    assert done.exit_code == 0, done.output
    entries = json.loads((out / "event.json").read_text())["entries"]
    assert [(one["name"], one["spec"]) for one in entries] == [
        ("Old one", "random"),
        ("new", "beginner"),
    ]
    assert "Old one" in done.output


def test_the_command_that_resumes_can_be_typed_whatever_the_folder_is_called() -> None:
    assert resume_command(Path("cups/the O'Neill & co")) == (
        """spades compete resume 'cups/the O'"'"'Neill & co'"""
    )


def test_a_file_describes_an_event(tmp_path: Path) -> None:
    file, out = tmp_path / "event.toml", tmp_path / "event"
    file.write_text(
        'format = "gauntlet"\nunits = 1\nrules = "quick,max_hands=1"\nseed = "x"\n'
        'entries = ["gentle", "random", "beginner"]\n'
    )
    done = type_in("run", file, "--out", out)

    assert done.exit_code == 0, done.output
    assert json.loads((out / "event.json").read_text())["seed_chosen"] is True


@pytest.mark.once
def test_a_sequential_test_says_what_it_decided(tmp_path: Path) -> None:
    words = ["test", "beginner", "random", "--high", "90", "--seed", "7"]
    done = type_in(*words, "--out", tmp_path / "event")

    assert done.exit_code == 0, done.output
    assert done.output.startswith("Sequential test: the upper bound is accepted after ")


@pytest.mark.once
def test_a_sequential_test_that_may_end_undecided_says_so_first(tmp_path: Path) -> None:
    words = ["test", "beginner", "random", "--boards", "60", "--seed", "7"]
    done = type_in(*words, "--out", tmp_path / "event", *QUICK[:2])

    assert done.exit_code == 0, done.output
    assert done.output.startswith(
        "A test between 0 and 2 points per deal takes about 766 boards if one of the two is true: of 60"
        " boards it may well end undecided."
    )


def test_a_file_with_a_test_that_cannot_be_decided_is_refused(tmp_path: Path) -> None:
    file, out = tmp_path / "event.toml", tmp_path / "event"
    file.write_text(
        'format = "test"\nunits = 60\nentries = ["gentle", "random"]\n[test]\nlow = 0\nhigh = 5\n'
    )
    done = type_in("run", file, "--out", out)

    assert done.exit_code == 1
    assert "A test of 120 games (60 units) cannot decide between 0 and 5" in done.output
    assert not out.exists()


def test_power_tells_how_many_units_it_takes(tmp_path: Path) -> None:
    out = tmp_path / "event"
    type_in("match", "gentle", "beginner", "--games", "12", "--seed", "power", "--out", out, *QUICK)

    assert type_in("power", "2").output.startswith("1,515 units")
    assert "--boards 1515)" in type_in("power", "2").output
    assert "(each two games, --games " in type_in("power", "0.1", "--games").output
    assert f"that of {out}" in type_in("power", "0.2", "--from", out).output
    assert type_in("power", "0").exit_code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "gentl", "beginner"), "There is no bot 'gentl'"),
        (("match", "gentle", "nowhere.py"), "There is no file nowhere.py"),
        (("match", "gentle", "new=nowhere.py"), "There is no file nowhere.py"),
        (("match", "=gentle", "gentle"), "'=gentle' does not name an entry"),
        (("match", "", "gentle"), "There is no bot ''"),
        (("match", "./", "gentle"), "There is no bot './'"),
        (("match", "cmd:", "gentle"), "cmd: names no program"),
        (("match", "cmd:'a", "gentle"), "No closing quotation"),
        (("gauntlet", "one=gentle", "one=sharp"), "Two entries are called 'one'"),
        (("match", "gentle", "beginner", "--games", "5"), "5 games make no units"),
        (("match", "gentle", "beginner", "--rules", "whist"), "'whist' is neither"),
        (("match", "gentle", "beginner", "--clock", "soon"), "is no time control"),
        (("match", "gentle", "beginner", "--seed", " "), "A seed is a word"),
        (("test", "gentle", "beginner", "--low", "3"), "decide nothing"),
        (
            ("test", "gentle", "beginner", "--games", "40"),
            "that takes 722 games (361 units) at least",
        ),
        (("test", "gentle", "beginner", "--boards", "49"), "that takes 50 boards at least."),
        (("round-robin", "gentle"), "An event has 2 to 100 entries, not 1"),
        (("gauntlet", "gentle", "random", "--challengers", "2"), "challengers=2 is out of range"),
        (("run", "none.toml"), "none.toml cannot be read"),
        (("resume", "nowhere"), "nowhere holds no event"),
        (("status", "nowhere"), "nowhere holds no event"),
        (("verify", "nowhere"), "nowhere holds no event"),
        (("status", "7P7YST"), "name the server with --server."),
        (("verify", "7p7yst"), "name the server with --server."),
        (("report", "7P7YST"), "`spades compete verify --server --out` downloads it"),
        (("resume", "7P7YST"), "`spades compete verify --server --out` downloads it"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = type_in(*words)

    assert done.exit_code == 1
    assert said in done.output
    assert "Traceback" not in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("match", "gentle", "random", "--games", "4", "--boards", "2"), "--games and --boards"),
        (("round-robin", "gentle", "random", "--games", "4", "--boards", "2"), "--games and"),
        (("gauntlet", "gentle", "random", "--games", "4", "--boards", "2"), "--games and"),
        (("test", "gentle", "random", "--games", "4", "--boards", "90"), "--games and --boards"),
        (("power", "2", "--sd", "3", "--from", "cup"), "--sd and --from exclude each other"),
        (("power", "2", "--games", "--from", "cup"), "--games and --from exclude each other"),
        (("create", "Cup", "--games", "4", "--boards", "2"), "--games and --boards"),
        (("create", "Cup", "--strict", "--strikes", "4"), "--strikes and --strict"),
        (("create", "Cup", "--challengers", "2"), "--challengers is for a gauntlet"),
        (("create", "Cup", "--format", "match", "--challengers", "1"), "is for a gauntlet"),
        (("status", "cup", "--insecure"), "--insecure is for an event of a server"),
        (("verify", "cup", "--out", "there"), "--out is for an event of a server"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = type_in(*words)

    assert done.exit_code == 2
    assert said in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nan",), "nan is out of range: a difference of 0.000001 to 1,000,000"),
        (("1e-300",), "1e-300 is out of range"),
        (("2", "--sd", "inf"), "Invalid value for '--sd'"),
    ],
)
def test_a_question_that_no_number_answers_is_refused(words: tuple[str, ...], said: str) -> None:
    done = type_in("power", *words)

    assert done.exit_code == 2
    # Typer breaks lines as the terminal's width wants it.
    assert said in " ".join(done.output.split())


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> object:
        return None if name == "scipy" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    done = type_in("match", "gentle", "beginner")

    assert done.exit_code == 1
    assert done.output == "Competitions need scipy: install it with pip install 'spades[arena]'.\n"


def test_help_imports_nothing_that_takes_time() -> None:
    program = (
        "import sys, spades_client.cli; print([n for n in ('numpy', 'scipy', 'matplotlib',"
        " 'spades_arena', 'multiprocessing') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of this kind")
def test_ctrl_c_on_a_terminal_shows_the_command_that_resumes(tmp_path: Path) -> None:
    out = tmp_path / "event"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "spades_client", *MATCH, "--out", str(out)],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    pressed = False
    while True:
        try:
            seen += os.read(ours, 4_096)
        except OSError:
            break
        if not pressed and b"units/s" in seen:
            os.killpg(process.pid, signal.SIGINT)
            pressed = True
    os.close(ours)

    assert process.wait() == 130
    text = seen.decode(errors="replace")
    assert "gentle – beginner" in text
    assert "Ctrl-C again drops them" in text
    assert "spades compete resume" in text
    resumed = type_in("status", out)
    assert "units are done" in resumed.output


def test_the_status_of_an_event_offers_to_go_on_unless_a_program_plays_it(tmp_path: Path) -> None:
    out = tmp_path / "event"
    spec = an_event(units=3)
    folder = EventFolder.create(out, spec, SEED)
    with folder.journal():
        running = type_in("status", out).output
    stopped = type_in("status", out).output

    assert "The event goes on: at most 3 more units are to be played." in running
    assert "A program plays it now." in running
    assert "resume" not in running
    assert f"Go on with: spades compete resume {out}" in stopped
    assert "plays it now" not in stopped


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Progress(0, 100, 0, 0.0), ""),
        (Progress(20, 100, 20, 10.0), "2.0 units/s, 40 s left"),
        (Progress(20, 100, 10, 100.0), "10.0 s/unit, 13 min left"),
        (Progress(1, 1_000, 1, 10.0), "10.0 s/unit, 2 h 46 min left"),
    ],
)
def test_the_bar_tells_the_pace_and_the_time_that_is_left(step: Progress, words: str) -> None:
    assert pace(step) == words
