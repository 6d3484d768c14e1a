"""What the client knows: one frozen value, and the one pure function that takes a frame in."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spades import Deck, Phase, Seat, SeatView
from spades_proto.frames import DecisionRequest, Frame, Goodbye, Heartbeat
from spades_proto.table import Snapshot, TableOpened, TableState
from spades_proto.timing import SeatClock


class FrameMissing(Exception):
    """A frame before this one has not arrived: the feed must be resumed."""


@dataclass(frozen=True, slots=True)
class ClientState:
    """A table as one viewer sees it; what any skin draws or says is a function of this."""

    seat: Seat | None = None
    """The viewer's seat; ``None`` for a spectator."""
    epoch: int = 0
    seq: int = 0
    table: TableState | None = None
    """Never changed in place: every frame makes another one."""
    decision: DecisionRequest | None = None
    """The decision that is open for the viewer's seat."""
    clock: SeatClock | None = None
    """The clock of the seat that is to act, where the table has one."""

    @property
    def deck(self) -> Deck:
        """The deck in play."""
        return self.table.rules.deck if self.table else Deck.STANDARD

    @property
    def view(self) -> SeatView | None:
        """The seat's view, while there is a match and the viewer has a seat."""
        if self.table is None or self.table.match is None or self.seat is None:
            return None
        return SeatView(self.table.match, self.seat)

    @property
    def phase(self) -> Phase | None:
        """Where the match stands, if there is one."""
        match = self.table.match if self.table else None
        return match.phase if match else None

    @property
    def hand_number(self) -> int:
        """The number of the hand, 0 before the first."""
        match = self.table.match if self.table else None
        return match.deal_number if match else 0


def reduce(state: ClientState, frame: Frame) -> ClientState:
    """Takes a frame in: each event once and in order, and a snapshot in place of everything.

    What is of a moment that has passed changes nothing: a snapshot neither, unless it is of another log.

    :raises FrameMissing: if an event before this one has not been seen.
    """
    payload = frame.payload
    if isinstance(payload, Snapshot):
        if state.table is not None and frame.epoch == state.epoch and frame.seq < state.seq:
            return state
        return ClientState(
            state.seat,
            frame.epoch,
            frame.seq,
            TableState.from_snapshot(payload),
            frame.decision,
            frame.clock,
        )
    known = frame.epoch == state.epoch and frame.seq <= state.seq
    if isinstance(payload, Heartbeat | Goodbye):
        if not known and state.table is not None:
            raise FrameMissing(f"event {state.seq + 1} is missing")
        return state if frame.clock is None else replace(state, clock=frame.clock)
    if known:
        return state
    if state.table is None and isinstance(payload, TableOpened):
        return replace(
            state, epoch=frame.epoch, seq=frame.seq, table=TableState(payload), decision=None
        )
    if state.table is None or frame.epoch != state.epoch or frame.seq != state.seq + 1:
        raise FrameMissing(f"event {state.seq + 1} is missing")
    table = state.table.copy()
    table.apply(payload)
    decision = frame.decision or state.decision
    asked = table.match is not None and state.seat is not None and table.match.turn is state.seat
    return replace(
        state,
        seq=frame.seq,
        table=table,
        decision=decision if asked else None,
        clock=_clock(state, frame, table),
    )


def _clock(state: ClientState, frame: Frame, table: TableState) -> SeatClock | None:
    """The clock that a frame brings, else the one before as long as the same seat is to act."""
    if frame.clock is not None:
        return frame.clock
    turn = table.match.turn if table.match is not None else None
    return state.clock if state.clock is not None and state.clock.seat is turn else None
