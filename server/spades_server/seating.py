"""Who sits at a table, and who is its host."""

from __future__ import annotations

from spades import Reason, Seat, TableError
from spades_proto.table import (
    HostChanged,
    NoteKind,
    Occupant,
    OccupantKind,
    SeatLeft,
    SeatTaken,
    StandInChanged,
    TableClosed,
    TableStage,
)
from spades_server.attendance import Attendance
from spades_server.commands import (
    AddBot,
    Kind,
    Leave,
    Player,
    PlayerGone,
    RemoveBot,
    Sit,
    Verdict,
)
from spades_server.memo import SeatingMemo


class Seating(Attendance):
    """The seats of a table: the part of its commands that is not the game."""

    @property
    def host(self) -> Player:
        """Who opened the table, or has it from whoever did."""
        return Player(self.host_id, self.state.opened.host)

    def seat_of(self, player: Player) -> Seat | None:
        """The first seat that a player holds."""
        return next((seat for seat in Seat if self.owners[seat] == player.id), None)

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
        self._await_players((seat,))

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
        self._pass_on_host(command.player.id)

    def _player_gone(self, command: PlayerGone) -> None:
        if self._require(Kind.PLAYER_GONE) is Verdict.IGNORE:
            return
        gone, present = command.player.id, self._present
        for seat in [seat for seat in Seat if self.owners[seat] == gone]:
            if self.state.stage is TableStage.PLAYING:
                self._give_to_bot(seat)
            else:
                self._free(seat)
        self._names.pop(gone, None)
        self._pass_on_host(gone)
        if present and not self._present:
            self._nobody_us = self._now_us

    def _give_to_bot(self, seat: Seat) -> None:
        """Has a house bot play a seat to which nobody can come back: it is the bot's own."""
        self._note(NoteKind.STAND_IN, seat)
        self.owners[seat] = None
        self._bots[seat] = self.config.stand_in
        self._away_us[seat] = None
        self._listening[seat] = False
        self._opened_us = self._now_us
        if self.clock.seat is seat:
            self.clock.stop()
        self._take(SeatTaken(seat, Occupant(OccupantKind.HOUSE_BOT, self.config.stand_in)))

    def _free(self, seat: Seat) -> None:
        self.owners[seat] = None
        self._bots[seat] = ""
        self._away_us[seat] = None
        self._listening[seat] = False
        self._take(SeatLeft(seat))

    def _pass_on_host(self, leaver: str | None) -> None:
        """Gives the table to another player when its host has left it, or closes it."""
        if leaver != self.host_id or self.host_id in self.owners:
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

    def _replace_absent(self, seat: Seat) -> None:
        if self.state.stage is not TableStage.PLAYING:
            owner = self.owners[seat]
            self._free(seat)
            self._pass_on_host(owner)
        elif not self.state.seats[seat].stand_in:
            self._note(NoteKind.STAND_IN, seat)
            self._opened_us = self._now_us
            self._take(StandInChanged(seat, active=True))
            if self.clock.seat is seat:
                # What it took beyond its time is the bank's, as if it had been answered.
                self.clock.answered(self._now_us)

    def _remember_seats(self) -> SeatingMemo:
        """What cannot be seen from the rest."""
        return SeatingMemo(
            host_id=self.host_id,
            host=self.state.opened.host,
            stage=self.state.stage,
            seats=self.state.seats,
            record=self.state.record,
            owners=tuple(self.owners),
            bots=tuple(self._bots),
            names=dict(self._names),
            away_us=tuple(self._away_us),
            listening=tuple(self._listening),
            awaited_us=tuple(self._awaited_us),
            awaited=self._awaited,
            nobody_us=self._nobody_us,
            opened_us=self._opened_us,
            clock=self.clock.memo(),
            notes=tuple(self._notes),
            actions_in_hand=self._actions_in_hand,
            retaken=self._retaken,
            courtesies=tuple(self._courtesies),
        )

    def _recall_seats(self, memo: SeatingMemo) -> None:
        """Takes in what was remembered, when the match is there again."""
        self.state.stage = memo.stage
        self.state.seats = memo.seats
        self.state.record = memo.record
        self.owners = list(memo.owners)
        self._bots = list(memo.bots)
        self._names = dict(memo.names)
        self._away_us = list(memo.away_us)
        self._listening = list(memo.listening)
        self._awaited_us = list(memo.awaited_us)
        self._awaited = memo.awaited
        self._nobody_us = memo.nobody_us
        self._opened_us = memo.opened_us
        self._notes = list(memo.notes)
        self._actions_in_hand = memo.actions_in_hand
        self._retaken = memo.retaken
        self._courtesies = list(memo.courtesies)
        self._look_around()
        self.clock.recall(memo.clock)
