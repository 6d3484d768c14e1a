"""A table without I/O: commands and the time go in, events and an answer come out."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NoReturn

import spades
from spades import (
    ActionKind,
    Look,
    Match,
    NotYourTurn,
    Phase,
    Reason,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    SpadesError,
    TableError,
    error_for,
)
from spades.actions import Action
from spades_agents.version import SOFTWARE
from spades_proto.frames import Answer, Command, DecisionRequest
from spades_proto.records import Circumstances, Note
from spades_proto.table import (
    AnyEvent,
    Courtesy,
    CourtesySent,
    HostChanged,
    NoteKind,
    Occupant,
    OccupantKind,
    PresenceChanged,
    RecordKept,
    SeatLeft,
    SeatStatus,
    SeatTaken,
    StandInChanged,
    TableClosed,
    TableOpened,
    TableStage,
    TableState,
)
from spades_server.commands import (
    ANSWERS,
    DEED_KINDS,
    AddBot,
    BotDeed,
    Deed,
    Kind,
    Leave,
    Player,
    Presence,
    RemoveBot,
    Sit,
    Start,
    State,
    TableCommand,
    Tick,
    Verdict,
    state_of,
)

SECOND: Final = 1_000_000
"""All times are whole microseconds."""

REMEMBERED_REQUESTS: Final = 4_096
"""How many requests a table can repeat its answer to."""

REMEMBERED_EVENTS: Final = 512
"""How many events a reader can be behind and still resume without a snapshot."""

_OPENERS: Final = (
    spades.CardPlayed,
    spades.TrickWon,
    spades.BidMade,
    spades.HandDealt,
    spades.CardsPassed,
    spades.PlayTakenBack,
)
"""The events that can open a decision; its id is the number of the last of them."""


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What is settled when a table is opened."""

    code: str
    rules: Rules
    private: bool = False
    many_seats: bool = False
    """Whether one player may hold several seats."""
    seed_chosen: bool = False
    tempo_us: int = 700_000
    """How long a house bot takes for a card while people play (rules.md 5.5)."""
    grace_us: int = 60 * SECOND
    """After how long an absent player's seat is played by a house bot, or before the match freed."""
    abandoned_us: int = 600 * SECOND
    """After how long a table without any player present is closed."""
    stand_in: str = "gentle"
    """The house bot that plays for absent players."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event of the table's log."""

    seq: int
    time_us: int
    event: AnyEvent


@dataclass(frozen=True, slots=True)
class BotTask:
    """A decision that a house bot is to take, from a time on."""

    seat: Seat
    bot: str
    decision: int
    due_us: int


class Table:
    """One table: its seats, its matches and its log.

    Refusals raise and change nothing. One command is handled at a time, by whoever owns the table.
    """

    def __init__(self, config: TableConfig, host: Player, now_us: int, epoch: int = 1) -> None:
        self.config = config
        self.epoch = epoch
        self.host_id = host.id
        self.state = TableState(
            TableOpened(config.code, host.name, config.rules, config.private, config.seed_chosen)
        )
        self.match: Match | None = None
        self.match_number = 0
        self.decision_id = 0
        """The ``seq`` of the event that opened the current decision, 0 while none is open."""
        self.seq = 0
        self.log: deque[Entry] = deque(maxlen=REMEMBERED_EVENTS)
        self.owners: list[str | None] = [None, None, None, None]
        """The ids of the players who hold the seats; ``None`` for bots and empty seats."""
        self.finished: tuple[Match, Circumstances, Seat | None] | None = None
        """The last match with what its record says beside the game; taken by :meth:`take_finished`."""
        self._bots: list[str] = ["", "", "", ""]
        self._names: dict[str, str] = {host.id: host.name}
        self._answers: OrderedDict[tuple[str, str], tuple[Command, Answer]] = OrderedDict()
        self._last_decision = [0, 0, 0, 0]
        self._former: Seat | None = None
        self._started_us = 0
        self._notes: list[Note] = []
        self._actions_in_hand = 0
        self._opened_us = now_us
        self._hand_over_us = 0
        self._away_us: list[int | None] = [None, None, None, None]
        self._listening = [False, False, False, False]
        self._nobody_us = now_us
        self._new: list[Entry] = []
        self._now_us = now_us
        self._take(self.state.opened)
        self.opening = tuple(self._new)
        """The first entry of the log."""
        self._new = []

    # Commands.

    def handle(self, command: TableCommand, now_us: int) -> tuple[tuple[Entry, ...], Answer]:
        """Does one command at a time, and what follows from it at once.

        :raises SpadesError: if it is refused; nothing has changed then. A player's deed is not raised but
            answered with its refusal, since the same request gets the same answer again.
        """
        self._now_us = max(now_us, self._now_us)
        self._new = []
        answer = Answer()
        match command:
            case Deed():
                answer = self._deed(command)
            case BotDeed():
                self._bot_deed(command)
            case Presence():
                self._presence(command)
            case Tick():
                pass
            case Sit():
                self._sit(command)
            case Leave():
                self._leave(command)
            case AddBot():
                self._add_bot(command)
            case RemoveBot():
                self._remove_bot(command)
            case Start():
                self._start(command)
        self._settle()
        return tuple(self._new), answer

    @property
    def now_state(self) -> State:
        """The column of the table of answers that holds now."""
        phase = self.match.phase if self.match else None
        return state_of(self.state.stage, phase)

    def next_deadline(self) -> int | None:
        """When a :class:`~spades_server.commands.Tick` is due, by the clock of the commands."""
        if self.state.stage is TableStage.CLOSED:
            return None
        deadlines: list[int] = []
        if self.match and self.match.phase is Phase.HAND_OVER:
            deadlines.append(self._hand_over_us + self.config.rules.next_hand_wait * SECOND)
        if self._anybody_present():
            deadlines += [
                away + self.config.grace_us
                for seat, away in zip(Seat, self._away_us, strict=True)
                if away is not None and not self.state.seats[seat].stand_in
            ]
        else:
            deadlines.append(self._nobody_us + self.config.abandoned_us)
        return min(deadlines, default=None)

    def bot_task(self) -> BotTask | None:
        """The decision that a house bot is to take, if there is one."""
        match = self.match
        if match is None or (seat := match.turn) is None:
            return None
        status = self.state.seats[seat]
        bot = self.config.stand_in if status.stand_in else self._bots[seat]
        if not bot:
            return None
        tempo = self.config.tempo_us if self._person_present() else 0
        return BotTask(seat, bot, self.decision_id, self._opened_us + tempo)

    def bot_view(self, seat: Seat) -> SeatView:
        """What a house bot sees from a seat; its secret follows from the seed."""
        match = self.match
        assert match is not None and isinstance(match.deals, SeededDeals), "a match is dealt"
        return spades.view(match, seat, spades.agent_secret(match.deals.seed, seat))

    def seat_of(self, player: Player) -> Seat | None:
        """The first seat that a player holds."""
        return next((seat for seat in Seat if self.owners[seat] == player.id), None)

    def take_finished(self) -> tuple[Match, Circumstances, Seat | None] | None:
        """Hands out the match that has just finished, once."""
        finished, self.finished = self.finished, None
        return finished

    def decision_for(self, seat: Seat | None) -> DecisionRequest | None:
        """The decision that is open for a seat, with what is legal: for that seat's eyes only."""
        match = self.match
        if seat is None or match is None or match.turn is not seat:
            return None
        view = SeatView.of_seat(match.state, seat)
        decision = view.decision
        assert decision is not None, "the seat is to act"
        return DecisionRequest(
            self.decision_id,
            decision.kind,
            decision.number,
            view.legal_bids,
            view.legal_plays,
            view.pass_count,
            view.may_look,
        )

    # The lobby's side.

    def _require(self, kind: Kind) -> Verdict:
        """Asks the table of answers, and refuses what it refuses."""
        state = self.now_state
        cell = ANSWERS[kind][state]
        if isinstance(cell, Verdict):
            return cell
        raise error_for(cell, f"One cannot {kind.value} now: {state.value}.")

    def _require_host(self, player: Player, kind: Kind) -> None:
        if player.id != self.host_id:
            raise TableError(
                f"Only {self.state.opened.host}, the host of the table, can {kind.value}.",
                Reason.NOT_THE_HOST,
            )

    def _free_seat(self, seat: Seat | None) -> Seat:
        if seat is None:
            seat = next((one for one in Seat if self.state.seats[one].occupant is None), None)
            if seat is None:
                raise TableError("The table is full.", Reason.SEAT_TAKEN)
        occupant = self.state.seats[seat].occupant
        if occupant is not None:
            raise TableError(f"{seat} is taken by {occupant.name}.", Reason.SEAT_TAKEN)
        return seat

    def _sit(self, command: Sit) -> None:
        mine = [seat for seat in Seat if self.owners[seat] == command.player.id]
        if mine and (command.seat in mine or self.state.stage is TableStage.PLAYING):
            self._require(Kind.RETURN)
            if command.seat is not None and command.seat not in mine:
                raise TableError(
                    f"{command.player.name} holds {mine[0]} in this match.", Reason.ALREADY_SEATED
                )
            return
        self._require(Kind.SIT)
        if mine and command.seat is None:
            return
        seat = self._free_seat(command.seat)
        if mine and not self.config.many_seats:
            self._free(mine[0])
        self._names[command.player.id] = command.player.name
        self.owners[seat] = command.player.id
        self._listening[seat] = False
        self._away_us[seat] = None
        self._take(SeatTaken(seat, Occupant(command.kind, command.player.name)))

    def _leave(self, command: Leave) -> None:
        mine = [seat for seat in Seat if self.owners[seat] == command.player.id]
        if not mine:
            raise TableError(f"{command.player.name} has no seat here.", Reason.NOT_SEATED)
        self._require(Kind.LEAVE)
        if self.state.stage is TableStage.PLAYING:
            # The hand belongs to the seat: it stays reserved, and a house bot stands in at once.
            for seat in mine:
                self._listening[seat] = False
                self._go_away(seat, self._now_us - self.config.grace_us)
            return
        for seat in mine:
            self._free(seat)
        self._pass_on_host()

    def _free(self, seat: Seat) -> None:
        self.owners[seat] = None
        self._bots[seat] = ""
        self._away_us[seat] = None
        self._listening[seat] = False
        self._take(SeatLeft(seat))

    def _pass_on_host(self) -> None:
        """Gives the table to another player when its host holds no seat any more, or closes it."""
        if self.host_id in self.owners:
            return
        heir = next((owner for owner in self.owners if owner is not None), None)
        if heir is None:
            self._take(TableClosed("Everybody has left the table."))
            return
        self.host_id = heir
        self._take(HostChanged(self._names[heir]))

    def _add_bot(self, command: AddBot) -> None:
        self._require(Kind.ADD_BOT)
        self._require_host(command.player, Kind.ADD_BOT)
        seats = [self._free_seat(command.seat)]
        if command.seat is None:
            seats = [seat for seat in Seat if self.state.seats[seat].occupant is None]
        for seat in seats:
            self._bots[seat] = command.bot
            self._take(SeatTaken(seat, Occupant(OccupantKind.HOUSE_BOT, command.bot)))

    def _remove_bot(self, command: RemoveBot) -> None:
        self._require(Kind.REMOVE_BOT)
        self._require_host(command.player, Kind.REMOVE_BOT)
        if not self._bots[command.seat]:
            raise TableError(f"No house bot sits {command.seat}.", Reason.SEAT_EMPTY)
        self._free(command.seat)

    def _start(self, command: Start) -> None:
        self._require(Kind.START)
        self._require_host(command.player, Kind.START)
        empty = [str(seat) for seat in Seat if self.state.seats[seat].occupant is None]
        if empty:
            raise TableError(
                f"The match cannot start: nobody sits {' and '.join(empty)}.",
                Reason.TABLE_NOT_READY,
            )
        former = self.match.state.first_dealer if self.match else None
        self.match = Match(
            self.config.rules,
            SeededDeals(command.seed),
            former_first_dealer=former,
            people=self._people(),
        )
        self._former = former
        self.match_number += 1
        self._started_us = self._now_us
        self._notes = []
        for seat in Seat:
            if self.owners[seat] is not None and not self._listening[seat]:
                self._go_away(seat, self._now_us)
        self._take_match(tuple(self.match.log))

    # The players' side.

    def _deed(self, deed: Deed) -> Answer:
        command = deed.command
        seat = self._acting_seat(deed)
        key = (deed.player.id, command.request_id)
        known = self._answers.get(key)
        if known is not None:
            asked, answer = known
            if asked != command:
                raise TableError(
                    f"The request id {command.request_id!r} was used for another request.",
                    Reason.REQUEST_ID_REUSED,
                )
            return Answer(answer.seq, answer.refusal, replayed=True)
        try:
            self._do(seat, command)
            answer = Answer(self.seq)
        except SpadesError as refusal:
            answer = Answer(refusal=refusal)
        self._answers[key] = (command, answer)
        if len(self._answers) > REMEMBERED_REQUESTS:
            self._answers.popitem(last=False)
        return answer

    def _acting_seat(self, deed: Deed) -> Seat:
        """The seat that a token may act for: its own, whatever a field says."""
        seat = deed.command.seat
        if seat is None:
            seat = self.seat_of(deed.player)
            if seat is None:
                raise TableError(f"{deed.player.name} has no seat here.", Reason.NOT_SEATED)
            return seat
        if self.owners[seat] != deed.player.id:
            raise TableError(
                f"{deed.player.name} does not hold the seat {seat}.", Reason.NOT_YOUR_SEAT
            )
        return seat

    def _do(self, seat: Seat, command: Command) -> None:
        deed = command.deed
        if isinstance(deed, Courtesy):
            self._require(Kind.COURTESY)
            self._take(CourtesySent(seat, deed))
            return
        verdict = self._require(DEED_KINDS[deed.kind])
        if command.epoch and command.epoch != self.epoch:
            raise TableError(
                f"The table is in epoch {self.epoch}, not {command.epoch}: ask for a snapshot.",
                Reason.EPOCH_CHANGED,
            )
        if deed.kind in _ANSWERS_DECISION:
            self._require_current(seat, command.decision, verdict)
        elif command.hand_number != self._hand_number():
            raise error_for(
                Reason.WRONG_HAND,
                f"The {deed.kind.value} names hand {command.hand_number},"
                f" and hand {self._hand_number()} is on the table.",
            )
        self._act(seat, deed)

    def _require_current(self, seat: Seat, decision: int, verdict: Verdict) -> None:
        if decision == self.decision_id and verdict is Verdict.JUDGE and decision:
            return
        match = self.match
        if match is not None and match.turn is not None and match.turn is not seat:
            if decision != self._last_decision[seat] or not decision:
                raise NotYourTurn(
                    f"{seat} cannot act now: it is {match.turn}'s turn.", Reason.NOT_YOUR_TURN
                )
        self._refuse_stale(decision)

    def _refuse_stale(self, decision: int) -> NoReturn:
        now = f"{self.decision_id} is" if self.decision_id else "none is"
        raise TableError(
            f"The decision {decision} is not open any more: {now}.", Reason.STALE_DECISION
        )

    def _bot_deed(self, deed: BotDeed) -> None:
        verdict = self._require(Kind.BOT_DEED)
        task = self.bot_task()
        stale = verdict is Verdict.STALE or deed.decision != self.decision_id
        if stale or task is None or task.seat is not deed.seat:
            self._refuse_stale(deed.decision)
        self._act(deed.seat, deed.action)

    def _act(self, seat: Seat, action: Action) -> None:
        match = self.match
        assert match is not None, "the table of answers lets no action pass without a match"
        if isinstance(action, Look):
            events = match.look(seat)
            self._note(NoteKind.LOOKED, seat)
        else:
            events = match.act(seat, action)
        if action.kind is ActionKind.SURRENDER and match.outcome is None:
            partner = self.state.seats[seat.partner].occupant
            # A house bot agrees; one that stands in for an absent player does not (rules.md 5.3).
            if partner is not None and partner.kind is OccupantKind.HOUSE_BOT:
                events += match.surrender(seat.partner)
        self._take_match(events)

    def _presence(self, command: Presence) -> None:
        if self._require(Kind.PRESENCE) is Verdict.IGNORE:
            return
        seat = command.seat
        if self.owners[seat] is None:
            return
        self._listening[seat] = command.listening
        if not command.listening:
            self._go_away(seat, self._now_us)
            return
        self._away_us[seat] = None
        status = self.state.seats[seat]
        if status.stand_in:
            self._note(NoteKind.STAND_IN_ENDED, seat)
            self._take(StandInChanged(seat, active=False))
        if status.away:
            self._note(NoteKind.BACK, seat)
            self._take(PresenceChanged(seat, away=False))

    def _go_away(self, seat: Seat, since_us: int) -> None:
        self._away_us[seat] = since_us
        if not self.state.seats[seat].away:
            self._note(NoteKind.AWAY, seat)
            self._take(PresenceChanged(seat, away=True))
        if not self._anybody_present():
            self._nobody_us = self._now_us

    # What follows from a command, or from time.

    def _settle(self) -> None:
        """Does everything that is due: stand-ins, the next hand, the end of an abandoned table."""
        if self.state.stage is TableStage.CLOSED:
            return
        if not self._anybody_present():
            if self._now_us >= self._nobody_us + self.config.abandoned_us:
                self._take(TableClosed("Everybody has left the table."))
            return
        for seat in Seat:
            away = self._away_us[seat]
            if away is not None and self._now_us >= away + self.config.grace_us:
                self._replace_absent(seat)
        match = self.match
        if match is None:
            return
        match.people = self._people()
        if match.phase is Phase.HAND_OVER:
            waited = self._now_us >= self._hand_over_us + match.rules.next_hand_wait * SECOND
            if waited or match.people <= match.state.asked:
                self._take_match(match.deal_next())

    def _replace_absent(self, seat: Seat) -> None:
        if self.state.stage is not TableStage.PLAYING:
            self._free(seat)
            self._pass_on_host()
        elif not self.state.seats[seat].stand_in:
            self._note(NoteKind.STAND_IN, seat)
            self._opened_us = self._now_us
            self._take(StandInChanged(seat, active=True))

    def _people(self) -> frozenset[Seat]:
        """The seats that persons play now (rules.md 5.5, 5.6)."""
        return frozenset(
            seat
            for seat, status in zip(Seat, self.state.seats, strict=True)
            if _is_person(status) and not status.stand_in
        )

    def _anybody_present(self) -> bool:
        """Whether a player, who is no house bot, is at the table: else nobody is kept waiting."""
        return any(
            owner is not None and away is None
            for owner, away in zip(self.owners, self._away_us, strict=True)
        )

    def _person_present(self) -> bool:
        return any(_is_person(status) and not status.away for status in self.state.seats)

    # The log.

    def _take_match(self, events: tuple[spades.Event, ...]) -> None:
        match = self.match
        assert match is not None, "events come from a match"
        # The referee has applied the events; the table's state shares the referee's.
        self.state.match = match.state
        for event in events:
            self.state.keep(event)
            self._log(event)
            if isinstance(event, _OPENERS):
                self.decision_id = self.seq
                self._actions_in_hand += not isinstance(event, spades.TrickWon)
            if isinstance(event, spades.HandDealt):
                self._actions_in_hand = 0
            elif isinstance(event, spades.HandScored):
                self._hand_over_us = self._now_us
        if match.turn is None:
            self.decision_id = 0
        else:
            self._last_decision[match.turn] = self.decision_id
            self._opened_us = self._now_us
        if isinstance(events[-1], spades.MatchEnded):
            self._finish(match)

    def _take(self, event: AnyEvent) -> None:
        self.state.apply(event)
        self._log(event)

    def _log(self, event: AnyEvent) -> None:
        self.seq += 1
        entry = Entry(self.seq, self._now_us, event)
        self.log.append(entry)
        self._new.append(entry)

    def _note(self, kind: NoteKind, seat: Seat) -> None:
        if self.state.stage is TableStage.PLAYING:
            self._notes.append(Note(kind, seat, self._hand_number(), self._actions_in_hand))

    def _hand_number(self) -> int:
        return self.match.hand_number if self.match else 0

    def _finish(self, match: Match) -> None:
        started = match.log[0]
        assert isinstance(started, spades.MatchStarted), "a match begins with its start"
        name = f"{self.config.code}-{self.match_number}-{started.commitment[:8]}"
        circumstances = Circumstances(
            match=name,
            table=self.config.code,
            started_us=self._started_us,
            ended_us=self._now_us,
            players=tuple(self._players()),
            software=SOFTWARE,
            seed_chosen=self.config.seed_chosen,
            notes=tuple(self._notes),
        )
        self.finished = (match, circumstances, self._former)
        self._take(RecordKept(name))

    def _players(self) -> Iterable[tuple[Seat, Occupant]]:
        for seat, status in zip(Seat, self.state.seats, strict=True):
            if status.occupant is not None:
                yield seat, status.occupant


_ANSWERS_DECISION: Final = frozenset({ActionKind.BID, ActionKind.PASS_CARDS, ActionKind.PLAY})


def _is_person(status: SeatStatus) -> bool:
    return status.occupant is not None and status.occupant.kind is OccupantKind.PERSON
