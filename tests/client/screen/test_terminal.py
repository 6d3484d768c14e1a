"""The command on real terminals: whole matches by keys and by mouse, and the terminal given back."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest

from spades_client.screen.terminal import ESCAPE_S


class Terminal(Protocol):
    """The command on a terminal of its own."""

    child: Any
    screen: Any
    raw: str

    @property
    def text(self) -> str: ...
    def until(self, seen: str | Callable[[str], bool], /) -> str: ...
    def press(self, keys: str, /) -> None: ...
    def click(self, words: str, /) -> None: ...
    def resize(self, columns: int, rows: int, /) -> None: ...
    def ended(self) -> int: ...


Start = Callable[..., Terminal]
SPADES = str(Path(sys.executable).with_name("spades"))


def given_back(terminal: Terminal) -> None:
    """The last bytes leave the alternate screen, show the cursor and report no mouse."""
    raw = terminal.raw
    assert raw.rfind("\x1b[?1049l") > raw.rfind("\x1b[?1049h") > -1
    assert raw.rfind("\x1b[?25h") > raw.rfind("\x1b[?25l")
    for mode in ("1000", "1003", "1006", "1015"):
        assert raw.rfind(f"\x1b[?{mode}l") >= raw.rfind(f"\x1b[?{mode}h")
    assert raw.rfind("\x1b[?2004l") >= raw.rfind("\x1b[?2004h")


def _other_than(before: str, asked: Sequence[str]) -> Callable[[str], bool]:
    return lambda text: text != before and any(words in text for words in asked)


def play(terminal: Terminal, act: Callable[[Terminal, str], None], last: str) -> set[str]:
    """Does what the screen asks for until it says ``last``."""
    asked = ("B bids it", "is picked", "You lead", "Your card", "N deals", last)
    seen: set[str] = set()
    before = ""
    while last not in seen:
        text = terminal.until(_other_than(before, asked))
        words = next(words for words in (last, *asked) if words in text)
        seen.add(words)
        if words != last:
            act(terminal, words)
        before = text
    return seen


# Whole matches


def test_a_match_in_a_real_terminal_by_keys_alone(terminal: Start) -> None:
    at = terminal("play", "--rules", "max_hands=2,floor=none", "--seed", "7", "--tempo", "0")

    def key(at: Terminal, words: str) -> None:
        at.press({"B bids it": "b", "N deals": "n"}.get(words, "\r"))

    seen = play(at, key, "The match is over")
    assert {"B bids it", "is picked", "N deals"} <= seen
    at.press("qq")
    assert at.ended() == 0
    assert "You leave the table." in at.text
    given_back(at)


def test_a_match_in_a_real_terminal_by_mouse_alone(terminal: Start) -> None:
    at = terminal("play", "--rules", "max_hands=1", "--seed", "7", "--tempo", "0")

    def click(at: Terminal, words: str) -> None:
        if words == "B bids it":
            at.click(" B ")
        elif words == "is picked":
            at.click(re.findall(r"(\S+) is picked", at.text)[0])
        elif words == "N deals":
            at.click("next hand")
        else:
            marks = at.screen.display[at.screen.lines - 5]
            column = min(place for mark in "▲•" if (place := marks.find(mark)) >= 0)
            where = f"{column + 1};{at.screen.lines - 6}"
            at.press(f"\x1b[<0;{where}M\x1b[<0;{where}m")

    play(at, click, "The match is over")
    at.click("menu")
    at.click("Leave the table")
    at.until("Q again leaves")
    at.click("Leave the table")
    assert at.ended() == 0
    given_back(at)


# C03: six ends


@pytest.mark.parametrize("keys", ["qq", "\x03", "\x04\x04", "?\x1b:quit\r"])
def test_c03_the_terminal_s_own_settings_are_the_same_afterwards(
    terminal: Start, keys: str
) -> None:
    at = terminal("play", "--seed", "7", shell="stty -g; {spades}; stty -g")
    at.until("B bids it")
    at.press(keys)
    assert at.ended() == 0
    given_back(at)
    found = re.findall(r"[0-9a-f]+(?::[0-9a-f]+){20,}", at.raw)
    assert len(found) == 2
    assert found[0] == found[1]


def test_c03_control_c_leaves_and_gives_the_terminal_back(terminal: Start) -> None:
    at = terminal("play", "--seed", "7")
    at.until("B bids it")
    at.press("\x03")
    assert at.ended() == 0
    assert "You leave the table." in at.text
    given_back(at)


def same_settings(at: Terminal) -> None:
    """What `stty -g` said before and after."""
    found = re.findall(r"[0-9a-f]+(?::[0-9a-f]+){20,}", at.raw)
    assert len(found) == 2
    assert found[0] == found[1]


AROUND = "stty -g; {spades}; echo status $?; stty -g"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_c03_a_signal_ends_it_and_gives_the_terminal_back(terminal: Start, number: int) -> None:
    at = terminal("play", "--seed", "7", shell=AROUND)
    at.until("B bids it")
    shell = at.child.pid
    children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
    os.kill(int(children[0]), number)
    assert at.ended() == 0
    assert f"status {128 + number}" in at.text
    given_back(at)
    same_settings(at)


def test_c03_a_crash_in_drawing_names_its_log_on_a_clean_terminal(
    terminal: Start, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import spades_client.screen.bars as bars\n"
        "real = bars.key_bar\n"
        "def broken(sight, interface, glyphs, columns):\n"
        "    if interface.panel is not None:\n"
        "        raise ZeroDivisionError('drawn to death')\n"
        "    return real(sight, interface, glyphs, columns)\n"
        "bars.key_bar = broken\n"
    )
    at = terminal("play", "--seed", "7", PYTHONPATH=str(site), columns=200, shell=AROUND)
    at.until("B bids it")
    at.press("s")
    assert at.ended() == 0
    assert "status 70" in at.text
    given_back(at)
    same_settings(at)
    assert "drawn to death" in at.text
    assert "What happened is written to" in at.text
    assert "ZeroDivisionError" in (tmp_path / "state" / "crash.log").read_text()
    assert "Traceback" not in at.raw


def test_c03_after_the_server_was_killed_the_cards_stay_and_the_terminal_comes_back(
    terminal: Start, server: Served
) -> None:
    at = terminal("join", "--new", "--server", f"127.0.0.1:{server.port}")
    at.until("S starts the match")
    # With the last seat taken the host's client starts the match.
    at.press("b\r\r")
    at.until("B bids it")
    server.process.kill()
    text = at.until("The line is lost: trying to come back for 2 s.")
    assert re.search(r"│\S+[♠♥♦♣]", text)
    at.press("\x03")
    assert at.ended() == 0
    given_back(at)


class Served:
    """`spades serve` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.port = int(process.stdout.readline().split(":")[1].split(",")[0])

    def end(self, number: int) -> None:
        """Has a signal end it."""
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def server() -> Iterator[Served]:
    command = [
        SPADES,
        "serve",
        "--port",
        "0",
        "--tempo",
        "10000",
        "--log-level",
        "error",
        "--memory",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield Served(process)
        process.terminate()


def test_esc_is_no_beginning_of_another_key_for_long() -> None:
    assert ESCAPE_S <= 0.1


def test_after_kill_minus_nine_and_a_restart_the_screen_comes_back_at_the_same_card(
    terminal: Start, tmp_path: Path
) -> None:
    """Nobody presses a key, and the hand goes on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [SPADES, "serve", "--port", str(port), "--tempo", "0", "--log-level", "error",
               "--data", str(tmp_path / "data")]  # fmt: skip

    def serve() -> Served:
        return Served(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))

    first = serve()
    at = terminal("join", "--new", "--server", f"127.0.0.1:{port}")
    at.until("S starts the match")
    at.press("b\r\r")
    at.until("B bids it")
    at.press("3b")
    at.until(lambda text: "You lead" in text or "Your card" in text)
    at.press("\r\r")
    before = at.until(
        lambda text: "trick 1 " not in text and ("You lead" in text or "Your card" in text)
    )
    first.end(signal.SIGKILL)
    at.until("The line is lost")
    second = serve()
    after = at.until(
        lambda text: "line is lost:" not in text and ("You lead" in text or "Your card" in text)
    )
    assert after.splitlines()[:20] == before.splitlines()[:20]
    at.press("\x03")
    assert at.ended() == 0
    second.end(signal.SIGTERM)


# C04


def test_c04_a_storm_of_sizes_leaves_the_same_screen(terminal: Start) -> None:
    at = terminal("play", "--seed", "7", "--tempo", "10000")
    at.until("B bids it")
    at.press("\x1b[A")
    before = at.until("      2       +")
    for columns, rows in ((20, 5), (1, 1), (200, 60), (40, 12), (60, 18)):
        at.resize(columns, rows)
    at.until("no bid yet")
    at.resize(20, 5)
    at.until("Spades needs 40")
    at.resize(80, 24)
    at.until(lambda text: text.split() == before.split())
    at.press("\x03")
    assert at.ended() == 0


# C01, C02, C14


def test_c01_a_pipe_gets_lines_and_no_escape_byte() -> None:
    done = subprocess.run(
        [SPADES, "play", "--tempo", "0", "--seed", "7"],
        input="4\nquit\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "You bid 4." in done.stdout


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": "unknown"}, {"SPADES_PLAIN": "1"}])
def test_c14_a_terminal_that_cannot_be_drawn_on_gets_lines(
    terminal: Start, environ: dict[str, str]
) -> None:
    at = terminal("play", "--seed", "7", **environ)
    at.until("Your bid? The quick count is")
    assert "\x1b" not in at.raw
    at.press("quit\n")
    assert at.ended() == 0


def test_c14_no_color_sends_no_colour(terminal: Start) -> None:
    at = terminal("play", "--seed", "7", "--tempo", "0", NO_COLOR="1")
    at.until("B bids it")
    at.press("4b")
    at.until("You lead")
    at.press("\r\r")
    at.until(lambda text: "You lead" not in text)
    at.press("\x03")
    assert at.ended() == 0
    for codes in re.findall(r"\x1b\[([0-9;]*)m", at.raw):
        for code in filter(None, codes.split(";")):
            assert int(code) in (0, 1, 3, 4, 7), codes


def test_c05_a_latin_locale_gets_letters_for_suits(terminal: Start) -> None:
    at = terminal("play", "--seed", "7", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    text = at.until("B bids it")
    assert "S not broken" in text
    assert "QC" in text
    assert at.raw.isascii()
    at.press("\x03")
    assert at.ended() == 0


def test_ascii_can_be_asked_for(terminal: Start) -> None:
    at = terminal("play", "--seed", "7", "--ascii")
    assert at.until("B bids it").isascii()
    at.press("\x03")
    assert at.ended() == 0


def test_c02_control_d_asks_once_and_leaves_the_second_time(terminal: Start) -> None:
    at = terminal("play", "--seed", "7")
    at.until("B bids it")
    at.press("\x04")
    at.until("Q again leaves")
    at.press("\x04")
    assert at.ended() == 0
    assert "You leave the table." in at.text


# The start screen


def test_spades_alone_opens_the_start_screen_and_comes_back_to_it(terminal: Start) -> None:
    at = terminal()
    at.until("Deal: a match against three bots")
    at.press("\x1b[B\r")
    at.until("rules: quick")
    at.press("\x1b[A\r")
    at.until("B bids it")
    at.press("qq")
    at.until("rules: quick")
    at.press("q")
    assert at.ended() == 0
    given_back(at)


def test_a_table_of_a_server_is_joined_left_and_found_again(
    terminal: Start, server: Served
) -> None:
    at = terminal()
    at.until("Open a table of your own")
    at.click("Open a table of your own")
    at.until("Server:")
    at.press("\x15" + f"127.0.0.1:{server.port}\r")
    at.until("S starts the match")
    # With the last seat taken the host's client starts the match.
    at.press("b\r\r")
    at.until("B bids it")
    at.press("qq")
    at.until("Back to")
    at.click("Back to")
    at.until("B bids it")
    at.press("qq")
    at.until("Back to")
    at.click("Join by a link, or by an address")
    at.until("a table's code")
    at.press("\x15" + "127.0.0.1:1\r")
    at.until("No server answers at 127.0.0.1:1")
    at.press("q")
    assert at.ended() == 0


def test_a_record_is_replayed_step_by_step(terminal: Start, tmp_path: Path) -> None:
    record = tmp_path / "m.jsonl"
    subprocess.run(
        [SPADES, "play", "--auto", "gentle", "--rules", "max_hands=2", "--seed", "7", "--record",
         str(record)],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    at = terminal("replay", str(record))
    at.until("all hands open")
    at.until("Event 2 of")
    at.press("n")
    at.until("Hand 2")
    at.press("h")
    at.until("Hint for")
    at.press("bt")
    at.until("wins trick 1.")
    at.press("v")
    at.until("as South saw it")
    at.press("j")
    at.until("Hand, or hand.trick:")
    at.press("2.3\r")
    at.until("trick 3 of 13")
    at.press("\x1b[F")
    at.until("The match is over")
    at.press("q")
    assert at.ended() == 0
    given_back(at)
