"""From a change of the state to sentences: what a screen reader, a pipe or a log is told."""

from __future__ import annotations

import re

import spades
from spades import Phase, Seat, Side
from spades_client.hints import NO_HINTS
from spades_client.phrases import (
    bid_words,
    does,
    hand_words,
    is_of_competition,
    outcome_words,
    people,
    score_words,
    side_name,
    sides,
    standing_words,
)
from spades_client.state import ClientState
from spades_proto import table as events
from spades_proto.frames import Frame, Goodbye, Heartbeat
from spades_proto.table import AnyEvent, OccupantKind, Snapshot, TableStage, TableState
from spades_proto.tempo import tempo_name


def narrate(old: ClientState, frame: Frame, new: ClientState) -> list[str]:
    """Tells what a frame changed, in sentences; nothing for a frame that was seen before."""
    payload = frame.payload
    if isinstance(payload, Heartbeat) or new.table is None:
        return []
    if isinstance(payload, Goodbye):
        return [payload.sentence]
    if isinstance(payload, Snapshot):
        return [] if new is old else situation(new)
    if new.seq == old.seq and new.epoch == old.epoch:
        return []
    return event_sentences(payload, new.table, new.seat)


def situation(state: ClientState) -> list[str]:
    """Tells where everything stands: the first thing that is said, and after a gap too."""
    table = state.table
    if table is None:
        return ["Nothing is known of the table yet."]
    place = "as a spectator" if state.seat is None else f"at the seat {state.seat}"
    lines = [f"You are at table {table.opened.code}, {place}. {who_sits(table, state.seat)}"]
    lines += table_sentences(table.opened)
    match = table.match
    if match is None or match.phase is Phase.MATCH_OVER or table.stage is TableStage.OPEN:
        return lines
    lines += match_lines(match.rules, match.commitment)
    lines.append(score_line(state))
    if match.phase is Phase.HAND_OVER:
        return [*lines, f"Hand {match.deal_number} is over."]
    lines.append(f"Hand {match.deal_number}, dealt by {people(table, match.dealer, state.seat)}.")
    lines += hand_sentence(state)
    lines.append(bids_line(table, state.seat))
    if match.phase is Phase.PLAYING:
        lines.append(trick_line(table, state.seat))
    return lines


def table_sentences(opened: events.TableOpened) -> list[str]:
    """What was settled of a table beside the rules, where it is not what one would expect."""
    return [] if opened.hints else [NO_HINTS]


def tempo_sentence(opened: events.TableOpened) -> str:
    """How long the house bots of a table take."""
    took = f"take {opened.tempo_ms / 1000:g} s for a card" if opened.tempo_ms else "play at once"
    return f"House bots {took} (tempo {tempo_name(opened.tempo_ms)})."


def match_lines(rules: spades.Rules, commitment: str) -> list[str]:
    """The rules, and what the deals were fixed by before the first card."""
    return [
        f"The rules are {spades.format_rules(rules)}.",
        f"The deals are fixed by the commitment {commitment}.",
    ]


def who_sits(table: TableState, viewer: Seat | None) -> str:
    """Names who plays each seat."""
    parts: list[str] = []
    for seat in (viewer or Seat.SOUTH).clockwise():
        status = table.seats[seat]
        if seat is viewer:
            parts.append(f"{seat} you")
        elif status.occupant is None:
            parts.append(f"{seat} nobody")
        else:
            kind = status.occupant.kind
            what = "" if kind is OccupantKind.PERSON else f", {_KINDS[kind]}"
            gone = ", away" if status.away else ""
            stand_in = ", a house bot stands in" if status.stand_in else ""
            parts.append(f"{seat} {status.occupant.name}{what}{gone}{stand_in}")
    return "; ".join(parts) + "."


_KINDS = {OccupantKind.AGENT: "an agent", OccupantKind.HOUSE_BOT: "a house bot"}


def score_line(state: ClientState) -> str:
    """Totals and bags of both sides, and the target."""
    assert state.table is not None and state.table.match is not None, "a match has a score"
    match = state.table.match
    both = (
        f"{side_name(state.table, side, state.seat)}: {standing_words(match.standings[side])}"
        for side in sides(state.seat)
    )
    floor = "" if match.rules.floor is None else f", the floor at {match.rules.floor}"
    return " ".join(both) + f" The match goes to {match.rules.target}{floor}."


def hand_sentence(state: ClientState) -> list[str]:
    """The viewer's own cards."""
    view = state.view
    if view is None:
        return []
    if not view.sees_hand:
        return ["Your cards are face down: bid blind nil, or look."]
    return [f"Your hand: {hand_words(view.hand, view.rules.deck) or 'no cards left'}."]


def bids_line(table: TableState, viewer: Seat | None) -> str:
    """All bids so far, with their sum, and tricks taken once play has begun."""
    match = table.match
    assert match is not None, "bids belong to a match"
    parts: list[str] = []
    for seat in match.dealer.left.clockwise():
        part = f"{people(table, seat, viewer)} {bid_words(match.bids[seat])}"
        if match.phase is not Phase.BIDDING:
            part += f", took {match.taken[seat]}"
        parts.append(part)
    total = spades.contract(match.bids)
    return f"Bids: {'; '.join(parts)}. They add up to {total} of 13."


def trick_line(table: TableState, viewer: Seat | None) -> str:
    """The trick as it lies, whose turn it is, and whether spades are broken."""
    match = table.match
    assert match is not None, "a trick belongs to a match"
    number = min(len(match.tricks) + 1, 13)
    cards = [
        f"{people(table, seat, viewer)} {card.name}"
        for seat, card in zip(match.leader.clockwise(), match.trick, strict=False)
    ]
    lies = ", ".join(cards) if cards else "nothing played yet"
    broken = "Spades are broken." if match.spades_broken else "Spades are not broken."
    turn = "" if match.turn is None else f" {does(table, match.turn, viewer, 'have')} the turn."
    return f"Trick {number}: {lies}. {broken}{turn}"


def event_sentences(event: AnyEvent, table: TableState, viewer: Seat | None) -> list[str]:
    """Tells one event, as it stands after it."""
    if isinstance(event, events.TableEvent):
        return _table_sentences(event, table, viewer)
    return _match_sentences(event, table, viewer)


def _table_sentences(event: events.TableEvent, table: TableState, viewer: Seat | None) -> list[str]:
    match event:
        case events.TableOpened():
            opened = f"Table {event.code} is open; {event.host} is the host."
            return [opened, *table_sentences(event)]
        case events.SeatTaken(seat, occupant):
            what = "" if occupant.kind is OccupantKind.PERSON else f", {_KINDS[occupant.kind]},"
            subject = "You take" if seat is viewer else f"{occupant.name}{what} takes"
            return [f"{subject} the seat {seat}."]
        case events.SeatLeft(seat):
            return [f"The seat {seat} is free."]
        case events.PresenceChanged(seat, away):
            if seat is viewer:
                return []
            return [f"{people(table, seat, viewer)} is {'away' if away else 'back'}."]
        case events.StandInChanged(seat, active):
            whose = "you" if seat is viewer else people(table, seat, viewer)
            if not active:
                return [f"A house bot no longer plays for {whose}."]
            if table.seats[seat].away:
                return [f"A house bot plays for {whose}."]
            time = "Your time" if seat is viewer else f"{whose}'s time"
            return [f"{time} has run out: a house bot plays for {whose}."]
        case events.HostChanged(host):
            return [f"{host} is the host of the table now."]
        case events.CourtesySent(seat, courtesy):
            return [f"{does(table, seat, viewer, 'say')}: {courtesy.value}."]
        case events.RecordKept(match):
            return [f"The record of the match is {match}."]
        case events.TableClosed(sentence):
            return [sentence]


def _match_sentences(event: spades.Event, table: TableState, viewer: Seat | None) -> list[str]:
    match event:
        case spades.MatchStarted():
            return ["The match begins.", *match_lines(event.rules, event.commitment)]
        case spades.HandDealt():
            return _dealt_sentences(event, table, viewer)
        case spades.HandShown(seat):
            subject = does(table, seat, viewer, "see")
            whose = "your" if seat is viewer else "its"
            own = hand_sentence(ClientState(viewer, table=table)) if seat is viewer else []
            return [f"{subject} {whose} cards.", *own]
        case spades.BidMade(seat, bid):
            said = [f"{does(table, seat, viewer, 'bid')} {bid}."]
            state = table.match
            if state is not None and None not in state.bids:
                said.append(_contracts(table, viewer))
            return said
        case spades.CardsPassed(giver):
            cards = "" if event.cards is None else f": {', '.join(c.name for c in event.cards)}"
            to = "you" if giver.partner is viewer else people(table, giver.partner, viewer)
            passes = "pass" if giver is viewer else "passes"
            who = people(table, giver, viewer)
            return [f"{who} {passes} {event.count} cards to {to}{cards}."]
        case spades.CardPlayed(seat, card):
            return [f"{does(table, seat, viewer, 'play')} the {card.name}."]
        case spades.TrickWon(winner, number):
            return [f"{does(table, winner, viewer, 'win')} trick {number}."]
        case spades.PlayTakenBack(seat, card):
            return [f"{does(table, seat, viewer, 'take')} the {card.name} back."]
        case spades.HandScored():
            return score_card(event, table, viewer)
        case spades.SurrenderProposed() if is_of_competition(table.opened.code):
            # Nobody wanted it: the game is forfeited.
            return []
        case spades.SurrenderProposed(seat):
            return [f"{does(table, seat, viewer, 'want')} to surrender."]
        case spades.NextHandAsked(seat):
            are = "are" if seat is viewer else "is"
            return [f"{people(table, seat, viewer)} {are} ready for the next hand."]
        case spades.MatchEnded(outcome):
            return [outcome_sentence(outcome, table, viewer)]


def _dealt_sentences(event: spades.HandDealt, table: TableState, viewer: Seat | None) -> list[str]:
    deals = does(table, event.dealer, viewer, "deal")
    down = [people(table, seat, viewer) for seat in Seat if seat in event.face_down]
    said = [f"Hand {event.number}. {deals}."]
    if down:
        said.append(f"{' and '.join(down)} may bid blind nil.")
    return said + hand_sentence(ClientState(viewer, table=table))


def _contracts(table: TableState, viewer: Seat | None) -> str:
    match = table.match
    assert match is not None, "contracts belong to a match"
    parts = [
        f"{side_name(table, side, viewer)} {spades.contract(match.bids[s] for s in side.seats)}"
        for side in sides(viewer)
    ]
    return f"Contracts: {'; '.join(parts)}. The bids add up to {spades.contract(match.bids)} of 13."


def score_card(scored: spades.HandScored, table: TableState, viewer: Seat | None) -> list[str]:
    """The score of a hand, side by side, part by part."""
    lines = [f"Hand {scored.number} is over."]
    lines += [
        score_words(scored, side, scored.scores[side], table, viewer) for side in sides(viewer)
    ]
    return lines


def outcome_sentence(outcome: spades.Outcome, table: TableState, viewer: Seat | None) -> str:
    """Tells who has won, by name, and why the match is over."""
    names = {str(side): side_name(table, side, viewer) for side in Side}
    ending = outcome_words(outcome, competition=is_of_competition(table.opened.code))
    # In one pass, since a name may read like a side.
    text = re.sub("|".join(names), lambda found: names[found[0]], ending)
    return f"The match is over. {text}"
