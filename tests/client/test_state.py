"""What the client knows: the fold of a feed, for every seat and for a spectator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Protocol

import pytest

import spades
from spades import CardPlayed, HandDealt, HandShown, MatchState, Phase, Seat, SeatView, TrickWon
from spades.view import TableView
from spades_client.narrate import narrate, trick_line
from spades_client.state import ClientState, FrameMissing, reduce
from spades_proto.frames import DecisionRequest, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.table import Snapshot, TableClosed, TableEvent
from spades_server.table_log import Entry


class Step(Protocol):
    @property
    def entries(self) -> tuple[Entry, ...]: ...
    @property
    def frames(self) -> dict[Seat | None, list[Frame]]: ...
    @property
    def views(self) -> dict[Seat | None, TableView]: ...
    @property
    def taken(self) -> tuple[int, ...]: ...
    def snapshot(self, viewer: Seat | None, /) -> Frame: ...
    def decision(self, viewer: Seat | None, /) -> DecisionRequest | None: ...


Evening = Callable[[str, str], Sequence[Step]]

RICH = "max_hands=2,undo=on,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,floor=none"
JOKERS = "jokers,max_hands=1,undo=on"
VIEWERS = (*Seat, None)
EVENINGS = [RICH, JOKERS]
C11 = "max_hands=1,floor=none"
SEED = "an evening"


def contents(state: ClientState) -> tuple[object, ...]:
    """Everything that a state holds, as values of its own."""
    table = state.table
    if table is None:
        return (state.seat, state.epoch, state.seq, state.decision)
    match = table.match
    values: dict[str, object] = {}
    if match is not None:
        values = {name: getattr(match, name) for name in MatchState.__slots__}
        values["hands"] = tuple(match.hands)
    return (
        state.seat,
        state.epoch,
        state.seq,
        state.decision,
        table.opened,
        table.stage,
        table.seats,
        table.record,
        table.snapshot(state.seat),
        values,
    )


def followed(frames: list[Frame], seat: Seat | None) -> ClientState:
    state = ClientState(seat)
    for frame in frames:
        state = reduce(state, frame)
    return state


def seen(match: MatchState, viewer: Seat | None) -> TableView:
    return TableView(match) if viewer is None else SeatView(match, viewer)


@pytest.mark.parametrize("rules", EVENINGS)
def test_after_every_frame_every_viewer_sees_what_the_server_shows_it(
    evening: Evening, rules: str
) -> None:
    states: dict[Seat | None, ClientState] = {viewer: ClientState(viewer) for viewer in VIEWERS}
    truth: MatchState | None = None
    told: set[type] = set()
    for step in evening(rules, SEED):
        for place, entry in enumerate(step.entries):
            event = entry.event
            told.add(type(event))
            if isinstance(event, spades.MatchStarted):
                truth = MatchState(event)
            elif truth is not None and not isinstance(event, TableEvent):
                truth.apply(event)
            for viewer in VIEWERS:
                state = states[viewer] = reduce(states[viewer], step.frames[viewer][place])
                assert state.table is not None
                assert state.seq == entry.seq
                # Passed cards are public with the thirteenth trick; the score that comes with it tells them.
                if truth is not None and not (
                    sum(truth.taken) == 13 and truth.phase is Phase.PLAYING
                ):
                    assert state.table.match is not None
                    assert seen(state.table.match, viewer) == seen(truth, viewer)
        for viewer, state in states.items():
            if viewer is None and step.views:
                assert state.table is not None
                assert state.table.match is not None
                assert TableView(state.table.match) == step.views[None]
            elif viewer is not None:
                assert state.view == step.views.get(viewer)
            # The decision that is open, and for its own seat alone.
            assert state.decision == step.decision(viewer)
    assert {CardPlayed, TrickWon, spades.PlayTakenBack, spades.MatchEnded, TableClosed} <= told
    assert {spades.HandShown, spades.CardsPassed, spades.NextHandAsked} <= told or rules == JOKERS


@pytest.mark.parametrize("rules", EVENINGS)
def test_taking_a_frame_in_leaves_the_old_state_as_it_was(evening: Evening, rules: str) -> None:
    state = ClientState(Seat.WEST)
    for step in evening(rules, SEED):
        for frame in step.frames[Seat.WEST]:
            before = contents(state)
            new = reduce(state, frame)
            assert contents(state) == before
            assert contents(new) != before
            state = new


@pytest.mark.parametrize("rules", EVENINGS)
@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_a_snapshot_at_every_moment_is_the_same_as_having_followed(
    evening: Evening, rules: str, viewer: Seat | None
) -> None:
    steps = evening(rules, SEED)
    frames = [frame for step in steps for frame in step.frames[viewer]]
    last = contents(followed(frames, viewer))
    state = ClientState(viewer)
    for step in steps:
        for frame in step.frames[viewer]:
            state = reduce(state, frame)
        come_late = reduce(ClientState(viewer), step.snapshot(viewer))
        assert contents(come_late) == contents(state)
    for step in steps[::23]:
        # A snapshot takes the place of whatever was known before.
        state = reduce(followed(frames[:9], viewer), step.snapshot(viewer))
        for frame in frames:
            if frame.seq > state.seq:
                state = reduce(state, frame)
        assert contents(state) == last


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_a_resume_from_any_frame_is_the_same_as_having_followed(
    evening: Evening, viewer: Seat | None
) -> None:
    rng = Random(11)
    frames: list[Frame] = []
    states = [ClientState(viewer)]
    for step in evening(RICH, SEED):
        for frame in step.frames[viewer]:
            frames.append(frame)
            states.append(reduce(states[-1], frame))
        # Somebody comes back who has missed some; the server tells the decision that is open now alone.
        missed = rng.randrange(1, len(frames) + 1)
        back = states[-1 - missed]
        decision = step.decision(viewer)
        for frame in frames[-missed:]:
            shown = isinstance(frame.payload, HandShown) and frame.payload.seat is viewer
            asked = decision is not None and (
                decision.id == frame.seq or (shown and decision.id < frame.seq)
            )
            back = reduce(back, replace(frame, decision=decision if asked else None))
        assert contents(back) == contents(states[-1])


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_c11_every_event_twice_and_a_snapshot_in_the_middle_change_no_counter(
    evening: Evening, viewer: Seat | None
) -> None:
    steps = evening(C11, SEED)
    state = ClientState(viewer)
    numbers: list[int] = []
    for place, step in enumerate(steps):
        frames = step.frames[viewer]
        for frame in frames:
            told = reduce(state, frame)
            again = reduce(told, frame)
            assert again is told
            assert narrate(told, frame, again) == []
            state = told
        if place % 10 == 0:
            before = contents(state)
            state = reduce(state, step.snapshot(viewer))
            assert contents(state) == before
        if not step.views:
            continue
        table = state.table
        assert table is not None
        assert table.match is not None
        assert table.match.taken == step.taken
        assert sum(table.match.taken) == len(table.match.tricks)
        if table.match.phase is Phase.PLAYING:
            said = trick_line(table, viewer)
            numbers.append(int(said.partition(":")[0].removeprefix("Trick ")))
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, 14))


def test_c11_an_event_that_was_seen_before_is_passed_over_however_old_it_is(
    evening: Evening,
) -> None:
    frames = [frame for step in evening(JOKERS, SEED) for frame in step.frames[Seat.EAST]]
    state = followed(frames, Seat.EAST)
    for frame in frames:
        assert reduce(state, frame) is state


def test_a_gap_is_noticed_wherever_it_is(evening: Evening) -> None:
    frames = [frame for step in evening(JOKERS, SEED) for frame in step.frames[Seat.NORTH]]
    state = ClientState(Seat.NORTH)
    for frame, after_it in pairwise(frames):
        with pytest.raises(FrameMissing, match=f"event {state.seq + 1} is missing"):
            reduce(state, after_it)
        state = reduce(state, frame)


def test_an_event_of_another_epoch_is_a_gap_and_a_snapshot_of_it_is_not(evening: Evening) -> None:
    steps = evening(JOKERS, SEED)
    frames = [frame for step in steps for frame in step.frames[Seat.NORTH]]
    state = followed(frames[:20], Seat.NORTH)
    for seq in (5, state.seq, state.seq + 1):
        with pytest.raises(FrameMissing):
            reduce(state, replace(frames[20], epoch=2, seq=seq))
    snapshot = replace(steps[12].snapshot(Seat.NORTH), epoch=2)
    assert snapshot.seq < state.seq
    new = reduce(state, snapshot)
    assert (new.epoch, new.seq) == (2, snapshot.seq)


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_a_snapshot_of_a_moment_that_has_passed_is_passed_over_and_nothing_is_said(
    evening: Evening, viewer: Seat | None
) -> None:
    steps = evening(JOKERS, SEED)
    state = ClientState(viewer)
    snapshots: list[Frame] = []
    passed_over = 0
    for step in steps:
        for frame in step.frames[viewer]:
            state = reduce(state, frame)
        for snapshot in snapshots[-4:]:
            if snapshot.seq < state.seq:
                passed_over += 1
                assert reduce(state, snapshot) is state
                assert narrate(state, snapshot, state) == []
        snapshots.append(step.snapshot(viewer))
    assert passed_over > 100
    # One of this very moment is news: it may bring a decision or a clock.
    news = reduce(state, snapshots[-1])
    assert news is not state
    assert narrate(state, snapshots[-1], news) != []


def test_a_heartbeat_or_a_goodbye_that_is_ahead_shows_a_gap_and_changes_nothing_else(
    evening: Evening,
) -> None:
    frames = [frame for step in evening(JOKERS, SEED) for frame in step.frames[Seat.NORTH]]
    state = followed(frames[:20], Seat.NORTH)
    goodbye = Goodbye(GoodbyeReason.DRAINING, "The server stops.")
    for payload in (Heartbeat(10_000), goodbye):
        assert reduce(state, Frame(state.epoch, state.seq, 0, payload)) is state
        with pytest.raises(FrameMissing):
            reduce(state, Frame(state.epoch, state.seq + 1, 0, payload))
        with pytest.raises(FrameMissing):
            reduce(state, Frame(state.epoch + 1, state.seq, 0, payload))
    # Before the first frame nothing can be missing.
    new = ClientState(Seat.NORTH)
    assert reduce(new, Frame(7, 99, 0, goodbye)) is new


def test_nothing_is_known_before_the_first_frame() -> None:
    state = ClientState(Seat.SOUTH)
    assert (state.view, state.phase, state.hand_number) == (None, None, 0)


def test_a_first_frame_in_the_middle_of_things_is_a_gap(evening: Evening) -> None:
    frames = [frame for step in evening(JOKERS, SEED) for frame in step.frames[None]]
    with pytest.raises(FrameMissing):
        reduce(ClientState(None), frames[1])


def test_the_fold_of_a_viewer_holds_no_card_that_it_may_not_see(evening: Evening) -> None:
    for viewer in VIEWERS:
        state = ClientState(viewer)
        dealt = False
        for step in evening(RICH, SEED):
            for frame in step.frames[viewer]:
                state = reduce(state, frame)
                dealt = dealt or isinstance(frame.payload, HandDealt)
                match = state.table.match if state.table else None
                if match is not None and match.phase in (
                    Phase.BIDDING,
                    Phase.PASSING,
                    Phase.PLAYING,
                ):
                    known = {seat for seat in Seat if match.hands[seat] is not None}
                    assert known <= {viewer}
        for step in evening(RICH, SEED)[::5]:
            snapshot = step.snapshot(viewer).payload
            assert isinstance(snapshot, Snapshot)
            for event in snapshot.match:
                if isinstance(event, HandDealt):
                    assert {one for one in Seat if event.hand(one) is not None} <= {viewer}
        assert dealt
