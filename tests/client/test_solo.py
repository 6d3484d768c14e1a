"""`spades play` and the command line, in processes of their own."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pexpect
import pytest
from typer.testing import CliRunner

from spades_agents import play_local
from spades_client.cli import app
from spades_proto.records import game_json
from spades_proto.software import VERSION
from tests.client.command import Run

GUARD_S = 60


class Program(Protocol):
    @property
    def lines(self) -> list[str]: ...
    @property
    def errors(self) -> str: ...
    def type(self, line: str, /) -> None: ...
    def hang_up(self) -> None: ...
    async def hear(self, text: str, /) -> str: ...
    async def play(self, until: str, /) -> str: ...
    async def end(self) -> int: ...


RunToEnd = Callable[..., Run]
Start = Callable[..., Awaitable[Program]]


def is_plain(text: str) -> bool:
    """Whether a text holds no character that could move a cursor."""
    return all(line.isprintable() for line in text.split("\n"))


# A match by itself


@pytest.fixture(scope="module")
def quick_record(tmp_path_factory: pytest.TempPathFactory, run: RunToEnd) -> tuple[Path, Run]:
    """The match of the README, played once."""
    folder = tmp_path_factory.mktemp("quick")
    path = folder / "m.jsonl"
    arguments = ["play", "--auto", "gentle", "--rules", "quick", "--seed", "7", "--record"]
    return path, run(*arguments, str(path), SPADES_STATE=str(folder / "state"))


def test_a_bot_plays_a_whole_match_over_the_wire_and_the_winner_is_named(
    quick_record: tuple[Path, Run],
) -> None:
    path, done = quick_record
    assert done.status == 0
    assert done.errors == ""
    (winner,) = [line for line in done.lines if line.startswith("The match is over. ")]
    assert re.fullmatch(
        r"The match is over\. .+ win -?\d+ to -?\d+: a side reached the target\.", winner
    )
    assert f"The record is written to {path}." in done.lines
    assert is_plain(done.output)
    assert not any(line.startswith(("Your bid?", "Your card?")) for line in done.lines)


def test_its_record_verifies_and_a_tampered_copy_fails_and_says_where(
    quick_record: tuple[Path, Run], run: RunToEnd, tmp_path: Path
) -> None:
    path, _ = quick_record
    holds = run("verify", str(path))
    assert (holds.status, holds.errors) == (0, "")
    assert re.match(rf"{path}, line 1: holds\. (South and North|West and East) win ", holds.output)
    text = path.read_text(encoding="utf-8")
    copy = tmp_path / "copy.jsonl"
    first, second = re.findall(r'"play":"(\w+)"', text)[:2]
    copy.write_text(text.replace(first, second, 1), encoding="utf-8")
    fails = run("verify", str(copy))
    assert fails.status == 1
    assert re.match(rf"{copy}, line 1: does not hold\. Hand 1, action \d+ ", fails.output)
    piped = run("verify", "-", text=text)
    assert (piped.status, piped.lines[0][:16]) == (0, "-, line 1: holds")


def test_the_same_game_in_process_has_the_same_bytes(quick_record: tuple[Path, Run]) -> None:
    path, _ = quick_record
    (line,) = path.read_text(encoding="utf-8").splitlines()
    local = play_local(["gentle"] * 4, "quick", seed="7")
    game = json.loads(line)["game"]
    assert json.dumps(game, separators=(",", ":"), ensure_ascii=False) == game_json(local.match)
    assert game_json(local.match) in line


def test_the_record_can_be_replayed_as_it_was_told(
    quick_record: tuple[Path, Run], run: RunToEnd
) -> None:
    path, played = quick_record
    told = run("replay", str(path), "--seat", "South")
    assert told.status == 0

    hinted = run("replay", str(path), "--seat", "South", "--hints")
    assert hinted.status == 0
    assert [line for line in hinted.lines if not line.startswith("Hint for South: ")] == told.lines
    assert len(hinted.lines) > len(told.lines)

    def plays(lines: list[str]) -> list[str]:
        return [line for line in lines if re.search(" plays? the ", line)]

    assert plays(told.lines) == plays(played.lines)
    assert len(plays(told.lines)) == 52 * sum(
        line.startswith("Hand ") and "over" in line for line in told.lines
    )


# A match by hand, through pipes


async def test_a_match_is_played_through_pipes_without_an_escape_byte(
    start: Start, tmp_path: Path
) -> None:
    path = tmp_path / "m.jsonl"
    program = await start(
        *["play", "--rules", "max_hands=2,floor=none", "--tempo", "0", "--plain", "--record"],
        str(path),
    )
    await program.play("The match is over.")
    await program.hear("Type again for a rematch, or quit.")
    program.type("quit")
    assert await program.end() == 0
    assert program.errors == ""
    assert all(line.isprintable() for line in program.lines)
    plays = [line for line in program.lines if line.startswith("You play the ")]
    assert len(plays) == 26
    assert program.lines[-1] == "You leave the table."
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1


async def test_a_match_against_bots_can_be_played_without_hints(run: RunToEnd) -> None:
    done = run("play", "--tempo", "0", "--no-hints", text="hint\nbid 3\n")
    told = [line for line in done.lines if line.startswith("The table was opened without hints")]
    assert len(told) == 2
    assert "You bid 3." in done.lines
    with_hints = run("play", "--tempo", "0", text="hint\nbid 3\n")
    assert any(line.startswith("Bid ") for line in with_hints.lines)
    assert not any("without hints" in line for line in with_hints.lines)


async def test_c01_piped_input_without_a_terminal_type_is_a_line_mode_that_works(
    run: RunToEnd,
) -> None:
    script = "bid 3\nhand\nscore\nwho\nhelp\n"
    done = run("play", "--tempo", "0", text=script, TERM=None, COLUMNS=None)
    assert (done.status, done.errors) == (0, "")
    assert "You bid 3." in done.lines
    assert done.lines[-1].startswith("You leave the table.")
    assert is_plain(done.output)


def test_c01_piped_words_that_make_no_sense_are_answered_and_nothing_breaks(run: RunToEnd) -> None:
    done = run("play", "--tempo", "0", text="play\n\x1b[A\n\xff\x00\n--5\n" + "9" * 5000 + "\n")
    assert (done.status, done.errors) == (0, "")
    assert sum("is not understood" in line for line in done.lines) == 3
    assert is_plain(done.output)


def test_c02_an_empty_input_ends_the_program_by_itself(run: RunToEnd) -> None:
    done = run("play")
    assert (done.status, done.errors) == (0, "")
    assert done.lines[-1].startswith("You leave the table.")


# A match by hand, at a terminal


@contextmanager
def at_a_terminal(*arguments: str) -> Generator[pexpect.spawn[str]]:
    """Starts `spades` at a terminal of its own."""
    child: pexpect.spawn[str] = pexpect.spawn(
        str(Path(sys.executable).with_name("spades")),
        list(arguments),
        env={**os.environ, "TERM": "xterm-256color"},
        encoding="utf-8",
        timeout=GUARD_S,
        dimensions=(24, 500),
        echo=False,
    )
    try:
        yield child
    finally:
        child.close(force=True)


def left(child: pexpect.spawn[str]) -> int | None:
    child.expect_exact(pexpect.EOF)
    child.wait()
    return child.exitstatus


def test_c02_control_d_at_the_card_prompt_asks_once_and_leaves_the_second_time() -> None:
    with at_a_terminal("play", "--plain", "--tempo", "0", "--seed", "7") as child:
        child.expect_exact("Your bid?")
        child.sendline("3")
        child.expect_exact("Your card?")
        child.sendeof()
        child.expect_exact("End of input: once more leaves the table.")
        child.sendeof()
        child.expect_exact("You leave the table.")
        assert left(child) == 0


def test_control_c_ends_the_program_in_one_sentence() -> None:
    with at_a_terminal("play", "--plain", "--tempo", "0", "--seed", "7") as child:
        child.expect_exact("Your bid?")
        child.sendintr()
        child.expect_exact(pexpect.EOF)
        rest = str(child.before).replace("^C", "").split("\r\n")
        child.wait()
        assert [line for line in rest[1:] if line] == ["Interrupted."]
        assert child.exitstatus == 130


def test_a_terminal_gets_no_escape_byte_and_plays_a_hand_with_refusals() -> None:
    rules = "max_hands=1"
    with at_a_terminal("play", "--plain", "--rules", rules, "--seed", "7", "--tempo", "0") as child:
        told: list[str] = []
        child.logfile_read = Log(told)
        child.expect_exact("Your bid?")
        child.sendline("14")
        child.expect_exact("Your bid?")
        child.sendline("bid 3")
        child.expect(r"You may play [^\n]*\n")
        child.sendline("2S")
        while child.expect([r"You may play [^\n]*\n", "The match is over"]) == 0:
            child.sendline(str(child.after).split()[3].rstrip("."))
        child.expect_exact("Type again for a rematch, or quit.")
        child.sendline("q")
        assert left(child) == 0
        text = "".join(told).replace("\r\n", "\n")
        assert is_plain(text)
        assert text.count("You play the ") == 13


class Log:
    """A file that pexpect writes into."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    def write(self, text: str) -> None:
        self._told.append(text)

    def flush(self) -> None:
        """Everything is there already."""


# The command line


@dataclass(frozen=True)
class Said:
    """What a command said that ran in this process."""

    status: int
    output: str
    errors: str


def command(*arguments: str) -> Said:
    """Runs a command that ends at once in this process, which is quicker."""
    result = CliRunner().invoke(app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return Said(result.exit_code, result.stdout, result.stderr)


def test_help_and_version_are_told_by_the_program(run: RunToEnd) -> None:
    told = run("--help")
    assert (told.status, told.errors) == (0, "")
    assert told.output == command("--help").output.replace("root", "spades")
    version = run("--version")
    assert (version.status, version.output) == (0, f"spades {VERSION}\n")


COMMANDS = (
    "play", "join", "watch", "tables", "profile", "history", "account", "serve", "agent", "verify",
    "replay",
)  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_every_command_and_each_has_help_of_its_own(name: str) -> None:
    assert re.search(rf"^ +{name} +\S", command("--help").output, re.MULTILINE)
    told = command(name, "--help")
    assert told.status == 0
    assert "Usage: " in told.output


def test_the_help_waits_for_neither_the_rules_nor_the_network() -> None:
    program = (
        "import sys, spades_client.cli;"
        "print(*{'spades', 'grpc', 'asyncio', 'prompt_toolkit'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == ""


def test_a_wrong_command_is_explained_by_the_program_without_a_traceback(run: RunToEnd) -> None:
    done = run("bogus")
    assert (done.status, done.output) == (2, "")
    assert done.errors.splitlines()[-1] == "Error: No such command 'bogus'."
    refused = run("tables", "--server", NOBODY)
    assert (refused.status, refused.output) == (1, "")
    assert refused.errors.count("\n") == 1


NOBODY = "127.0.0.1:1"

WRONG_OPTIONS = [
    (["bogus"], "No such command 'bogus'."),
    (["--bogus"], "No such option: --bogus"),
    (["play", "--level", "a,b"], "give one level, or three parted by commas"),
    (["play", "--tempo", "-1"], "--tempo"),
    (["play", "--tempo", "soon"], "'soon' is no tempo: relaxed, normal, fast, instant are"),
    (["join", "--seat", "Z"], "'Z' is not a seat: South, West, North and East are"),
    (["replay"], "file"),
    (["serve", "--port", "99999"], "--port"),
    (["serve", "--lan", "--insecure"], "without encryption everybody on the network can read"),
    (["serve", "--address", "here"], "'here' is no IP address of this machine"),
    (["serve", "--host", "bad host/x"], "'bad host/x' is no name of a machine"),
    (["serve", "--clock", "soon"], "'soon' is no time control"),
    (["serve", "--key", "key.pem"], "a certificate and its key belong together"),
    (["serve", "--config", "/nowhere.toml"], "/nowhere.toml cannot be read: No such file"),
    (["serve", "--log-level", "loud"], "'loud' is no level: debug, info, warning and error are."),
    (["agent", "run"], "spec"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG_OPTIONS, ids=str)
def test_a_wrong_option_is_explained_in_one_sentence_with_status_2(
    arguments: list[str], said: str
) -> None:
    done = command(*arguments)
    assert done.status == 2
    assert done.output == ""
    (sentence,) = [
        line
        for line in done.errors.splitlines()
        if line and not line.startswith(("Usage: ", "Try '"))
    ]
    assert said.casefold() in sentence.casefold()


REFUSED = [
    (["play", "--rules", "nonsense"], "'nonsense' is neither a preset nor an option"),
    (["play", "--rules", "quick,target=0"], "target=0 is out of range: 10 to 10000 are allowed."),
    (["play", "-o", "foo=1"], "There is no option 'foo'"),
    (
        ["play", "--level", "nobody"],
        "There is no house bot 'nobody': random, beginner, gentle, steady, sharp are.",
    ),
    (["play", "--auto", "nobody"], "There is no bot 'nobody'"),
    (["play", "--name", "x" * 25], "A name has at most 24 characters; this one has 25."),
    (["play", "--name", "\x1b[31m"], "The name cannot hold the character U+001B."),
    (["join", "--server", NOBODY], f"No server answers at {NOBODY}: is it running"),
    (["join", "--server", "nonsense"], "No server answers at nonsense"),
    (["watch", "--server", NOBODY], f"No server answers at {NOBODY}"),
    (["tables", "--server", NOBODY], f"No server answers at {NOBODY}"),
    (["agent", "run", "gentle", "--server", NOBODY], f"No server answers at {NOBODY}"),
    (["agent", "run", "nosuch"], "There is no bot 'nosuch'"),
    (["verify", "nofile"], "nofile cannot be read: No such file or directory."),
    (["replay", "nofile"], "nofile cannot be read: No such file or directory."),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=str)
def test_what_cannot_be_done_is_explained_in_one_sentence_with_status_1(
    arguments: list[str], said: str
) -> None:
    done = command(*arguments)
    assert done.status == 1
    assert done.output == ""
    (sentence,) = done.errors.splitlines()
    assert sentence.startswith(said)
    assert sentence[-1] in ".?"
    assert sentence.isprintable()


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield int(listening.getsockname()[1])


def test_a_port_in_use_is_explained_in_one_sentence(run: RunToEnd, taken_port: int) -> None:
    done = run("serve", "--port", str(taken_port), "--log-level", "error")
    assert done.status == 1
    assert done.output == ""
    assert done.errors == (
        f"Cannot listen on 127.0.0.1:{taken_port}: another program has the port, or the address is"
        " not this machine's. Choose another with --port.\n"
    )


def test_a_fault_of_the_program_is_told_in_a_sentence_and_kept_in_a_file(
    run: RunToEnd, tmp_path: Path
) -> None:
    path = tmp_path / "bot.py"
    path.write_text(
        "from spades_agents import Agent\n"
        "class Broken(Agent):\n"
        "    def bid(self, view):\n        raise RuntimeError('\\x1b[31moh')\n"
        "    def play(self, view):\n        raise RuntimeError('oh')\n"
    )
    done = run("play", "--auto", f"{path}:Broken")
    assert done.status != 0
    assert "Traceback" not in done.errors + done.output
    assert "oh" in done.errors
    assert is_plain(done.errors)


def test_the_reader_of_the_output_may_go_away() -> None:
    spades = Path(sys.executable).with_name("spades")
    with subprocess.Popen(
        [spades, "play", "--auto", "gentle", "--rules", "quick"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"You are at table ")
        process.stdout.close()
        assert process.wait(GUARD_S) == 1
        assert process.stderr.read() == b""


# C05: terminals that cannot show everything

LOCALES: list[dict[str, str | None]] = [
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": None, "LANG": "C", "PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C.UTF-8"},
]


@pytest.mark.parametrize("env", LOCALES, ids=str)
def test_c05_a_name_of_20_cjk_characters_makes_no_encoding_error_in_any_locale(
    run: RunToEnd, env: dict[str, str | None]
) -> None:
    name = "牌" * 20
    done = run("play", "--auto", "gentle", "--rules", "max_hands=1", "--name", name, **env)
    assert (done.status, done.errors) == (0, "")
    assert done.lines[-1] == "You leave the table."
