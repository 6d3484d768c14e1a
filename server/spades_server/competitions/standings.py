"""How a competition stands while it is played: a count of what has been journaled, and no statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Final

from spades_arena.faults import Cause, Fault
from spades_arena.leads import mean_leads
from spades_arena.schedule import Unit
from spades_arena.state import EventState
from spades_proto.competition import CompetitionEntry, CompetitionFault, CompetitionStatus
from spades_server.competitions.competition import Competition
from spades_server.competitions.entries import Entered

IsConnected = Callable[[Entered], bool]


@dataclass(slots=True)
class _Count:
    units: int = 0
    points: float = 0.0
    forfeits: int = 0
    faults: dict[Cause, list[tuple[Unit, Fault]]] = field(
        default_factory=dict[Cause, list[tuple[Unit, Fault]]]
    )


def status_of(
    competition: Competition, is_connected: IsConnected, playing: int
) -> CompetitionStatus:
    """Shows a competition as it stands; nothing in it tells of a card."""
    registration = competition.registration
    entries = tuple(
        CompetitionEntry(
            name=one.name,
            bot=one.bot,
            connected=is_connected(one),
            at_once=one.at_once,
            two_players=one.pairing is not None,
            awaits=one.awaits,
            awaited_by=one.awaited_by,
        )
        for one in registration.entries
    )
    done = planned = dropped = 0
    event = ""
    if competition.has_begun:
        state = competition.state
        entries = _standings(state, registration.entries, is_connected)
        tally = state.tally
        done, planned, dropped = tally.done, tally.planned, tally.dropped
        event = competition.spec.name
    return CompetitionStatus(
        id=registration.id,
        title=registration.title,
        organiser=registration.organiser.name,
        stage=registration.stage,
        terms=registration.terms,
        seed_commitment=registration.commitment,
        event=event,
        streams_root=competition.streams_root,
        entries=entries,
        done=done,
        planned=planned,
        playing=playing,
        dropped=dropped,
    )


def _standings(
    state: EventState, entered: tuple[Entered, ...], is_connected: IsConnected
) -> tuple[CompetitionEntry, ...]:
    counts = _counts(state, len(entered))
    means = mean_leads(state, len(entered))
    leads = [0.0 if math.isnan(mean) else mean for mean in means]
    hidden = state.sealed
    out = {one.entry for one in state.withdrawals if one.annulled}

    def key(place: int) -> tuple[bool, float, float]:
        count = counts[place]
        share = count.points / (2 * count.units) if count.units else -1.0
        return place in out, -share, -leads[place]

    order = sorted(range(len(entered)), key=lambda place: (key(place), entered[place].name))
    shown: list[CompetitionEntry] = []
    for number, place in enumerate(order, 1):
        level = number > 1 and key(place) == key(order[number - 2])
        one, count, gone = entered[place], counts[place], state.withdrawal_of(place)
        shown.append(
            CompetitionEntry(
                name=one.name,
                bot=one.bot,
                connected=is_connected(one),
                at_once=one.at_once,
                two_players=one.pairing is not None,
                rank=shown[-1].rank if level else number,
                units=count.units,
                points=count.points,
                lead=leads[place],
                forfeits=count.forfeits,
                faults=sum(map(len, count.faults.values())),
                withdrawn="" if gone is None else gone.reason,
                annulled=gone is not None and gone.annulled,
                fault_causes=_causes(count, hidden),
            )
        )
    return tuple(shown)


def _counts(state: EventState, entries: int) -> list[_Count]:
    counts = [_Count() for _ in range(entries)]
    for result in state.scored:
        for entry in (result.unit.a, result.unit.b):
            count = counts[entry]
            count.units += 1
            count.points += result.score_of(entry)
    for result in (*state.controls, *state.annulled, *state.counted):
        for entry, _table, fault in result.faults():
            counts[entry].faults.setdefault(fault.cause, []).append((result.unit, fault))
    for result in (*state.counted, *state.annulled):
        for loser in set(result.losers):
            counts[loser].forfeits += 1
    return counts


def _causes(count: _Count, hidden: Container[int]) -> tuple[CompetitionFault, ...]:
    """An entry's faults by their causes, each with what happened last.

    ``hidden`` are the streams whose deals are still to be played elsewhere.
    """
    told: list[CompetitionFault] = []
    for cause in Cause:
        found = count.faults.get(cause)
        if found:
            unit, fault = found[-1]
            tells = cause in _CARDLESS or unit.stream not in hidden
            said = fault.detail if tells else ""
            told.append(CompetitionFault(cause.value, len(found), unit.id, said))
    return tuple(told)


_CARDLESS: Final = frozenset(
    {
        Cause.INFRA,
        Cause.NO_START,
        Cause.DISCONNECT,
        Cause.STALL,
        Cause.TIMEOUT,
        Cause.RESIGN,
    }
)
"""Causes whose sentences never name a card."""
