"""A match in PTN: another reader finds in it the same hands, the same cards and the same scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from spades import (
    PRESETS,
    Bid,
    BlindNil,
    DoubleNil,
    Match,
    Phase,
    PlayTakenBack,
    Rules,
    Seat,
    SeededDeals,
    UndoRule,
    parse_seed,
)
from spades_proto.ptn import HEADER, Occasion, ptn_blocks
from spades_proto.records import STRUCK_NAME, Circumstances, record_line, strike_name
from spades_proto.table import Occupant, OccupantKind
from spades_proto.verification import verify
from tests.proto.ptn_reader import Block, read, replayed, rules_of
from tests.proto.record_lines import Games

SOUTH, WEST, NORTH, EAST = Seat
STARTED = 1_700_000_000_000_000
NAMES = ("Zoë ♠ 王", 'quo"te\\', "gentle", "two\nlines]\x1b[2J")
KINDS = (OccupantKind.PERSON, OccupantKind.AGENT, OccupantKind.HOUSE_BOT, OccupantKind.PERSON)
AROUND = Circumstances(
    match="QRST-1-0a1b2c3d",
    table="QRST",
    started_us=STARTED,
    players=tuple(
        (seat, Occupant(kind, name)) for seat, kind, name in zip(Seat, KINDS, NAMES, strict=True)
    ),
    software="spades 0.1.0",
)

Wander = Callable[[Match, Random], Iterator[int]]


def exported(
    match: Match,
    around: Circumstances = AROUND,
    former: Seat | None = None,
    occasion: Occasion | None = None,
) -> str:
    """A file with one match."""
    verified = verify(record_line(match, around, former))
    return HEADER + "".join(f"\n{block}" for block in ptn_blocks(verified, occasion))


def at_random(rules: Rules, word: str, steps: int = 10**6) -> Match:
    """A match at random, given up after so many decisions unless it is over before."""
    rng = Random(word)
    match = Match(rules, SeededDeals(parse_seed(word)))
    while match.phase is not Phase.MATCH_OVER and steps:
        steps -= 1
        if match.turn is None:
            match.deal_next()
            continue
        match.act(match.turn, rng.choice(match.legal(match.turn)[:7]))
    if match.phase is not Phase.MATCH_OVER:
        match.surrender(WEST)
        match.surrender(EAST)
    return match


def same_match(match: Match, blocks: list[Block]) -> None:
    """Holds the blocks of one match against it, and plays them again."""
    again = replayed(blocks)
    assert len(blocks) == match.hand_number
    assert again.standings == match.standings
    for hand, other in zip(again.sheet, match.sheet, strict=True):
        assert (hand.scores, hand.bids, hand.taken) == (other.scores, other.bids, other.taken)
        assert hand.deal == other.deal
        assert [one.cards for one in hand.passes] == [one.cards for one in other.passes]
    ours, theirs = again.state, match.state
    assert (ours.tricks, ours.trick, ours.bids) == (theirs.tricks, theirs.trick, theirs.bids)
    assert {rules_of(block) for block in blocks} == {match.rules}
    assert {block.tags["Commitment"] for block in blocks} == {match.state.commitment}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_match_of_every_preset_is_read_back_and_played_to_the_same_scores(preset: str) -> None:
    rules = replace(PRESETS[preset], max_hands=6)
    for word in ("one", "two", "three"):
        match = at_random(rules, f"{preset} {word}")
        same_match(match, read(exported(match)))


@pytest.mark.parametrize("preset", ["larch", "jokers", "nyc"])
def test_blind_nils_and_what_is_exchanged_for_them_are_read_back(preset: str) -> None:
    rules = replace(
        PRESETS[preset],
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=0,
        blind_exchange=2,
        double_nil=DoubleNil.BONUS,
        max_hands=6,
        floor=None,
    )
    passes = 0
    bids: set[str] = set()
    for number in range(4):
        match = at_random(rules, f"blind {number}")
        blocks = read(exported(match))
        same_match(match, blocks)
        passes += sum(len(block.passes()) for block in blocks)
        bids |= {bid for block in blocks for bid in block.bids()}
    assert passes >= 4
    assert {"Nil", "BlindNil", "1"} <= bids


@pytest.mark.parametrize("steps", range(0, 115, 3))
def test_a_match_that_was_given_up_in_the_middle_of_a_hand_is_read_back_as_far_as_it_went(
    steps: int,
) -> None:
    rules = replace(
        PRESETS["jokers"],
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=0,
        blind_exchange=2,
        max_hands=3,
        floor=None,
    )
    match = at_random(rules, "given up", steps)
    blocks = read(exported(match))
    same_match(match, blocks)
    assert [block.tags.get("Termination", "") for block in blocks[:-1]] == [""] * (len(blocks) - 1)
    assert blocks[-1].tags["Termination"] == "a side surrendered"
    assert blocks[-1].tags["Winner"] == "NS"


def test_the_recorded_games_are_read_back_whatever_happened_in_them(games: Games) -> None:
    for name, game in games.items():
        blocks = read(exported(game.match, former=game.former))
        same_match(game.match, blocks)
        outcome = game.match.outcome
        assert outcome is not None, name
        winner = {None: "none", 0: "NS", 1: "EW"}[outcome.winner]
        assert blocks[-1].tags["Winner"] == winner
        assert blocks[-1].tags["Termination"] == outcome.reason.value


def test_a_card_that_was_taken_back_is_not_there(wander: Wander) -> None:
    rules = Rules(max_hands=2, floor=None, undo=UndoRule.ON)
    match = Match(rules, SeededDeals(parse_seed("taken back")))
    for _ in wander(match, Random(3)):
        pass
    assert any(isinstance(event, PlayTakenBack) for event in match.log)
    same_match(match, read(exported(match)))


OPTIONS = (
    r"{\"target\":500,\"floor\":-200,\"deck\":\"jokers_nyc\",\"first_dealer\":\"random\","
    r"\"spade_lead\":\"any\",\"blind_nil\":\"behind\",\"blind_nil_deficit\":0,\"blind_exchange\":2,"
    r"\"min_team_bid\":0,\"bag_limit\":10,\"bag_penalty\":100,\"nil_value\":100,\"blind_nil_value\":200,"
    r"\"double_nil\":\"off\",\"double_nil_value\":400,\"max_hands\":1,\"undo\":\"solo\",\"next_hand_wait\":30}"
)
EXAMPLE = r"""% PTN

[Event "Spades: nyc,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=1"]
[Site "?"]
[Date "2023.11.14"]
[Board "1"]
[West "quo\"te\\"]
[North "gentle"]
[East "two?lines]?[2J"]
[South "Zoë ♠ 王"]
[Dealer "W"]
[Deal "W:AJ853.953.KQ2.K5 K92.QT7.A6543.6.L Q.KJ64.T87.AJ984 T764.A8.J9.QT73.H"]
[UTCDate "2023.11.14"]
[UTCTime "22:13:20"]
[Match "QRST-1-0a1b2c3d"]
[Table "QRST"]
[Application "spades 0.1.0"]
[WestType "program"]
[NorthType "program"]
[EastType "human"]
[SouthType "human"]
[GameCode "Spades"]
[GameOptionsJson "{OPTIONS}"]
[Commitment "57690752e8bd83940b8e2c90173fa294a1385fe139499969e6ac0a688075a92d"]
[GameScoresBefore "S:0 0 0 0"]
[GameBagsBefore "S:0 0 0 0"]
[CardsPassed "N:D3DA S:D3D9"]
[Tricks "S:1 0 0 0"]
[GameScores "S:0 0 0 0"]
[GameBags "S:0 0 0 0"]
[Winner "NS"]
[Termination "a side surrendered"]
[Auction "N"]
BlindNil 4 3 2
[Play "N"]
D3 D7 DA DK
"""


def test_the_same_record_is_the_same_bytes_and_these_are_they() -> None:
    rules = replace(
        PRESETS["nyc"],
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=0,
        blind_exchange=2,
        max_hands=1,
    )
    match = at_random(rules, "literal 0", 13)
    assert exported(match) == EXAMPLE.replace("{OPTIONS}", OPTIONS)


def test_a_hand_begins_with_the_tags_of_pbn_in_their_order_and_ends_with_its_play() -> None:
    match = at_random(Rules(max_hands=1), "order")
    text = exported(match)
    names = re.findall(r"^\[(\w+) ", text, re.MULTILINE)
    assert names[:10] == [
        "Event", "Site", "Date", "Board", "West", "North", "East", "South", "Dealer", "Deal",
    ]  # fmt: skip
    assert names[-2:] == ["Auction", "Play"]
    assert {"GameCode", "GameOptionsJson", "GameScores"} <= set(names)
    (block,) = read(text)
    assert block.tags["GameCode"] == "Spades"
    assert block.tags["Auction"] == block.tags["Play"] == "S"
    assert block.tags["Deal"].startswith("E:")
    assert block.numbers("GameScoresBefore") == block.numbers("GameBagsBefore") == [0] * 4


def test_names_are_read_back_and_none_of_them_can_begin_a_line() -> None:
    (block,) = read(exported(at_random(Rules(max_hands=1), "names")))
    assert block.tags["South"] == "Zoë ♠ 王"
    assert block.tags["West"] == 'quo"te\\'
    assert block.tags["East"] == "two?lines]?[2J"
    kinds = [block.tags[f"{seat}Type"] for seat in Seat]
    assert kinds == ["human", "program", "program", "human"]


def test_what_the_record_does_not_know_is_a_question_mark_or_not_there() -> None:
    (block,) = read(exported(at_random(Rules(max_hands=1), "nothing"), Circumstances()))
    tags = block.tags
    assert [tags[str(seat)] for seat in Seat] == ["?"] * 4
    assert (tags["Site"], tags["Date"]) == ("?", "????.??.??")
    assert tags["Event"] == "Spades: classic,max_hands=1"
    assert not {"UTCDate", "UTCTime", "Match", "Table", "Application", "SouthType"} & set(tags)


@pytest.mark.parametrize("started_us", [-1, 2**62, 253_402_300_800_000_000])
def test_a_time_that_is_none_is_not_written(started_us: int) -> None:
    match = at_random(Rules(max_hands=1), "time")
    (block,) = read(exported(match, replace(AROUND, started_us=started_us)))
    assert block.tags["Date"] == "????.??.??"
    assert "UTCTime" not in block.tags


def test_a_match_has_its_date_and_whatever_it_was_a_part_of() -> None:
    occasion = Occasion("Ann against Bob", "ab" * 32, "main", "1", "m0001-u00007")
    (block,) = read(exported(at_random(Rules(max_hands=1), "when"), occasion=occasion))
    tags = block.tags
    assert (tags["Date"], tags["UTCDate"], tags["UTCTime"]) == (
        "2023.11.14", "2023.11.14", "22:13:20",
    )  # fmt: skip
    assert tags["Event"] == "Ann against Bob"
    assert (tags["EventDigest"], tags["Stage"]) == ("ab" * 32, "main")
    assert (tags["Round"], tags["Unit"]) == ("1", "m0001-u00007")
    assert (tags["Match"], tags["Table"]) == ("QRST-1-0a1b2c3d", "QRST")


def test_a_struck_name_is_written_as_the_record_has_it() -> None:
    match = at_random(Rules(max_hands=1), "struck")
    verified = verify(strike_name(record_line(match, AROUND), "Zoë ♠ 王"))
    (block,) = read(HEADER + "".join(f"\n{one}" for one in ptn_blocks(verified)))
    assert block.tags["South"] == STRUCK_NAME
    assert block.tags["North"] == "gentle"


def test_a_hand_of_the_sources_is_written_as_other_programs_write_theirs() -> None:
    """Rank order, tens, voids and jokers are as in the files that players have published."""
    rules = replace(PRESETS["nyc"], max_hands=1)
    (block,) = read(exported(at_random(rules, "as others")))
    hands = block.tags["Deal"][2:].split(" ")
    ranks = "AKQJT98765432"
    jokers = 0
    for hand in hands:
        fields = hand.split(".")
        assert len(fields) in (4, 5)
        jokers += len(fields) == 5 and len(fields[4])
        for field in fields[:4]:
            assert list(field) == sorted(field, key=ranks.index)
        assert sum(map(len, fields)) == 13
    assert jokers == 2
    assert sum(hand.split(".")[2].count("2") for hand in hands) == 1


def test_an_auction_that_was_broken_off_has_dashes_for_what_was_not_bid() -> None:
    match = Match(Rules(max_hands=1), SeededDeals(parse_seed("auction")))
    match.bid(SOUTH, Bid(4))
    match.surrender(WEST)
    match.surrender(EAST)
    (block,) = read(exported(match))
    assert block.sections["Auction"] == ["4 - - -"]
    assert block.sections["Play"] == []
    assert block.numbers("GameScores") == [0] * 4


def test_the_document_names_every_tag_and_shows_lines_of_a_true_export() -> None:
    document = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
    occasion = Occasion("an event", "ab" * 32, "main", "1", "m0001-u00007")
    rules = replace(PRESETS["larch"], blind_nil=BlindNil.BEHIND, blind_nil_deficit=0)
    match = at_random(replace(rules, blind_exchange=2, max_hands=4), "document")
    tags = {name for block in read(exported(match, occasion=occasion)) for name in block.tags}
    missing = {name for name in tags if f"`{name}`" not in document}
    assert missing == {"NorthType", "EastType", "SouthType"}
    shown = document.split("```")[3].strip().splitlines()
    assert len(shown) == 7
    assert set(shown) <= set(EXAMPLE.splitlines())
