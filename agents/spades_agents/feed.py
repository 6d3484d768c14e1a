"""The state of a table as one viewer's frames tell it."""

from __future__ import annotations

from enum import Enum

from spades import Deck, Phase, Seat, SeatView, rng_key
from spades_proto import wire
from spades_proto.frames import DecisionRequest, Frame, Goodbye, Heartbeat
from spades_proto.table import Snapshot, TableOpened, TableState
from spades_proto.v1 import frame_pb2


class Applied(Enum):
    """What a frame did to a feed."""

    NEW = "it was the next one"
    OLD = "it had been seen before"
    GAP = "something before it is missing: ask again from the last position"
    UNKNOWN = "it holds something that is not known here"


class Feed:
    """Applies frames in order, each once: event *n* only on *n - 1*, and what was seen is passed over.

    After every frame :meth:`view` is what :func:`spades.view` shows of the server's match.
    """

    __slots__ = (
        "_key",
        "_key_match",
        "decision_id",
        "epoch",
        "request",
        "secret",
        "sent_us",
        "seq",
        "state",
        "viewer",
    )

    def __init__(self, viewer: Seat | None, secret: bytes = b"") -> None:
        self.viewer = viewer
        self.secret = secret
        """What the agent's random numbers are made from; it never leaves this side."""
        self.epoch: int = 0
        self.seq = 0
        self.state: TableState | None = None
        self.decision_id = 0
        """The id of the decision that is open for the viewer, or 0."""
        self.request: frame_pb2.Decision | None = None
        self.sent_us = 0
        """When that decision was sent, by the server's clock."""
        self._key = b""
        self._key_match = ""

    def take(self, message: frame_pb2.Frame) -> Applied:
        """Takes in a frame as it came from the wire.

        :raises SpadesError: if a field is missing or out of range.
        """
        if message.HasField("event"):
            return self._take_event(message, message.seq)
        frame = wire.frame_from_wire(message, self.viewer, Deck.STANDARD)
        if frame is None:
            return Applied.UNKNOWN
        if isinstance(frame.payload, Snapshot):
            if self.state is not None and frame.epoch == self.epoch and frame.seq < self.seq:
                # It is of a moment that has passed: nobody asked for it.
                return Applied.OLD
            self._start(frame, frame.payload)
            self._open(message)
            return Applied.NEW
        assert isinstance(frame.payload, Heartbeat | Goodbye), "events were taken before"
        return Applied.OLD if frame.seq <= self.seq else Applied.GAP

    def _take_event(self, message: frame_pb2.Frame, seq: int) -> Applied:
        state = self.state
        follows = message.epoch == self.epoch
        if follows and seq <= self.seq:
            return Applied.OLD
        if state is None:
            return self._take_first(message)
        if not follows or seq != self.seq + 1:
            return Applied.GAP
        event = wire.event_from_wire(message.event, self.viewer, state.opened.rules.deck)
        self.seq = seq
        if event is None:
            return Applied.UNKNOWN
        state.apply(event)
        if self.decision_id or message.HasField("decision"):
            self._open(message)
        return Applied.NEW

    def _take_first(self, message: frame_pb2.Frame) -> Applied:
        """Starts from the first event of a log, which opens the table."""
        if message.seq != 1 or not message.event.HasField("table_opened"):
            return Applied.GAP
        event = wire.event_from_wire(message.event, self.viewer, Deck.STANDARD)
        assert isinstance(event, TableOpened), "the field says so"
        self.epoch, self.seq = message.epoch, message.seq
        self.state = TableState(event)
        return Applied.NEW

    def _start(self, frame: Frame, snapshot: Snapshot) -> None:
        self.epoch = frame.epoch
        self.seq = frame.seq
        self.state = TableState.from_snapshot(snapshot)
        self.decision_id = 0

    def _open(self, message: frame_pb2.Frame) -> None:
        """Opens the decision that a frame brings, and closes one whose turn has passed."""
        if message.HasField("decision"):
            self.request = message.decision
            self.sent_us = message.server_time_us
            self.decision_id = message.decision.id
        elif self.decision_id and not self.is_asked:
            self.decision_id = 0
            self.request = None

    @property
    def is_asked(self) -> bool:
        """Whether the viewer's seat is to act."""
        match = self.state.match if self.state else None
        return match is not None and self.viewer is not None and match.turn is self.viewer

    @property
    def has_stand_in(self) -> bool:
        """Whether a house bot plays the viewer's seat."""
        return (
            self.state is not None
            and self.viewer is not None
            and self.state.seats[self.viewer].stand_in
        )

    @property
    def hand_number(self) -> int:
        """The number of the hand, 0 before the first."""
        match = self.state.match if self.state else None
        return match.deal_number if match else 0

    @property
    def between_hands(self) -> bool:
        """Whether a hand has ended and the match goes on."""
        match = self.state.match if self.state else None
        return match is not None and match.phase is Phase.HAND_OVER

    def decision(self) -> DecisionRequest | None:
        """The open decision with what stands beside the view: deadline, bank and round trip."""
        return None if self.request is None else wire.decision_from_wire(self.request)

    def view(self) -> SeatView:
        """What the viewer's seat sees; only while there is a match."""
        match = self.state.match if self.state else None
        assert match is not None and self.viewer is not None, "a seat sees a match"
        if self._key_match != match.commitment:
            self._key_match = match.commitment
            self._key = b""
            if self.secret:
                self._key = rng_key(self.secret, match.commitment, self.viewer)
        request = self.request
        limits = None if request is None else wire.limits_from_wire(request, self.sent_us)
        return SeatView(match, self.viewer, self._key, limits)
