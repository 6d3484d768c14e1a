"""A table's state is the same from a snapshot as from all its events, at every moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from spades import (
    PRESETS,
    BlindNil,
    Match,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    TableView,
    UndoRule,
    parse_seed,
    redact,
    view,
)
from spades_proto.table import (
    AnyEvent,
    Courtesy,
    CourtesySent,
    HostChanged,
    Occupant,
    OccupantKind,
    PresenceChanged,
    RecordKept,
    SeatLeft,
    SeatStatus,
    SeatTaken,
    StandInChanged,
    TableClosed,
    TableEvent,
    TableOpened,
    TableStage,
    TableState,
)

Wander = Callable[[Match, Random], Iterator[int]]

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)
ZOE = Occupant(OccupantKind.PERSON, "Zoë")


def rough(rules: Rules) -> Rules:
    return replace(
        rules,
        max_hands=2,
        floor=None,
        undo=UndoRule.ON,
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=0,
        blind_exchange=2,
    )


RULES = {
    **{f"{name}, plain": replace(rules, max_hands=2) for name, rules in PRESETS.items()},
    **{f"{name}, blind and undo": rough(rules) for name, rules in PRESETS.items()},
}


def opened(rules: Rules = PRESETS["classic"]) -> TableOpened:
    return TableOpened("QRST", "Zoë", rules, private=False, seed_chosen=False)


def seen(state: TableState, viewer: Seat | None) -> list[object]:
    """All that one can ask of a viewer's state."""
    match = state.match
    told: list[object] = [
        state.opened,
        state.stage,
        state.seats,
        state.record,
        [state.name_of(seat) for seat in Seat],
    ]
    if match is not None:
        told += [
            TableView(match) if viewer is None else SeatView(match, viewer),
            match.commitment,
            match.first_dealer,
            match.turn_number,
            match.sheet,
            match.proposed,
            match.asked,
            match.last_played,
            match.outcome,
            match.opening,
            match.decision,
        ]
    return told


def check_everything(rules: Rules, word: str, wander: Wander, *, opens: bool = True) -> int:
    """Compares, after every event and for every viewer, three ways to know the table."""
    whole = TableState(opened(rules))
    folds = {viewer: TableState(opened(rules)) for viewer in VIEWERS}
    # These go on from a snapshot that was taken once in a while.
    late = dict(folds)
    rng = Random(word)
    checked = 0

    def take(event: AnyEvent) -> None:
        nonlocal checked
        whole.apply(event)
        for viewer in VIEWERS:
            form = event if isinstance(event, TableEvent) else redact(event, viewer)
            folds[viewer].apply(form)
            if late[viewer] is not folds[viewer]:
                late[viewer].apply(form)
            fresh = TableState.from_snapshot(whole.snapshot(viewer))
            told = seen(folds[viewer], viewer)
            assert seen(fresh, viewer) == told
            assert seen(late[viewer], viewer) == told
            assert folds[viewer].snapshot(viewer) == whole.snapshot(viewer)
            if rng.random() < 0.05:
                late[viewer] = fresh
            checked += 1

    for former in (None, Seat.EAST):
        deals = SeededDeals(parse_seed(word))
        match = Match(rules, deals, former_first_dealer=former, opens=opens)
        done = 0
        steps = wander(match, rng)
        while done < len(match.log):
            for event in match.log[done:]:
                take(event)
            done = len(match.log)
            for viewer in VIEWERS:
                assert seen(folds[viewer], viewer)[5] == view(match, viewer)
            next(steps, None)
        take(RecordKept(f"QRST-{former}"))
    return checked


@pytest.mark.parametrize("name", RULES)
def test_a_snapshot_at_any_event_gives_the_state_of_the_unbroken_fold_to_every_viewer(
    name: str, wander: Wander
) -> None:
    assert check_everything(RULES[name], name, wander) > 500


@pytest.mark.parametrize("name", [name for name in RULES if name.endswith("blind and undo")])
def test_so_does_one_of_a_match_that_opens_no_deal(name: str, wander: Wander) -> None:
    assert check_everything(RULES[name], name, wander, opens=False) > 500


def test_the_matches_compared_hold_undos_blind_nils_exchanges_and_surrenders(
    wander: Wander,
) -> None:
    kinds: set[str] = set()
    for name, rules in RULES.items():
        match = Match(rules, SeededDeals(parse_seed(name)))
        for _ in wander(match, Random(name)):
            pass
        kinds |= {type(event).__name__ for event in match.log}
        kinds |= {"Blind" for hand in match.sheet for bid in hand.bids if bid.blind}
    wanted = {"PlayTakenBack", "CardsPassed", "HandShown", "SurrenderProposed", "NextHandAsked"}
    assert wanted | {"Blind"} <= kinds


# Seats and the rest of the table


def after(*events: AnyEvent) -> TableState:
    state = TableState(opened())
    for event in events:
        state.apply(event)
        assert TableState.from_snapshot(state.snapshot(None)).snapshot(None) == state.snapshot(None)
    return state


def test_a_seat_that_is_taken_has_its_occupant_and_one_that_is_left_nothing() -> None:
    state = after(SeatTaken(Seat.WEST, ZOE))
    assert state.seats[Seat.WEST] == SeatStatus(ZOE)
    assert [state.name_of(seat) for seat in Seat] == ["South", "Zoë", "North", "East"]
    state.apply(SeatLeft(Seat.WEST))
    assert state.seats == TableState(opened()).seats


def test_who_is_away_and_stood_in_for_stays_so_until_it_changes() -> None:
    state = after(
        SeatTaken(Seat.WEST, ZOE),
        PresenceChanged(Seat.WEST, away=True),
        StandInChanged(Seat.WEST, active=True),
    )
    assert state.seats[Seat.WEST] == SeatStatus(ZOE, away=True, stand_in=True)
    state.apply(PresenceChanged(Seat.WEST, away=False))
    assert state.seats[Seat.WEST] == SeatStatus(ZOE, away=False, stand_in=True)
    state.apply(StandInChanged(Seat.WEST, active=False))
    assert state.seats[Seat.WEST] == SeatStatus(ZOE)


def test_whoever_sits_down_next_is_neither_away_nor_stood_in_for() -> None:
    state = after(
        SeatTaken(Seat.WEST, ZOE),
        PresenceChanged(Seat.WEST, away=True),
        StandInChanged(Seat.WEST, active=True),
        SeatTaken(Seat.WEST, Occupant(OccupantKind.AGENT, "Modest")),
    )
    assert state.seats[Seat.WEST] == SeatStatus(Occupant(OccupantKind.AGENT, "Modest"))


def test_a_courtesy_changes_nothing_and_a_host_only_the_host() -> None:
    assert after(CourtesySent(Seat.WEST, Courtesy.SORRY)).snapshot(None) == after().snapshot(None)
    assert after(HostChanged("Ada")).opened == replace(opened(), host="Ada")


def test_a_table_is_open_then_playing_then_finished_then_closed() -> None:
    state = after()
    stages = [state.stage]
    match = Match(state.rules, SeededDeals(bytes(32)))
    match.surrender(Seat.SOUTH)
    match.surrender(Seat.NORTH)
    for event in (*match.log, TableClosed("Everybody has left the table.")):
        state.apply(event)
        if stages[-1] is not state.stage:
            stages.append(state.stage)
    assert stages == list(TableStage)


def test_a_copy_goes_its_own_way() -> None:
    state = after(SeatTaken(Seat.WEST, ZOE))
    match = Match(state.rules, SeededDeals(bytes(32)))
    for event in match.log:
        state.apply(event)
    before = state.snapshot(Seat.WEST)
    other = state.copy()
    for event in match.bid(Seat.SOUTH, match.legal_bids(Seat.SOUTH)[3]):
        other.apply(event)
    other.apply(SeatLeft(Seat.WEST))
    assert state.snapshot(Seat.WEST) == before
    assert state.match is not None
    assert state.match.turn is Seat.SOUTH
    assert other.match is not None
    assert other.match.turn is Seat.WEST
