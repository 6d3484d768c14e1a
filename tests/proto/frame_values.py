"""Frames and what is in them, as Hypothesis makes them, and rules that let everything happen."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

import spades
from spades import CARDS, PRESETS, BlindNil, UndoRule
from spades_proto.frames import DecisionRequest, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.table import SeatStatus, SeatTaken, Snapshot, TableClosed, TableOpened, TableStage

INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
UINT64 = st.integers(0, 2**64 - 1)

decisions = st.builds(
    DecisionRequest,
    id=UINT64,
    kind=st.sampled_from(spades.DecisionKind),
    number=INT32,
    legal_bids=st.lists(st.from_type(spades.Bid), max_size=15).map(tuple),
    legal_plays=st.lists(st.sampled_from(CARDS), max_size=13).map(tuple),
    pass_count=INT32,
    may_look=st.booleans(),
    deadline_us=st.none() | INT64,
    bank_ms=st.none() | INT64,
    round_trip_us=st.none() | INT64,
)
goodbyes = st.builds(Goodbye, st.sampled_from(GoodbyeReason), st.text(), st.none() | INT32)
statuses = st.builds(SeatStatus)
snapshots = st.builds(
    Snapshot,
    opened=st.builds(TableOpened),
    stage=st.sampled_from(TableStage),
    seats=st.tuples(*[st.from_type(SeatStatus)] * 4),
    match=st.just(()),
    record=st.text(),
)
payloads = st.one_of(
    snapshots,
    st.builds(Heartbeat, INT32),
    goodbyes,
    st.from_type(spades.CardPlayed),
    st.from_type(spades.BidMade),
    st.from_type(SeatTaken),
    st.from_type(spades.MatchStarted),
    st.builds(TableClosed, st.text()),
)
frames = st.builds(
    Frame,
    epoch=UINT64,
    seq=UINT64,
    server_time_us=INT64,
    payload=payloads,
    decision=st.none() | decisions,
)

ROUGH = [
    replace(
        PRESETS[name],
        max_hands=2,
        undo=UndoRule.ON,
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=0,
        blind_exchange=2,
    )
    for name in PRESETS
]
