"""What agents hear of their matches: when one begins, how it ended, and that nothing more will come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

import pytest

from spades import (
    PRESETS,
    Card,
    IllegalPlay,
    Match,
    Outcome,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    parse_rules,
)
from spades_agents import Agent, play, play_local, play_local_async
from spades_agents import news as agent_news
from spades_agents.hooks import hears_matches
from spades_agents.news import MatchNews
from spades_server.app import SpadesServer

SOUTH, WEST, NORTH, EAST = Seat
PATIENCE = 30.0
SHORT = "max_hands=1,floor=none"


class Listening(Agent):
    """Writes down what it hears, and that it was asked."""

    thinks: Callable[[], Awaitable[None]] | None = None
    """What it waits for before it plays a card."""

    def __init__(self) -> None:
        self.heard: list[object] = []

    def bid(self, view: SeatView) -> int:
        self.heard.append("asked")
        return 3

    def play(self, view: SeatView) -> Card | Awaitable[Card]:
        self.heard.append("asked")
        return view.legal_plays[0] if self.thinks is None else self._play_late(view)

    async def _play_late(self, view: SeatView) -> Card:
        assert self.thinks is not None
        await self.thinks()
        return view.legal_plays[0]

    def start_match(self, seat: Seat, rules: Rules) -> Awaitable[None] | None:
        self.heard.append(("start", seat, rules))
        return None

    def end_match(self, seat: Seat, outcome: Outcome | None) -> Awaitable[None] | None:
        self.heard.append(("end", seat, outcome))
        return None

    def close(self) -> Awaitable[None] | None:
        self.heard.append("closed")
        return None

    @property
    def news(self) -> list[object]:
        return [one for one in self.heard if one != "asked"]


class ListeningAsync(Listening):
    """Takes its time for the news."""

    async def _later(self, news: object) -> None:
        await asyncio.sleep(0.001)
        self.heard.append(news)

    def start_match(self, seat: Seat, rules: Rules) -> Awaitable[None]:
        return self._later(("start", seat, rules))

    def end_match(self, seat: Seat, outcome: Outcome | None) -> Awaitable[None]:
        return self._later(("end", seat, outcome))

    def close(self) -> Awaitable[None]:
        return self._later("closed")


class ListeningInAThread(Listening):
    blocking = True


KINDS = (Listening, ListeningAsync, ListeningInAThread)


class Remembered(Listening):
    """Remembers those that were made of it."""

    made: ClassVar[list[Remembered]] = []

    def __init__(self) -> None:
        super().__init__()
        self.made.append(self)


@pytest.fixture
def remembered() -> type[Remembered]:
    Remembered.made.clear()
    return Remembered


# In process.


@pytest.mark.parametrize("kind", KINDS)
def test_an_agent_hears_of_its_match_before_it_is_asked_and_after(kind: type[Listening]) -> None:
    agent = kind()
    played = play_local([agent, "random", "random", "random"], SHORT, seed="1")
    rules = parse_rules(SHORT)
    assert agent.heard[0] == ("start", SOUTH, rules)
    assert agent.heard[-1] == ("end", SOUTH, played.outcome)
    assert agent.heard[1:-1] == ["asked"] * 14


def test_an_agent_at_four_seats_hears_it_for_each() -> None:
    agent = Listening()
    outcome = play_local([agent] * 4, SHORT, seed="1").outcome
    rules = parse_rules(SHORT)
    assert agent.news[:4] == [("start", seat, rules) for seat in Seat]
    assert agent.news[4:] == [("end", seat, outcome) for seat in reversed(Seat)]


def test_what_made_an_agent_closes_it_and_what_was_given_one_does_not(
    remembered: type[Remembered],
) -> None:
    given = remembered()
    play_local([given, remembered, remembered, "random"], SHORT, seed="1")
    assert [agent.heard[-1] == "closed" for agent in remembered.made] == [False, True, True]
    assert [agent.heard.count("closed") for agent in remembered.made] == [0, 1, 1]


class Cheating(Remembered):
    def play(self, view: SeatView) -> Card:
        del view
        return Card("BJ")


def test_a_match_that_is_broken_off_has_no_outcome_and_its_agents_are_closed(
    remembered: type[Remembered],
) -> None:
    with pytest.raises(IllegalPlay):
        play_local([Cheating, remembered, "random", "random"], SHORT, seed="1")
    for agent, seat in zip(remembered.made, (SOUTH, WEST), strict=True):
        assert agent.news[1:] == [("end", seat, None), "closed"]


class Unwilling(Remembered):
    def start_match(self, seat: Seat, rules: Rules) -> None:
        raise RuntimeError(f"not at {seat}")


async def test_an_agent_that_fails_at_the_start_ends_the_match_for_the_others(
    remembered: type[Remembered],
) -> None:
    with pytest.raises(RuntimeError, match="not at West"):
        await play_local_async([remembered, Unwilling, remembered, "random"], SHORT, seed="1")
    first, unwilling, third = remembered.made
    assert first.news == [("start", SOUTH, parse_rules(SHORT)), ("end", SOUTH, None), "closed"]
    assert unwilling.news == third.news == ["closed"]


def test_an_agent_without_use_for_the_news_is_not_told() -> None:
    class Deaf(Agent):
        def bid(self, view: SeatView) -> int:
            return 1

        def play(self, view: SeatView) -> Card:
            return view.legal_plays[0]

    assert not hears_matches(Deaf())
    assert hears_matches(Listening())
    assert Deaf().start_match(SOUTH, PRESETS["classic"]) is None
    assert Deaf().end_match(SOUTH, None) is None
    assert Deaf().close() is None


# On a server.


@pytest.mark.parametrize("kind", KINDS)
async def test_over_the_wire_an_agent_hears_of_each_match_in_order(
    target: str, kind: type[Listening]
) -> None:
    agent = kind()
    first, second = await play(agent, target, rules=SHORT, matches=2, seed="1")
    starts = [i for i, one in enumerate(agent.heard) if isinstance(one, tuple) and "start" in one]
    assert starts == [0, 16]
    assert agent.news == [
        ("start", SOUTH, parse_rules(SHORT)),
        ("end", SOUTH, first.outcome),
        ("start", SOUTH, parse_rules(SHORT)),
        ("end", SOUTH, second.outcome),
    ]


async def test_over_the_wire_whoever_made_the_agent_closes_it(
    target: str, remembered: type[Remembered]
) -> None:
    given = remembered()
    await play(given, target, rules=SHORT)
    await play(remembered, target, rules=SHORT)
    assert [agent.heard.count("closed") for agent in remembered.made] == [0, 1]
    assert remembered.made[1].heard[-1] == "closed"


async def test_an_agent_hears_that_a_table_is_gone(target: str, server: SpadesServer) -> None:
    asked = asyncio.Event()

    async def think_for_ever() -> None:
        asked.set()
        await asyncio.Event().wait()

    agent = Listening()
    agent.thinks = think_for_ever
    playing = asyncio.create_task(play(agent, target, rules=SHORT, report=lambda _: None))
    await asyncio.wait_for(asked.wait(), PATIENCE)
    (host,) = server.lobby
    await server.lobby.close_table(host, "enough")
    assert await asyncio.wait_for(playing, PATIENCE) == []
    assert agent.news[-1] == ("end", SOUTH, None)


async def test_news_that_an_agent_does_not_bear_are_reported_and_it_plays_on(target: str) -> None:
    class Failing(Listening):
        def start_match(self, seat: Seat, rules: Rules) -> None:
            raise RuntimeError("not today")

    said: list[str] = []
    (result,) = await play(Failing(), target, rules=SHORT, report=said.append)
    assert result.record
    assert len(said) == 1
    assert "did not take in the news" in said[0]
    assert "not today" in said[0]


async def test_a_match_that_was_over_when_the_agent_came_is_no_news() -> None:
    match = (await play_local_async(["random"] * 4, SHORT, seed="1")).match
    agent = Listening()
    said: list[str] = []
    news = MatchNews(agent, said.append)
    news.follow(("A", SOUTH), match.state)
    assert news.pending(("A", SOUTH)) is None
    await news.finish()
    assert agent.heard == said == []


async def test_of_a_match_whose_end_was_missed_the_agent_hears_no_outcome() -> None:
    rules = parse_rules(SHORT)
    first, second = (Match(rules, SeededDeals(bytes([i] * 32))) for i in (1, 2))
    agent = Listening()
    news = MatchNews(agent, lambda _: None)
    for match in (first, second):
        news.follow(("A", SOUTH), match.state)
    await news.finish()
    start, broken_off = ("start", SOUTH, rules), ("end", SOUTH, None)
    assert agent.heard == [start, broken_off, start, broken_off]


async def test_an_agent_that_never_takes_the_news_in_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(agent_news, "LAST_WORDS_S", 0.01)

    class Deaf(Listening):
        async def start_match(self, seat: Seat, rules: Rules) -> None:
            await asyncio.Event().wait()

    news = MatchNews(Deaf(), lambda _: None)
    place = ("A", SOUTH)
    news.follow(place, Match(parse_rules(SHORT), SeededDeals(bytes(32))).state)
    await asyncio.wait_for(news.finish(), PATIENCE)
    await asyncio.sleep(0)
    assert news.pending(place) is None
