"""Events: what can be written down, and what is refused with a sentence."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import SpadesError, parse_rules
from spades_arena.entrants import (
    check_agents,
    check_programs,
    entries_of,
    entry_of,
    program_digest,
    split_name,
)
from spades_arena.errors import ArenaError
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.spec import (
    CONNECTED,
    Bounds,
    Entry,
    EventSpec,
    Format,
    Mode,
    competition_rules,
    parse_spec,
)
from spades_arena.spec_file import read_spec
from spades_arena.stream import event_seed, seed_commitment, stream_seed
from spades_proto.software import SOFTWARE
from spades_proto.timing import TimeControl
from tests.arena.scene import SEED, an_event, house, rogue

SPECS = st.builds(
    EventSpec,
    format=st.sampled_from([Format.ROUND_ROBIN, Format.GAUNTLET]),
    entries=st.sets(st.text("abcXYZ", min_size=1, max_size=40), min_size=2, max_size=5).map(
        lambda names: tuple(Entry(name, "random") for name in sorted(names))
    ),
    rules=st.sampled_from(["classic", "quick,floor=none", "nyc,max_hands=7"]).map(
        lambda text: competition_rules(parse_rules(text))
    ),
    mode=st.sampled_from(Mode),
    units=st.integers(1, 1_000),
    limits=st.builds(
        TimeLimits, control=st.builds(TimeControl, st.integers(1, 9_999), st.integers(0, 9_999))
    ),
    discipline=st.builds(Discipline, st.integers(1, 9), st.booleans()),
    bag_equity=st.floats(-100, 100),
)


@given(SPECS)
def test_an_event_comes_back_from_its_json_with_its_name(spec: EventSpec) -> None:
    again = parse_spec(spec.to_json())

    assert again == spec
    assert again.name == spec.name


@given(SPECS, SPECS)
def test_two_events_have_one_name_only_if_they_are_the_same(a: EventSpec, b: EventSpec) -> None:
    assert (a.name == b.name) == (a == b)


def test_the_name_is_a_fixed_function_of_the_event() -> None:
    # Written down, so that an event's name stays what it is from one version to the next.
    assert an_event().name == ("25ba63cd48050472b09fffdd2ad32d3e478388ca93920b3cf64a7159fe70434a")


@pytest.mark.parametrize("name", ["", " a", "a|b", "x" * 41, "a\n", "<b>"])
def test_a_name_that_a_table_could_not_show_is_refused(name: str) -> None:
    with pytest.raises(ArenaError, match="An entry cannot be called"):
        Entry(name, "random")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"units": 0}, "units=0 is out of range: 1 to 100000"),
        ({"forfeits": 0}, "forfeits=0 is out of range"),
        ({"challengers": 2}, "challengers=2 is out of range: 1 to 1"),
        ({"entries": house("random")}, "A match has two entries, not 1"),
        ({"entries": house("random", "random")}, "Two entries are called 'random'"),
        ({"rules": parse_rules("classic")}, "a game of a competition must end"),
        ({"bounds": Bounds(low=0, high=1)}, "A test has bounds, and nothing else has"),
        ({"format": Format.TEST}, "A test has bounds"),
        ({"discipline": Discipline(strikes=0)}, "strikes=0 is out of range"),
    ],
)
def test_an_event_that_cannot_be_played_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        replace(an_event(), **change)  # type: ignore[arg-type]  # that is what is tried


def test_bounds_between_which_nothing_lies_are_refused() -> None:
    with pytest.raises(ArenaError, match="decide nothing"):
        Bounds(low=2, high=2)
    for mode, farthest in ((Mode.BOARDS, 10_000), (Mode.GAMES, 200)):
        spec = an_event(mode=mode, units=100)
        replace(spec, format=Format.TEST, bounds=Bounds(low=-farthest, high=farthest))
        for far in (farthest + 1, 1e300, float("inf")):
            with pytest.raises(ArenaError, match=f"are out of range: −{farthest} to {farthest}"):
                replace(spec, format=Format.TEST, bounds=Bounds(low=0, high=far))
    with pytest.raises(ArenaError, match=r"alpha=0\.7 is out of range"):
        Bounds(low=0, high=2, alpha=0.7)


def test_a_game_of_a_competition_ends_and_a_board_is_one_hand() -> None:
    assert competition_rules(parse_rules("larch")).max_hands == 50
    assert competition_rules(parse_rules("larch,max_hands=9")).max_hands == 9
    assert competition_rules(parse_rules("larch"), Mode.BOARDS).max_hands == 1


WRONG: list[dict[str, object]] = [
    {"schema": 2},
    {"format": "knockout"},
    {"units": "x"},
    {"entries": ["x"]},
    {"more": 1},
]


@pytest.mark.parametrize("change", WRONG)
def test_what_is_no_event_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(SpadesError):
        parse_spec({**an_event().to_json(), **change})


# From a file


FILE = """
format = "round-robin"
units = 12
rules = "quick,target=200"
seed = "a word"
clock = "1+30"
game_s = 600
strikes = 2
strict = true
equal_within = 0.1

[[entries]]
spec = "gentle"
[[entries]]
spec = "beginner"
name = "Bee"
owner = "ann"
[[entries]]
spec = "random"
"""


def in_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "event.toml"
    path.write_text(text)
    return path


def test_a_file_says_everything(tmp_path: Path) -> None:
    spec, seed = read_spec(in_file(tmp_path, FILE))

    assert (spec.format, spec.units, seed) == (Format.ROUND_ROBIN, 12, "a word")
    assert (spec.limits.control, spec.limits.game_ms) == (TimeControl(1_000, 30_000), 600_000)
    assert spec.discipline == Discipline(2, strict=True)
    assert [entry.name for entry in spec.entries] == ["gentle", "Bee", "random"]
    assert spec.entries[1].owner == "ann"
    assert (spec.rules.target, spec.rules.max_hands) == (200, 50)


def test_a_file_may_ask_for_a_test(tmp_path: Path) -> None:
    text = 'format = "test"\nmode = "boards"\nentries = ["gentle", "beginner"]\n[test]\nlow = 0\nhigh = 2\n'
    spec, _ = read_spec(in_file(tmp_path, text))

    assert spec.bounds == Bounds(low=0, high=2)
    assert spec.mode is Mode.BOARDS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("units = ", "is not TOML"),
        ("unit = 3", "There is no key 'unit': format, mode"),
        ('units = "many"', "units='many' is not possible: it is a whole number"),
        ("units = true", "units=True is not possible"),
        ('format = "swiss"', "format='swiss' is not possible: match, test, round-robin, gauntlet"),
        ('rules = "whist"', "'whist' is neither a preset nor an option"),
        ('clock = "fast"', "is no time control"),
        ('entries = ["gentle"]', "A match has two entries, not 1"),
        ("[[entries]]\nname = 'x'", "An entry needs a spec"),
        ("[[entries]]\nspec = 'gentle'\nlevel = 'high'", "An entry has level='high'"),
        ("entries = [7]", "7 is no entry"),
        ("[test]\nlow = 0", "needs low and high"),
        ("[test]\nmiddle = 0", "has middle=0"),
        ("game_s = -1", "game_ms=-1000 is out of range"),
        ("start_s = inf", "start_s=inf is not possible: it is a finite number"),
        ("bag_equity = nan", "bag_equity=nan is not possible"),
    ],
)
def test_a_file_that_is_wrong_is_refused_by_its_key(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SpadesError, match=said):
        read_spec(in_file(tmp_path, text))


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be read: No such file"):
        read_spec(tmp_path / "none.toml")


# Entries


def test_an_entry_is_called_after_its_agent() -> None:
    assert entry_of("gentle").name == "gentle"
    assert entry_of("bots/my_bot.py").name == "my_bot"
    assert entry_of("bots/my_bot.py:Best").name == "Best"
    assert entry_of("package.module:Bot").name == "Bot"
    assert entry_of("cmd:./bot --fast").name == "bot"


def test_agents_of_one_name_are_told_apart() -> None:
    names = [entry.name for entry in entries_of(["gentle", "random", "gentle"])]

    assert names == ["gentle 1", "random", "gentle 2"]


@pytest.mark.parametrize(
    ("word", "name", "spec"),
    [
        ("sharp", "", "sharp"),
        ("new=sharp", "new", "sharp"),
        (" Old one = old/bot.py:Bot", "Old one", "old/bot.py:Bot"),
        ("B. O'Neill-2_x=package.module:Bot", "B. O'Neill-2_x", "package.module:Bot"),
        ("fast=cmd:./bot --level=3", "fast", "cmd:./bot --level=3"),
        ("cmd:./bot --level=3", "", "cmd:./bot --level=3"),
        ("cmd:a=b", "", "cmd:a=b"),
        ("bots/level=3/bot.py", "", "bots/level=3/bot.py"),
        (r"C:\level=3\bot.py:Bot", "", r"C:\level=3\bot.py:Bot"),
        ("new=level=3.py", "new", "level=3.py"),
    ],
)
def test_an_entry_is_named_before_an_equals_sign(word: str, name: str, spec: str) -> None:
    assert split_name(word) == (name, spec)


def test_a_file_whose_name_holds_an_equals_sign_is_taken_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert split_name("level=3.py:Bot") == ("level", "3.py:Bot")
    Path("level=3.py").write_text("# a bot")

    assert split_name("level=3.py:Bot") == ("", "level=3.py:Bot")
    assert split_name("level=3.py") == ("", "level=3.py")
    assert split_name("new=level=3.py") == ("new", "level=3.py")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["=sharp", "gentle"], "'=sharp' does not name an entry: write NAME=AGENT"),
        (["new=", "gentle"], "'new=' does not say who plays: write NAME=AGENT"),
        (["x" * 41 + "=sharp", "gentle"], "1 to 40 letters, digits, spaces"),
        (["a/b=sharp", "gentle"], "An entry cannot be called 'a/b'"),
        (["same=sharp", "same=gentle"], "Two entries are called 'same'"),
    ],
)
def test_a_name_that_cannot_be_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(ArenaError, match=said):
        an_event().with_entries(*entries_of(words))


def test_names_that_are_made_up_keep_clear_of_those_that_were_given() -> None:
    names = [
        one.name for one in entries_of(["gentle 1=sharp", "gentle", "gentle", "random=steady"])
    ]
    single = [one.name for one in entries_of(["gentle", "gentle=sharp"])]

    assert names == ["gentle 1", "gentle 2", "gentle 3", "random"]
    assert single == ["gentle 1", "gentle"]


def test_a_program_that_has_changed_is_another_entry(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text("# one")
    entry = entry_of(f"{path}:Bot")
    check_programs([entry])
    path.write_text("# two")

    assert program_digest("gentle") == SOFTWARE
    with pytest.raises(ArenaError, match="is not what it was when the event began"):
        check_programs([entry])


def test_the_scripts_of_a_command_are_what_an_entry_is(tmp_path: Path) -> None:
    script, data = tmp_path / "bot.py", tmp_path / "weights"
    script.write_text("# one")
    data.write_text("1 2 3")
    one = program_digest(f"cmd:{sys.executable} {script}")
    both = program_digest(f"cmd:{sys.executable} {script} {data}")
    script.write_text("# two")

    assert one == hashlib.sha256(b"# one").hexdigest()
    assert both != one
    assert program_digest(f"cmd:{sys.executable} {script}") != one
    assert program_digest(f"cmd:{script} --fast") == ""
    assert len(program_digest(f"cmd:{sys.executable} -q")) == 64
    assert program_digest("cmd:'unclosed") == program_digest("cmd:./nowhere") == ""


# Seeds


def test_the_seed_of_an_event_depends_on_everything_that_was_agreed() -> None:
    spec = an_event(*house("gentle", "beginner"))
    seeds = {
        event_seed(SEED, spec),
        event_seed(bytes(32), spec),
        event_seed(SEED, replace(spec, units=3)),
        event_seed(SEED, spec.with_entries(rogue("Tame"), spec.entries[1])),
        event_seed(SEED, spec, ["of a client"]),
    }

    assert len(seeds) == 5
    assert event_seed(SEED, spec, ["a", "b"]) == event_seed(SEED, spec, ["b", "a"])


def test_the_commitment_is_the_sha256_of_the_seed() -> None:
    assert seed_commitment(b"") == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


def test_streams_have_seeds_of_their_own() -> None:
    seeds = {stream_seed(SEED, number, stage) for number in range(50) for stage in ("main", "b")}

    assert len(seeds) == 100


@pytest.mark.parametrize(
    ("spec", "connected"),
    [
        ("connected", True),
        ("connected (two players)", True),
        ("connected.py:Bot", False),
        ("connected_bots:Bot", False),
        ("gentle", False),
    ],
)
def test_an_entry_was_connected_if_that_stands_in_place_of_its_spec(
    spec: str, connected: bool
) -> None:
    assert Entry("one", spec).is_connected is connected


def test_an_agent_that_was_connected_cannot_be_started_again() -> None:
    with pytest.raises(ArenaError, match=r"^far was connected to a server and cannot be started"):
        check_agents([Entry("far", f"{CONNECTED} (two players)")])


@pytest.mark.parametrize("program", ["./nothing", "nothing of that name"])
def test_a_program_that_is_not_there_begins_no_event(program: str) -> None:
    with pytest.raises(ArenaError, match=f"there is no program {program} that can be started"):
        check_agents([entry_of("gentle"), entry_of(f"cmd:'{program}' --fast", "mine")])
