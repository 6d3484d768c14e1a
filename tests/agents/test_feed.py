"""A feed's laws: each frame once and in order, and after each the state is what the seat may know."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from spades import (
    Limits,
    Match,
    Phase,
    Seat,
    SeatView,
    SeededDeals,
    Undo,
    agent_secret,
    parse_rules,
    parse_seed,
    redact,
    view,
)
from spades_agents.feed import Applied, Feed
from spades_proto import wire
from spades_proto.frames import DecisionRequest, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.table import (
    AnyEvent,
    Occupant,
    OccupantKind,
    SeatTaken,
    TableEvent,
    TableOpened,
    TableState,
)
from spades_proto.v1 import event_pb2, frame_pb2

SOUTH, WEST, NORTH, EAST = Seat
RULES = {
    "plain": "max_hands=2,floor=none",
    "blind": "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=2,undo=on",
    "undo": "undo=on,max_hands=1",
    "jokers": "nyc,max_hands=2",
}
VIEWERS: tuple[Seat | None, ...] = (None, *Seat)


class Told:
    """A match that is played at random, and the frames that one viewer gets of it."""

    def __init__(self, rules: str, viewer: Seat | None, seed: str = "feed") -> None:
        self.viewer = viewer
        self.rng = Random(seed)
        opened = TableOpened("TABLE", "Ann", parse_rules(rules), private=False, seed_chosen=True)
        self.state = TableState(opened)
        self.match = Match(opened.rules, SeededDeals(parse_seed(seed)))
        self.seq = 0
        self.decision_id = 0
        self.is_settled = False
        """Whether the frames told so far add up to the match as it stands."""

    def frames(self) -> Iterator[frame_pb2.Frame]:
        """The frames one after the other; whoever takes one sees the match as it is after it."""
        yield self.frame(self.state.opened)
        for seat in Seat:
            yield self.tell(SeatTaken(seat, Occupant(OccupantKind.AGENT, seat.name.lower())))
        done = 0
        while True:
            log = self.match.log[done:]
            done = len(self.match.log)
            # Only after the last event of a step do the match and the frames say the same.
            for event in log:
                yield self.tell(event, last=event is log[-1])
            if self.match.outcome:
                return
            self.step()

    def tell(self, event: AnyEvent, *, last: bool = True) -> frame_pb2.Frame:
        self.state.apply(event)
        self.is_settled = last and not isinstance(event, TableEvent)
        decision: DecisionRequest | None = None
        if self.is_settled and self.match.turn is not None:
            self.decision_id = self.seq + 1
            if self.match.turn is self.viewer:
                decision = self.decision()
        return self.frame(event, decision)

    def decision(self) -> DecisionRequest:
        assert self.viewer is not None
        seen = view(self.match, self.viewer)
        assert seen.decision is not None
        return DecisionRequest(self.decision_id, seen.decision.kind, seen.decision.number)

    def frame(self, event: AnyEvent, decision: DecisionRequest | None = None) -> frame_pb2.Frame:
        self.seq += 1
        shown = event if isinstance(event, TableEvent) else redact(event, self.viewer)
        return wire.frame_to_wire(Frame(1, self.seq, 1_000 + self.seq, shown, decision))

    def snapshot(self) -> frame_pb2.Frame:
        asked = self.viewer is not None and self.match.turn is self.viewer and self.state.match
        frame = Frame(
            1, self.seq, 0, self.state.snapshot(self.viewer), self.decision() if asked else None
        )
        return wire.frame_to_wire(frame)

    def step(self) -> None:
        match = self.match
        if match.phase is Phase.HAND_OVER:
            match.ask_next_hand(self.rng.choice(Seat.SOUTH.clockwise()))
            match.deal_next()
            return
        assert match.turn is not None
        last = match.state.last_played
        if last is not None and match.rules.undo.value == "on" and self.rng.random() < 0.1:
            match.act(last, Undo())
            return
        match.act(match.turn, self.rng.choice(match.legal(match.turn)[:6]))


def same(feed: Feed, told: Told) -> None:
    """What the feed knows is what its viewer may know of the table."""
    assert feed.state is not None
    assert (feed.epoch, feed.seq) == (1, told.seq)
    assert feed.state.seats == told.state.seats
    assert feed.state.stage is told.state.stage
    if feed.state.match is None or told.state.match is None:
        assert feed.state.match is told.state.match
        return
    assert feed.state.snapshot(told.viewer) == told.state.snapshot(told.viewer)
    if told.viewer is None:
        return
    # Between the last trick and the score the referee's own state knows what the next event makes public.
    if sum(told.state.match.taken) < 13 or told.is_settled:
        assert feed.view() == SeatView(told.state.match, told.viewer)
    if told.is_settled:
        assert feed.view() == view(told.match, told.viewer)
        asked = told.match.turn is told.viewer
        assert feed.is_asked is asked
        assert feed.decision_id == (told.decision_id if asked else 0)


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
@pytest.mark.parametrize("rules", RULES)
def test_after_every_frame_of_a_match_a_feed_knows_what_its_viewer_may(
    rules: str, viewer: Seat | None
) -> None:
    told = Told(RULES[rules], viewer)
    feed = Feed(viewer)
    count = 0
    for frame in told.frames():
        assert feed.take(frame) is Applied.NEW
        same(feed, told)
        count += 1
    assert count > 60
    assert feed.state is not None
    assert feed.state.match is not None
    assert feed.state.match.outcome == told.match.outcome is not None


@pytest.mark.parametrize("viewer", [None, SOUTH, EAST], ids=str)
@pytest.mark.parametrize("rules", ["blind", "jokers"])
def test_a_feed_that_begins_with_a_snapshot_at_any_frame_goes_on_as_the_others(
    rules: str, viewer: Seat | None
) -> None:
    told = Told(RULES[rules], viewer)
    feeds: list[Feed] = []
    for frame in told.frames():
        for feed in feeds:
            assert feed.take(frame) is Applied.NEW
        if told.seq % 7 == 0 and told.state.match and told.is_settled:
            fresh = Feed(viewer)
            assert fresh.take(told.snapshot()) is Applied.NEW
            feeds.append(fresh)
        for feed in feeds[-3:]:
            same(feed, told)
    assert len(feeds) > 5
    for feed in feeds:
        same(feed, told)


@pytest.mark.parametrize("viewer", [None, WEST], ids=str)
def test_frames_that_come_twice_are_passed_over(viewer: Seat | None) -> None:
    told = Told(RULES["undo"], viewer)
    feed = Feed(viewer)
    seen: list[frame_pb2.Frame] = []
    rng = Random("twice")
    for frame in told.frames():
        assert feed.take(frame) is Applied.NEW
        seen.append(frame)
        for old in rng.sample(seen, min(3, len(seen))):
            assert feed.take(old) is Applied.OLD
        same(feed, told)


@pytest.mark.parametrize("viewer", [None, WEST], ids=str)
def test_a_missing_frame_is_noticed_and_the_resumed_feed_catches_up(viewer: Seat | None) -> None:
    told = Told(RULES["plain"], viewer)
    feed = Feed(viewer)
    held: list[frame_pb2.Frame] = []
    gaps = 0
    for frame in told.frames():
        if told.seq % 10 == 5:
            held.append(frame)  # It is lost on the way.
            continue
        if held:
            before = feed.seq
            assert feed.take(frame) is Applied.GAP
            assert feed.seq == before == held[0].seq - 1
            gaps += 1
            for missed in held:
                assert feed.take(missed) is Applied.NEW
            held.clear()
        assert feed.take(frame) is Applied.NEW
        same(feed, told)
    assert gaps > 5


def some_feed(viewer: Seat | None, stop: int) -> tuple[Feed, Told, Iterator[frame_pb2.Frame]]:
    told = Told(RULES["plain"], viewer)
    feed = Feed(viewer)
    frames = told.frames()
    while feed.seq < stop:
        feed.take(next(frames))
    return feed, told, frames


def test_a_feed_that_has_nothing_needs_the_first_event_or_a_snapshot() -> None:
    _, _, frames = some_feed(SOUTH, 9)
    feed = Feed(SOUTH)
    assert feed.take(next(frames)) is Applied.GAP
    assert feed.state is None
    assert feed.seq == 0


def test_a_frame_of_another_epoch_is_no_continuation() -> None:
    feed, _, frames = some_feed(SOUTH, 9)
    frame = next(frames)
    frame.epoch = 2
    assert feed.take(frame) is Applied.GAP
    frame.seq = 3
    assert feed.take(frame) is Applied.GAP


def test_a_snapshot_of_another_epoch_begins_anew_with_smaller_numbers() -> None:
    feed, told, frames = some_feed(SOUTH, 20)
    snapshot = told.snapshot()
    snapshot.epoch = 2
    snapshot.seq = 3
    assert feed.take(snapshot) is Applied.NEW
    assert (feed.epoch, feed.seq) == (2, 3)
    following = next(frames)
    following.epoch, following.seq = 2, 4
    assert feed.take(following) is Applied.NEW


@pytest.mark.parametrize("payload", [Heartbeat(1_000), Goodbye(GoodbyeReason.DRAINING, "Bye.")])
def test_heartbeats_and_goodbyes_change_nothing_and_show_a_gap(
    payload: Heartbeat | Goodbye,
) -> None:
    feed, told, _ = some_feed(SOUTH, 20)
    for ahead, applied in ((0, Applied.OLD), (-5, Applied.OLD), (1, Applied.GAP)):
        frame = wire.frame_to_wire(Frame(1, told.seq + ahead, 0, payload))
        assert feed.take(frame) is applied
        same(feed, told)


def test_an_event_of_a_kind_that_is_not_known_here_is_counted_and_passed_over() -> None:
    feed, told, _ = some_feed(SOUTH, 20)
    unknown = frame_pb2.Frame(epoch=1, seq=told.seq + 1, event=event_pb2.Event())
    assert feed.take(unknown) is Applied.UNKNOWN
    assert feed.seq == told.seq + 1


def test_a_look_turns_up_the_hand_of_its_own_seat_only() -> None:
    for viewer in (SOUTH, WEST):
        told = Told(RULES["blind"], viewer)
        frames = told.frames()
        feed = Feed(viewer)
        while not told.is_settled:
            feed.take(next(frames))
        assert not feed.view().sees_hand
        assert not feed.view().hand
        for event in told.match.look(SOUTH):
            feed.take(told.tell(event))
        assert feed.view().sees_hand is (viewer is SOUTH)
        assert len(feed.view().hand) == (13 if viewer is SOUTH else 0)
        assert feed.view().face_down == frozenset({WEST, NORTH, EAST})


def test_an_undo_withdraws_the_decision_of_the_next_seat() -> None:
    told = Told("undo=on", WEST)
    feed = Feed(WEST)
    for frame in told.frames():
        feed.take(frame)
        if told.is_settled and told.match.phase is Phase.PLAYING and told.match.turn is WEST:
            break
    assert feed.decision_id == told.decision_id
    assert feed.decision() is not None
    for event in told.match.undo(SOUTH):
        feed.take(told.tell(event))
    assert feed.decision_id == 0
    assert feed.decision() is None


def test_a_secret_makes_a_seats_numbers_those_of_the_servers_own_view() -> None:
    feed, told, _ = some_feed(SOUTH, 12)
    secret = agent_secret(parse_seed("feed"), SOUTH)
    with_secret = Feed(SOUTH, secret)
    with_secret.take(told.snapshot())
    assert with_secret.view().rng_seed == view(told.match, SOUTH, secret).rng_seed
    assert with_secret.view().rng_seed != feed.view().rng_seed
    assert with_secret.view() != feed.view()


def test_between_hands_a_feed_says_so() -> None:
    told = Told(RULES["plain"], NORTH)
    feed = Feed(NORTH)
    seen: set[tuple[int, bool]] = set()
    for frame in told.frames():
        feed.take(frame)
        seen.add((feed.hand_number, feed.between_hands))
    assert {(0, False), (1, False), (1, True), (2, False)} <= seen


def test_the_view_of_a_decision_carries_how_much_time_there_is() -> None:
    told = Told(RULES["plain"], SOUTH)
    feed = Feed(SOUTH)
    asked: list[Limits | None] = []
    for frame in told.frames():
        if frame.HasField("decision"):
            frame.server_time_us = 5_000_000
            frame.decision.deadline_us = 7_000_000
            frame.decision.bank_ms = 60_000
            if asked:
                frame.decision.ClearField("deadline_us")
        feed.take(frame)
        if feed.decision_id and feed.is_asked:
            asked.append(feed.view().limits)
            if len(asked) == 2:
                break
    assert asked == [Limits(5_000_000, 7_000_000, 60_000), None]


def test_a_snapshot_of_a_moment_that_has_passed_is_seen_as_old() -> None:
    told = Told(RULES["plain"], SOUTH)
    feed = Feed(SOUTH)
    old: frame_pb2.Frame | None = None
    for frame in told.frames():
        feed.take(frame)
        if old is None and told.is_settled:
            old = told.snapshot()
        elif old is not None and told.is_settled:
            assert feed.take(old) is Applied.OLD
            same(feed, told)
    assert old is not None
    # From another log it would be the truth.
    old.epoch = 2
    assert feed.take(old) is Applied.NEW
    assert feed.seq == old.seq
