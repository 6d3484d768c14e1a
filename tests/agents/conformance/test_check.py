"""Bots that break one clause fail that clause, and those that break none pass them all."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from spades import Bid, Card, Seat, SeatView, Suit
from spades_agents import HOUSE_BOTS, Agent, load_agent
from spades_agents.bots import Beginner
from spades_agents.conformance import Finding, Verdict, check
from spades_agents.conformance import check as checking
from spades_agents.conformance.corners import CORNERS, POSITIONS, positions
from spades_agents.specs import AgentFactory

pytestmark = pytest.mark.once

PATIENCE = 100.0
LIMIT_S = 5.0
CORNER_NAMES = {corner.name for corner in CORNERS}


async def found(factory: AgentFactory, limit_s: float = LIMIT_S) -> dict[str, Finding]:
    findings: dict[str, Finding] = {}
    async with asyncio.timeout(PATIENCE):
        async for finding in check(factory, limit_s):
            assert finding.clause not in findings
            findings[finding.clause] = finding
    return findings


def named(findings: dict[str, Finding], verdict: Verdict) -> set[str]:
    return {name for name, finding in findings.items() if finding.verdict is verdict}


# The positions.


def test_every_corner_has_as_many_positions_as_are_asked() -> None:
    some = positions()
    assert some.keys() == CORNER_NAMES
    for corner in CORNERS:
        assert len(some[corner.name]) == POSITIONS
        assert all(corner.holds(seen) for seen in some[corner.name])


def test_the_positions_are_the_same_each_time() -> None:
    assert positions() == positions()


# Those that keep everything.


@pytest.mark.parametrize("bot", HOUSE_BOTS)
async def test_a_house_bot_passes_every_clause(bot: str) -> None:
    findings = await found(load_agent(bot))
    assert named(findings, Verdict.PASSED) == findings.keys()
    assert findings.keys() > CORNER_NAMES
    assert findings["self-match"].remark == "20 pairs, 0 points ahead"


class Blocking(Beginner):
    blocking = True


class Async(Beginner):
    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # both are answers
        await asyncio.sleep(0)
        return super().play(view)


@pytest.mark.parametrize("kind", [Blocking, Async])
async def test_any_kind_of_agent_can_be_checked(kind: type[Agent]) -> None:
    findings = await found(kind)
    assert named(findings, Verdict.PASSED) == findings.keys()


async def test_a_program_in_any_language_can_be_checked() -> None:
    path = Path(__file__).parents[3] / "examples" / "bots" / "lines.py"
    findings = await found(load_agent(f"cmd:'{sys.executable}' '{path}'"))
    assert named(findings, Verdict.PASSED) == findings.keys()


# Those that break one.


class Revoking(Beginner):
    """Never follows suit if it can help it."""

    def play(self, view: SeatView) -> Card:
        deck = view.rules.deck
        led = deck.suit_of(view.trick[0]) if view.trick else None
        return next((card for card in view.hand if deck.suit_of(card) is not led), view.hand[0])


class LeadingSpades(Beginner):
    """Leads a spade whenever it has one."""

    def play(self, view: SeatView) -> Card:
        spades = [card for card in view.hand if view.rules.deck.suit_of(card) is Suit.SPADES]
        return spades[0] if spades and not view.trick else super().play(view)


class Humble(Beginner):
    """Bids one, whatever its partner has bid."""

    def bid(self, view: SeatView) -> Bid:
        return Bid(1)


class Generous(Beginner):
    """Passes one card twice."""

    def pass_cards(self, view: SeatView) -> Sequence[Card]:
        return [view.hand[0]] * view.pass_count


class OldFashioned(Beginner):
    """Takes the 2D for a diamond, which must follow diamonds."""

    def play(self, view: SeatView) -> Card:
        diamond = view.trick and view.trick[0].suit is Suit.DIAMONDS
        return Card("2D") if diamond and Card("2D") in view.hand else super().play(view)


class Fourteen(Beginner):
    """Bids more than there is."""

    def bid(self, view: SeatView) -> Bid:
        return Bid(14)


class Keeping(Beginner):
    """Does not let its last card go."""

    def play(self, view: SeatView) -> Card:
        if len(view.hand) == 1:
            raise LookupError("my last card")
        return super().play(view)


@pytest.mark.parametrize(
    ("kind", "corners"),
    [
        (Humble, {"team-minimum"}),
        (Generous, {"exchange-bidder", "exchange-partner"}),
        (Fourteen, {"first-bid", "last-bid", "team-minimum"}),
        (Keeping, {"last-trick"}),
    ],
)
async def test_a_bot_fails_in_the_corner_in_which_it_is_wrong(
    kind: type[Agent], corners: set[str]
) -> None:
    findings = await found(kind)
    assert named(findings, Verdict.FAILED) & CORNER_NAMES == corners
    for name in corners:
        assert "(Asked for " in findings[name].remark
    assert findings["self-match"].remark == "not played, since the bot has failed before"


@pytest.mark.parametrize(
    ("kind", "corner", "remark"),
    [
        (Revoking, "follow-suit", "would be legal"),
        (Revoking, "jokers", "would be legal"),
        (LeadingSpades, "spades-unbroken", "would be legal"),
        (OldFashioned, "two-of-diamonds", "It answered the card 2D"),
    ],
)
async def test_a_card_that_is_not_legal_is_shown_with_those_that_are(
    kind: type[Agent], corner: str, remark: str
) -> None:
    finding = (await found(kind))[corner]
    assert finding.verdict is Verdict.FAILED
    assert remark in finding.remark


class Dreaming(Beginner):
    """Takes too long over some cards, and cannot be interrupted."""

    def play(self, view: SeatView) -> Card:
        if len(view.hand) == 1:
            time.sleep(0.5)
        return super().play(view)


async def test_a_bot_that_is_late_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = await found(Dreaming, 0.1)
    assert findings["last-trick"].remark.startswith("No answer came within 0.1 s.")
    assert findings["in-time"].verdict is Verdict.FAILED


class Wavering(Beginner):
    """Draws from a generator of its own."""

    def play(self, view: SeatView) -> Card:
        return random.choice(view.legal_plays)


async def test_a_bot_that_draws_by_itself_is_not_deterministic_which_is_no_fault() -> None:
    findings = await found(Wavering)
    assert not named(findings, Verdict.FAILED)
    for name in ("repeated", "self-match"):
        assert findings[name].verdict is Verdict.NOTED
        assert findings[name].remark.startswith("not deterministic")


class Counting(Beginner):
    """Answers the same view the same, but remembers in how many matches it has played."""

    def __init__(self) -> None:
        self.matches = 0

    def start_match(self, seat: Seat, rules: object) -> None:
        self.matches += 1

    def bid(self, view: SeatView) -> Bid:
        return Bid(4 + self.matches % 3)


async def test_t12_a_bot_that_remembers_does_not_tie_with_itself() -> None:
    findings = await found(Counting)
    assert findings["repeated"].verdict is Verdict.PASSED
    assert findings["self-match"].verdict is Verdict.NOTED


class Forgetful(Beginner):
    """Keeps the view in a place that all its seats share, and comes back to it later."""

    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # both are answers
        self.view = view
        await asyncio.sleep(0)
        return super().play(self.view)


async def test_a_bot_that_mixes_its_seats_up_is_found() -> None:
    findings = await found(Forgetful)
    assert findings["many-seats"].verdict is Verdict.FAILED
    assert named(findings, Verdict.FAILED) == {"many-seats"}


class Tiring(Beginner):
    """Answers nothing more once somebody has not waited for it."""

    def __init__(self) -> None:
        self.tired = False

    async def bid(self, view: SeatView) -> Bid:  # type: ignore[override]  # both are answers
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.tired = True
            raise
        if self.tired:
            raise RuntimeError("I am tired")
        return super().bid(view)


async def test_a_bot_that_does_not_bear_being_late_is_found() -> None:
    findings = await found(Tiring)
    assert findings["late"].verdict is Verdict.FAILED
    assert "I am tired" in findings["late"].remark


class Unready(Beginner):
    def get_ready(self) -> None:
        raise OSError("no weights")


async def test_a_bot_that_does_not_get_ready_is_asked_nothing() -> None:
    findings = await found(Unready)
    assert findings.keys() == {"ready", "close"}
    assert findings["ready"].verdict is Verdict.FAILED
    assert "no weights" in findings["ready"].remark


class Clinging(Beginner):
    async def close(self) -> None:
        await asyncio.Event().wait()


class Slamming(Beginner):
    def close(self) -> None:
        raise RuntimeError("the door is stuck")


@pytest.mark.parametrize(
    ("kind", "remark"), [(Clinging, "It did not within"), (Slamming, "the door is stuck")]
)
async def test_a_bot_that_does_not_close_is_found(
    kind: type[Agent], remark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[checking.__module__], "CLOSE_S", 0.05)
    findings = await found(kind)
    assert findings["close"].verdict is Verdict.FAILED
    assert remark in findings["close"].remark


@pytest.mark.parametrize("kind", ["illegal", "crashing", "dying", "malformed"])
async def test_a_bot_that_misbehaves_fails_in_play_and_is_asked_on(kind: str) -> None:
    findings = await found(load_agent(f"misbehaving:{kind}"))
    assert findings.keys() >= CORNER_NAMES
    failed = named(findings, Verdict.FAILED)
    assert {"follow-suit", "last-trick", "nil"} < failed
    assert not failed & {"first-bid", "last-bid", "blind", "exchange-bidder", "ready", "close"}
