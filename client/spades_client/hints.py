"""Hints: what there is to say of a decision, one reason at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from spades import Action, Card, MakeBid, PassCards, Play, Reason, Seat, SeatView, TableError
from spades_client.asks import Ask
from spades_client.phrases import people
from spades_client.state import ClientState


@dataclass(frozen=True, slots=True)
class HintLine:
    """A choice, and one reason for it."""

    action: Action
    sentence: str


@dataclass(frozen=True, slots=True)
class Hint:
    """Everything that is advised for one decision, and the line that is told now."""

    lines: tuple[HintLine, ...]
    """The best choice with all its reasons, then the next; at least one."""
    number: int = 0

    @property
    def action(self) -> Action:
        """The choice that is spoken of."""
        return self.lines[self.number].action

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that are spoken of."""
        match self.action:
            case Play(card):
                return (card,)
            case PassCards(cards):
                return cards
            case _:
                return ()

    @property
    def bid(self) -> int | None:
        """The bid that is spoken of, where it is one that can be counted."""
        action = self.action
        return action.bid.tricks if isinstance(action, MakeBid) and not action.bid.blind else None

    @property
    def sentence(self) -> str:
        """What is told now, and how much there is."""
        told, count = self.lines[self.number].sentence, len(self.lines)
        return f"{told}." if count == 1 else f"{told} ({self.number + 1} of {count})."

    def after(self) -> Hint:
        """The next reason, then the next choice, and in the end the first again."""
        return replace(self, number=(self.number + 1) % len(self.lines))


def as_of(seat: Seat, hint: Hint) -> Hint:
    """The same for somebody who looks on: the seat is named that it speaks to."""
    return replace(
        hint,
        lines=tuple(
            replace(line, sentence=f"Hint for {seat}: {line.sentence}") for line in hint.lines
        ),
    )


def view_of_turn(state: ClientState) -> SeatView:
    """What the seat that is to act sees, in a replay: nothing of what is open for the viewer alone.

    :raises TableError: if no seat is to act, or its cards are not to be seen in this view.
    """
    match = state.table.match if state.table is not None else None
    turn = match.turn if match is not None else None
    if match is None or turn is None:
        raise TableError("There is no hint here: nobody is to act.", Reason.TABLE_STATE)
    if state.seat is not None and state.seat is not turn:
        raise TableError(
            f"There is no hint here: {turn} is to act, whose cards are not to be seen from {state.seat}."
            " V changes the view.",
            Reason.TABLE_STATE,
        )
    return SeatView(match, turn)


NO_HINTS: Final = "This table plays without hints: that was settled when it was opened."


def refusal(state: ClientState, ask: Ask, *, sending: bool) -> str | None:
    """Why there is no hint now; ``None`` where there can be one."""
    table = state.table
    if table is None:
        return "There is no hint yet: nothing is known of the table."
    if not table.opened.hints:
        return NO_HINTS
    if state.seat is None:
        return "You only watch: hints are for those who play."
    if sending:
        return "There is no hint now: your last move is still on its way."
    if ask is Ask.STAND_IN:
        return "There is no hint now: a house bot plays for you; take your seat back first."
    if ask is Ask.DECISION:
        return None
    turn = table.match.turn if table.match is not None else None
    if turn is None or turn is state.seat:
        return "There is no hint now: nothing is asked of you."
    return f"There is no hint now: it is {people(table, turn, state.seat)}'s turn."
