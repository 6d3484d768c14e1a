"""A record verifies, and nothing can be changed in it that verifying does not find."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import BlindNil, Match, Rules, Seat, SeededDeals, UndoRule, actions_of, replay
from spades_proto.records import Circumstances, RecordError, game_json, record_line
from spades_proto.table import Occupant, OccupantKind
from spades_proto.verification import read_records, verify
from spades_proto.wire import action_to_wire
from tests.proto.record_lines import AROUND, Data, Games, line_of, resealed, written

Wander = Callable[[Match, Random], Iterator[int]]


def refusal(line: str) -> str:
    """What is said against a line, and nothing if it verifies; another kind of error comes through."""
    try:
        verify(line)
    except RecordError as error:
        return error.sentence.strip()
    return ""


@settings(max_examples=15, deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), line=st.integers(0, 2**32), blind=st.booleans())
def test_every_match_that_is_played_to_its_end_has_a_record_that_verifies(
    seed: bytes, line: int, blind: bool, wander: Wander
) -> None:
    rules = Rules(max_hands=2, floor=None, undo=UndoRule.ON)
    if blind:
        rules = replace(
            rules, blind_nil=BlindNil.BEHIND, blind_nil_deficit=0, blind_exchange=2, min_team_bid=4
        )
    match = Match(rules, SeededDeals(seed))
    for _ in wander(match, Random(line)):
        pass
    assert refusal(record_line(match, AROUND)) == ""


# Any character


def replaced(line: str, at: int) -> str:
    """Changes a character to another of its kind, so that as much as possible is read first."""
    old = line[at]
    if old.isdigit():
        new = str((int(old) + 1) % 10)
    elif old.isalpha():
        new = old.swapcase() if old.swapcase() != old else "x"
    else:
        new = {"{": "[", "}": "]", "[": "{", "]": "}", ",": ":", ":": ",", "_": "-"}.get(old, "_")
    return line[:at] + new + line[at + 1 :]


def inserted(line: str, at: int) -> str:
    return line[:at] + "0" + line[at:]


def deleted(line: str, at: int) -> str:
    return line[:at] + line[at + 1 :]


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("change", [replaced, inserted, deleted])
def test_a_change_of_any_single_character_is_found(
    change: Callable[[str, int], str], part: int, games: Games
) -> None:
    line = line_of(games, "short", Circumstances(match="m", software="spades"))
    assert refusal(line) == ""
    for at in range(part, len(line), 4):
        assert refusal(change(line, at)), f"{at}: {line[at - 10 : at + 10]}"


def test_a_blank_where_json_allows_one_is_found_and_said_where(games: Games) -> None:
    line = line_of(games, "brief")
    allowed = 0
    for at in range(1, len(line)):
        if line[at - 1] in "{}[],:" or line[at] in "{}[],:":
            blank = line[:at] + " " + line[at:]
            said = refusal(blank)
            assert said
            if json.loads(blank) == json.loads(line):
                assert f"character {at + 1} is ' '" in said
                allowed += 1
    assert allowed > 150


def test_a_line_that_is_cut_short_or_goes_on_is_found(games: Games) -> None:
    line = line_of(games, "short")
    for length in range(0, len(line), 7):
        assert refusal(line[:length])
    for more in (" ", "\n", "\r", "{}", line, "\x00"):
        assert refusal(line + more)
        assert refusal(more + line)


# Anything in the game, even if the line is sealed anew


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a JSON value, itself excepted."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType,reportUnknownMemberType]
    elif isinstance(value, list):
        items = list(enumerate(value))  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


def holder(data: Any, path: tuple[str | int, ...]) -> Any:
    for key in path[:-1]:
        data = data[key]
    return data


def other_value(value: object) -> object:
    """Another value of the same kind: what is not a number or a word is emptied."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case "SEAT_SOUTH" | "SEAT_WEST" | "SEAT_NORTH":
            return "SEAT_EAST"
        case "SEAT_EAST":
            return "SEAT_NORTH"
        case "CARD_2C":
            return "CARD_3C"
        case str() if value.startswith("CARD_"):
            return "CARD_2C"
        case str():
            return ("0" if value[0] != "0" else "1") + value[1:]
        case dict():
            return {}
        case _:
            return []


@pytest.mark.parametrize("name", ["short", "exchange", "explicit"])
def test_a_change_of_any_value_of_the_game_is_found_though_the_line_is_sealed_anew(
    name: str, games: Games
) -> None:
    data = json.loads(line_of(games, name))
    assert refusal(resealed(data)) == ""
    paths = list(places(data["game"], ("game",)))
    assert len(paths) > 200
    for path in paths if name == "short" else paths[:: len(paths) // 80]:
        changed = copy.deepcopy(data)
        holder(changed, path)[path[-1]] = other_value(holder(data, path)[path[-1]])
        if changed != data:
            assert refusal(resealed(changed)), path


def test_nothing_of_the_game_can_be_left_out_though_the_line_is_sealed_anew(games: Games) -> None:
    data = json.loads(line_of(games, "short"))
    for path in places(data, ()):
        changed = copy.deepcopy(data)
        del holder(changed, path)[path[-1]]
        empty = holder(data, path)[path[-1]] in ({}, [])
        if path[0] == "game" and not empty:
            assert refusal(resealed(changed)), path
        else:
            # An empty message that is left out is written there again, or the seal is missed.
            assert refusal(resealed(changed)) or path[0] in ("circumstances", "seal"), path


def test_no_part_of_the_game_can_be_doubled_though_the_line_is_sealed_anew(games: Games) -> None:
    data = json.loads(line_of(games, "exchange"))
    doubled = 0
    paths = [path for path in places(data["game"], ("game",)) if isinstance(path[-1], int)]
    for path in paths[::3]:
        changed = copy.deepcopy(data)
        holder(changed, path).insert(path[-1], holder(data, path)[path[-1]])
        assert refusal(resealed(changed)), path
        doubled += 1
    assert doubled > 60


def test_an_action_that_is_swapped_for_another_legal_one_names_its_hand(games: Games) -> None:
    line = line_of(games, "seeded")
    data = json.loads(line)
    game = games["seeded"].match
    actions = list(actions_of(game.log))
    swapped = 0
    for hand in (1, 2, 3):
        first = 56 * (hand - 1)
        for number in range(0, 56, 5):
            before = replay(game.rules, game.deals, actions[: first + number])
            seat, done = actions[first + number]
            if before.turn is None:
                before.deal_next()
            others = [action for action in before.legal(seat) if action != done]
            for action in others[:2]:
                changed = copy.deepcopy(data)
                changed["game"]["hands"][hand - 1]["actions"][number]["action"] = as_json(action)
                assert f"hand {hand}" in refusal(written(changed)).lower()
                assert f"hand {hand}" in refusal(resealed(changed)).lower()
                swapped += 1
    assert swapped > 30


def as_json(action: Any) -> Data:
    message = action_to_wire(action)
    if message.HasField("play"):
        return {"play": f"CARD_{action.card}"}
    bid: Data = {}
    if action.bid.tricks:
        bid["tricks"] = action.bid.tricks
    return {"bid": bid}


@pytest.mark.parametrize("hand", [1, 2, 3])
@pytest.mark.parametrize("number", [5, 20, 56])
@pytest.mark.parametrize("write", [written, resealed])
def test_an_illegal_action_names_its_hand_and_its_place(
    write: Callable[[Data], str], number: int, hand: int, games: Games
) -> None:
    data = json.loads(line_of(games, "seeded"))
    acts = data["game"]["hands"][hand - 1]["actions"]
    # Of the cards that were played before, this one lies on the table already.
    acts[number - 1]["action"] = (
        acts[4]["action"] if number > 5 else {"play": other_card(acts[4], acts)}
    )
    said = refusal(write(data))
    assert said.startswith(f"Hand {hand}, action {number} is not legal: ")
    assert "is not in" in said


def other_card(act: Data, acts: list[Data]) -> str:
    """A card that another seat holds."""
    return next(
        str(one["action"]["play"])
        for one in acts
        if "play" in one["action"] and one["seat"] != act["seat"]
    )


def test_an_action_of_another_seat_names_its_hand_and_its_place(games: Games) -> None:
    data = json.loads(line_of(games, "short"))
    data["game"]["hands"][0]["actions"][2]["seat"] = "SEAT_EAST"
    said = refusal(resealed(data))
    assert said == "Hand 1, action 3 is not legal: East cannot bid now: it is North's turn."


@pytest.mark.parametrize("write", [written, resealed])
@pytest.mark.parametrize("hand", [1, 2, 3])
@pytest.mark.parametrize(("side", "who"), [(0, "South and North"), (1, "West and East")])
def test_a_changed_score_names_its_side_and_hand(
    side: int, who: str, hand: int, write: Callable[[Data], str], games: Games
) -> None:
    data = json.loads(line_of(games, "seeded"))
    score = data["game"]["hands"][hand - 1]["scores"][side]
    for path in list(places(score)):
        value = holder(score, path)[path[-1]]
        if not isinstance(value, int):
            continue
        changed = copy.deepcopy(data)
        inner = changed["game"]["hands"][hand - 1]["scores"][side]
        holder(inner, path)[path[-1]] = value + 1
        assert refusal(write(changed)).startswith(f"The score of {who} in hand {hand} is another")


@pytest.mark.parametrize("write", [written, resealed])
@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("commitment",), "0" * 64, "commitment"),
        (("opening", "seed"), "00" * 32, "commitment"),
        (("opening", "seed"), "00", "seed of 64"),
        (("opening",), {}, "opening"),
        (("algorithm",), "mersenne-twister", "algorithm 'mersenne-twister'"),
        (("outcome", "winner"), "SIDE_UNSPECIFIED", "outcome"),
        (("outcome", "totals"), [0, 0], "outcome"),
        (("outcome", "reason"), "END_REASON_SURRENDER", "outcome"),
        (("seal",), "0" * 64, "seal of the game"),
        (("hands", 1, "seal"), "0" * 64, "seal of hand 2"),
        (("hands", 1, "dealer"), "SEAT_NORTH", "Hand 2 has another number or dealer"),
        (("hands", 1, "number"), 3, "Hand 2 has another number or dealer"),
        (("hands", 2, "scores"), [], "Hand 3 has scores that it should not have, or lacks them"),
        (("hands",), [], "ends before the match does"),
        (("rules", "target"), 400, "seal of hand 1"),
        (("rules", "target"), 5, "target=5 is out of range"),
        (("rules", "deck"), "DECK_UNSPECIFIED", "deck is missing"),
        (("former_first_dealer",), "SEAT_SOUTH", "Hand 1 has another number or dealer"),
    ],
)
def test_a_change_is_said_to_be_where_it_is(
    path: tuple[str | int, ...],
    value: object,
    said: str,
    write: Callable[[Data], str],
    games: Games,
) -> None:
    data = json.loads(line_of(games, "seeded"))
    holder(data["game"], path)[path[-1]] = value
    assert said in refusal(write(data))


def test_hands_after_the_end_and_actions_after_a_hand_are_found(games: Games) -> None:
    data = json.loads(line_of(games, "seeded"))
    hands = data["game"]["hands"]
    more = copy.deepcopy(data)
    more["game"]["hands"].append(hands[0])
    assert refusal(resealed(more)) == "Hand 4 comes after the end of the match."
    longer = copy.deepcopy(data)
    longer["game"]["hands"][0]["actions"].append(hands[1]["actions"][0])
    assert refusal(resealed(longer)) == "Hand 1, action 57 comes after the end of the hand."
    shorter = copy.deepcopy(data)
    del shorter["game"]["hands"][0]["actions"][-1]
    assert refusal(resealed(shorter)) == "Hand 1 ends before its thirteenth trick."


def test_another_version_of_the_format_is_refused_by_its_number(games: Games) -> None:
    data = json.loads(line_of(games, "short"))
    data["version"] = 2
    assert "version 2" in refusal(resealed(data))


# Other ways to write the same game


def spellings(games: Games) -> Iterator[tuple[str, Data]]:
    seeded = json.loads(line_of(games, "seeded"))
    opening = seeded["game"]["opening"]
    for what, seed in {
        "a seed in capitals": opening["seed"].upper(),
        "a seed with blanks": " ".join(opening["seed"][i : i + 2] for i in range(0, 64, 2)),
    }.items():
        changed = copy.deepcopy(seeded)
        changed["game"]["opening"]["seed"] = seed
        yield what, changed

    explicit = json.loads(line_of(games, "explicit"))
    inner = explicit["game"]["opening"]["explicit"]
    first = inner["deals"][0]
    hands = first[2:].split()
    for what, deal in {
        "a deal from another seat": "W:" + " ".join([*hands[1:], hands[0]]),
        "a deal in small letters": "S:" + first[2:].lower(),
        "a deal with the cards in another order": "S:" + first[2:].replace("AK", "KA"),
        "a deal with more blanks": first + " ",
    }.items():
        changed = copy.deepcopy(explicit)
        changed["game"]["opening"]["explicit"]["deals"][0] = deal
        if deal != first:
            yield what, changed
    changed = copy.deepcopy(explicit)
    changed["game"]["opening"]["explicit"]["salt"] = inner["salt"].upper()
    yield "a salt in capitals", changed

    exchange = json.loads(line_of(games, "exchange"))
    acts = exchange["game"]["hands"][0]["actions"]
    at = next(i for i, act in enumerate(acts) if "pass_cards" in act["action"])
    changed = copy.deepcopy(exchange)
    changed["game"]["hands"][0]["actions"][at]["action"]["pass_cards"]["cards"].reverse()
    yield "passed cards in another order", changed
    more: list[tuple[str, int, str, Data]] = [
        ("a look more", 0, "SEAT_WEST", {"look": {}}),
        ("a next hand in between", 3, "SEAT_WEST", {"next_hand": {}}),
    ]
    for what, place, seat, action in more:
        changed = copy.deepcopy(exchange)
        act: Data = {"seat": seat, "action": action}
        changed["game"]["hands"][0]["actions"].insert(place, act)
        yield what, changed


def test_another_way_to_write_the_same_game_is_found_though_the_line_is_sealed_anew(
    games: Games,
) -> None:
    seen = 0
    for what, changed in spellings(games):
        said = refusal(resealed(changed))
        assert "is not written as a record writes" in said, what
        seen += 1
    assert seen >= 8


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"first_dealer":', '"firstDealer":'),
        ('"deck":"DECK_STANDARD"', '"deck":1'),
        ('"target":500', '"target":500.0'),
        ('"target":500', '"target":"500"'),
        ('"target":500', '"target":400,"target":500'),
        ('"bid":{', '"bid":{"blind":false,'),
        ('"before":{},', ""),
        ('"algorithm":"h', '"algorithm":"\\u0068'),
        (',"circumstances":{', ', "circumstances":{'),
    ],
)
def test_another_way_to_write_the_same_json_is_found_and_said_where(
    old: str, new: str, games: Games
) -> None:
    line = line_of(games, "seeded")
    assert old in line
    said = refusal(line.replace(old, new, 1))
    assert "character" in said or "score" in said.lower()


# The circumstances


def test_a_changed_name_is_said_to_be_in_the_circumstances(games: Games) -> None:
    line = line_of(games, "seeded")
    for old, new in [("gentle", "gentler"), ("QRST-1", "QRST-2"), ("AGENT", "PERSON")]:
        said = refusal(line.replace(old, new))
        assert "circumstances" in said
        assert "the game holds" in said


def test_a_name_can_be_struck_with_a_new_seal_of_the_line_and_the_game_still_verifies(
    games: Games,
) -> None:
    data = json.loads(line_of(games, "seeded"))
    del data["circumstances"]["players"][0]["occupant"]["name"]
    verified = verify(resealed(data))
    assert verified.circumstances.players[0] == (Seat.SOUTH, Occupant(OccupantKind.PERSON, ""))
    assert game_json(verified.match) == game_json(games["seeded"].match)
    del data["circumstances"]
    assert verify(resealed(data)).circumstances == Circumstances()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("players", 0, "seat"), "SEAT_UNSPECIFIED"),
        (("players", 0, "occupant"), {}),
        (("notes", 0, "kind"), "NOTE_KIND_UNSPECIFIED"),
        (("notes", 0, "seat"), "SEAT_UNSPECIFIED"),
    ],
)
def test_circumstances_that_cannot_be_read_are_refused(
    path: tuple[str | int, ...], value: object, games: Games
) -> None:
    data = json.loads(line_of(games, "short"))
    inner = holder(data["circumstances"], path)
    if value in ("SEAT_UNSPECIFIED", "NOTE_KIND_UNSPECIFIED"):
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    assert refusal(resealed(data)).startswith("The circumstances cannot be read: ")


# What is no record at all


GARBAGE = {
    "nothing": "",
    "a blank": " ",
    "a word": "spades",
    "an empty object": "{}",
    "an empty list": "[]",
    "null": "null",
    "true": "true",
    "a number": "5",
    "a text": '"{}"',
    "not a number": "NaN",
    "lists in lists": "[" * 100_000,
    "objects in objects": '{"a":' * 100_000,
    "closed lists in lists": "[" * 5_000 + "]" * 5_000,
    "objects in the game": '{"version":1,"game":' + '{"rules":' * 200 + "1" + "}" * 201,
    "a number of 5000 digits": "1" * 5_000,
    "a version of 5000 digits": '{"version":' + "1" * 5_000 + "}",
    "a version of 400 digits": '{"version":' + "1" * 400 + "}",
    "a version that is a fraction": '{"version":1.5}',
    "a version beyond all numbers": '{"version":1e999}',
    "a version that is none": '{"version":NaN}',
    "a version that is a list": '{"version":[1]}',
    "a version that is true": '{"version":true}',
    "half a character": '"\\ud800"',
    "half a character for a name": '{"\\ud800":1}',
    "half a character in a name": '{"version":1,"circumstances":{"match":"\\udfff"}}',
    "half a character as it is": '{"version":1,"circumstances":{"match":"\udfff"}}',
    "half an escape": '{"version":1,"circumstances":{"match":"\\u12"}}',
    "a name that is none": '{"version":1,"colour":"red"}',
    "a type of its own": '{"@type":"type.googleapis.com/spades.v1.MatchRecord"}',
    "an extension": '{"[spades.v1.more]":1}',
    "a game that is a list": '{"version":1,"game":[]}',
    "a game that is a number": '{"version":1,"game":5}',
    "an empty game": '{"version":1,"game":{}}',
    "hands of null": '{"version":1,"game":{"hands":[null]}}',
    "hands that are an object": '{"version":1,"game":{"hands":{"a":1}}}',
    "a colour for a card": '{"version":1,"game":{"hands":[{"actions":[{"action":{"play":"RED"}}]}]}}',
    "a mark of the byte order": "\ufeff{}",
    "a zero": "\x00",
}


@pytest.mark.parametrize("what", GARBAGE)
def test_what_is_no_record_is_refused_with_a_sentence(what: str) -> None:
    assert len(refusal(GARBAGE[what])) > 20


@settings(max_examples=80, deadline=None)
@given(
    line=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ).map(json.dumps)
    | st.text()
)
def test_no_text_makes_verifying_fail_in_another_way(line: str) -> None:
    assert refusal(line)


JUNK: list[object] = [
    None,
    True,
    -1,
    2**31,
    2**64,
    1.5,
    "",
    "x",
    "\ud800",
    [],
    [None],
    [[]],
    {},
    {"a": 1},
]


def test_no_value_anywhere_in_a_record_makes_verifying_fail_in_another_way(games: Games) -> None:
    data = json.loads(line_of(games, "brief"))
    rng = Random(11)
    for path in places(data):
        changed = copy.deepcopy(data)
        for junk in rng.sample(JUNK, 6):
            holder(changed, path)[path[-1]] = junk
            # As ASCII, since a half character cannot be sealed.
            line = json.dumps(changed, separators=(",", ":"))
            assert refusal(line), (path, junk)


# Files


def test_a_file_of_records_is_verified_line_by_line(games: Games) -> None:
    lines = [line_of(games, name) + "\n" for name in ("short", "draw")]
    read = list(read_records([lines[0], "\n", lines[1]]))
    assert [one.line + "\n" for one in read] == lines


def test_a_bad_line_of_a_file_is_named_by_its_number(games: Games) -> None:
    good = line_of(games, "short")
    records = iter(read_records([good + "\n", "\n", "{}\n"]))
    assert next(records).line == good
    with pytest.raises(RecordError, match=r"^Line 3: The record has version 0"):
        next(records)
