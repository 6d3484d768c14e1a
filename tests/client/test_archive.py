"""`spades verify` and `spades replay` in plain sentences."""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import spades
from spades import Match, Seat, SpadesError, format_cards, parse_seat
from spades_client.archive import read_lines, replay_file, verify_file
from spades_proto.records import Circumstances, record_line
from spades_proto.table import Occupant, OccupantKind

PlayMatch = Callable[[str, str], Match]
Capture = pytest.CaptureFixture[str]

RULES = "max_hands=2,floor=none"


@pytest.fixture(scope="session")
def match(finished_match: PlayMatch) -> Match:
    return finished_match(RULES, "7")


@pytest.fixture(scope="session")
def line(match: Match) -> str:
    names = ("Ann", "<b>", "{0}", "Dan")
    players = tuple(
        (seat, Occupant(OccupantKind.PERSON, name)) for seat, name in zip(Seat, names, strict=True)
    )
    return record_line(match, Circumstances("M-1", "M", players=players, software="a test"))


@pytest.fixture
def path(tmp_path: Path, line: str) -> Path:
    path = tmp_path / "m.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    return path


def replayed(
    path: Path,
    capsys: Capture,
    *,
    seat: Seat | None = None,
    hand: int = 0,
    hints: bool = False,
) -> list[str]:
    capsys.readouterr()
    replay_file(path, seat, hand, 1, hints=hints)
    return capsys.readouterr().out.splitlines()


# verify


def test_a_record_that_holds_is_said_to_hold_with_its_winner(
    path: Path, match: Match, capsys: Capture
) -> None:
    assert verify_file(path)
    assert capsys.readouterr().out == f"{path}, line 1: holds. {match.outcome} 2 hands.\n"


def test_a_chosen_seed_is_told(match: Match, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "chosen.jsonl"
    path.write_text(record_line(match, Circumstances(seed_chosen=True)))
    assert verify_file(path)
    assert capsys.readouterr().out.endswith(" The seed was chosen by somebody.\n")


@pytest.mark.parametrize(
    ("table", "ending", "told"),
    [
        ("m0001-u00002-t1", "the other side forfeited the game.", []),
        ("M-1", "the other side surrendered at 0 to 0.", ["South wants to surrender."]),
    ],
)
def test_a_forfeit_in_a_competition_is_no_surrender(
    table: str, ending: str, told: list[str], tmp_path: Path, capsys: Capture
) -> None:
    match = Match(spades.Rules(), spades.SeededDeals(spades.parse_seed("1")), people=frozenset())
    for seat in (Seat.SOUTH, Seat.NORTH):
        match.surrender(seat)
    path = tmp_path / "forfeit.jsonl"
    path.write_text(record_line(match, Circumstances(table)) + "\n", encoding="utf-8")

    assert verify_file(path)
    assert f"West and East win: {ending}" in capsys.readouterr().out
    lines = replayed(path, capsys)
    assert lines[-1].endswith(ending)
    assert [line for line in lines if "surrender." in line][:1] == told


def test_a_changed_action_is_found_and_its_place_is_said(
    path: Path, line: str, capsys: Capture
) -> None:
    record = json.loads(line)
    actions = record["game"]["hands"][1]["actions"]
    place = next(i for i, one in enumerate(actions) if "play" in one["action"])
    actions[place]["action"], actions[place + 1]["action"] = (
        actions[place + 1]["action"],
        actions[place]["action"],
    )
    path.write_text(json.dumps(record, separators=(",", ":"), ensure_ascii=False))
    assert not verify_file(path)
    said = capsys.readouterr().out
    assert said.startswith(
        f"{path}, line 1: does not hold. Hand 2, action {place + 1} is not legal:"
    )


def test_any_changed_character_is_found(line: str, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "changed.jsonl"
    for place in range(0, len(line), 211):
        other = "1" if line[place] != "1" else "2"
        path.write_text(line[:place] + other + line[place + 1 :], encoding="utf-8")
        assert not verify_file(path)
        (said,) = capsys.readouterr().out.splitlines()
        assert said.startswith(f"{path}, line 1: does not hold. ")
        assert said.endswith(".")


def test_every_record_of_a_file_is_judged_on_its_own_and_empty_lines_keep_their_numbers(
    path: Path, line: str, capsys: Capture
) -> None:
    path.write_text(f"{line}\n\n{line.replace('Ann', 'Bob')}\n{line}\n", encoding="utf-8")
    assert not verify_file(path)
    said = capsys.readouterr().out.splitlines()
    assert [text.split(": ")[1].split(".")[0] for text in said] == [
        "holds",
        "does not hold",
        "holds",
    ]
    assert [text.split(": ")[0] for text in said] == [f"{path}, line {n}" for n in (1, 3, 4)]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "holds no record."),
        (b"\n\n", "holds no record."),
        (b"\x00\xff\xfe", "is not text: byte 2 is wrong."),
    ],
)
def test_a_file_without_a_record_is_refused_in_a_sentence(
    tmp_path: Path, data: bytes, said: str
) -> None:
    path = tmp_path / "odd"
    path.write_bytes(data)
    with pytest.raises(SpadesError) as raised:
        verify_file(path)
    assert raised.value.sentence == f"{path} {said}"


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(SpadesError, match=r"cannot be read: (No such file|Is a directory)"):
        read_lines(tmp_path / name)


@pytest.mark.parametrize(
    "text", ["{}", "[]", "7", "null", "{", "spades", '{"game":7}', "\x1b[2J", "[" * 9_999]
)
def test_a_line_that_is_no_record_does_not_hold_and_is_shown_without_its_escape_bytes(
    tmp_path: Path, capsys: Capture, text: str
) -> None:
    path = tmp_path / "odd"
    path.write_text(text)
    assert not verify_file(path)
    (said,) = capsys.readouterr().out.splitlines()
    assert said.startswith(f"{path}, line 1: does not hold. ")
    assert said.isprintable()


def test_records_are_read_from_standard_input_too(
    line: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(line.encode())))
    assert verify_file(Path("-"))
    assert capsys.readouterr().out.startswith("-, line 1: holds. ")


# replay


def test_a_replay_without_a_seat_tells_the_whole_match_with_open_hands(
    path: Path, match: Match, capsys: Capture
) -> None:
    said = replayed(path, capsys)
    assert sum(" plays the " in line for line in said) == 104
    assert [line for line in said if line.endswith(" is over.")] == [
        "Hand 1 is over.",
        "Hand 2 is over.",
    ]
    for number, scored in enumerate(match.sheet, 1):
        assert scored.deal is not None
        dealt = next(i for i, line in enumerate(said) if line.startswith(f"Hand {number}. "))
        for place, seat in enumerate(Seat, 1):
            assert said[dealt + place] == f"{seat}: {format_cards(scored.deal.hand(seat))}."
    assert said[-1].startswith("The match is over. ")
    assert "<b> plays the " in " ".join(said)
    assert "{0} plays the " in " ".join(said)


@pytest.mark.parametrize("seat", Seat)
def test_a_replay_as_a_seat_tells_no_card_before_it_is_played_but_its_own(
    path: Path, match: Match, capsys: Capture, seat: Seat
) -> None:
    said = replayed(path, capsys, seat=seat)
    assert sum(line.startswith("You play the ") for line in said) == 26
    hands = [line for line in said if line.startswith("Your hand: ")]
    assert len(hands) == 2
    for scored, hand in zip(match.sheet, hands, strict=True):
        assert sum(len(word) == 1 for word in re.findall(r"\b[2-9TJQKA]\b", hand)) == 13
        assert scored.deal is not None
        first = scored.deal.hand(seat)[0]
        assert f"{first.suit.name.lower()} " in hand
    # Besides its own hand, cards are named where they are played and nowhere else.
    naming = [line for line in said if re.search(r" of (clubs|diamonds|hearts|spades)", line)]
    assert all(re.search(r"^\S+ plays? the ", line) for line in naming)
    assert not any(re.match(r"(South|West|North|East): ", line) for line in said)


def test_one_hand_can_be_replayed_alone(path: Path, capsys: Capture) -> None:
    whole = replayed(path, capsys)
    second = replayed(path, capsys, hand=2)
    assert second[0].startswith("Hand 2. ")
    assert second == whole[whole.index(second[0]) :]
    first = replayed(path, capsys, hand=1)
    assert first[0].startswith("Hand 1. ")
    assert whole == [*whole[: whole.index(first[0])], *first, *second]


def test_one_record_of_several_can_be_replayed(
    path: Path, line: str, finished_match: PlayMatch, capsys: Capture
) -> None:
    other = record_line(finished_match("max_hands=1", "8"), Circumstances())
    path.write_text(f"{line}\n\n{other}\n", encoding="utf-8")
    replay_file(path, None, 0, 2)
    assert "Hand 2." not in capsys.readouterr().out


def test_a_replay_with_hints_tells_before_each_decision_what_would_be_advised(
    path: Path, match: Match, capsys: Capture
) -> None:
    plain = replayed(path, capsys)
    hinted = replayed(path, capsys, hints=True)
    assert [line for line in hinted if not line.startswith("Hint for ")] == plain
    bids, plays = 4 * match.hand_number, 52 * match.hand_number
    assert sum(": Bid " in line for line in hinted) >= bids
    assert sum(": Play " in line for line in hinted) >= plays
    for hint, told in itertools.pairwise(hinted):
        if hint.startswith("Hint for ") and not told.startswith("Hint for "):
            seat = parse_seat(hint.split()[2].rstrip(":"))
            assert told.split()[0] == ("Ann", "<b>", "{0}", "Dan")[seat]


def test_a_replay_as_a_seat_has_hints_for_that_seat_alone_and_by_its_own_cards(
    path: Path, match: Match, capsys: Capture
) -> None:
    said = replayed(path, capsys, seat=Seat.WEST, hints=True)
    hints = [line for line in said if line.startswith("Hint for ")]
    assert hints and all(line.startswith("Hint for West: ") for line in hints)
    whole = replayed(path, capsys, hints=True)
    assert [line for line in whole if line.startswith("Hint for West: ")] == hints
    second = replayed(path, capsys, hand=2, hints=True)
    assert second == whole[whole.index(second[0]) :]
    assert match.hand_number == 2


@pytest.mark.parametrize(
    ("hand", "number", "said"),
    [
        (3, 1, "The match has 2 hands: there is no hand 3."),
        (0, 2, "has 1 record: there is no number 2."),
    ],
)
def test_a_replay_of_what_is_not_there_is_refused_in_a_sentence(
    path: Path, hand: int, number: int, said: str
) -> None:
    with pytest.raises(SpadesError, match=said):
        replay_file(path, None, hand, number)


def test_a_record_that_does_not_hold_is_not_replayed(
    path: Path, line: str, capsys: Capture
) -> None:
    path.write_text(line.replace("Ann", "Bob"), encoding="utf-8")
    with pytest.raises(SpadesError, match="seal"):
        replay_file(path, None, 0, 1)
    assert capsys.readouterr().out == ""
