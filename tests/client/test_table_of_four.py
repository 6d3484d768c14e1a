"""`spades serve` in one process and four people in four others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Protocol

import pytest

from spades_client.levels import LEVELS
from spades_proto.link import parse_link
from spades_proto.verification import verify
from tests.client.command import Run

pytestmark = pytest.mark.once

NAMES = ("Ann", "Bob", "Cyd", "Dan")
SEATS = ("South", "West", "North", "East")
PLAYED = re.compile(r"(\S+) plays? the (.+)\.")


class Program(Protocol):
    @property
    def process(self) -> asyncio.subprocess.Process: ...
    @property
    def lines(self) -> list[str]: ...
    @property
    def errors(self) -> str: ...
    def type(self, line: str, /) -> None: ...
    def hang_up(self) -> None: ...
    async def hear(self, text: str, /) -> str: ...
    async def play(self, until: str, /) -> str: ...
    async def end(self) -> int: ...


Start = Callable[..., Awaitable[Program]]
RunToEnd = Callable[..., Run]
Served = tuple[Program, str]


class People:
    """Starts the clients of people at machines of their own."""

    def __init__(self, start: Start, target: str, folder: Path) -> None:
        self._start = start
        self._target = target
        self._folder = folder

    def state(self, name: str) -> str:
        return str(self._folder / name)

    async def join(self, name: str, *arguments: str) -> tuple[Program, str]:
        """Has somebody join; gives the client and the code of the table."""
        program = await self._start(
            *("join", "--server", self._target, "--name", name, *arguments),
            SPADES_STATE=self.state(name),
        )
        line = await program.hear("You are at table ")
        return program, line.split()[4].rstrip(",")

    async def seat_all(self, rules: str, *arguments: str) -> tuple[dict[str, Program], str]:
        """Seats Ann, Bob, Cyd and Dan, clockwise from South; the match starts with the last."""
        seated: dict[str, Program] = {}
        code = ""
        for name in NAMES:
            where = [code] if code else ["--new", "--rules", rules]
            seated[name], code = await self.join(name, *where, *arguments)
        return seated, code


@pytest.fixture
def people(start: Start, served: Served, tmp_path: Path) -> People:
    return People(start, served[1], tmp_path / "states")


def story(name: str, lines: Iterable[str]) -> list[tuple[str, str]]:
    """Who played what, as somebody was told it."""
    found = [match.groups() for match in map(PLAYED.fullmatch, lines) if match]
    return [(name if who == "You" else who, card) for who, card in found]


async def all_leave(programs: Iterable[Program]) -> None:
    for program in programs:
        program.type("quit")
    for program in programs:
        assert await program.end() == 0
        assert program.errors == ""


async def test_four_people_play_a_hand_and_all_are_told_the_same_story(people: People) -> None:
    seated, _ = await people.seat_all("max_hands=1")
    await asyncio.gather(*(one.play("The match is over.") for one in seated.values()))
    await all_leave(seated.values())
    stories = {name: story(name, program.lines) for name, program in seated.items()}
    assert len(stories["Ann"]) == 52
    assert len(set(stories["Ann"])) == 52
    assert all(told == stories["Ann"] for told in stories.values())
    for place, (name, program) in enumerate(seated.items()):
        assert f"at the seat {SEATS[place]}." in " ".join(program.lines)
        assert sum(who == name for who, _ in stories[name]) == 13
        # Only the host starts a match; nobody else is told that he could not.
        assert not any("host of the table, can" in line for line in program.lines)
        assert all(line.isprintable() for line in program.lines)
        assert sum(line.startswith("Your hand: ") for line in program.lines) == 1
    assert sum("All seats are taken." in program.lines for program in seated.values()) == 1


async def test_four_bots_play_a_match_for_people_without_names_on_one_machine(
    start: Start, served: Served, tmp_path: Path
) -> None:
    _, target = served
    players: list[Program] = []
    records = [tmp_path / f"{place}.jsonl" for place in range(4)]
    for level, record in zip(("gentle", "beginner", "gentle", "random"), records, strict=True):
        player = await start(
            *("join", "--server", target, "--auto", level, "--record", str(record)),
            *(("--rules", "max_hands=1") if not players else ()),
        )
        await player.hear("You are at table ")
        players.append(player)
    for player in players:
        player.hang_up()
        assert await player.end() == 0
        assert player.errors == ""
    names = ["tester", "tester-2", "tester-3", "tester-4"]
    where = parse_link(target).target
    assert [player.lines[0] for player in players] == [f"You are {n} on {where}." for n in names]
    stories = [story(name, player.lines) for name, player in zip(names, players, strict=True)]
    assert len(stories[0]) == 52
    assert all(told == stories[0] for told in stories)
    lines = {record.read_text(encoding="utf-8") for record in records}
    assert len(lines) == 1
    match = verify(lines.pop().removesuffix("\n")).match
    assert [card.name for hand in match.log if (card := getattr(hand, "card", None))] == [
        card for _, card in stories[0]
    ]


async def test_a_spectator_is_told_public_play_only_and_leaves_with_the_table(
    people: People, start: Start, served: Served
) -> None:
    ann, code = await people.join("Ann", "--new", "--rules", "max_hands=1")
    watcher = await start("watch", code, "--server", served[1], "--name", "Eve")
    watcher.hang_up()
    await watcher.hear(f"You are at table {code}, as a spectator.")
    ann.type("bots gentle")
    ann.type("start")
    await ann.play("The match is over.")
    await all_leave([ann])
    assert await watcher.end() == 0
    assert watcher.errors == ""
    assert watcher.lines[-1] == "The table is closed."
    assert story("Eve", watcher.lines) == story("Ann", ann.lines)
    assert len(story("Eve", watcher.lines)) == 52
    # Cards are named where they are played and nowhere else.
    naming = [line for line in watcher.lines if re.search(" of (spades|hearts|clubs|diam)", line)]
    assert all(PLAYED.fullmatch(line) for line in naming)
    assert not any(re.search("hand: |[Yy]our", line) for line in watcher.lines)


async def test_a_client_that_was_killed_in_a_hand_comes_back_at_the_same_card(
    people: People,
) -> None:
    seated, code = await people.seat_all("max_hands=1")
    bob = seated.pop("Bob")
    others = [asyncio.create_task(one.play("The match is over.")) for one in seated.values()]
    await bob.play("trick 3.")
    prompt = await bob.play("Your card?")
    hand = [line for line in bob.lines if line.startswith("Your hand: ")][-1]
    bob.process.kill()
    await bob.end()
    # Without a code: the table that was left.
    again, where = await people.join("Bob")
    assert where == code
    now = await again.hear("Your hand: ")
    assert len(re.findall(r"\b[2-9TJQKA]\b", now)) in (9, 10)
    assert set(re.findall(r"\b[2-9TJQKA]\b", now)) <= set(re.findall(r"\b[2-9TJQKA]\b", hand))
    assert await again.hear("Your card?") == prompt
    again.type("play " + prompt.rstrip(".").split()[-1])
    await again.play("The match is over.")
    await asyncio.gather(*others)
    told = story("Bob", bob.lines) + story("Bob", again.lines)
    assert told == story("Ann", seated["Ann"].lines)
    assert len(told) == 52


async def test_one_can_quit_in_a_match_and_come_back_while_a_house_bot_stands_in_and_no_stranger_may(
    people: People, served: Served, run: RunToEnd
) -> None:
    seated, code = await people.seat_all("max_hands=1")
    cyd = seated.pop("Cyd")
    ann, dan = seated["Ann"], seated["Dan"]
    others = [
        asyncio.create_task(seated[name].play("The match is over.")) for name in ("Ann", "Bob")
    ]
    dans = asyncio.create_task(dan.play("A house bot plays for Cyd."))
    await cyd.play("Your card?")
    cyd.type("quit")
    assert await cyd.end() == 0
    assert cyd.lines[-1] == ("You leave the table. Your seat stays yours: join again to come back.")
    await dans
    # The match waits for Dan now, and the seat for Cyd.
    for arguments in ([code], [code, "--seat", "North"]):
        eve = run("join", *arguments, "--server", served[1], "--name", "Eve")
        assert eve.status == 1
        assert eve.lines == [f"You are Eve on {parse_link(served[1]).target}."]
        assert eve.errors == "One cannot take a seat now: the hand is being played.\n"
    forger = run("join", code, "--server", served[1], "--name", "Cyd")
    assert (forger.status, forger.output) == (1, "")
    assert forger.errors == "The name 'Cyd' is taken: choose another.\n"
    again, where = await people.join("Cyd")
    assert where == code
    assert "at the seat North." in again.lines[-1]
    await asyncio.gather(again.play("The match is over."), dan.play("The match is over."), *others)
    assert "A house bot no longer plays for Cyd." in ann.lines
    assert story("Ann", ann.lines) == story("Dan", dan.lines)
    assert any(who == "Cyd" for who, _ in story("Cyd", again.lines))


async def test_two_clients_of_one_person_are_not_at_the_table_twice(
    people: People, served: Served, run: RunToEnd
) -> None:
    ann, code = await people.join("Ann", "--new")
    twin = run(
        "join", code, "--server", served[1], "--name", "Ann", SPADES_STATE=people.state("Ann")
    )
    assert (twin.status, twin.output) == (1, "")
    assert twin.errors == "Ann is playing from this machine already.\n"
    ann.hang_up()
    assert await ann.end() == 0


async def test_a_stopping_server_says_goodbye_to_all_and_ends_well(
    people: People, served: Served
) -> None:
    server, _ = served
    seated, _ = await people.seat_all("max_hands=1")
    await seated["Ann"].hear("Your bid?")
    server.process.terminate()
    for program in seated.values():
        await program.hear("The server is stopping; come back in a while.")
    assert await server.end() == 0
    assert "Traceback" not in server.errors
    for program in seated.values():
        program.hang_up()
        assert await program.end() == 0
        assert program.errors == ""


async def test_c05_the_names_of_others_are_shown_as_far_as_the_terminal_can_show_them(
    people: People, served: Served, run: RunToEnd
) -> None:
    name = "牌" * 20
    host, code = await people.join(name, "--new")
    wide = run("tables", "--server", served[1], "--name", "Eve")
    assert wide.lines == [f"{code} of {name}: open, 1 of 4 seats taken, tempo instant."]
    narrow = run(
        *("tables", "--server", served[1], "--name", "Eve"), PYTHONIOENCODING="ascii", LC_ALL="C"
    )
    assert (narrow.status, narrow.errors) == (0, "")
    assert narrow.lines == [f"{code} of {'?' * 20}: open, 1 of 4 seats taken, tempo instant."]
    host.hang_up()
    assert await host.end() == 0


async def test_without_a_code_the_only_free_table_is_joined_and_of_several_one_must_be_named(
    people: People, served: Served, run: RunToEnd
) -> None:
    ann, code = await people.join("Ann", "--new")
    bob, found = await people.join("Bob")
    assert found == code
    cyd, other = await people.join("Cyd", "--new")
    lost = run("join", "--server", served[1], "--name", "Dan")
    assert lost.status == 1
    first, second = sorted([f"{code} of Ann", f"{other} of Cyd"])
    assert lost.errors == (
        f"Several tables have a free seat: {first}, {second}."
        " Name one, or open another with --new.\n"
    )
    watcher = run("watch", "--server", served[1], "--name", "Eve")
    assert watcher.status == 1
    assert watcher.errors == f"There are several tables: {first}, {second}. Name one.\n"
    for program in (ann, bob, cyd):
        program.hang_up()
        assert await program.end() == 0
    nothing = run("tables", "--server", served[1], "--name", "Eve")
    assert nothing.lines == ["There is no table."]
    nobody = run("join", "QQQQQ", "--server", served[1], "--name", "Eve")
    assert (nobody.status, nobody.errors) == (1, "There is no table 'QQQQQ'.\n")


async def test_a_table_without_hints_says_so_to_whoever_sits_down_or_looks_at_the_list(
    people: People, run: RunToEnd, served: Served
) -> None:
    ann, code = await people.join("Ann", "--no-hints")
    await ann.hear("The table was opened without hints")
    bob, found = await people.join("Bob")
    assert found == code
    await bob.hear("The table was opened without hints")
    listed = run("tables", "--server", served[1], "--name", "Eve")
    assert listed.lines == [
        f"{code} of Ann: open, 2 of 4 seats taken, tempo instant, without hints."
    ]
    # Whoever has sat down asks for no other table by what they say of hints.
    cyd, other = await people.join("Cyd", "--no-hints")
    assert other != code
    await all_leave([ann, bob, cyd])


async def test_the_host_seats_a_bot_of_another_level_at_each_seat(people: People) -> None:
    ann, code = await people.join("Ann", "--new", "--rules", "max_hands=1")
    bob, _ = await people.join("Bob", code)
    bob.type("bots gentle")
    await bob.hear("Only Ann, the host of the table, can")
    ann.type("bots")
    for level, about in LEVELS:
        assert await ann.hear(f"{level}: ") == f"{level}: {about}"
    for line, said in (
        ("bots nobody", "There is no house bot 'nobody'"),
        ("bots gentle Z", "'Z' is not a seat"),
        ("bots gentle South", "South"),
        ("bots beginner north", "beginner, a house bot, takes the seat North."),
        ("bots random East", "random, a house bot, takes the seat East."),
    ):
        ann.type(line)
        await ann.hear(said)
    await ann.hear("Your bid?")
    await all_leave([ann, bob])


async def test_a_script_in_a_pipe_seats_bots_starts_and_bids(people: People) -> None:
    host, _ = await people.join("Ann", "--new", "--rules", "max_hands=1", "--tempo", "0")
    for line in ("bots gentle", "start", "3"):
        host.type(line)
    await host.hear("You bid 3.")
    assert any(line.startswith("The deals are fixed by the commitment ") for line in host.lines)
    assert not any("is away" in line for line in host.lines)
    await all_leave([host])
