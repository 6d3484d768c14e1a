"""The reports: one model, three forms, and nothing that depends on where or when they were written."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from spades_arena.crosstable import cross_table
from spades_arena.events import EventFolder
from spades_arena.faults import Discipline
from spades_arena.lines import withdrawal_line
from spades_arena.markdown import markdown, summary
from spades_arena.page import page
from spades_arena.reports import publish, report_texts
from spades_arena.spec import CONNECTED, Bounds, Entry, Format, Mode
from spades_arena.spreadsheet import spreadsheet
from spades_arena.tables import Tables, make_tables
from tests.arena.scene import SEED, Played, an_event, house, rogue, run

ROBIN = ("random", "beginner", "gentle")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    entries = (*house(*ROBIN), Entry("R&D", rogue("Raises").spec))
    spec = an_event(*entries, kind=Format.ROUND_ROBIN, units=8, controls=1)
    return run(tmp_path_factory.mktemp("reports") / "event", spec)


@pytest.fixture(scope="module")
def tables(played: Played) -> Tables:
    return make_tables(played.folder, played.state)


def test_the_reports_are_the_same_whenever_they_are_written(played: Played, tables: Tables) -> None:
    again = EventFolder.open(played.folder.path)

    assert report_texts(make_tables(again, again.state())) == report_texts(tables)


def test_points_add_up_to_two_for_each_unit(played: Played, tables: Tables) -> None:
    assert sum(one.points for one in tables.standings) == 2 * len(played.state.scored)
    for one in tables.standings:
        assert one.points <= 2 * one.units


def test_the_json_has_what_is_always_reported(tables: Tables) -> None:
    data = json.loads(report_texts(tables)["report.json"])

    assert data["schema"] == 1
    for name in ("event", "played", "software", "seed_commitment", "command", "rules", "clock"):
        assert data["head"][name]
    assert {one["entry"] for one in data["standings"]} == {*ROBIN, "R&D"}
    assert all(len(one["buckets"]) == 5 for one in data["duels"])


def test_one_that_forfeited_is_withdrawn_and_annulled_and_its_faults_are_shown(
    tables: Tables,
) -> None:
    last = tables.standings[-1]

    assert (last.entry, last.units) == ("R&D", 0)
    assert "annulled" in last.withdrawn
    assert dict(tables.fault_counts)["R&D"][0][0] == "crashed"
    assert all(fault.entry == "R&D" for fault in tables.faults)
    assert any("R&D was withdrawn" in said for said in tables.verdicts)


def test_the_control_is_shown_level_for_all_that_repeat_themselves(tables: Tables) -> None:
    found = {one.entry: (one.units, one.level) for one in tables.controls}

    # One that was forced out is not waited for.
    assert found == dict.fromkeys(ROBIN, (1, 1))


def test_one_that_does_not_repeat_itself_is_told_so(tmp_path: Path) -> None:
    spec = an_event(rogue("Fickle"), *house("beginner"), controls=6, units=6)
    done = run(tmp_path, spec)
    (control, other) = make_tables(done.folder, done.state).controls

    assert (control.entry, control.units) == ("Fickle", 6)
    assert control.level == 6 - control.fickle < 6
    assert control.faults == ()
    assert other.level == other.units
    text = report_texts(make_tables(done.folder, done.state))["report.md"]
    assert "not level: it answers the same view in two ways" in text
    assert "it had faults" not in text


def test_one_that_had_faults_against_itself_is_told_which(tmp_path: Path) -> None:
    spec = replace(an_event(rogue("Raises"), *house("beginner"), controls=1, units=1), forfeits=9)
    done = run(tmp_path, spec)
    tables = make_tables(done.folder, done.state)
    (control, _) = tables.controls

    assert (control.level, control.fickle) == (0, 0)
    assert dict(control.faults)["crashed"] >= 3
    said = "Self-match control: Raises did not end level: it had faults (crashed: "
    assert any(line.startswith(said) for line in summary(tables))
    assert said.removeprefix("Self-match control: Raises did not end level: ") in page(tables)


@pytest.fixture(scope="module")
def half_forfeited(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A match of which one side forfeits every second unit, and is withdrawn for none."""
    spec = replace(an_event(rogue("Moody"), *house("beginner"), units=16), forfeits=99)
    return run(tmp_path_factory.mktemp("forfeits") / "event", spec)


def test_a_verdict_says_which_units_it_does_not_rest_on(half_forfeited: Played) -> None:
    tables = make_tables(half_forfeited.folder, half_forfeited.state)
    (duel,) = tables.duels
    lost = duel.forfeits[0]
    said = (
        f"Moody forfeited {lost} of 16 units: they count in the standings, and not in this verdict nor in its"
        " interval."
    )

    assert 0 < lost < 16
    assert duel.forfeits[1] == 0
    assert (duel.units, duel.scores.n) == (16, 16 - lost)
    texts = report_texts(tables)
    (verdict,) = tables.verdicts
    assert verdict.endswith(said)
    assert verdict in texts["report.md"]
    assert verdict in " ".join(" ".join(read(texts["report.html"]).text).split())
    assert verdict == summary(tables)[0]
    data = json.loads(texts["report.json"])
    assert data["duels"][0]["sentence"] == verdict
    assert data["duels"][0]["forfeits"] == [lost, 0]


def test_forfeits_of_a_round_robin_are_told_beside_who_is_first(tmp_path: Path) -> None:
    entries = (rogue("Moody"), *house("beginner", "gentle"))
    spec = replace(an_event(*entries, kind=Format.ROUND_ROBIN, units=6), forfeits=99)
    done = run(tmp_path / "event", spec)
    tables = make_tables(done.folder, done.state)
    lost = next(one.forfeits for one in tables.standings if one.entry == "Moody")

    assert f"Moody forfeited {lost} units: they count in the standings, and in no rating" in (
        " ".join(tables.verdicts)
    )


def test_a_gauntlet_tells_what_came_of_each_match_and_not_who_has_the_largest_share(
    tmp_path: Path,
) -> None:
    spec = an_event(*house("random", "beginner", "gentle"), kind=Format.GAUNTLET, units=8)
    done = run(tmp_path / "event", spec)
    tables = make_tables(done.folder, done.state)

    assert tables.verdicts == ("random is worse than beginner, gentle.",)
    assert "have met different opponents" in report_texts(tables)["report.md"]
    empty = make_tables(done.folder, done.folder.state_of([]))
    assert empty.verdicts[-1] == "random has not met anybody yet."


def test_a_gauntlet_judges_no_match_of_which_every_unit_was_forfeited(tmp_path: Path) -> None:
    entries = (*house("gentle"), rogue("Raises"), *house("random"))
    spec = an_event(*entries, kind=Format.GAUNTLET, units=2)
    done = run(tmp_path / "event", replace(spec, discipline=Discipline(strict=True)))
    tables = make_tables(done.folder, done.state)

    assert all("Raises" not in said for said in tables.verdicts if said.startswith("gentle is"))
    assert any(said.startswith("Raises forfeited 2 units") for said in tables.verdicts)


def test_t12_two_copies_of_one_agent_are_level_and_all_figures_say_so(tmp_path: Path) -> None:
    twins = (Entry("one", "gentle"), Entry("two", "gentle"))
    done = run(tmp_path, an_event(*twins, units=4))
    tables = make_tables(done.folder, done.state)
    texts = report_texts(tables)

    assert tables.verdicts == ("one and two ended exactly level in each of 4 units.",)
    assert summary(tables)[1] == (
        "one – two: 1.000 (all alike) points a unit (1 is even), 0.0 (all alike) points per pair of"
        " games, Elo 0.0 (all alike), 4 units (95 % t intervals)."
    )
    assert "±" not in texts["report.md"].replace("After ±", "")
    assert "±" not in " ".join(read(texts["report.html"]).text).replace("After ±", "")


def test_entries_that_are_level_share_a_rank(tmp_path: Path) -> None:
    twins = (Entry("two", "gentle"), Entry("one", "gentle"), Entry("weak", "random"))
    done = run(tmp_path, an_event(*twins, kind=Format.ROUND_ROBIN, units=4))
    tables = make_tables(done.folder, done.state)

    assert [(one.entry, one.rank) for one in tables.standings] == [
        ("one", 1),
        ("two", 1),
        ("weak", 3),
    ]
    assert tables.verdicts[0].startswith("one and two share the first place with ")


def test_the_terminal_hears_of_an_entry_s_last_fault_what_it_was(tables: Tables) -> None:
    said = next(line for line in summary(tables) if line.startswith("R&D had faults: crashed: "))
    last = [fault for fault in tables.faults if fault.entry == "R&D"][-1]

    assert said.endswith(f"The last, in {last.unit} (crashed): {last.detail}")


def test_the_forfeits_of_one_whose_results_are_annulled_are_counted(tables: Tables) -> None:
    last = tables.standings[-1]

    assert (last.entry, last.forfeits) == ("R&D", 3)
    assert last.withdrawn.startswith("withdrawn (3 units forfeited)")


def test_what_became_of_every_unit_is_told(played: Played, tables: Tables) -> None:
    head = tables.head
    data = json.loads(report_texts(tables)["report.json"])["head"]

    assert head.planned == len(played.state.units) == 6 * 8 + 4
    assert head.done + head.dropped + head.missing == head.planned
    assert head.dropped > 0
    assert data["progress"] == head.progress
    assert head.progress.endswith(f"{head.dropped} are not played, since an entry was withdrawn")


def test_the_cross_table_mirrors_itself(tables: Tables) -> None:
    rows = cross_table(tables)
    cells = {(row.entry, rows[i].entry): cell for row in rows for i, cell in enumerate(row.cells)}

    for (a, b), cell in cells.items():
        other = cells[b, a]
        if cell is None:
            assert other is None
            continue
        assert other is not None
        assert cell.share + other.share == pytest.approx(1)
        assert (cell.clear, cell.units) == (other.clear, other.units)
    strong, weak = cells["beginner", "random"], cells["random", "beginner"]
    assert strong is not None
    assert weak is not None
    assert strong.share > weak.share


def test_nothing_that_a_bot_says_is_markup_in_the_report_in_markdown(tables: Tables) -> None:
    said = "<script>alert(1)</script> [a link](http://x) `code` **bold** |"
    faults = (replace(tables.faults[0], detail=said),)
    text = markdown(replace(tables, faults=faults))

    shown = r"\<script\>alert(1)\</script\> \[a link\](http://x) \`code\` \*\*bold\*\* \|"
    assert shown in text and said not in text


def test_an_event_of_connected_agents_names_no_command_that_could_not_play_it(
    tmp_path: Path,
) -> None:
    spec = an_event(Entry("far", f"{CONNECTED} (two players)"), *house("random"))
    folder = EventFolder.create(tmp_path / "event", spec, SEED)
    texts = report_texts(make_tables(folder, folder.state()))

    assert json.loads(texts["report.json"])["head"]["command"] == ""
    assert "compete run" not in texts["report.md"] + texts["report.html"]


class Reader(HTMLParser):
    """Reads a page: its text, its tags, whatever it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.open: list[str] = []
        self.links: list[str] = []
        self.pictures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.pictures += tag == "svg"
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.links += [
            f"{tag} {value}"
            for name, value in attrs
            if name in ("src", "href") and not str(value).startswith("#")
        ]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [
            str(value)
            for name, value in attrs
            if name in ("src", "href", "xlink:href") and not str(value).startswith("#")
        ]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    return reader


def test_the_page_is_whole_and_loads_nothing(tables: Tables) -> None:
    reader = read(page(tables))

    assert reader.open == []
    assert reader.links == []
    assert "<script" not in page(tables)
    # Results, leads, ratings, faults, and a spread for each of the three matches.
    assert reader.pictures == 4 + 3


def test_the_page_says_what_the_other_forms_say(tables: Tables) -> None:
    words = " ".join(" ".join(read(page(tables)).text).split())

    for sentence in tables.verdicts:
        assert sentence in words
    for duel in tables.duels:
        assert duel.sentence in words
    assert tables.head.command in words
    assert tables.head.seed_commitment in words


def test_names_are_shown_as_they_are_and_never_as_markup(tables: Tables) -> None:
    text = page(tables)

    assert "R&amp;D" in text
    assert "R&D" not in text.replace("R&amp;D", "")


def test_no_stand_in_for_a_colour_is_left_in_a_picture(tables: Tables) -> None:
    text = page(tables)

    assert "var(--accent)" in text
    for stand_in in ("#010203", "#040506", "#070809", "#0a0b0c", "#0d0e0f", "#101112"):
        assert stand_in not in text


def test_an_event_that_has_just_begun_has_a_report_too(tmp_path: Path) -> None:
    spec = an_event(*house(*ROBIN), kind=Format.ROUND_ROBIN, units=2)
    done = run(tmp_path / "event", spec)
    empty = done.folder.state_of([])
    texts = report_texts(make_tables(done.folder, empty))

    assert "The event goes on: at most 6 more units are to be played." in texts["report.md"]
    assert done.folder.server_seed.hex() not in texts["report.md"]
    assert (
        done.folder.server_seed.hex()
        in report_texts(make_tables(done.folder, done.state))["report.md"]
    )


def test_t07_an_event_that_everybody_left_has_its_final_table(tmp_path: Path) -> None:
    done = run(tmp_path, an_event(*house(*ROBIN), kind=Format.ROUND_ROBIN, units=1))
    gone = done.folder.state_of([withdrawal_line(name, "gone home") for name in ROBIN])
    tables = make_tables(done.folder, gone)

    assert tables.head.finished
    assert len(tables.standings) == 3
    assert read(page(tables)).open == []
    assert any("was withdrawn: gone home. Its results stand." in said for said in tables.verdicts)


def test_a_single_stream_makes_no_intervals(tmp_path: Path) -> None:
    done = run(tmp_path, an_event(*house(*ROBIN), kind=Format.ROUND_ROBIN, units=1))
    tables = make_tables(done.folder, done.state)
    text = report_texts(tables)["report.md"]

    assert all(math.isnan(one.share_low) and math.isnan(one.first) for one in tables.standings)
    assert all(math.isnan(one.low) for _, one in tables.ratings)
    assert "resampled streams" not in tables.verdicts[0]
    assert "nan" not in text
    assert "nan" not in page(tables)


def test_a_test_tells_its_ratio(tmp_path: Path) -> None:
    spec = replace(
        an_event(*house("beginner", "random"), mode=Mode.BOARDS, units=200),
        format=Format.TEST,
        bounds=Bounds(low=0, high=5),
    )
    done = run(tmp_path, spec)
    tables = make_tables(done.folder, done.state)

    assert done.state.decided
    assert tables.trial is not None
    assert 50 <= tables.head.counted < 200
    assert len(tables.verdicts) == 1
    assert tables.verdicts[0].startswith("Sequential test: the upper bound is accepted after")
    assert (
        "beginner is ahead by 5 points per deal or more, rather than by 0 or less (log"
        in tables.verdicts[0]
    )
    # The interval of a number of units that the result has chosen makes no verdict of its own.
    assert tables.duels[0].verdict is None
    text = report_texts(tables)["report.md"]
    assert "beginner is better than random" not in text
    assert "its own answer is the verdict" in text


def test_the_terminal_hears_the_verdict_first(tables: Tables) -> None:
    lines = summary(tables)

    assert lines[: len(tables.verdicts)] == list(tables.verdicts)
    assert any(line.startswith("1. ") for line in lines)


def test_the_spreadsheet_has_a_row_for_each_entry_with_the_figures_of_the_json(
    tables: Tables,
) -> None:
    texts = report_texts(tables)
    rows = list(csv.DictReader(io.StringIO(texts["tables.csv"])))
    data = json.loads(texts["report.json"])
    ratings = dict(data["ratings"])

    assert [row["entry"] for row in rows] == [one["entry"] for one in data["standings"]]
    for row, one in zip(rows, data["standings"], strict=True):
        for name in ("rank", "units", "points", "share", "share_low", "first", "lead", "forfeits"):
            assert row[name] == "" if one[name] is None else float(row[name]) == one[name]
        rating = ratings.get(one["entry"])
        assert (row["elo"] == "") == (rating is None)
        assert row[f"share against {one['entry']}"] == ""
    shares = {
        (row["entry"], other): row[f"share against {other}"] for row in rows for other in ROBIN
    }
    assert float(shares["beginner", "random"]) + float(
        shares["random", "beginner"]
    ) == pytest.approx(1)


def test_no_name_is_a_formula_in_the_spreadsheet(tmp_path: Path) -> None:
    entries = (Entry("-2+3", "gentle"), Entry("@you", "beginner"))
    done = run(tmp_path, an_event(*entries, units=1))
    text = spreadsheet(make_tables(done.folder, done.state))
    names = {row["entry"] for row in csv.DictReader(io.StringIO(text))}

    assert names == {"'-2+3", "'@you"}


def test_an_event_that_two_of_three_have_left_is_no_match(tmp_path: Path) -> None:
    done = run(tmp_path, an_event(*house(*ROBIN), kind=Format.ROUND_ROBIN, units=1))
    gone = done.folder.state_of([withdrawal_line("gentle", "gone home")])
    tables = make_tables(done.folder, gone)

    assert report_texts(tables)["report.md"].startswith("# Round robin of 3 entries\n")
    assert any(
        line.endswith("gentle: no points, withdrawn (gone home); its results stand")
        for line in summary(tables)
    )


def test_publishing_writes_every_form(played: Played) -> None:
    publish(played.folder, played.state)

    names = {path.name for path in played.folder.path.iterdir()}
    assert {"report.html", "report.md", "report.json", "tables.csv", "faults.jsonl"} <= names
