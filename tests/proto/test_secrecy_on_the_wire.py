"""What leaves a server for a viewer holds no card, and depends on no card, that the viewer may not know.

The frames are those of the server's own tables and feeds, byte for byte.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, cast

import pytest
from google.protobuf.descriptor import (
    Descriptor,
    FieldDescriptor,
    FileDescriptor,
    ServiceDescriptor,
)
from google.protobuf.message import Message
from hypothesis import Phase as Stage
from hypothesis import given, settings
from hypothesis import strategies as st

import spades_proto.v1
from spades import (
    Action,
    BlindNil,
    Card,
    CardsPassed,
    Deal,
    Deck,
    HandScored,
    HandShown,
    Look,
    MakeBid,
    Match,
    MatchEnded,
    PassCards,
    Phase,
    Play,
    Rules,
    Seat,
    SeededDeals,
    SpadeLead,
    UndoRule,
    parse_seed,
    redact,
    view,
)
from spades_proto import wire
from spades_proto.frames import Answer, Command, Goodbye
from spades_proto.table import AnyEvent, OccupantKind
from spades_proto.v1 import card_pb2, frame_pb2, tables_pb2
from spades_server.commands import Deed, Player, Presence, Sit, Start, TableCommand, Tick
from spades_server.feeds import TableFeeds
from spades_server.goodbyes import DRAINING
from spades_server.table import Table
from spades_server.table_log import TableConfig
from tests.knowledge import seen_by

Choose = Callable[[Match, Random], tuple[Seat, Action] | None]
Step = tuple[Seat, Action] | None

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)
SEED = parse_seed("secrecy on the wire")
EPOCH = 7
OPEN = Rules(max_hands=2, floor=None, undo=UndoRule.ON)
BLIND = replace(OPEN, blind_nil=BlindNil.BEHIND, blind_nil_deficit=0, blind_exchange=2)


# The messages


def files() -> Iterator[FileDescriptor]:
    for module in pkgutil.iter_modules(spades_proto.v1.__path__):
        if module.name.endswith("_pb2"):
            yield importlib.import_module(f"spades_proto.v1.{module.name}").DESCRIPTOR


def all_messages() -> Iterator[Descriptor]:
    for file in files():
        for message in file.message_types_by_name.values():
            yield message
            assert not message.nested_types


def type_of(of: FieldDescriptor) -> str:
    """The name of the message or enum that a field holds."""
    if of.message_type is not None:
        return str(of.message_type.name)
    return str(of.enum_type.name) if of.enum_type is not None else ""


HOLDS_CARDS = {
    "HiddenCards.cards": "the one message for hidden cards",
    "HandDealt.hand": "the viewer's own hand",
    "HandShown.hand": "the hand of the seat that looked, for that seat",
    "CardsPassed.cards": "an exchange, for the two partners",
    "CardPlayed.card": "lies on the table",
    "PlayTakenBack.card": "lay on the table",
    "OpenPass.cards": "an exchange after the hand has ended",
    "HandScored.deal": "the deal after the hand has ended",
    "ExplicitDeals.deals": "what a match was dealt from, after its end",
    "ExplicitDeals.salt": "as the deals",
    "Opening.seed": "as the deals",
    "PassCards.cards": "what a player sends of its own hand",
    "Action.play": "what a player sends of its own hand",
    "Decision.legal_plays": "what is legal for the viewer's own seat",
    "CreateTableRequest.seed": "what the creator of a table chooses itself",
    "Competition.seed_commitment": "a SHA-256 from which no seed follows",
    "View.hand": "the hand of the seat that is asked, for its own agent",
    "View.rng_seed": "what the agent draws from; it has nothing to do with the deals",
}
"""Every field that holds cards or what cards follow from, and why that is no leak."""


def holds_cards(of: FieldDescriptor) -> bool:
    telling = {"deal", "deals", "seed", "salt", "hand", "cards", "pbn"}
    return type_of(of) in ("Card", "HiddenCards") or (
        of.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
        and bool(telling & set(of.name.split("_")))
    )


def test_every_field_that_holds_cards_is_known_with_a_reason() -> None:
    found = {
        f"{message.name}.{of.name}"
        for message in all_messages()
        for of in message.fields
        if holds_cards(of)
    }
    assert found == set(HOLDS_CARDS)


def test_hidden_cards_are_in_three_events_and_a_seats_view_and_a_decision_where_it_is_asked() -> (
    None
):
    holders: dict[str, set[str]] = {"HiddenCards": set(), "Decision": set()}
    for message in all_messages():
        for of in message.fields:
            if type_of(of) in holders:
                holders[type_of(of)].add(str(message.name))
    assert holders == {
        "HiddenCards": {"HandDealt", "HandShown", "CardsPassed", "View"},
        "Decision": {"Frame", "PipeAsk"},
    }


def reached_from(message: Descriptor, seen: set[str] | None = None) -> set[str]:
    """The names of all messages that a message can hold, itself included."""
    seen = set() if seen is None else seen
    if message.name not in seen:
        seen.add(str(message.name))
        for of in message.fields:
            if of.message_type is not None:
                reached_from(of.message_type, seen)
    return seen


def test_only_a_tables_feed_and_an_agents_stream_can_answer_with_hidden_cards() -> None:
    services: list[ServiceDescriptor] = [
        service for file in files() for service in file.services_by_name.values()
    ]
    answers = {
        f"{service.name}.{method.name}": reached_from(method.output_type)
        for service in services
        for method in service.methods
    }
    assert len(answers) > 12
    for secret in ("HiddenCards", "Decision", "Event"):
        feeds = {name for name, reached in answers.items() if secret in reached}
        assert feeds == {"Tables.Watch", "Agents.Connect"}


# A table with everybody watching


@dataclass(eq=False)
class Collector:
    """A stream's end that keeps what it gets."""

    chunks: list[bytes] = field(default_factory=list[bytes])

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        del flush
        assert len(tables_pb2.WatchResponse.FromString(chunk).frames) >= min(frames, 1)
        self.chunks.append(chunk)

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        del goodbye
        self.chunks.append(chunk)

    @property
    def data(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def frames(self) -> list[frame_pb2.Frame]:
        return list(tables_pb2.WatchResponse.FromString(self.data).frames)


class Evening:
    """A table of the server with four players, a spectator, and time that goes by the command."""

    def __init__(self, rules: Rules) -> None:
        self.now = 1_700_000_000_000_000
        self.players = [Player(f"p{seat.value}", str(seat)) for seat in Seat]
        config = TableConfig("QRST", rules)
        self.table = Table(config, self.players[0], self.now, EPOCH)
        self.feeds = TableFeeds(self.table, lambda: self.now)
        self.sinks: dict[Seat | None, Collector] = {viewer: Collector() for viewer in VIEWERS}
        self.log: list[AnyEvent] = [entry.event for entry in self.table.opening]
        self.sent = 0
        for seat in Seat:
            self.do(Sit(self.players[seat], OccupantKind.PERSON, seat))
        for viewer, sink in self.sinks.items():
            self.feeds.attach(viewer, sink, 0, 0)
        for seat in Seat:
            self.do(Presence(seat, listening=True))
        self.do(Start(self.players[0], SEED))

    @property
    def match(self) -> Match:
        assert self.table.match is not None
        return self.table.match

    def do(self, command: TableCommand) -> Answer:
        self.now += 1_000
        entries, answer = self.table.handle(command, self.now)
        self.log += [entry.event for entry in entries]
        self.feeds.publish(entries)
        return answer

    def act(self, seat: Seat, action: Action) -> Answer:
        self.sent += 1
        answers = isinstance(action, MakeBid | PassCards | Play)
        command = Command(
            "QRST",
            action,
            seat,
            f"r{self.sent}",
            self.table.decision_id if answers else 0,
            EPOCH,
            0 if answers else self.match.hand_number,
        )
        return self.do(Deed(self.players[seat], command))

    def take(self, step: Step) -> None:
        if step is None:
            self.now += 60_000_000
            self.do(Tick())
        else:
            answer = self.act(*step)
            assert answer.refusal is None

    def snapshot(self, viewer: Seat | None) -> Collector:
        """What a viewer gets that comes now."""
        sink = Collector()
        TableFeeds(self.table, lambda: self.now).attach(viewer, sink, 0, 0)
        return sink

    def resumed(self, viewer: Seat | None, after: int) -> Collector:
        """What a viewer gets that was away for a while."""
        sink = Collector()
        TableFeeds(self.table, lambda: self.now).attach(viewer, sink, EPOCH, after)
        return sink

    def finish(self) -> None:
        """Sends the spectators what is held back for them."""
        self.feeds.end(DRAINING)


# Every card anywhere


def walk(message: Message) -> Iterator[tuple[Message, FieldDescriptor, Any]]:
    """Every field that is set, however deep, with the message that holds it."""
    for of, value in message.ListFields():
        yield message, of, value
        if of.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if of.is_repeated else [value]:
                yield from walk(inner)


def cards_in(message: Message) -> set[Card]:
    """Every card in a message, but for what a hand opens when it has been scored."""
    found: set[Card] = set()
    for of, value in message.ListFields():
        if of.name == "hand_scored":
            continue
        if type_of(of) == "Card":
            numbers = list(value) if of.is_repeated else [value]
            found |= {wire.CARD.from_wire(number) for number in numbers}
        elif of.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in value if of.is_repeated else [value]:
                found |= cards_in(inner)
    return found


def check_hidden(frame: frame_pb2.Frame, viewer: Seat | None) -> int:
    """Checks whose the hidden cards of a frame are; counts them."""
    count = 0
    for holder, of, value in walk(frame):
        if type_of(of) != "HiddenCards":
            continue
        count += len(cast("card_pb2.HiddenCards", value).cards)
        assert viewer is not None
        name = holder.DESCRIPTOR.name
        if name == "HandShown":
            assert wire.SEAT.from_wire(cast("Any", holder).seat) is viewer
        elif name == "CardsPassed":
            assert wire.SEAT.from_wire(cast("Any", holder).giver).side is viewer.side
        else:
            assert name == "HandDealt"
            down = map(wire.SEAT.from_wire, cast("Any", holder).face_down)
            assert viewer not in set(down)
    return count


def check_decision(frame: frame_pb2.Frame, viewer: Seat | None, evening: Evening) -> int:
    """Checks that a decision is the viewer's own and says what its own view says."""
    if not frame.HasField("decision"):
        return 0
    assert viewer is not None
    assert evening.match.turn is viewer
    seen = view(evening.match, viewer)
    decision = wire.decision_from_wire(frame.decision)
    assert decision.id == evening.table.decision_id
    assert decision.legal_plays == seen.legal_plays
    assert decision.legal_bids == seen.legal_bids
    assert decision.pass_count == seen.pass_count
    assert decision.may_look == seen.may_look
    return 1


async def watch_everything(rules: Rules, line: int, choose: Choose) -> dict[str, int]:
    """Plays an evening and looks at each frame of each viewer as it is sent."""
    rng = Random(line)
    evening = Evening(rules)
    counts = {"hidden": 0, "decisions": 0, "frames": 0}
    read = dict.fromkeys(Seat, 0)

    def check(frame: frame_pb2.Frame, viewer: Seat | None) -> None:
        ended = evening.match.outcome is not None
        assert cards_in(frame) <= seen_by(evening.log, viewer)
        counts["hidden"] += check_hidden(frame, viewer)
        counts["decisions"] += check_decision(frame, viewer, evening)
        counts["frames"] += 1
        assert ended or SEED.hex().encode() not in frame.SerializeToString()

    while True:
        for seat in Seat:
            chunks = evening.sinks[seat].chunks
            for chunk in chunks[read[seat] :]:
                for frame in tables_pb2.WatchResponse.FromString(chunk).frames:
                    check(frame, seat)
            read[seat] = len(chunks)
        for viewer in VIEWERS:
            for frame in evening.snapshot(viewer).frames:
                check(frame, viewer)
        if evening.match.outcome is not None:
            break
        evening.take(choose(evening.match, rng))
    evening.finish()
    spectator = evening.sinks[None].frames
    for frame in spectator:
        assert check_hidden(frame, None) == 0
        assert check_decision(frame, None, evening) == 0
    # The same events for everybody, numbered without a gap.
    numbers = [frame.seq for frame in spectator if frame.HasField("event")]
    assert numbers == list(range(numbers[0], evening.table.seq + 1))
    for seat in Seat:
        mine = [frame.seq for frame in evening.sinks[seat].frames if frame.HasField("event")]
        assert mine == numbers
    return counts


def test_the_search_for_cards_finds_them() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    hand = set(view(match, Seat.WEST).hand)
    event = wire.event_to_wire(redact(match.log[1], Seat.WEST))
    assert cards_in(event) == hand == seen_by(list(match.log), Seat.WEST)
    frame = frame_pb2.Frame(event=event)
    assert check_hidden(frame, Seat.WEST) == 13
    with pytest.raises(AssertionError):
        check_hidden(frame, None)


@pytest.mark.parametrize("rules", [OPEN, BLIND], ids=["open", "blind"])
@pytest.mark.parametrize("deck", Deck)
@pytest.mark.parametrize("line", range(2))
def test_no_frame_and_no_snapshot_holds_a_card_that_its_viewer_may_not_know(
    line: int, deck: Deck, rules: Rules, choose: Choose
) -> None:
    rules = replace(rules, deck=deck, spade_lead=SpadeLead.ANY, max_hands=1)
    counts = asyncio.run(watch_everything(rules, line, choose))
    assert counts["frames"] > 50
    assert counts["hidden"] > 50
    assert counts["decisions"] > 5


def test_the_evenings_hold_exchanges_and_looks_and_blind_nils(choose: Choose) -> None:
    async def events() -> list[AnyEvent]:
        log: list[AnyEvent] = []
        for line in range(2):
            evening = Evening(replace(BLIND, max_hands=1))
            rng = Random(line)
            while evening.match.outcome is None:
                evening.take(choose(evening.match, rng))
            log += evening.log
        return log

    log = asyncio.run(events())
    kinds = {type(event) for event in log}
    assert {CardsPassed, HandShown, HandScored, MatchEnded} <= kinds


# What a viewer gets may not depend on what it may not know


def hidden_from(evening: Evening, viewer: Seat | None) -> dict[Seat, list[Card]]:
    """The cards of each seat that the viewer knows nothing of and that have not been moved."""
    known = seen_by(evening.log, viewer)
    for event in evening.log:
        if isinstance(event, CardsPassed):
            known |= set(event.cards or ())
    match = evening.match
    return {
        seat: [
            card
            for card in match.rules.deck.unmask(match.state.hands[seat] or 0)
            if card not in known
        ]
        for seat in Seat
    }


def permuted(deal: Deal, hidden: dict[Seat, list[Card]], rng: Random) -> Deal:
    """Deals hidden cards anew among the seats that hold them, as many of each suit to each seat."""
    deck = deal.deck
    masks = list(deal.masks)
    by_suit: dict[int, list[tuple[Seat, Card]]] = {}
    for seat, cards in hidden.items():
        for card in cards:
            by_suit.setdefault(deck.suit_of(card), []).append((seat, card))
    for holders in by_suit.values():
        cards = [card for _, card in holders]
        rng.shuffle(cards)
        for (seat, old), new in zip(holders, cards, strict=True):
            masks[seat] += deck.bits[new] - deck.bits[old]
    return Deal(deck, (masks[0], masks[1], masks[2], masks[3]))


def told(evening: Evening, viewer: Seat, cards: Iterator[Card]) -> list[str]:
    """What a viewer is answered to each card that it tries and that is refused."""
    answers: list[str] = []
    for card in cards:
        if card in view(evening.match, viewer).legal_plays:
            continue
        answer = evening.act(viewer, Play(card))
        assert answer.refusal is not None
        answers.append(f"{answer.refusal.reason} {answer.refusal}")
    return answers


def always(deal: Deal) -> Callable[[SeededDeals, int, Deck, Seat], Deal]:
    def chosen(_source: SeededDeals, _number: int, _deck: Deck, _dealer: Seat) -> Deal:
        return deal

    return chosen


async def received(
    rules: Rules, deal: Deal, steps: list[Step], viewer: Seat | None
) -> list[object]:
    """All that a viewer gets of an evening: its frames, a snapshot at each moment, what it missed."""
    got: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        # The seed, and so the commitment, stays the same: only the cards differ.
        patch.setattr(SeededDeals, "deal", always(deal))
        evening = Evening(rules)
        start = evening.table.seq
        got.append(evening.snapshot(viewer).data)
        for step in steps:
            evening.take(step)
            got.append(evening.snapshot(viewer).data)
        got += [
            evening.resumed(viewer, after).data for after in range(start - 2, evening.table.seq)
        ]
        if viewer is not None:
            got.append(told(evening, viewer, iter(rules.deck)))
        evening.finish()
    return [*got, evening.sinks[viewer].data]


async def compare(
    rules: Rules, seed: bytes, line: int, length: int, viewer: Seat | None, choose: Choose
) -> tuple[Deal, Deal, list[Step]]:
    deal = SeededDeals(seed).deal(1, rules.deck, Seat.EAST)
    rng = Random(line)
    steps: list[Step] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SeededDeals, "deal", always(deal))
        evening = Evening(rules)
        while len(steps) < length:
            chosen = choose(evening.match, rng)
            before = len(evening.log)
            evening.take(chosen)
            if evening.match.phase in (Phase.HAND_OVER, Phase.MATCH_OVER):
                # The end of a hand opens its cards to all: it is no part of the line.
                del evening.log[before:]
                break
            steps.append(chosen)
        hidden = hidden_from(evening, viewer)
        evening.finish()
    other = permuted(deal, hidden, rng)
    one = await received(rules, deal, steps, viewer)
    two = await received(rules, other, steps, viewer)
    assert one == two
    return deal, other, steps


unshrunk = tuple(stage for stage in Stage if stage not in (Stage.shrink, Stage.explain))


@settings(max_examples=40, deadline=None, phases=unshrunk)
@given(
    rules=st.builds(
        replace,
        st.sampled_from([OPEN, BLIND, BLIND]),
        deck=st.sampled_from(Deck),
        spade_lead=st.sampled_from(SpadeLead),
        max_hands=st.just(1),
    ),
    seed=st.binary(min_size=32, max_size=32),
    line=st.integers(0, 2**32),
    length=st.integers(0, 50),
    viewer=st.sampled_from(VIEWERS),
)
def test_hidden_cards_change_no_byte_that_a_viewer_receives(
    rules: Rules, seed: bytes, line: int, length: int, viewer: Seat | None, choose: Choose
) -> None:
    asyncio.run(compare(rules, seed, line, length, viewer, choose))


def test_the_evenings_compared_really_differ_and_those_who_hold_the_cards_see_it(
    choose: Choose,
) -> None:
    rules = replace(OPEN, max_hands=1)
    deal, other, steps = asyncio.run(compare(rules, SEED, 1, 12, Seat.WEST, choose))
    assert len(steps) == 12
    moved = [a != b for a, b in zip(deal.masks, other.masks, strict=True)]
    assert moved == [True, False, True, True]
    for seat in (Seat.SOUTH, Seat.NORTH, Seat.EAST):
        one = asyncio.run(received(rules, deal, steps, seat))
        two = asyncio.run(received(rules, other, steps, seat))
        assert one != two


def test_a_look_is_everybodys_and_the_cards_the_seats_own() -> None:
    async def look() -> dict[Seat | None, list[frame_pb2.Frame]]:
        evening = Evening(BLIND)
        evening.take((Seat.NORTH, Look()))
        evening.finish()
        return {viewer: sink.frames for viewer, sink in evening.sinks.items()}

    for viewer, frames in asyncio.run(look()).items():
        shown = [frame.event.hand_shown for frame in frames if frame.event.HasField("hand_shown")]
        assert [wire.SEAT.from_wire(one.seat) for one in shown] == [Seat.NORTH]
        assert shown[0].HasField("hand") is (viewer is Seat.NORTH)
