"""The running SHA-256 over the events of a game, which seals a record."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

import spades
from spades import Seat, format_cards, format_deal, format_option, option_names
from spades.events import PLAYED


class Seal:
    """Takes in a match's events in order; its digest at any moment vouches for all before it.

    Each event counts as one line of text, so that a verifier in any language can do the same.
    """

    def __init__(self, former_first_dealer: Seat | None = None) -> None:
        """Begins; a rematch names the first dealer of the match before."""
        after = "" if former_first_dealer is None else f" after {former_first_dealer.letter}"
        self._hash = hashlib.sha256(f"spades/game/1{after}\n".encode())

    def add(self, events: Iterable[spades.Event]) -> None:
        """Takes in events, but for those that are circumstances of the game and no part of it."""
        lines = [
            _PLAYED_LINES[event.card][event.seat]
            if type(event) is spades.CardPlayed
            else _line(event)
            for event in events
        ]
        self._hash.update(b"".join(lines))

    def digest(self) -> str:
        """The digest so far, as 64 hexadecimal digits."""
        return self._hash.hexdigest()


def _line(event: spades.Event) -> bytes:
    line = event_line(event)
    return line.encode() + b"\n" if line else b""


def event_line(event: spades.Event) -> str:
    """Writes a whole event as a line; empty for who looked early and who was ready."""
    match event:
        case spades.CardPlayed(seat, card):
            return f"{seat.letter} play {card}"
        case spades.TrickWon(winner, number):
            return f"{winner.letter} wins trick {number}"
        case spades.BidMade(seat, bid):
            return f"{seat.letter} bid {bid}"
        case spades.CardsPassed():
            return f"{event.giver.letter} pass {format_cards(event.cards or ())}"
        case spades.PlayTakenBack(seat, card):
            return f"{seat.letter} undo {card}"
        case spades.SurrenderProposed(seat):
            return f"{seat.letter} surrender"
        case spades.MatchStarted(rules, commitment, first_dealer):
            options = ",".join(f"{name}={format_option(rules, name)}" for name in option_names())
            return f"match {options} {commitment} {first_dealer.letter}"
        case spades.HandDealt():
            return _dealt_line(event)
        case spades.HandScored():
            return _scored_line(event)
        case spades.MatchEnded(outcome):
            side = "draw" if outcome.winner is None else outcome.winner.name
            totals = " ".join(map(str, outcome.totals))
            return f"end {outcome.reason.name} {side} {totals}"
        case spades.HandShown() | spades.NextHandAsked():
            return ""


def _dealt_line(event: spades.HandDealt) -> str:
    south, west, north, east = event.masks
    assert south is not None and west is not None and north is not None and east is not None, (
        "a game is sealed from whole events"
    )
    deal = format_deal(spades.Deal(event.deck, (south, west, north, east)))
    down = "".join(seat.letter for seat in Seat if seat in event.face_down)
    return f"hand {event.number} {event.dealer.letter} {deal} {down}".rstrip()


def _scored_line(event: spades.HandScored) -> str:
    sides = (
        ", ".join(
            f"{part.part.name}{'' if part.seat is None else ' ' + part.seat.letter} {part.points}"
            for part in score.parts
        )
        + f" = {score.change} {score.after.total} {score.after.bags}"
        for score in event.scores
    )
    return f"score {event.number} " + "; ".join(sides)


_PLAYED_LINES: Final = {card: tuple(map(_line, by_seat)) for card, by_seat in PLAYED.items()}
"""The event of which a match has most, by card and seat."""
