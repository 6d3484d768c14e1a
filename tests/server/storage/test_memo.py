"""Memos: a table that is made again from its memo is the same table, whatever was done at it before."""

from __future__ import annotations

import random
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from itertools import chain
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import (
    BLIND_NIL,
    Bid,
    Card,
    Look,
    MakeBid,
    Match,
    MatchState,
    NextHand,
    PassCards,
    Play,
    Seat,
    SeededDeals,
    SpadesError,
    Surrender,
    Undo,
    parse_rules,
)
from spades.actions import Action
from spades_proto.frames import Answer, Command
from spades_proto.frames import Deed as Does
from spades_proto.table import Courtesy, OccupantKind, TableState, TakeSeatBack
from spades_proto.timing import UNLIMITED, TimeControl
from spades_server.commands import (
    AddBot,
    BotDeed,
    Close,
    Deed,
    Leave,
    Measured,
    Player,
    PlayerGone,
    Presence,
    RemoveBot,
    Resume,
    Sit,
    Start,
    TableCommand,
    Tick,
)
from spades_server.host import is_journaled
from spades_server.memo import memo_of, play_again
from spades_server.storage.memo_codec import decode_memo, encode_memo
from spades_server.table import Table
from spades_server.table_log import SECOND, TableConfig

PLAYERS = tuple(Player(name.lower(), name) for name in ("Ann", "Bob", "Cid", "Dée", "Eve"))
RULES = (
    "undo=on,target=10,next_hand_wait=30",
    "undo=solo,max_hands=2,floor=none",
    "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,undo=on,max_hands=3",
    "jokers,max_hands=2,min_team_bid=4",
    "nyc,target=10",
)
LEFT_OUT = {"table.log", "table._new", "table.opening", "table.finished"}
"""The last events, what has just happened, and what others take from a table: no memo holds these."""


def everything(it: object) -> dict[str, object]:
    """All attributes of an object, whether it has a dictionary or slots."""
    slots = chain.from_iterable(getattr(kind, "__slots__", ()) for kind in type(it).__mro__)
    found: dict[str, object] = {name: getattr(it, name) for name in slots if name != "__dict__"}
    return found | getattr(it, "__dict__", {})


def assert_alike(one: object, other: object, where: str = "table") -> None:
    """Compares two objects by all that they hold, however deep."""
    assert type(one) is type(other), where
    if isinstance(one, int | str | bytes | None):
        assert one == other, where
    elif isinstance(one, SpadesError):
        assert one.__reduce__() == other.__reduce__(), where
    elif isinstance(one, dict):
        mine, its = cast("dict[object, object]", one), cast("dict[object, object]", other)
        if isinstance(one, OrderedDict):
            assert list(mine) == list(its), where
        assert_same_names(mine, its, where)
    elif isinstance(one, list | tuple | deque):
        here = list(cast("Iterable[object]", one))
        there = list(cast("Iterable[object]", other))
        if all(map(is_dataclass, here)):
            assert here == there, where
            return
        assert_same_names(dict(enumerate(here)), dict(enumerate(there)), where)
    elif isinstance(one, Enum | Card) or is_dataclass(one) or not everything(one):
        # Values, whose equality is that of all their fields.
        assert one == other, where
    else:
        assert_same_names(everything(one), everything(other), where)


def assert_same_names(mine: Mapping[Any, object], its: Mapping[Any, object], where: str) -> None:
    assert set(mine) == set(its), where
    for name, value in mine.items():
        if f"{where}.{name}" not in LEFT_OUT:
            assert_alike(value, its[name], f"{where}.{name}")


def twin_of(table: Table) -> Table:
    """The table that its memo makes, written down and read again."""
    return Table.recall(table.config, decode_memo(encode_memo(table.memo())))


# What is done at a table, right and wrong


def an_action(table: Table, seat: Seat, dice: random.Random) -> Action:
    """Mostly what answers the open decision, and now and then anything."""
    match = table.match
    rare: list[Action] = [Undo(), Surrender(), NextHand(), Look(), MakeBid(Bid(14)),
        MakeBid(BLIND_NIL), PassCards((Card("2C"), Card("2C"))), PassCards(()), Play(Card("AS"))]  # fmt: skip
    if match is None or dice.random() < 0.12:
        return dice.choice(rare)
    legal = match.legal(seat)
    return dice.choice(legal) if legal else dice.choice([NextHand(), *rare])


def a_deed(table: Table, dice: random.Random) -> Deed:
    match = table.match
    turn = match.turn if match else None
    seat = turn if turn is not None and dice.random() < 0.8 else dice.choice(list(Seat))
    owner = table.owners[seat]
    player = next((one for one in PLAYERS if one.id == owner), dice.choice(PLAYERS))
    said: Does = an_action(table, seat, dice)
    if dice.random() < 0.05:
        said = dice.choice([*Courtesy, TakeSeatBack()])
    decision = table.decision_id if dice.random() < 0.95 else 3
    hand = match.hand_number if match else 0
    request = f"r {dice.randrange(400)}"
    return Deed(player, Command("table", said, seat, request, decision, dice.choice([0, 1]), hand))


def a_bot_deed(table: Table, dice: random.Random) -> BotDeed | Tick:
    task = table.bot_task()
    if task is None or table.match is None:
        return Tick()
    action = dice.choice(table.match.legal(task.seat))
    return BotDeed(task.seat, task.decision, action)


MAKERS: Mapping[Callable[[Table, random.Random], TableCommand], float] = {
    a_deed: 60,
    a_bot_deed: 30,
    lambda _, dice: Presence(dice.choice(list(Seat)), listening=dice.random() < 0.8): 4,
    lambda _, dice: Sit(dice.choice(PLAYERS), OccupantKind.PERSON, dice.choice([*Seat, None])): 1,
    lambda _, dice: Leave(dice.choice(PLAYERS[1:])): 0.5,
    lambda table, dice: AddBot(table.host, "random", dice.choice([*Seat, None])): 1,
    lambda table, dice: RemoveBot(table.host, dice.choice(list(Seat))): 0.5,
    lambda table, dice: Start(table.host, dice.randbytes(32)): 2,
    lambda _, dice: Tick(): 2,
    lambda _, dice: Measured(dice.choice(list(Seat)), dice.randrange(400_000)): 1,
    lambda _, dice: PlayerGone(dice.choice(PLAYERS)): 0.2,
    lambda _, dice: Close("Good night."): 0.05,
    lambda _, dice: Resume(dice.choice([0, 0, dice.randrange(1, 99)])): 0.3,
}


def opened(rules: str, dice: random.Random) -> Table:
    """Ann's table, most of the time with a match that has just begun."""
    config = TableConfig(
        "TABLE",
        parse_rules(rules),
        many_seats=dice.random() < 0.3,
        time_control=dice.choice([UNLIMITED, TimeControl(15_000, 5_000)]),
    )
    table = Table(config, PLAYERS[0], 5)
    people = dice.randrange(1, 5)
    for seat, player in list(zip(Seat, PLAYERS, strict=False))[:people]:
        kind = dice.choice([OccupantKind.PERSON, OccupantKind.AGENT])
        table.handle(Sit(player, kind, seat), 5)
        table.handle(Presence(seat, listening=True), 5)
    if people < 4:
        table.handle(AddBot(PLAYERS[0], "random"), 5)
    if dice.random() < 0.9:
        table.handle(Start(PLAYERS[0], dice.randbytes(32)), 6)
    return table


def done(table: Table, command: TableCommand, now_us: int) -> tuple[object, ...]:
    """What comes of a command."""
    try:
        entries, answer = table.handle(command, now_us)
    except SpadesError as refusal:
        return refusal.sentence, refusal.reason
    return entries, Answer(answer.seq, None, answer.replayed), str(answer.refusal)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), rules=st.sampled_from(RULES))
def test_a_table_is_its_memo_at_every_command(seed: int, rules: str) -> None:
    """And with the same commands after it both go the same way."""
    dice = random.Random(seed)
    table = opened(rules, dice)
    twin = twin_of(table)
    now = 10
    makers, weights = list(MAKERS), list(MAKERS.values())
    for _ in range(150):
        now += dice.choice([0, 1, SECOND, 20 * SECOND]) if dice.random() < 0.3 else 1
        command = dice.choices(makers, weights)[0](table, dice)
        assert done(table, command, now) == done(twin, command, now)
        table.take_finished()
        twin.take_finished()
        assert_alike(twin, table)
        if dice.random() < 0.2:
            twin = twin_of(table)
            assert_alike(twin, table)


def forget_attribute(table: Table) -> None:
    table.__dict__["forgotten"] = 7


def change_state(table: Table) -> None:
    table.state.record = "another"


def change_match(table: Table) -> None:
    assert table.match is not None
    table.match.people = frozenset(Seat)


def change_log(table: Table) -> None:
    assert table.match is not None
    table.match.log.pop()


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (forget_attribute, r"table"),
        (change_state, r"table\.state\.record"),
        (change_match, r"table\.match\.people"),
        (change_log, r"table\.match\.log"),
    ],
)
def test_what_is_not_remembered_is_found(change: Callable[[Table], None], where: str) -> None:
    """Whoever adds an attribute to a table, and not to its memo, hears of it."""
    table = opened(RULES[0], random.Random(1))
    twin = twin_of(table)
    assert_alike(twin, table)
    change(table)
    with pytest.raises(AssertionError, match=rf"^{where}\b"):
        assert_alike(twin, table)


def test_a_long_match_is_the_same_again() -> None:
    rules = parse_rules("target=10000,max_hands=30,floor=none,blind_nil=behind,blind_nil_deficit=0")
    match = Match(rules, SeededDeals(bytes(32)), former_first_dealer=Seat.WEST)
    dice = random.Random(3)
    while match.outcome is None:
        if match.turn is None:
            match.deal_next()
        else:
            match.act(match.turn, dice.choice(match.legal(match.turn)))
    config = TableConfig("TABLE", rules)
    table = Table(config, PLAYERS[0], 0)
    again = play_again(memo_of(match, Seat.WEST), rules, table.state)
    assert again.log == match.log
    for name in MatchState.__slots__:
        assert getattr(again.state, name) == getattr(match.state, name), name


def test_the_short_log_of_a_snapshot_is_there_again() -> None:
    """A viewer's snapshot has the scores of earlier hands and the last hand event by event."""
    dice = random.Random(5)
    table = opened("max_hands=4,target=1000,floor=none,next_hand_wait=0", dice)
    while table.match is not None and table.match.outcome is None:
        assert table.match.turn is not None
        done(table, a_bot_deed(table, dice), table.now_us + SECOND)
        done(table, a_deed(table, dice), table.now_us + 1)
        twin = twin_of(table)
        assert isinstance(twin.state, TableState)
        for viewer in (*Seat, None):
            assert twin.state.snapshot(viewer) == table.state.snapshot(viewer)
            assert twin.decision_for(viewer) == table.decision_for(viewer)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), rules=st.sampled_from(RULES))
def test_what_a_host_journals_makes_the_same_table_again(seed: int, rules: str) -> None:
    """What was refused and what was no event is in it too, where it changes what comes later."""
    dice = random.Random(seed)
    table = opened(rules, dice)
    again = twin_of(table)
    journal: list[tuple[int, TableCommand]] = []
    now = 10
    makers, weights = list(MAKERS), list(MAKERS.values())
    for _ in range(200):
        now += dice.choice([0, 1, SECOND, 20 * SECOND]) if dice.random() < 0.3 else 1
        command = dice.choices(makers, weights)[0](table, dice)
        if isinstance(command, Resume):
            # It comes first after a restart, and then the time is that of what was journaled last.
            continue
        try:
            entries, answer = table.handle(command, now)
        except SpadesError:
            continue
        if is_journaled(command, entries, answer):
            journal.append((table.now_us, command))
        table.take_finished()
    for time_us, command in journal:
        again.handle(command, time_us)
        again.take_finished()
    for one in (table, again):
        # What was refused moved nothing but the time.
        one.handle(Presence(Seat.SOUTH, listening=False), now + 1)
        one.take_finished()
    assert_alike(again, table)
