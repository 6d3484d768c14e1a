"""The checker finds what it is there to find, in histories made by hand that are wrong in one point each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from spades import CARDS, MakeBid, Play, Seat, has_secret, parse_rules, redact
from spades_proto import wire
from spades_proto.frames import Command, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.table import OccupantKind
from spades_proto.v1 import frame_pb2
from spades_server.commands import Deed as Done
from spades_server.commands import Player, Presence, Sit, Start
from spades_server.table import Table
from spades_server.table_log import Entry, TableConfig
from tests.faults.checker import Law, check
from tests.faults.history import Deed, History, Stream
from tests.faults.truth import Truth

SOUTH, WEST, NORTH, EAST = Seat
ANN = Player("ann", "Ann")


class Told:
    """A table of one hand and a half, with what its viewers were told: nothing is wrong with it."""

    def __init__(self) -> None:
        rules = parse_rules("target=10000,floor=none,next_hand_wait=0")
        self.table = Table(TableConfig("TABLE", rules, many_seats=True), ANN, 0)
        self.history = History()
        self.entries: list[Entry] = list(self.table.opening)
        self.requests: Counter[tuple[str, str]] = Counter()
        for seat in Seat:
            self._take(self.table.handle(Sit(ANN, OccupantKind.AGENT, seat), 0)[0])
            self._take(self.table.handle(Presence(seat, listening=True), 0)[0])
        self.streams = [self.history.open(Stream("TABLE", seat)) for seat in (*Seat, None)]
        for stream in self.streams:
            state = self.table.state
            self._tell(stream, Frame(1, self.table.seq, 0, state.snapshot(stream.seat)))
        self._take(self.table.handle(Start(ANN, bytes(32)), 0)[0])
        for _ in range(80):
            self._act()

    def truth(self) -> Truth:
        events = tuple(entry.event for entry in self.entries)
        return Truth("TABLE", 1, events, self.requests)

    def laws(self, truth: Truth | None = None) -> set[Law]:
        """The laws that the checker finds broken."""
        return {found.law for found in check(self.history, {"TABLE": truth or self.truth()})}

    def seat(self, seat: Seat | None) -> Stream:
        return next(stream for stream in self.streams if stream.seat is seat)

    def deed(self, request: str) -> Deed:
        return self.history.deeds["Ann", request]

    def frame_of(self, seat: Seat | None, field: str) -> frame_pb2.Frame:
        """The first frame of a viewer with an event of a kind."""
        frames = self.seat(seat).frames
        return next(one for one in frames if one.event.WhichOneof("kind") == field)

    def _act(self) -> None:
        match = self.table.match
        assert match is not None
        if match.turn is None:
            return
        legal = match.legal(match.turn)
        action = legal[0] if isinstance(legal[0], Play) else legal[3]
        assert isinstance(action, Play | MakeBid)
        request = f"request {self.table.seq}"
        command = Command("TABLE", action, match.turn, request, self.table.decision_id, 1)
        deed = self.history.send("Ann", wire.command_to_wire(command))
        entries, answer = self.table.handle(Done(ANN, command), 0)
        assert answer.refusal is None
        deed.answers.append(answer.seq)
        self.requests["Ann", request] += 1
        self._take(entries)

    def _take(self, entries: tuple[Entry, ...]) -> None:
        for entry in entries:
            self.entries.append(entry)
            for stream in getattr(self, "streams", ()):
                event = entry.event
                if has_secret(event):
                    event = redact(event, stream.seat)  # type: ignore[arg-type]
                decision = None
                if entry.seq == self.table.decision_id:
                    decision = self.table.decision_for(stream.seat)
                self._tell(stream, Frame(1, entry.seq, 0, event, decision))

    def _tell(self, stream: Stream, frame: Frame) -> None:
        stream.frames.append(wire.frame_to_wire(frame))


@pytest.fixture
def told() -> Told:
    return Told()


def test_nothing_is_found_where_nothing_is_wrong(told: Told) -> None:
    assert len(told.history.deeds) == 80
    assert told.laws() == set()


def test_a_lost_action_is_found(told: Told) -> None:
    events = told.truth().events
    del told.requests["Ann", "request 9"]
    assert told.laws() == {Law.LOST}
    told.requests["Ann", "request 9"] = 1
    assert told.laws() == set()
    # The journal ends before what was answered last.
    assert Law.LOST in told.laws(replace(told.truth(), events=events[:-1]))
    assert check(told.history, {})[0].law is Law.LOST


def test_an_action_that_was_answered_and_is_another_in_the_journal_is_found(told: Told) -> None:
    deed = next(one for one in told.history.deeds.values() if one.command.action.HasField("play"))
    said = wire.CARD.from_wire(deed.command.action.play)
    deed.command.action.play = wire.CARD.to_wire(next(card for card in CARDS if card != said))
    assert told.laws() == {Law.LOST}


def test_an_action_that_was_done_twice_is_found(told: Told) -> None:
    told.requests["Ann", "request 9"] = 2
    assert told.laws() == {Law.DOUBLED}


def test_an_action_with_two_answers_is_found(told: Told) -> None:
    deed = next(iter(told.history.deeds.values()))
    deed.answers.append(deed.answers[0])
    assert told.laws() == set()
    deed.answers.append(deed.answers[0] + 1)
    assert told.laws() == {Law.DOUBLED}


def test_an_action_that_was_done_and_refused_is_found(told: Told) -> None:
    next(iter(told.history.deeds.values())).refusals.append("STALE_DECISION")
    assert told.laws() == {Law.DOUBLED}


@pytest.mark.parametrize("field", ["card_played", "bid_made"])
def test_a_card_or_a_bid_that_comes_twice_in_a_hand_is_found(told: Told, field: str) -> None:
    frame = told.frame_of(None, field)
    events = told.truth().events
    again = (*events, events[frame.seq - 1])
    if field == "card_played":
        # In the hand that is played now.
        again = (*events, next(e for e in reversed(events) if type(e).__name__ == "CardPlayed"))
    else:
        again = (*events[: frame.seq], events[frame.seq - 1], *events[frame.seq :])
    assert Law.DOUBLED in told.laws(replace(told.truth(), events=again))


def test_two_viewers_who_were_told_different_things_are_found(told: Told) -> None:
    card = told.frame_of(WEST, "card_played").event.card_played
    card.seat = wire.SEAT.to_wire(wire.SEAT.from_wire(card.seat).partner)
    assert told.laws() == {Law.ORDER}


def test_another_dealer_for_one_viewer_is_found(told: Told) -> None:
    told.frame_of(NORTH, "hand_dealt").event.hand_dealt.number = 7
    assert told.laws() == {Law.ORDER}


def test_another_epoch_is_found(told: Told) -> None:
    told.seat(EAST).frames[-1].epoch = 2
    assert told.laws() == {Law.ORDER}


def test_a_snapshot_that_is_not_what_the_events_make_is_found(told: Told) -> None:
    told.seat(None).frames[0].snapshot.host = "Bob"
    assert told.laws() == {Law.ORDER}


def test_something_told_that_is_not_in_the_journal_is_found(told: Told) -> None:
    stream = told.seat(EAST)
    more = frame_pb2.Frame.FromString(stream.frames[-1].SerializeToString())
    more.seq += 1
    stream.frames.append(more)
    assert told.laws() == {Law.LOST}


def _hand_for_a_spectator(told: Told) -> None:
    told.frame_of(None, "hand_dealt").event.hand_dealt.hand.CopyFrom(
        told.frame_of(SOUTH, "hand_dealt").event.hand_dealt.hand
    )


def _hand_of_another_seat(told: Told) -> None:
    told.frame_of(WEST, "hand_dealt").event.hand_dealt.hand.CopyFrom(
        told.frame_of(EAST, "hand_dealt").event.hand_dealt.hand
    )


def _one_card_too_many(told: Told) -> None:
    foreign = told.frame_of(EAST, "hand_dealt").event.hand_dealt.hand.cards[0]
    told.frame_of(SOUTH, "hand_dealt").event.hand_dealt.hand.cards.append(foreign)


def _foreign_legal_cards(told: Told) -> None:
    """S03: what is legal names cards of a hand."""
    asked = next(one for one in told.seat(SOUTH).frames if one.decision.legal_plays)
    other = next(one for one in told.seat(WEST).frames if one.seq == asked.seq)
    other.decision.CopyFrom(asked.decision)


def _bids_for_a_spectator(told: Told) -> None:
    asked = next(one for one in told.seat(SOUTH).frames if one.decision.legal_bids)
    other = next(one for one in told.seat(None).frames if one.seq == asked.seq)
    other.decision.CopyFrom(asked.decision)


@pytest.mark.parametrize(
    "leak",
    [
        _hand_for_a_spectator,
        _hand_of_another_seat,
        _one_card_too_many,
        _foreign_legal_cards,
        _bids_for_a_spectator,
    ],
)
def test_a_card_for_eyes_it_was_not_for_is_found(told: Told, leak: Callable[[Told], None]) -> None:
    leak(told)
    assert told.laws() == {Law.LEAKED}


def test_a_deal_that_is_opened_before_the_hand_has_ended_is_found(told: Told) -> None:
    scored = told.frame_of(None, "hand_scored")
    early = next(one for one in told.seat(None).frames if one.event.HasField("card_played"))
    early.event.CopyFrom(scored.event)
    assert told.laws() == {Law.ORDER, Law.LEAKED}


def test_a_gap_is_found(told: Told) -> None:
    del told.seat(NORTH).frames[20]
    assert told.laws() == {Law.GAP}


def test_an_event_that_came_twice_is_found(told: Told) -> None:
    frames = told.seat(NORTH).frames
    frames.insert(20, frames[20])
    assert told.laws() == {Law.GAP}


def test_a_feed_that_begins_in_the_middle_is_found_unless_it_was_asked_to(told: Told) -> None:
    stream = told.seat(NORTH)
    stream.epoch, stream.after = 1, stream.frames[20].seq
    del stream.frames[:21]
    assert told.laws() == set()
    stream.epoch, stream.after = 0, 0
    assert told.laws() == {Law.GAP}


def test_a_heartbeat_of_another_position_is_found(told: Told) -> None:
    stream = told.seat(NORTH)
    last = stream.frames[-1].seq
    stream.frames.append(wire.frame_to_wire(Frame(1, last, 0, Heartbeat(1))))
    assert told.laws() == set()
    stream.frames.append(wire.frame_to_wire(Frame(1, last - 1, 0, Heartbeat(1))))
    assert told.laws() == {Law.GAP}


def test_a_frame_after_a_goodbye_is_found(told: Told) -> None:
    stream = told.seat(NORTH)
    goodbye = Goodbye(GoodbyeReason.DRAINING, "Later.", 1)
    seq = stream.frames[19].seq
    stream.frames.insert(20, wire.frame_to_wire(Frame(1, seq, 0, goodbye)))
    assert told.laws() == {Law.AFTER_GOODBYE}
