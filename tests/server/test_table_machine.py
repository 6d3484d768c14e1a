"""A table under commands in any order, right and wrong, while time jumps: what holds after each of them."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from spades import (
    BLIND_NIL,
    Action,
    ActionKind,
    Bid,
    Card,
    Look,
    MakeBid,
    MatchState,
    NextHand,
    PassCards,
    Phase,
    Play,
    Reason,
    Seat,
    SpadesError,
    Surrender,
    TableView,
    Undo,
    has_secret,
    parse_rules,
    redact,
    view,
)
from spades_agents.feed import Applied, Feed
from spades_proto import wire
from spades_proto.frames import Command, Frame, Goodbye
from spades_proto.table import (
    Courtesy,
    OccupantKind,
    TableEvent,
    TableStage,
    TableState,
)
from spades_proto.v1 import frame_pb2, tables_pb2
from spades_server.commands import (
    AddBot,
    BotDeed,
    Deed,
    Leave,
    Player,
    PlayerGone,
    Presence,
    RemoveBot,
    Sit,
    Start,
    TableCommand,
    Tick,
)
from spades_server.feeds import TableFeeds
from spades_server.table import Table
from spades_server.table_log import SECOND, Entry, TableConfig

PLAYERS = tuple(Player(name.lower(), name) for name in ("Ann", "Bob", "Cid", "Dee", "Eve"))
RULES = (
    "",
    "undo=on,target=10",
    "undo=on,max_hands=1,floor=none",
    "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,undo=on,max_hands=2",
    "jokers,max_hands=2,min_team_bid=4",
    "nyc,target=10",
)
DECISIONS = (ActionKind.BID, ActionKind.PASS_CARDS, ActionKind.PLAY)

players = st.sampled_from(PLAYERS)
seats = st.sampled_from(Seat)
any_action: st.SearchStrategy[Action] = st.one_of(
    st.sampled_from([Look(), Undo(), Surrender(), NextHand()]),
    st.builds(MakeBid, st.builds(Bid, st.integers(-1, 14), st.booleans())),
    st.builds(Play, st.sampled_from(["AS", "2C", "2D", "BJ", "TH", "KD"]).map(Card)),
    st.builds(
        PassCards,
        st.lists(st.sampled_from(["AS", "2C", "KH", "5D"]).map(Card), max_size=3).map(tuple),
    ),
)


class SeatSink:
    """Takes a seat's frames as a stream would, and feeds them to a client's state."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.ended: Goodbye | None = None

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        del flush
        taken = tables_pb2.WatchResponse.FromString(chunk).frames
        assert len(taken) == frames
        for frame in taken:
            assert self.feed.take(frame) is Applied.NEW

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        del chunk
        self.ended = goodbye


def facts(match: MatchState | None) -> dict[str, object]:
    """Everything that a state of a match holds."""
    if match is None:
        return {}
    return {name: getattr(match, name) for name in MatchState.__slots__}


def table_facts(state: TableState) -> tuple[object, ...]:
    return (state.opened, state.stage, state.seats, state.record)


class TableMachine(RuleBasedStateMachine):
    """Ann, Bob, Cid, Dee and Eve around one table."""

    old_commands: Bundle[tuple[Player, Command]] = Bundle("old_commands")

    def __init__(self) -> None:
        super().__init__()
        self.now = 0
        self.sent = 0

    @initialize(
        rules=st.sampled_from(RULES),
        many=st.booleans(),
        kinds=st.none() | st.lists(st.sampled_from(OccupantKind), min_size=4, max_size=4),
    )
    def open(self, rules: str, kinds: list[OccupantKind] | None, *, many: bool) -> None:
        """Opens a table, half of the time with a match that has just begun."""
        config = TableConfig("TABLE", parse_rules(rules), many_seats=many)
        self.table = Table(config, PLAYERS[0], 0)
        self.feeds = TableFeeds(self.table, lambda: self.now)
        self.seat_feeds = [Feed(seat) for seat in Seat]
        self.sinks: list[SeatSink | None] = [None] * 4
        self.spectator = Feed(None)
        self.seen = 0
        self.numbers: set[int] = set()
        self.publish(self.table.opening)
        for seat, kind in zip(Seat, kinds or (), strict=False):
            if seat is Seat.SOUTH or kind is not OccupantKind.HOUSE_BOT:
                agent = kind is OccupantKind.AGENT
                as_what = OccupantKind.AGENT if agent else OccupantKind.PERSON
                assert self.do(Sit(PLAYERS[seat], as_what, seat)) is None
                assert self.do(Presence(seat, listening=True)) is None
            else:
                assert self.do(AddBot(PLAYERS[0], "random", seat)) is None
        if kinds:
            assert self.do(Start(PLAYERS[0], bytes(32))) is None

    # What is done at the table.

    def do(self, command: TableCommand) -> Reason | None:
        """Has the table do a command; a refusal must have changed nothing."""
        # What is due by now is done first, so that it is not taken for the command's doing.
        self.publish(self.table.handle(Tick(), self.now)[0])
        before = self.everything()
        try:
            entries, answer = self.table.handle(command, self.now)
        except SpadesError as refusal:
            assert self.everything() == before
            return refusal.reason
        if answer.refusal is not None or answer.replayed:
            assert not entries
            assert self.everything() == before
        self.publish(entries)
        return None if answer.refusal is None else answer.refusal.reason

    def everything(self) -> tuple[object, ...]:
        table = self.table
        match = table.match
        return (
            table_facts(table.state),
            facts(match.state if match else None),
            len(match.log) if match else 0,
            table.seq,
            table.decision_id,
            tuple(table.owners),
            table.host_id,
            table.next_deadline(),
            table.bot_task(),
        )

    def publish(self, entries: tuple[Entry, ...]) -> None:
        for entry in entries:
            assert entry.seq == self.seen + 1
            self.seen = entry.seq
            event = entry.event
            public = event if isinstance(event, TableEvent) else redact(event, None)
            data = wire.event_frame_bytes(self.table.epoch, entry.seq, entry.time_us, public)
            assert self.spectator.take(frame_pb2.Frame.FromString(data)) is Applied.NEW
            if not isinstance(event, TableEvent):
                assert has_secret(event) or public == event
        self.feeds.publish(entries)
        self.attach()

    def attach(self) -> None:
        """Whoever is not fed any more comes back to where it was."""
        for seat in Seat:
            sink = self.sinks[seat]
            if sink is None or sink.ended:
                feed = self.seat_feeds[seat]
                sink = self.sinks[seat] = SeatSink(feed)
                self.feeds.attach(seat, sink, feed.epoch, feed.seq)

    @property
    def phase(self) -> Phase | None:
        return self.table.match.phase if self.table.match else None

    def command(
        self, action: Action | Courtesy, seat: Seat, decision: int | None = None
    ) -> Command:
        self.sent += 1
        answers = not isinstance(action, Courtesy) and action.kind in DECISIONS
        hand = self.table.match.hand_number if self.table.match else 0
        number = self.table.decision_id if decision is None else decision
        return Command(
            "TABLE",
            action,
            seat,
            f"request {self.sent}",
            number if answers else 0,
            self.table.epoch,
            0 if answers else hand,
        )

    def owner(self, seat: Seat) -> Player | None:
        return next((one for one in PLAYERS if one.id == self.table.owners[seat]), None)

    def good_action(self, data: st.DataObject) -> Action:
        match = self.table.match
        assert match is not None and match.turn is not None
        legal = match.legal(match.turn)
        if match.phase is Phase.BIDDING:
            # Blind nils are what leads to an exchange.
            legal = tuple(one for one in legal if one != MakeBid(BLIND_NIL)) + legal[-1:]
        return data.draw(st.sampled_from(legal[:6]))

    def whoever_is_to_act(self, action: Action) -> Reason | None:
        match = self.table.match
        assert match is not None and match.turn is not None
        task = self.table.bot_task()
        if task is not None:
            return self.do(BotDeed(task.seat, task.decision, action))
        player = self.owner(match.turn)
        assert player is not None
        return self.do(Deed(player, self.command(action, match.turn)))

    @rule(player=players, seat=st.none() | seats, kind=st.sampled_from(OccupantKind))
    def sit(self, player: Player, seat: Seat | None, kind: OccupantKind) -> None:
        if kind is not OccupantKind.HOUSE_BOT:
            self.do(Sit(player, kind, seat))

    @rule(player=players, again=st.booleans())
    def leave(self, player: Player, *, again: bool) -> None:
        held = self.table.seat_of(player)
        self.do(Leave(player))
        if again and held is not None:
            self.do(Presence(held, listening=True))

    @rule(player=players)
    def player_gone(self, player: Player) -> None:
        self.do(PlayerGone(player))

    @rule(player=players, seat=st.none() | seats)
    def add_bot(self, player: Player, seat: Seat | None) -> None:
        self.do(AddBot(player, "random", seat))

    @rule(player=players, seat=seats)
    def remove_bot(self, player: Player, seat: Seat) -> None:
        self.do(RemoveBot(player, seat))

    @rule(seed=st.integers(0, 9), four=st.booleans())
    def start(self, seed: int, *, four: bool) -> None:
        host = next(one for one in PLAYERS if one.id == self.table.host_id)
        if four:
            self.do(AddBot(host, "random"))
        if self.do(Start(host, bytes([seed] * 32))) is None:
            assert self.table.state.stage is TableStage.PLAYING

    @rule(seat=seats, listening=st.booleans())
    def come_or_go(self, seat: Seat, *, listening: bool) -> None:
        self.do(Presence(seat, listening=listening))

    @rule(seconds=st.sampled_from([0, 1, 29, 31, 61, 700]))
    def wait(self, seconds: int) -> None:
        self.now += seconds * SECOND
        self.publish(self.table.handle(Tick(), self.now)[0])

    @precondition(lambda self: self.phase in (Phase.BIDDING, Phase.PASSING, Phase.PLAYING))
    @rule(data=st.data(), target=old_commands)
    def act_well(self, data: st.DataObject) -> tuple[Player, Command]:
        match = self.table.match
        assert match is not None and match.turn is not None
        seat = match.turn
        decision = self.table.decision_id
        action = self.good_action(data)
        command = self.command(action, seat)
        open_table = self.table.state.stage is TableStage.PLAYING
        reason = self.whoever_is_to_act(action)
        if open_table and self.table.state.stage is not TableStage.CLOSED:
            assert reason is None
            assert isinstance(action, Look) or self.table.decision_id != decision
        return self.owner(seat) or PLAYERS[0], command

    @precondition(lambda self: self.phase in (Phase.BIDDING, Phase.PASSING, Phase.PLAYING))
    @rule(cards=st.integers(5, 60), pick=st.integers(0, 12))
    def play_on(self, cards: int, pick: int) -> None:
        """Plays a good part of a hand, since most of what is interesting comes at its end."""
        for _ in range(cards):
            match = self.table.match
            if self.table.state.stage is not TableStage.PLAYING or match is None:
                return
            if match.turn is None:
                return
            legal = match.legal(match.turn)
            if match.phase is Phase.BIDDING:
                legal = legal[:4]
            assert self.whoever_is_to_act(legal[pick % len(legal)]) is None

    @precondition(lambda self: self.phase is Phase.HAND_OVER)
    @rule()
    def everybody_asks_for_the_next_hand(self) -> None:
        match = self.table.match
        assert match is not None
        number = match.hand_number
        for seat in Seat:
            if (player := self.owner(seat)) is not None:
                self.do(Deed(player, self.command(NextHand(), seat)))
                assert match.hand_number <= number + 1

    @rule(
        player=st.none() | players,
        seat=seats,
        action=any_action,
        late=st.sampled_from([0, 0, 1, 2]),
    )
    def act_anyhow(self, player: Player | None, seat: Seat, action: Action, late: int) -> None:
        owner = self.owner(seat)
        player = player or owner or PLAYERS[4]
        decision = max(0, self.table.decision_id - late)
        reason = self.do(Deed(player, self.command(action, seat, decision)))
        if player is not owner:
            assert reason is Reason.NOT_YOUR_SEAT

    @rule(seat=seats, courtesy=st.sampled_from(Courtesy))
    def be_courteous(self, seat: Seat, courtesy: Courtesy) -> None:
        if (player := self.owner(seat)) is not None:
            reason = self.do(Deed(player, self.command(courtesy, seat)))
            if self.phase in (Phase.BIDDING, Phase.PASSING, Phase.PLAYING):
                assert reason in (Reason.TABLE_STATE, Reason.TABLE_CLOSED)

    @rule(seat=seats)
    def take_back(self, seat: Seat) -> None:
        if (player := self.owner(seat)) is not None:
            decision = self.table.decision_id
            if self.do(Deed(player, self.command(Undo(), seat))) is None:
                assert self.table.decision_id > decision

    @rule(said=old_commands)
    def say_again(self, said: tuple[Player, Command]) -> None:
        """What was said before, word by word, does nothing twice."""
        player, command = said
        first = self.do(Deed(player, command))
        assert self.do(Deed(player, command)) is first
        if first not in (None, Reason.NOT_YOUR_SEAT):
            assert self.do(Deed(player, command)) is first

    @rule(seat=seats, action=any_action, late=st.integers(1, 9))
    def bot_that_is_late(self, seat: Seat, action: Action, late: int) -> None:
        decision = max(0, self.table.decision_id - late)
        assert self.do(BotDeed(seat, decision, action)) is Reason.STALE_DECISION

    # What holds.

    @invariant()
    def there_is_one_decision_and_its_owner_alone_sees_it(self) -> None:
        table = self.table
        match = table.match
        asked = match.turn if match else None
        assert (table.decision_id != 0) == (asked is not None)
        for viewer in (None, *Seat):
            decision = table.decision_for(viewer)
            assert (decision is not None) == (viewer is not None and viewer is asked)
            if viewer is not None:
                feed = self.seat_feeds[viewer]
                assert feed.decision_id == (table.decision_id if viewer is asked else 0)
        if table.decision_id:
            self.numbers.add(table.decision_id)
            assert table.decision_id == max(self.numbers)

    @invariant()
    def every_viewer_knows_exactly_what_it_may(self) -> None:
        table = self.table
        for viewer, feed in zip((None, *Seat), (self.spectator, *self.seat_feeds), strict=True):
            assert feed.state is not None
            assert (feed.epoch, feed.seq) == (table.epoch, table.seq)
            assert table_facts(feed.state) == table_facts(table.state)
            self.check_snapshot(viewer, feed.state)
            if table.match is not None:
                assert feed.state.match is not None
                shown = TableView(feed.state.match) if viewer is None else feed.view()
                assert shown == view(table.match, viewer)

    def check_snapshot(self, viewer: Seat | None, folded: TableState) -> None:
        """A viewer who comes now knows what one who was there all the time does."""
        frame = Frame(1, self.table.seq, self.now, self.table.state.snapshot(viewer))
        fresh = Feed(viewer)
        assert fresh.take(wire.frame_to_wire(frame)) is Applied.NEW
        assert fresh.state is not None
        assert table_facts(fresh.state) == table_facts(folded)
        assert facts(fresh.state.match) == facts(folded.match)

    @invariant()
    def hands_that_the_viewer_may_not_see_are_not_there(self) -> None:
        match = self.table.match
        if match is None or match.phase in (Phase.HAND_OVER, Phase.MATCH_OVER):
            return
        for feed in (self.spectator, *self.seat_feeds):
            state: Any = feed.state
            for seat in Seat:
                known = state.match.hands[seat] is not None
                assert known == (seat is feed.viewer and seat not in match.state.face_down)


def test_a_table_keeps_its_laws_under_any_commands_at_any_time() -> None:
    run_state_machine_as_test(
        TableMachine, settings=settings(max_examples=50, stateful_step_count=40, deadline=None)
    )
