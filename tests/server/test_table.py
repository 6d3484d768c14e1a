"""A table without I/O, driven with virtual time: every command in every state, every race both ways round."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import spades
from spades import (
    BLIND_NIL,
    Action,
    Bid,
    Look,
    MakeBid,
    NextHand,
    PassCards,
    Phase,
    Play,
    Reason,
    Seat,
    SpadesError,
    Surrender,
    TableError,
    Undo,
    parse_seed,
)
from spades_proto.frames import Answer, Command
from spades_proto.frames import Deed as Does
from spades_proto.table import (
    Courtesy,
    CourtesySent,
    HostChanged,
    NoteKind,
    Occupant,
    OccupantKind,
    PresenceChanged,
    SeatLeft,
    SeatStatus,
    SeatTaken,
    StandInChanged,
    TableClosed,
    TableStage,
    TakeSeatBack,
)
from spades_proto.verification import verify
from spades_server.commands import (
    ANSWERS,
    AddBot,
    BotDeed,
    Close,
    Deed,
    Kind,
    Leave,
    Measured,
    Player,
    PlayerGone,
    Presence,
    RemoveBot,
    Resume,
    Sit,
    Start,
    State,
    TableCommand,
    Tick,
    Verdict,
)
from spades_server.table import COURTESIES, Table
from spades_server.table_log import SECOND, Entry

OpenTable = Callable[..., Table]

SOUTH, WEST, NORTH, EAST = Seat
SEED = parse_seed("a table")

BLIND = "undo=on,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,target=10000,floor=none"
"""Cards are face down from the first hand on, cards are exchanged, and no score ends the match."""


class Driver:
    """Plays at a table and keeps its whole log."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.now = 0
        self.entries: list[Entry] = list(table.opening)
        self.players: dict[str, Player] = {}
        self.sent = 0

    def player(self, name: str) -> Player:
        return self.players.setdefault(name, Player(name.lower(), name))

    def do(self, command: TableCommand) -> Answer:
        entries, answer = self.table.handle(command, self.now)
        self.entries += entries
        return answer

    def wait(self, seconds: float) -> None:
        self.now += int(seconds * SECOND)
        self.do(Tick())

    def sit(self, name: str, seat: Seat, kind: OccupantKind = OccupantKind.PERSON) -> None:
        self.do(Sit(self.player(name), kind, seat))
        self.come(seat)

    def come(self, seat: Seat) -> None:
        self.do(Presence(seat, listening=True))

    def go(self, seat: Seat) -> None:
        self.do(Presence(seat, listening=False))

    def bots(self, *seats: Seat) -> None:
        for seat in seats:
            self.do(AddBot(self.player("Ann"), "gentle", seat))

    def start(self) -> None:
        self.do(Start(self.player("Ann"), SEED))

    @property
    def match(self) -> spades.Match:
        assert self.table.match is not None
        return self.table.match

    @property
    def turn(self) -> Seat:
        assert self.match.turn is not None
        return self.match.turn

    def name_of(self, seat: Seat) -> str:
        owner = self.table.owners[seat]
        return next(name for name, player in self.players.items() if player.id == owner)

    def command(
        self,
        action: Does,
        seat: Seat,
        decision: int | None = None,
        hand: int | None = None,
        request_id: str = "",
        epoch: int = 0,
    ) -> Command:
        """What a client would send for a seat now."""
        self.sent += 1
        answers = isinstance(action, MakeBid | PassCards | Play)
        now = self.table.match.hand_number if self.table.match else 0
        return Command(
            "TABLE",
            action,
            seat,
            request_id or f"request {self.sent}",
            (self.table.decision_id if decision is None else decision) if answers else 0,
            epoch,
            0 if answers else now if hand is None else hand,
        )

    def act(
        self,
        seat: Seat,
        action: Action | Courtesy,
        *,
        name: str = "",
        decision: int | None = None,
        hand: int | None = None,
        request_id: str = "",
        epoch: int = 0,
    ) -> Answer:
        command = self.command(action, seat, decision, hand, request_id, epoch)
        return self.do(Deed(self.player(name or self.name_of(seat)), command))

    def first_legal(self) -> Action:
        """The first card that may be played, three tricks, or the first cards to pass."""
        if self.match.phase is Phase.BIDDING:
            return Look() if self.turn in self.match.state.face_down else MakeBid(Bid(3))
        return self.match.legal(self.turn)[0]

    def step(self) -> None:
        """Has whoever is to act, act."""
        task = self.table.bot_task()
        if task is None:
            answer = self.act(self.turn, self.first_legal())
            assert answer.refusal is None, answer.refusal
            return
        self.now = max(self.now, task.due_us)
        self.do(BotDeed(task.seat, task.decision, self.first_legal()))

    def until(self, *phases: Phase, turn: Seat | None = None) -> None:
        """Plays on to a phase, and in it to a seat's turn."""
        while self.match.phase not in phases or (turn is not None and self.match.turn is not turn):
            self.step()

    def events(self, kind: type) -> list[object]:
        return [entry.event for entry in self.entries if isinstance(entry.event, kind)]


def refused(answer: Answer) -> Reason | None:
    return None if answer.refusal is None else answer.refusal.reason


@pytest.fixture
def people(open_table: OpenTable) -> Driver:
    """Four persons, who have started; any card may be taken back."""
    driver = Driver(open_table("undo=on"))
    for name, seat in zip(("Ann", "Bob", "Cid", "Dee"), Seat, strict=True):
        driver.sit(name, seat)
    driver.start()
    return driver


@pytest.fixture
def blind(open_table: OpenTable) -> Driver:
    """Ann, Bob, Cid and a house bot, all of whom may bid blind nil; not started."""
    return seated_blind(open_table)


def seated_blind(open_table: OpenTable) -> Driver:
    driver = Driver(open_table(BLIND))
    for name, seat in (("Ann", SOUTH), ("Bob", WEST), ("Cid", NORTH)):
        driver.sit(name, seat)
    driver.bots(EAST)
    return driver


# Every command in every state.


def drive_into(state: State, driver: Driver) -> None:
    """Brings a fresh table into a state; where a hand is on, East's bot has bid blind nil."""
    if state is State.OPEN:
        return
    if state is State.CLOSED:
        for seat in (SOUTH, WEST, NORTH):
            driver.go(seat)
        driver.wait(600)
        return
    driver.start()
    if state is State.BIDDING:
        return
    if state is State.FINISHED:
        driver.act(SOUTH, Surrender())
        driver.act(NORTH, Surrender())
        return
    driver.until(Phase.BIDDING, turn=EAST)
    driver.do(BotDeed(EAST, driver.table.decision_id, MakeBid(BLIND_NIL)))
    phase = {
        State.PASSING: Phase.PASSING,
        State.PLAYING: Phase.PLAYING,
        State.HAND_OVER: Phase.HAND_OVER,
    }[state]
    driver.until(phase)


def a_command(kind: Kind, driver: Driver) -> TableCommand:  # noqa: C901  # one case for each kind
    """A command of a kind as good as the state allows; what must be so before it is done first."""
    table = driver.table
    ann, eve = driver.player("Ann"), driver.player("Eve")
    lobby = table.now_state in (State.OPEN, State.FINISHED)
    if kind in (Kind.SIT, Kind.ADD_BOT) and lobby:
        driver.do(RemoveBot(ann, EAST))
    match kind:
        case Kind.SIT:
            return Sit(eve, OccupantKind.PERSON)
        case Kind.RETURN:
            return Sit(ann, OccupantKind.PERSON, SOUTH)
        case Kind.LEAVE:
            return Leave(driver.player("Bob"))
        case Kind.PLAYER_GONE:
            return PlayerGone(driver.player("Bob"))
        case Kind.ADD_BOT:
            return AddBot(ann, "random", EAST)
        case Kind.REMOVE_BOT:
            return RemoveBot(ann, EAST)
        case Kind.START:
            return Start(ann, SEED)
        case Kind.PRESENCE:
            return Presence(WEST, listening=False)
        case Kind.CLOSE:
            return Close("Good night.")
        case Kind.MEASURED:
            return Measured(WEST, 40_000)
        case Kind.TICK:
            return Tick()
        case Kind.RESUME:
            return Resume()
        case Kind.BOT_DEED:
            phase = driver.match.phase if table.match else None
            if phase in (Phase.BIDDING, Phase.PASSING, Phase.PLAYING):
                driver.until(phase, turn=EAST)
                return BotDeed(EAST, table.decision_id, driver.first_legal())
            return BotDeed(EAST, table.decision_id, MakeBid(Bid(1)))
        case _:
            return Deed(*a_deed(kind, driver))


def a_deed(kind: Kind, driver: Driver) -> tuple[Player, Command]:
    state = driver.table.now_state
    if state is State.PASSING:
        driver.until(Phase.PASSING, turn=WEST)
    seat = driver.match.turn if driver.table.match else None
    action: Does
    match kind:
        case Kind.LOOK:
            seat, action = NORTH, Look()
        case Kind.BID:
            if state is State.BIDDING:
                driver.act(SOUTH, Look())
            action = MakeBid(Bid(3))
        case Kind.PASS_CARDS:
            action = PassCards(some_cards(driver, 2))
        case Kind.PLAY:
            legal = driver.match.legal(SOUTH) if state is State.PLAYING else ()
            action = legal[0] if legal else Play(some_cards(driver, 1)[0])
        case Kind.UNDO:
            if state is State.PLAYING:
                driver.step()
                seat = SOUTH
            action = Undo()
        case Kind.SURRENDER:
            seat, action = SOUTH, Surrender()
        case Kind.NEXT_HAND:
            action = NextHand()
        case Kind.TAKE_SEAT_BACK:
            action = TakeSeatBack()
        case _:
            assert kind is Kind.COURTESY
            action = Courtesy.SORRY
    if seat is None or seat is EAST:
        seat = SOUTH
    return driver.player(driver.name_of(seat)), driver.command(action, seat)


def some_cards(driver: Driver, count: int) -> tuple[spades.Card, ...]:
    """Cards of the seat to act, or just any."""
    match = driver.table.match
    if match is None or match.turn is None:
        return spades.CARDS[:count]
    return spades.view(match, match.turn).hand[:count] or spades.CARDS[:count]


def test_the_table_of_answers_has_a_cell_for_every_command_in_every_state() -> None:
    assert set(ANSWERS) == set(Kind)
    for kind, row in ANSWERS.items():
        assert set(row) == set(State), kind


@pytest.mark.parametrize("state", State, ids=lambda state: state.name.lower())
@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name.lower())
def test_a_table_answers_every_command_in_every_state_as_its_table_says(
    kind: Kind, state: State, blind: Driver
) -> None:
    drive_into(state, blind)
    assert blind.table.now_state is state
    command = a_command(kind, blind)
    assert blind.table.now_state is state
    before = blind.table.seq
    reason: Reason | None
    try:
        reason = refused(blind.do(command))
    except SpadesError as error:
        reason = error.reason
    cell = ANSWERS[kind][state]
    if cell is Verdict.STALE:
        assert reason is Reason.STALE_DECISION
    elif isinstance(cell, Reason):
        assert reason is cell
    else:
        assert reason is None
    if isinstance(cell, Reason) or cell in (Verdict.STALE, Verdict.IGNORE):
        assert blind.table.seq == before
    elif kind not in (Kind.TICK, Kind.RETURN, Kind.TAKE_SEAT_BACK):
        assert blind.table.seq > before


@pytest.mark.parametrize(
    ("phase", "action", "reason"),
    [
        (Phase.BIDDING, MakeBid(Bid(14)), Reason.BID_OUT_OF_RANGE),
        (Phase.PLAYING, Play(spades.Card("BJ")), Reason.CARD_NOT_HELD),
        (Phase.HAND_OVER, Look(), Reason.WRONG_PHASE),
    ],
)
def test_what_the_referee_judges_can_still_be_refused_by_the_rules(
    people: Driver, phase: Phase, action: Action, reason: Reason
) -> None:
    people.until(phase)
    before = people.table.seq
    assert refused(people.act(people.match.turn or SOUTH, action)) is reason
    assert people.table.seq == before


# Decisions.


def test_the_log_is_numbered_without_a_gap_through_a_match_and_a_rematch(
    open_table: OpenTable,
) -> None:
    driver = Driver(open_table("target=10,max_hands=2"))
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, NORTH, EAST)
    for _ in range(2):
        driver.start()
        while driver.match.outcome is None:
            if driver.match.phase is Phase.HAND_OVER:
                driver.act(SOUTH, NextHand())
            else:
                driver.step()
    assert [entry.seq for entry in driver.entries] == list(range(1, driver.table.seq + 1))
    times = [entry.time_us for entry in driver.entries]
    assert times == sorted(times)


def test_a_decision_has_the_number_of_the_event_that_opened_it_and_it_is_never_used_again(
    people: Driver,
) -> None:
    opened: list[int] = []
    by_number = {SOUTH: Undo(), WEST: None}
    while people.match.phase is not Phase.HAND_OVER:
        decision = people.table.decision_id
        assert decision == people.table.seq
        opened.append(decision)
        seat = people.turn
        people.step()
        last = people.match.state.last_played
        if last is SOUTH and by_number[SOUTH] and len(people.match.state.tricks) == 3:
            people.act(SOUTH, Undo())
            by_number[SOUTH] = None
            assert people.turn is SOUTH is seat
    assert len(set(opened)) == len(opened) == 4 + 52 + 1
    assert people.table.decision_id == 0


def test_exactly_the_seat_to_act_is_shown_its_decision(people: Driver) -> None:
    while people.match.phase is not Phase.HAND_OVER:
        for seat in (None, *Seat):
            decision = people.table.decision_for(seat)
            assert (decision is not None) == (seat is people.turn)
        asked = people.table.decision_for(people.turn)
        assert asked is not None
        assert asked.id == people.table.decision_id
        assert asked.legal_bids or asked.legal_plays
        people.step()
    assert not any(map(people.table.decision_for, (None, *Seat)))


def test_a_look_of_another_seat_leaves_the_decision_open(blind: Driver) -> None:
    blind.start()
    blind.act(SOUTH, Look())
    decision = blind.table.decision_id
    blind.act(NORTH, Look())
    assert blind.table.decision_id == decision
    assert refused(blind.act(SOUTH, MakeBid(Bid(4)), decision=decision)) is None


def test_ones_own_look_leaves_the_decision_open(blind: Driver) -> None:
    blind.start()
    decision = blind.table.decision_id
    blind.act(SOUTH, Look())
    assert blind.table.seq > decision
    assert blind.table.decision_id == decision
    assert refused(blind.act(SOUTH, MakeBid(Bid(4)), decision=decision)) is None


def test_somebody_who_goes_away_leaves_the_decision_open(people: Driver) -> None:
    decision = people.table.decision_id
    people.go(WEST)
    people.go(SOUTH)
    people.come(SOUTH)
    assert people.table.seq == decision + 3
    assert refused(people.act(SOUTH, MakeBid(Bid(4)), decision=decision)) is None


def test_an_undo_that_is_first_withdraws_the_decision_of_the_next_play(people: Driver) -> None:
    people.until(Phase.PLAYING)
    people.step()
    withdrawn = people.table.decision_id
    west_card = people.match.legal(WEST)[0]
    assert refused(people.act(SOUTH, Undo())) is None
    assert people.turn is SOUTH
    assert refused(people.act(WEST, west_card, decision=withdrawn)) is Reason.STALE_DECISION
    people.step()
    assert people.table.decision_id > withdrawn
    assert refused(people.act(WEST, west_card, decision=withdrawn)) is Reason.STALE_DECISION
    assert refused(people.act(WEST, people.first_legal())) is None


def test_an_undo_that_comes_after_the_next_play_is_refused(people: Driver) -> None:
    people.until(Phase.PLAYING)
    people.step()
    people.step()
    before = people.table.seq
    assert refused(people.act(SOUTH, Undo())) is Reason.UNDO_NOT_ALLOWED
    assert people.table.seq == before


def test_the_fourth_card_can_be_taken_back_out_of_the_trick_that_was_gathered(
    people: Driver,
) -> None:
    people.until(Phase.PLAYING)
    for _ in range(4):
        people.step()
    assert people.match.state.taken.count(1) == 1
    assert refused(people.act(EAST, Undo())) is None
    assert people.turn is EAST
    assert people.match.state.taken == (0, 0, 0, 0)


def test_two_answers_to_one_decision_are_one_action(people: Driver) -> None:
    decision = people.table.decision_id
    assert refused(people.act(SOUTH, MakeBid(Bid(4)), decision=decision)) is None
    before = people.table.seq
    answer = people.act(SOUTH, MakeBid(Bid(5)), decision=decision)
    assert refused(answer) is Reason.STALE_DECISION
    assert people.table.seq == before
    assert people.match.state.bids[SOUTH] == Bid(4)


def test_an_answer_without_a_decision_is_stale_and_not_taken_for_the_open_one(
    people: Driver,
) -> None:
    assert refused(people.act(SOUTH, MakeBid(Bid(4)), decision=0)) is Reason.STALE_DECISION
    people.until(Phase.HAND_OVER)
    card = Play(spades.CARDS[0])
    assert refused(people.act(SOUTH, card, decision=0)) is Reason.STALE_DECISION


def test_a_seat_that_is_not_to_act_is_told_whose_turn_it_is_whatever_decision_it_names(
    people: Driver,
) -> None:
    for decision in (0, people.table.decision_id, 999):
        answer = people.act(EAST, MakeBid(Bid(4)), decision=decision)
        assert refused(answer) is Reason.NOT_YOUR_TURN
        assert answer.refusal is not None
        assert "South's turn" in answer.refusal.sentence


def test_an_answer_from_another_epoch_is_refused(people: Driver) -> None:
    assert refused(people.act(SOUTH, MakeBid(Bid(4)), epoch=2)) is Reason.EPOCH_CHANGED
    assert refused(people.act(SOUTH, MakeBid(Bid(4)), epoch=1)) is None


@pytest.mark.parametrize("hand", [0, 2, 99])
@pytest.mark.parametrize(
    "kind", [Look(), Undo(), Surrender(), NextHand()], ids=spades.format_action
)
def test_what_answers_no_decision_must_name_the_hand_that_is_on_the_table(
    blind: Driver, kind: Action, hand: int
) -> None:
    blind.start()
    if not isinstance(kind, Look):
        blind.until(Phase.HAND_OVER if isinstance(kind, NextHand) else Phase.PLAYING)
    if isinstance(kind, Undo):
        blind.step()
    before = blind.table.seq
    assert refused(blind.act(SOUTH, kind, hand=hand)) is Reason.WRONG_HAND
    assert blind.table.seq == before
    assert refused(blind.act(SOUTH, kind, hand=1)) is None


# Request ids.


def test_a_repeated_request_gets_the_same_answer_and_does_nothing_again(people: Driver) -> None:
    command = people.command(MakeBid(Bid(4)), SOUTH)
    first = people.do(Deed(people.player("Ann"), command))
    before = people.table.seq
    again = people.do(Deed(people.player("Ann"), command))
    assert (first.replayed, again.replayed) == (False, True)
    assert again.seq == first.seq == before == people.table.seq


def test_a_repeat_gets_its_old_answer_also_when_the_table_has_moved_on(people: Driver) -> None:
    command = people.command(MakeBid(Bid(4)), SOUTH)
    first = people.do(Deed(people.player("Ann"), command))
    people.until(Phase.HAND_OVER)
    again = people.do(Deed(people.player("Ann"), command))
    assert again == Answer(first.seq, None, replayed=True)


def test_a_refused_request_is_refused_again_with_the_same_words(people: Driver) -> None:
    command = people.command(MakeBid(Bid(99)), SOUTH)
    first = people.do(Deed(people.player("Ann"), command))
    assert refused(people.act(SOUTH, MakeBid(Bid(3)))) is None
    again = people.do(Deed(people.player("Ann"), command))
    assert refused(again) is refused(first) is Reason.BID_OUT_OF_RANGE
    assert again.refusal is first.refusal
    assert again.replayed


def test_a_request_id_cannot_be_used_for_another_request(people: Driver) -> None:
    people.act(SOUTH, MakeBid(Bid(4)), request_id="once")
    before = people.table.seq
    with pytest.raises(SpadesError, match="'once'") as caught:
        people.act(SOUTH, MakeBid(Bid(5)), request_id="once")
    assert caught.value.reason is Reason.REQUEST_ID_REUSED
    assert people.table.seq == before


def test_two_players_may_choose_the_same_request_id(people: Driver) -> None:
    assert refused(people.act(SOUTH, MakeBid(Bid(4)), request_id="one")) is None
    assert refused(people.act(WEST, MakeBid(Bid(4)), request_id="one")) is None
    assert people.match.state.bids[:2] == (Bid(4), Bid(4))


def test_the_oldest_requests_are_forgotten_when_there_are_too_many(
    people: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spades_server.answered.REMEMBERED_REQUESTS", 3)
    command = people.command(MakeBid(Bid(4)), SOUTH)
    people.do(Deed(people.player("Ann"), command))
    for _ in range(3):
        people.act(SOUTH, MakeBid(Bid(4)), decision=1)
    answer = people.do(Deed(people.player("Ann"), command))
    assert not answer.replayed
    assert refused(answer) in (Reason.STALE_DECISION, Reason.NOT_YOUR_TURN)


def test_a_repeat_is_answered_also_to_a_player_who_has_given_the_seat_up(
    open_table: OpenTable,
) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Bob", WEST)
    command = driver.command(Courtesy.GOOD_LUCK, WEST)
    first = driver.do(Deed(driver.player("Bob"), command))
    driver.do(Leave(driver.player("Bob")))
    again = driver.do(Deed(driver.player("Bob"), command))
    assert again == Answer(first.seq, None, replayed=True)


def test_nobody_acts_for_a_seat_that_is_not_the_tokens_own(people: Driver) -> None:
    for name in ("Bob", "Eve"):
        with pytest.raises(SpadesError) as caught:
            people.act(SOUTH, MakeBid(Bid(4)), name=name)
        assert caught.value.reason is Reason.NOT_YOUR_SEAT
    stranger = Command("TABLE", MakeBid(Bid(4)), None, "x", people.table.decision_id)
    with pytest.raises(SpadesError) as caught:
        people.do(Deed(people.player("Eve"), stranger))
    assert caught.value.reason is Reason.NOT_SEATED
    assert people.match.state.bids == (None, None, None, None)


def test_a_command_that_names_no_seat_is_for_the_seat_of_the_token(people: Driver) -> None:
    command = Command("TABLE", MakeBid(Bid(4)), None, "x", people.table.decision_id)
    assert refused(people.do(Deed(people.player("Ann"), command))) is None
    assert people.match.state.bids[SOUTH] == Bid(4)


# The lobby's side.


def test_a_seat_that_is_taken_stays_taken(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    for command in (
        Sit(driver.player("Bob"), OccupantKind.PERSON, SOUTH),
        AddBot(driver.player("Ann"), "gentle", SOUTH),
    ):
        with pytest.raises(SpadesError, match="South is taken by Ann") as caught:
            driver.do(command)
        assert caught.value.reason is Reason.SEAT_TAKEN
    assert driver.table.owners == ["ann", None, None, None]


def test_a_player_may_change_seats_before_the_start_and_not_after(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Ann", EAST)
    assert driver.table.owners == [None, None, None, "ann"]
    driver.bots(SOUTH, WEST, NORTH)
    driver.start()
    with pytest.raises(SpadesError) as caught:
        driver.do(Sit(driver.player("Ann"), OccupantKind.PERSON, SOUTH))
    assert caught.value.reason is Reason.ALREADY_SEATED


def test_a_player_holds_several_seats_only_where_the_table_allows_it(open_table: OpenTable) -> None:
    driver = Driver(open_table(many_seats=True))
    driver.sit("Ann", SOUTH)
    driver.sit("Ann", NORTH)
    assert driver.table.owners == ["ann", None, "ann", None]
    driver.bots(WEST, EAST)
    driver.start()
    driver.until(Phase.HAND_OVER)
    assert driver.match.sheet


def test_a_full_table_refuses_whoever_asks_for_any_seat(
    people: Driver, open_table: OpenTable
) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.do(AddBot(driver.player("Ann"), "random"))
    taken = driver.events(SeatTaken)
    assert len(taken) == 4
    with pytest.raises(SpadesError) as caught:
        driver.do(Sit(driver.player("Eve"), OccupantKind.PERSON))
    assert caught.value.reason is Reason.SEAT_TAKEN


def test_only_the_host_seats_bots_takes_them_away_and_starts(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Bob", NORTH)
    driver.bots(WEST)
    bob = driver.player("Bob")
    for command in (AddBot(bob, "gentle", EAST), RemoveBot(bob, WEST), Start(bob, SEED)):
        with pytest.raises(SpadesError, match="Only Ann") as caught:
            driver.do(command)
        assert caught.value.reason is Reason.NOT_THE_HOST


def test_a_person_cannot_be_taken_away_like_a_bot(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Bob", WEST)
    for seat in (WEST, EAST):
        with pytest.raises(SpadesError) as caught:
            driver.do(RemoveBot(driver.player("Ann"), seat))
        assert caught.value.reason is Reason.SEAT_EMPTY
    assert driver.table.owners[WEST] == "bob"


def test_a_match_needs_four_and_the_refusal_names_the_empty_seats(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(NORTH)
    with pytest.raises(SpadesError, match="West and East") as caught:
        driver.start()
    assert caught.value.reason is Reason.TABLE_NOT_READY
    assert driver.table.match is None


def test_a_second_start_is_refused_and_the_first_match_goes_on(people: Driver) -> None:
    match = people.match
    with pytest.raises(SpadesError) as caught:
        people.start()
    assert caught.value.reason is Reason.TABLE_STATE
    assert people.table.match is match


def test_the_table_passes_to_another_player_when_its_host_leaves(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, EAST)
    driver.sit("Cid", NORTH)
    driver.do(Leave(driver.player("Ann")))
    assert driver.events(HostChanged) == [HostChanged("Cid")]
    assert driver.table.state.opened.host == "Cid"
    with pytest.raises(SpadesError):
        driver.do(AddBot(driver.player("Ann"), "gentle", SOUTH))
    driver.do(AddBot(driver.player("Cid"), "gentle", SOUTH))
    driver.do(Start(driver.player("Cid"), SEED))
    assert driver.table.state.stage is TableStage.PLAYING


def test_a_table_is_closed_when_the_last_player_leaves_it(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(WEST)
    driver.do(Leave(driver.player("Ann")))
    assert isinstance(driver.entries[-1].event, TableClosed)
    assert driver.table.state.stage is TableStage.CLOSED
    assert driver.table.next_deadline() is None


def test_a_rematch_moves_the_first_dealer_one_seat_to_the_left(people: Driver) -> None:
    dealers: list[Seat] = []
    for _ in range(3):
        dealers.append(people.match.state.first_dealer)
        people.act(WEST, Surrender())
        people.act(EAST, Surrender())
        assert people.table.state.stage is TableStage.FINISHED
        people.start()
    assert dealers == [EAST, SOUTH, WEST]


def test_every_finished_match_is_handed_out_once_with_a_record_that_verifies(
    people: Driver,
) -> None:
    people.act(WEST, Surrender())
    people.act(EAST, Surrender())
    finished = people.table.take_finished()
    assert finished is not None
    assert people.table.take_finished() is None
    line = finished.line
    assert verify(line).match.outcome == people.match.outcome
    assert people.table.state.record == verify(line).circumstances.match


# Away, back, and who plays for the absent.


def test_an_absent_player_is_replaced_after_the_grace_and_not_before(people: Driver) -> None:
    people.go(WEST)
    assert people.table.state.seats[WEST].away
    people.wait(59.9)
    assert not people.table.state.seats[WEST].stand_in
    assert people.table.next_deadline() == 60 * SECOND
    people.wait(0.1)
    assert people.table.state.seats[WEST].stand_in
    assert people.events(StandInChanged) == [StandInChanged(WEST, active=True)]
    assert people.table.owners[WEST] == "bob"


def test_a_stand_in_plays_for_the_absent_until_they_are_back(people: Driver) -> None:
    people.step()
    people.go(WEST)
    assert people.table.bot_task() is None
    people.wait(60)
    task = people.table.bot_task()
    assert task is not None
    assert (task.seat, task.bot) == (WEST, "gentle")
    people.step()
    assert people.match.state.bids[WEST] == Bid(3)
    people.come(WEST)
    assert people.events(StandInChanged)[-1] == StandInChanged(WEST, active=False)
    assert people.events(PresenceChanged)[-1] == PresenceChanged(WEST, away=False)
    people.until(Phase.PLAYING, turn=WEST)
    assert people.table.bot_task() is None


def test_a_player_who_is_back_first_makes_the_stand_ins_answer_stale(people: Driver) -> None:
    people.step()
    people.go(WEST)
    people.wait(60)
    task = people.table.bot_task()
    assert task is not None
    people.come(WEST)
    before = people.table.seq
    with pytest.raises(SpadesError) as caught:
        people.do(BotDeed(task.seat, task.decision, MakeBid(Bid(1))))
    assert caught.value.reason is Reason.STALE_DECISION
    assert people.table.seq == before
    assert refused(people.act(WEST, MakeBid(Bid(5)), decision=task.decision)) is None


def test_a_player_who_is_back_after_the_stand_in_acted_finds_the_decision_gone(
    people: Driver,
) -> None:
    people.step()
    people.go(WEST)
    people.wait(60)
    decision = people.table.decision_id
    people.do(BotDeed(WEST, decision, MakeBid(Bid(1))))
    people.come(WEST)
    answer = people.act(WEST, MakeBid(Bid(5)), decision=decision)
    assert refused(answer) is Reason.STALE_DECISION
    assert people.match.state.bids[WEST] == Bid(1)


def test_whoever_leaves_a_match_keeps_the_seat_and_a_house_bot_plays_on_at_once(
    people: Driver,
) -> None:
    people.do(Leave(people.player("Ann")))
    status = people.table.state.seats[SOUTH]
    assert status.occupant is not None
    assert (status.occupant.name, status.away, status.stand_in) == ("Ann", True, True)
    people.step()
    assert people.match.state.bids[SOUTH] == Bid(3)
    with pytest.raises(SpadesError):
        people.do(Sit(people.player("Eve"), OccupantKind.PERSON, SOUTH))
    people.do(Sit(people.player("Ann"), OccupantKind.PERSON))
    people.come(SOUTH)
    status = people.table.state.seats[SOUTH]
    assert (status.away, status.stand_in) == (False, False)


def test_away_back_and_stand_in_are_noted_in_the_record(people: Driver) -> None:
    people.step()
    people.do(Leave(people.player("Bob")))
    people.come(WEST)
    people.act(WEST, Surrender())
    people.act(EAST, Surrender())
    finished = people.table.take_finished()
    assert finished is not None
    notes = finished.circumstances.notes
    assert [note.kind for note in notes] == [
        NoteKind.AWAY, NoteKind.STAND_IN, NoteKind.STAND_IN_ENDED, NoteKind.BACK,
    ]  # fmt: skip
    assert {(note.seat, note.hand) for note in notes} == {(WEST, 1)}


# Deleted players.


def test_the_seat_of_a_deleted_player_is_a_house_bots_from_then_on(people: Driver) -> None:
    people.step()
    hand = people.match.state.hands[WEST]
    people.do(PlayerGone(people.player("Bob")))
    status = people.table.state.seats[WEST]
    assert status == SeatStatus(Occupant(OccupantKind.HOUSE_BOT, "gentle"))
    assert people.table.owners[WEST] is None
    assert people.match.state.hands[WEST] == hand
    task = people.table.bot_task()
    assert task is not None and (task.seat, task.bot) == (WEST, "gentle")
    people.act(SOUTH, Surrender())
    people.act(NORTH, Surrender())
    finished = people.table.take_finished()
    assert finished is not None
    assert "Bob" not in finished.line
    assert NoteKind.STAND_IN in {note.kind for note in finished.circumstances.notes}
    assert finished.owners == ("ann", None, "cid", "dee")


def test_nobody_acts_for_the_seat_of_a_deleted_player(people: Driver) -> None:
    people.step()
    people.do(PlayerGone(people.player("Bob")))
    with pytest.raises(TableError, match="Bob does not hold the seat West"):
        people.act(WEST, MakeBid(Bid(3)), name="Bob")


def test_a_deleted_host_is_followed_by_another_player(people: Driver) -> None:
    people.do(PlayerGone(people.player("Ann")))
    assert people.table.host == people.player("Bob")
    assert people.events(HostChanged) == [HostChanged("Bob")]


def test_before_a_match_the_seat_of_a_deleted_player_is_free(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Bob", WEST)
    driver.do(PlayerGone(driver.player("Bob")))
    assert driver.table.state.seats[WEST].occupant is None
    driver.do(PlayerGone(driver.player("Ann")))
    assert driver.table.state.stage is TableStage.CLOSED


def test_a_match_whose_last_player_is_deleted_is_closed(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    driver.do(PlayerGone(driver.player("Ann")))
    assert driver.table.state.stage is TableStage.CLOSED


def test_a_deleted_player_leaves_the_others_the_time_to_come_back(people: Driver) -> None:
    """Nobody is present any more from then on, and not since the table was opened."""
    people.wait(10_000)
    for seat in (SOUTH, NORTH, EAST):
        people.go(seat)
    people.wait(5_000)
    assert people.table.state.stage is TableStage.PLAYING
    people.do(PlayerGone(people.player("Bob")))
    assert people.table.next_deadline() == people.now + 600 * SECOND


def test_who_was_away_too_long_loses_the_seat_and_the_match_counts_all_the_same(
    people: Driver,
) -> None:
    people.act(WEST, Surrender())
    people.go(EAST)
    people.go(SOUTH)
    people.wait(61)
    people.come(EAST)
    people.act(EAST, Surrender())
    finished = people.table.take_finished()
    assert finished is not None
    assert people.table.owners[SOUTH] is None
    assert finished.owners == ("ann", "bob", "cid", "dee")


def test_a_player_alone_with_bots_who_leaves_is_waited_for(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    driver.do(Leave(driver.player("Ann")))
    driver.wait(300)
    assert not driver.table.state.seats[SOUTH].stand_in
    assert driver.table.bot_task() is None
    driver.come(SOUTH)
    assert refused(driver.act(SOUTH, MakeBid(Bid(4)))) is None


def test_a_stand_in_begins_when_the_first_of_those_who_left_is_back(people: Driver) -> None:
    for name in ("Ann", "Bob", "Cid", "Dee"):
        people.do(Leave(people.player(name)))
    people.wait(300)
    seats = people.table.state.seats
    # Those who left while somebody was still there are played for; nobody is kept waiting by the last.
    assert [status.stand_in for status in seats] == [True, True, True, False]
    people.come(EAST)
    people.wait(1)
    assert [status.stand_in for status in people.table.state.seats] == [True, True, True, False]


def test_a_table_that_everybody_has_left_is_closed_when_its_time_is_up(people: Driver) -> None:
    people.wait(5)
    for seat in Seat:
        people.go(seat)
    assert people.table.next_deadline() == 605 * SECOND
    people.wait(599.9)
    assert people.table.state.stage is TableStage.PLAYING
    people.wait(0.1)
    assert isinstance(people.entries[-1].event, TableClosed)


def test_somebody_who_comes_back_in_time_keeps_the_table_open(people: Driver) -> None:
    for seat in Seat:
        people.go(seat)
    people.wait(599)
    people.come(SOUTH)
    people.wait(700)
    assert people.table.state.stage is TableStage.PLAYING


def test_a_table_at_which_nobody_ever_sat_is_closed_too(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    assert driver.table.next_deadline() == 600 * SECOND
    driver.wait(600)
    assert driver.table.state.stage is TableStage.CLOSED


def test_an_absent_player_loses_the_seat_before_a_match(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Bob", WEST)
    driver.go(SOUTH)
    driver.wait(60)
    assert driver.table.owners == [None, "bob", None, None]
    assert driver.events(SeatLeft) == [SeatLeft(SOUTH)]
    assert driver.events(HostChanged) == [HostChanged("Bob")]


def test_a_player_who_does_not_listen_has_the_grace_from_the_start_on(
    open_table: OpenTable,
) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.do(Sit(driver.player("Bob"), OccupantKind.PERSON, WEST))
    driver.bots(NORTH, EAST)
    driver.start()
    driver.wait(59)
    assert not driver.table.state.seats[WEST].away
    driver.wait(1)
    assert driver.table.state.seats[WEST].away
    assert driver.table.state.seats[WEST].stand_in


# Rules that depend on who sits at the table.


def test_a_house_bot_agrees_to_its_partners_surrender(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    driver.act(SOUTH, Surrender())
    outcome = driver.match.outcome
    assert outcome is not None
    assert outcome.reason is spades.EndReason.SURRENDER
    assert outcome.winner is spades.Side.WEST_EAST


@pytest.mark.parametrize("kind", [OccupantKind.PERSON, OccupantKind.AGENT])
def test_a_partner_who_is_no_house_bot_must_agree_to_a_surrender(
    open_table: OpenTable, kind: OccupantKind
) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.sit("Cid", NORTH, kind)
    driver.bots(WEST, EAST)
    driver.start()
    driver.act(SOUTH, Surrender())
    assert driver.match.outcome is None
    assert refused(driver.act(SOUTH, Surrender())) is Reason.ALREADY_ASKED
    driver.act(NORTH, Surrender())
    assert driver.match.outcome is not None


def test_a_stand_in_does_not_agree_to_a_surrender(people: Driver) -> None:
    people.do(Leave(people.player("Cid")))
    assert people.table.state.seats[NORTH].stand_in
    people.act(SOUTH, Surrender())
    assert people.match.outcome is None
    people.come(NORTH)
    people.act(NORTH, Surrender())
    assert people.match.outcome is not None


def test_a_surrender_that_was_not_agreed_to_lapses_with_the_hand(people: Driver) -> None:
    people.act(SOUTH, Surrender())
    people.until(Phase.HAND_OVER)
    people.act(NORTH, Surrender())
    assert people.match.outcome is None


@pytest.mark.parametrize(
    ("others", "allowed"),
    [
        ((None, None, None), True),
        ((OccupantKind.AGENT, OccupantKind.AGENT, OccupantKind.AGENT), True),
        ((None, OccupantKind.PERSON, None), False),
        ((OccupantKind.PERSON, None, None), False),
    ],
)
def test_undo_solo_lets_a_card_be_taken_back_only_where_three_are_no_persons(
    open_table: OpenTable, others: tuple[OccupantKind | None, ...], *, allowed: bool
) -> None:
    driver = Driver(open_table("undo=solo"))
    driver.sit("Ann", SOUTH)
    for seat, kind, name in zip((WEST, NORTH, EAST), others, ("Bob", "Cid", "Dee"), strict=True):
        if kind is None:
            driver.bots(seat)
        else:
            driver.sit(name, seat, kind)
    driver.start()
    driver.until(Phase.PLAYING)
    driver.step()
    reason = refused(driver.act(SOUTH, Undo()))
    assert reason is (None if allowed else Reason.UNDO_NOT_ALLOWED)


def test_undo_solo_is_possible_while_a_stand_in_plays_for_the_other_person(
    open_table: OpenTable,
) -> None:
    driver = Driver(open_table("undo=solo"))
    driver.sit("Ann", SOUTH)
    driver.sit("Cid", NORTH)
    driver.bots(WEST, EAST)
    driver.start()
    driver.do(Leave(driver.player("Cid")))
    driver.until(Phase.PLAYING)
    driver.step()
    assert refused(driver.act(SOUTH, Undo())) is None


def test_the_next_hand_is_dealt_once_when_the_last_of_the_persons_has_asked(people: Driver) -> None:
    people.until(Phase.HAND_OVER)
    for seat in (SOUTH, WEST, NORTH):
        people.act(seat, NextHand())
    assert refused(people.act(SOUTH, NextHand())) is Reason.ALREADY_ASKED
    assert people.match.hand_number == 1
    people.act(EAST, NextHand())
    assert people.match.hand_number == 2
    assert refused(people.act(EAST, NextHand(), hand=1)) is Reason.WRONG_PHASE
    people.wait(60)
    assert people.match.hand_number == 2
    assert len(people.events(spades.HandDealt)) == 2


def test_the_next_hand_is_dealt_unasked_when_the_wait_is_over(people: Driver) -> None:
    people.until(Phase.HAND_OVER)
    over = people.now
    assert people.table.next_deadline() == over + 30 * SECOND
    people.wait(29.9)
    assert people.match.phase is Phase.HAND_OVER
    people.wait(0.1)
    assert people.match.hand_number == 2
    assert refused(people.act(SOUTH, NextHand(), hand=1)) is Reason.WRONG_PHASE
    assert len(people.events(spades.HandDealt)) == 2


@pytest.mark.parametrize("wait", [0, 5])
def test_the_wait_for_the_next_hand_is_the_tables_option(open_table: OpenTable, wait: int) -> None:
    driver = Driver(open_table(f"next_hand_wait={wait}"))
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    driver.until(Phase.HAND_OVER, Phase.PLAYING)
    while not driver.match.sheet:
        driver.step()
    driver.wait(wait)
    assert driver.match.hand_number == 2


def test_an_absent_person_holds_the_next_hand_up_only_until_a_bot_stands_in(people: Driver) -> None:
    people.until(Phase.HAND_OVER)
    people.do(Leave(people.player("Dee")))
    for seat in (SOUTH, WEST, NORTH):
        people.act(seat, NextHand())
    assert people.match.hand_number == 2


def test_only_bots_and_agents_play_on_at_once(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH, OccupantKind.AGENT)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    while not driver.match.sheet:
        driver.step()
    assert driver.match.outcome or driver.match.hand_number == 2


def test_house_bots_take_their_time_only_while_a_person_is_there(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    driver.now = 7 * SECOND
    driver.step()
    task = driver.table.bot_task()
    assert task is not None
    assert task.due_us == 8 * SECOND
    driver.go(SOUTH)
    task = driver.table.bot_task()
    assert task is not None
    assert task.due_us == 7 * SECOND


def test_house_bots_play_among_agents_without_delay(open_table: OpenTable) -> None:
    driver = Driver(open_table())
    driver.sit("Ann", SOUTH, OccupantKind.AGENT)
    driver.bots(WEST, NORTH, EAST)
    driver.start()
    driver.now = 7 * SECOND
    driver.step()
    task = driver.table.bot_task()
    assert task is not None
    assert task.due_us == 7 * SECOND


# Courtesies.


@pytest.mark.parametrize("courtesy", Courtesy)
def test_a_courtesy_is_heard_between_hands_and_not_during_one(
    people: Driver, courtesy: Courtesy
) -> None:
    assert refused(people.act(NORTH, courtesy)) is Reason.TABLE_STATE
    people.until(Phase.PLAYING)
    assert refused(people.act(NORTH, courtesy)) is Reason.TABLE_STATE
    assert not people.events(CourtesySent)
    people.until(Phase.HAND_OVER)
    assert refused(people.act(NORTH, courtesy)) is None
    assert people.events(CourtesySent) == [CourtesySent(NORTH, courtesy)]


def test_a_clock_that_runs_backwards_does_not_turn_the_log_back(people: Driver) -> None:
    people.wait(100)
    people.now = 0
    people.step()
    assert people.entries[-1].time_us == 100 * SECOND


def test_one_is_courteous_so_often_between_two_hands_and_again_after_the_next(
    people: Driver,
) -> None:
    people.until(Phase.HAND_OVER)
    for _ in range(COURTESIES):
        assert people.act(SOUTH, Courtesy.THANK_YOU).refusal is None
    before = people.table.seq
    assert refused(people.act(SOUTH, Courtesy.THANK_YOU)) is Reason.ALREADY_ASKED
    assert people.table.seq == before
    assert people.act(WEST, Courtesy.THANK_YOU).refusal is None
    people.wait(3_600)
    people.until(Phase.HAND_OVER)
    assert people.act(SOUTH, Courtesy.THANK_YOU).refusal is None


def test_nobody_pushes_anothers_answers_out(people: Driver) -> None:
    people.until(Phase.HAND_OVER)
    first = people.command(Courtesy.SORRY, SOUTH)
    ann = people.player("Ann")
    people.do(Deed(ann, first))
    west = people.player(people.name_of(WEST))
    for _ in range(300):
        people.do(Deed(west, people.command(Courtesy.SORRY, WEST)))
    assert people.do(Deed(ann, first)).replayed
