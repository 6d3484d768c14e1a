"""Records on the command line: verifying them, and playing them again in sentences."""

from __future__ import annotations

import sys
from pathlib import Path

import spades
from spades import BidMade, CardPlayed, CardsPassed, Event, HandShown, Reason, Seat, SpadesError
from spades_agents import advise
from spades_client.adviser import hint_of
from spades_client.hints import as_of, view_of_turn
from spades_client.narrate import event_sentences
from spades_client.phrases import is_of_competition, outcome_words, printable
from spades_client.state import ClientState
from spades_proto.records import RecordError
from spades_proto.table import EMPTY_SEATS, SeatStatus, TableOpened, TableState
from spades_proto.verification import Verified, verify


def read_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file that are not empty, with their numbers.

    :raises SpadesError: if the file cannot be read or holds no record.
    """
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"{path} is not text: byte {error.start + 1} is wrong.") from None
    except OSError as error:
        raise SpadesError(
            f"{path} cannot be read: {error.strerror}.", Reason.RECORD_NOT_FOUND
        ) from None
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line]
    if not lines:
        raise RecordError(f"{path} holds no record.")
    return lines


def verify_file(path: Path) -> bool:
    """Verifies every record of a file and says so, line by line."""
    holds = True
    for number, line in read_lines(path):
        try:
            verified = verify(line)
        except RecordError as error:
            holds = False
            _say(f"{path}, line {number}: does not hold. {error.sentence}")
        else:
            hands = verified.match.hand_number
            chosen = " The seed was chosen by somebody." if _chosen(verified) else ""
            _say(
                f"{path}, line {number}: holds. {_ending(verified)}"
                f" {hands} {'hand' if hands == 1 else 'hands'}.{chosen}"
            )
    return holds


def _ending(verified: Verified) -> str:
    outcome = verified.match.outcome
    assert outcome is not None, "a record is of a match that is over"
    return outcome_words(outcome, competition=is_of_competition(verified.circumstances.match))


def _chosen(verified: Verified) -> bool:
    return verified.circumstances.seed_chosen


def read_record(path: Path, hand: int, number: int) -> Verified:
    """Reads and verifies one record of a file, in which a hand is looked for; 0 for none.

    :raises SpadesError: if the record does not hold, or has no such hand.
    """
    lines = dict(enumerate((line for _, line in read_lines(path)), 1))
    if number not in lines:
        held = "1 record" if len(lines) == 1 else f"{len(lines)} records"
        raise RecordError(f"{path} has {held}: there is no number {number}.")
    verified = verify(lines[number])
    hands = verified.match.hand_number
    if hand and not 1 <= hand <= hands:
        raise RecordError(f"The match has {hands} hands: there is no hand {hand}.")
    return verified


def replay_file(
    path: Path, seat: Seat | None, hand: int, number: int, *, hints: bool = False
) -> bool:
    """Tells a recorded match, as one seat saw it or with all hands open, and returns ``True``.

    With ``hints`` it tells before each decision that the viewer can see what would be advised.

    :raises SpadesError: if the record does not hold, or has no such hand.
    """
    verified = read_record(path, hand, number)
    match = verified.match
    table = recorded_table(verified)
    current = 0
    for event in match.log:
        seen = event if seat is None else spades.redact(event, seat)
        if hints and hand in (0, current) and _decides(seen, table, seat):
            _tell_hint(ClientState(seat, table=table))
        table.apply(seen)
        if isinstance(event, spades.HandDealt):
            current = event.number
        if hand and current != hand:
            continue
        for sentence in event_sentences(seen, table, seat):
            _say(sentence)
        if isinstance(event, spades.HandDealt) and seat is None:
            for one in Seat:
                _say(f"{one}: {spades.format_cards(event.hand(one) or ())}.")
    return True


def _decides(event: Event, table: TableState, viewer: Seat | None) -> bool:
    """Whether an event answers a decision that the viewer can see into."""
    turn = table.match.turn if table.match is not None else None
    if turn is None or viewer not in (None, turn):
        return False
    match event:
        case (
            BidMade(seat=seat)
            | CardPlayed(seat=seat)
            | CardsPassed(giver=seat)
            | HandShown(seat=seat)
        ):
            return seat is turn
        case _:
            return False


def _tell_hint(state: ClientState) -> None:
    view = view_of_turn(state)
    hint = as_of(view.seat, hint_of(advise(view)))
    for line in hint.lines:
        if line.action == hint.action:
            _say(f"{line.sentence}.")


def recorded_table(verified: Verified) -> TableState:
    """A table with the names of the record, for the sentences."""
    circumstances = verified.circumstances
    match = circumstances.match
    opened = TableOpened(
        match if is_of_competition(match) else circumstances.table,
        "",
        verified.match.rules,
        private=False,
        seed_chosen=circumstances.seed_chosen,
    )
    table = TableState(opened)
    seats = list(EMPTY_SEATS)
    for seat, occupant in circumstances.players:
        seats[seat] = SeatStatus(occupant)
    table.seats = tuple(seats)
    return table


def _say(sentence: str) -> None:
    sys.stdout.write(printable(sentence) + "\n")
