"""What a table of a competition sends: no card that its viewer has not held, been passed or seen played."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import Phase as Stage
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import (
    Card,
    CardsPassed,
    Deck,
    HandScored,
    HandShown,
    Look,
    Match,
    MatchEnded,
    NotationError,
    PassCards,
    Seat,
    SeededDeals,
    Surrender,
    format_deal,
    parse_deal,
    parse_rules,
)
from spades.actions import Action
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.spec import competition_rules
from spades_arena.table import TableSetting
from spades_proto import wire
from spades_proto.frames import Command, Goodbye
from spades_proto.table import TableStage
from spades_proto.timing import UNLIMITED
from spades_proto.v1 import event_pb2, frame_pb2, tables_pb2
from spades_proto.verification import verify
from spades_server.commands import Deed, Player, Presence, TableCommand
from spades_server.competitions.sides import SideEntry
from spades_server.competitions.table import CompetitionTable
from spades_server.feeds import TableFeeds
from spades_server.table_log import Entry
from tests.knowledge import seen_by

PLAYERS = (Player("ann", "Ann"), Player("bob", "Bob"))
RULES = "classic,max_hands=2,floor=none,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
DECKS = [deck.value for deck in Deck]


class Mailbox:
    """A seat's end of a feed, which keeps what it gets."""

    def __init__(self) -> None:
        self.data = b""

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        del frames, flush
        self.data += chunk

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        del goodbye
        self.data += chunk

    def read(self) -> list[frame_pb2.Frame]:
        """What has come since it was read last."""
        data, self.data = self.data, b""
        return list(tables_pb2.WatchResponse.FromString(data).frames)


class Sealed:
    """A table of a competition with two connected entries, of whose four seats each has a feed."""

    def __init__(self, seed: bytes, deck: str) -> None:
        self.seed = seed
        setting = TableSetting(
            id="m0001-u00001-t1",
            place=0,
            rules=competition_rules(parse_rules(f"{RULES},deck={deck}")),
            deals=SeededDeals(seed),
            names=("Ann", "Bob"),
            limits=TimeLimits(control=UNLIMITED),
            discipline=Discipline(),
        )
        ann, bob = (SideEntry(player.name, player) for player in PLAYERS)
        self.now_us = 1_000_000
        self.table = CompetitionTable("TABLE", setting, (ann, bob), "CUP", self.now_us)
        self.feeds = TableFeeds(self.table, lambda: self.now_us)
        self.log: list[Entry] = []
        self.mail = {seat: Mailbox() for seat in Seat}
        self.sent = 0
        for seat, box in self.mail.items():
            self.feeds.attach(seat, box, 0, 0)
        for seat in Seat:
            self.do(Presence(seat, listening=True))

    @property
    def match(self) -> Match:
        assert self.table.match is not None
        return self.table.match

    def do(self, command: TableCommand) -> None:
        entries, answer = self.table.handle(command, self.now_us)
        assert answer.refusal is None
        self.log += entries
        self.feeds.publish(entries)

    def act(self, seat: Seat, action: Action) -> None:
        self.sent += 1
        names_hand = isinstance(action, Look | Surrender)
        hand = self.match.hand_number if names_hand else 0
        decision = 0 if names_hand else self.table.decision_id
        command = Command(
            "TABLE", action, seat, f"r{self.sent}", decision, self.table.epoch, hand_number=hand
        )
        self.do(Deed(PLAYERS[seat.side], command))

    def snapshot(self, viewer: Seat | None) -> list[frame_pb2.Frame]:
        """What a viewer would get that comes now: no spectator may, and yet it would see nothing."""
        box = Mailbox()
        TableFeeds(self.table, lambda: self.now_us).attach(viewer, box, 0, 0)
        return box.read()

    def step(self, rng: Random) -> None:
        """Does something legal; now and then an entry gives the game up."""
        seat = self.match.turn
        assert seat is not None
        actions = self.match.legal(seat)
        passing = isinstance(actions[0], PassCards)
        if rng.random() < (0.05 if passing else 0.002):
            self.act(seat, Surrender())
        else:
            # Looks and blind nils come first, which bring exchanges.
            self.act(seat, rng.choice(actions if passing else actions[:3]))


def cards_in(message: Message, deck: Deck) -> Iterator[Card]:
    """Every card in a message, however deep, in a text that is a deal too."""
    for of, value in message.ListFields():
        values = list(value) if of.is_repeated else [value]
        if of.enum_type is not None and of.enum_type.name == "Card":
            yield from map(wire.CARD.from_wire, values)
        elif of.type == FieldDescriptor.TYPE_MESSAGE:
            for inner in values:
                yield from cards_in(inner, deck)
        elif of.type == FieldDescriptor.TYPE_STRING:
            for text in values:
                try:
                    deal = parse_deal(text, deck)
                except NotationError:
                    continue
                for seat in Seat:
                    yield from deal.hand(seat)


def events_in(frame: frame_pb2.Frame) -> Iterator[event_pb2.Event]:
    """The event of a frame, or the events in its snapshot."""
    yield frame.event
    yield from frame.snapshot.match


def check_owners(event: event_pb2.Event, viewer: Seat | None) -> None:
    """When a hand is over each of its cards has been played, and whose it was before an exchange has not."""
    assert not event.hand_scored.deal and not event.hand_scored.passes
    assert not event.match_ended.HasField("opening")
    if event.cards_passed.HasField("cards"):
        giver = wire.SEAT.from_wire(event.cards_passed.giver)
        assert viewer is not None and giver.side is viewer.side


def check(sealed: Sealed, frames: list[frame_pb2.Frame], viewer: Seat | None) -> None:
    for frame in frames:
        known = seen_by((entry.event for entry in sealed.log if entry.seq <= frame.seq), viewer)
        assert set(cards_in(frame, sealed.match.rules.deck)) <= known
        for event in events_in(frame):
            check_owners(event, viewer)
        assert sealed.seed.hex().encode() not in frame.SerializeToString()


def check_evening(sealed: Sealed, rng: Random) -> None:
    while True:
        for seat, box in sealed.mail.items():
            check(sealed, box.read(), seat)
        for viewer in (*Seat, None):
            check(sealed, sealed.snapshot(viewer), viewer)
        if sealed.table.state.stage is TableStage.CLOSED:
            return
        sealed.step(rng)


unshrunk = tuple(stage for stage in Stage if stage not in (Stage.shrink, Stage.explain))


@settings(max_examples=12, deadline=None, phases=unshrunk)
@given(
    seed=st.binary(min_size=32, max_size=32),
    line=st.integers(0, 2**32),
    deck=st.sampled_from(DECKS),
)
def test_no_frame_and_no_snapshot_shows_what_was_not_played_or_passed_to_its_viewer(
    seed: bytes, line: int, deck: str
) -> None:
    """At a hand's end and at the game's too (rules.md 5.4); the record holds all, and opens later."""
    sealed = Sealed(seed, deck)
    check_evening(sealed, Random(line))
    result = sealed.table.result
    assert result is not None
    assert all(scored.deal is not None for scored in verify(result.record).match.sheet)


def test_these_tables_see_exchanges_hands_that_end_and_games_that_are_given_up() -> None:
    kinds: set[type[object]] = set()
    reasons: set[str] = set()
    for line in range(6):
        sealed = Sealed(bytes([line] * 32), "standard")
        rng = Random(line)
        while sealed.table.state.stage is not TableStage.CLOSED:
            sealed.step(rng)
        kinds |= {type(entry.event) for entry in sealed.log}
        assert sealed.match.outcome is not None
        reasons.add(sealed.match.outcome.reason.name)
    assert {CardsPassed, HandShown, HandScored, MatchEnded} <= kinds
    assert "SURRENDER" in reasons and len(reasons) > 1


def test_the_search_for_cards_finds_them_in_a_text_too() -> None:
    deal = SeededDeals(bytes(32)).deal(1, Deck.JOKERS, Seat.EAST)
    message = frame_pb2.Frame()
    message.event.hand_scored.deal = format_deal(deal)
    assert set(cards_in(message, Deck.JOKERS)) == set(Deck.JOKERS)
    assert not set(cards_in(frame_pb2.Frame(), Deck.JOKERS))
