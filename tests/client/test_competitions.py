"""`spades compete` on a server, as it is typed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

from spades import Rules
from spades_agents import Server
from spades_agents.competitions import Competitions
from spades_client.standings import (
    leaders_sentence,
    progress_sentence,
    standing_sentences,
    status_sentences,
    terms_sentences,
)
from spades_proto.competition import (
    CompetitionEntry,
    CompetitionFault,
    CompetitionFormat,
    CompetitionStage,
    CompetitionStatus,
    CompetitionTerms,
)
from spades_proto.link import Link
from spades_proto.timing import TimeControl
from spades_server.app import running
from spades_server.config import ServerConfig
from tests.client.command import Run, Spades

pytestmark = pytest.mark.once

BOT = Path(__file__).parents[2] / "examples" / "bots" / "careful.py"


async def test_a_bot_enters_and_plays_a_competition_from_the_command_line(
    spades: Spades, tmp_path: Path
) -> None:
    made = await spades(
        "compete",
        "create",
        "Cup",
        "--format",
        "match",
        "--games",
        "2",
        "--rules",
        "quick,max_hands=1",
    )
    assert made.status == 0, made.errors
    name = made.lines[0].split()[0]
    assert "2 s for a decision and 60 s in the bank of a seat" in made.lines[1]
    assert made.lines[-1].endswith(f"--entry {name}")
    entered = await spades("compete", "enter", name, "gentle")
    assert entered.lines[0] == f"gentle is entered in {name}."
    again = await spades("compete", "enter", name, "gentle")
    assert again.lines[0] == f"gentle is entered in {name} already."
    playing = asyncio.create_task(
        spades("agent", "run", str(BOT), "--entry", name, "--name", "Cal", "--as", "careful")
    )
    while (listed := await spades("compete", "standings", name)).lines[1:] != ["careful: ready."]:
        assert listed.status == 0 and not playing.done()
    started = await spades("compete", "start", name)
    assert started.lines == [f"{name} has begun: 3 units of two games each are to be played."]
    watched = await spades("compete", "watch", name)
    assert "It is over: 3 of 3 units are done." in watched.lines
    played = await playing
    assert played.status == 0, played.errors
    assert played.lines[-2:] == watched.lines[-2:]
    assert sum(line.startswith("Table ") for line in played.lines) == 4
    told = await spades("compete", "status", name)
    assert told.lines[0] == f"{name}: Cup, organised by tester."
    folder = tmp_path / "event"
    verified = await spades("compete", "verify", name, "--out", str(folder))
    assert verified.lines[-1] == f"{name} holds: 6 records; 3 of 3 units are done."
    assert (folder / "report.html").exists()
    (folder / "seed.json").write_text("not downloaded\n")
    anew = await spades("compete", "verify", name, "--out", str(folder))
    assert anew.status == 0, anew.errors
    assert anew.output == verified.output
    in_use = await spades("compete", "verify", name, "--out", str(tmp_path))
    assert in_use.status == 1
    assert in_use.errors == (
        f"{tmp_path} is not empty and does not hold {name}: name another folder with --out.\n"
    )


class RunAtOnce(Protocol):
    """Runs the command to its end."""

    def __call__(self, *words: str) -> Run: ...


@pytest.mark.parametrize("typed", ["address", "link"])
async def test_the_command_to_enter_names_the_server_by_its_whole_link(
    typed: str, tmp_path: Path, run: RunAtOnce
) -> None:
    secure = ServerConfig(port=0, tempo_ms=0, secure=True, home=tmp_path)
    async with running(secure) as server:
        (link,) = server.links
        where = link.target if typed == "address" else str(link)
        made = await asyncio.to_thread(run, "compete", "create", "Cup", "--server", where)
        name = made.lines[0].split()[0]
        command = made.lines[-1].removeprefix("A bot enters with: spades ").split()
        # It is copied to another machine, where the server is not known.
        assert command == ["agent", "run", "mybot.py", "--server", str(link), "--entry", name]
        other = Link(link.target, fingerprint="x" * 43)
        refused = await asyncio.to_thread(
            run, "compete", "enter", name, "--server", str(other), "--name", "Ann"
        )
    assert "is not the one that the link is for" in refused.errors


@pytest.mark.parametrize("insecure", [(), ("--insecure",)])
async def test_the_command_to_enter_a_server_without_encryption_says_what_the_organiser_said(
    spades: Spades, insecure: tuple[str, ...]
) -> None:
    made = await spades("compete", "create", "Cup", *insecure)
    before, _, after = made.lines[-1].partition(" --entry ")
    assert after == made.lines[0].split()[0]
    where, *said = before.partition(" --server ")[2].split()
    assert where.startswith("127.0.0.1:") and said == list(insecure)


async def test_what_cannot_be_downloaded_yet_leaves_no_folder(
    spades: Spades, tmp_path: Path
) -> None:
    name = (await spades("compete", "create", "Cup")).lines[0].split()[0]
    refused = await spades("compete", "verify", name, "--out", str(tmp_path / "cup"))
    assert refused.status == 1
    assert refused.errors == f"{name} cannot be downloaded now: entries are open.\n"
    assert not (tmp_path / "cup").exists()


async def test_whoever_watches_goes_on_when_the_server_is_back(tmp_path: Path) -> None:
    kept = ServerConfig(port=0, tempo_ms=0, data=tmp_path / "kept")
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        port = server.port
        await ann.register("Ann")
        made = await Competitions(ann).create("Cup", CompetitionFormat.MATCH)
        words = ("compete", "watch", made.id, "--server", f"127.0.0.1:{port}")
        watching = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "spades_client", *words,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert watching.stdout is not None and watching.stderr is not None
        assert b"Entries are open" in await watching.stdout.readline()
    assert b"is lost; reconnecting" in await watching.stderr.readline()
    async with running(replace(kept, port=port)), Server(f"127.0.0.1:{port}", ann.token) as ann:
        await Competitions(ann).call_off(made.id)
        told, complained = await watching.communicate()
    assert watching.returncode == 0
    assert (told.decode().splitlines()[-1], complained) == ("It was called off.", b"")


async def test_an_entry_is_taken_out_and_a_competition_called_off(spades: Spades) -> None:
    made = await spades("compete", "create", "Cup", "--boards", "4")
    name = made.lines[0].split()[0]
    assert (await spades("compete", "enter", name, "--as", "mine")).status == 0
    out = await spades("compete", "withdraw", name)
    assert out.lines == [f"Your entry is out of {name}."]
    assert (await spades("compete", "standings", name)).lines == ["Nobody has entered."]
    assert (await spades("compete", "call-off", name)).lines == [f"{name} is called off."]
    assert (await spades("compete", "list")).lines == [
        f"{name} of tester: Cup, a round-robin with 0 entries; it was called off."
    ]


async def test_whoever_comes_when_a_competition_was_called_off_is_told_at_once(
    spades: Spades,
) -> None:
    name = (await spades("compete", "create", "Cup")).lines[0].split()[0]
    bot = ("agent", "run", "gentle", "--entry", name, "--name", "Cal")
    assert (await spades("compete", "enter", name, "--name", "Cal")).status == 0
    waiting = asyncio.create_task(spades(*bot))
    while (listed := await spades("compete", "standings", name)).lines != ["Cal: ready."]:
        assert listed.status == 0 and not waiting.done()
    assert (await spades("compete", "call-off", name)).status == 0
    waited = await waiting
    came_back = await spades(*bot)
    entered = await spades("compete", "enter", name, "--name", "Cal")
    late = await spades("agent", "run", "gentle", "--entry", name, "--name", "Bea")

    off = f"{name} was called off: nothing was played.\n"
    assert (waited.status, waited.output) == (1, "")
    assert waited.errors == f"Cal is entered in {name} and waits for its tables.\n{off}"
    assert (came_back.status, came_back.output, came_back.errors) == (1, "", off)
    assert (entered.status, entered.output) == (1, "")
    assert entered.errors == f"{name} cannot be entered any more: it was called off.\n"
    assert (late.status, late.errors) == (1, f"{name} cannot be entered now: it was called off.\n")


async def test_whoever_comes_when_a_competition_is_over_is_told_at_once(spades: Spades) -> None:
    short = ("--format", "match", "--games", "2", "--rules", "quick,max_hands=1")
    made = await spades("compete", "create", "Cup", "--controls", "0", *short)
    name = made.lines[0].split()[0]
    bot = ("agent", "run", "gentle", "--entry", name, "--name", "Cal")
    assert (await spades("compete", "enter", name, "random")).status == 0
    playing = asyncio.create_task(spades(*bot))
    while (listed := await spades("compete", "standings", name)).lines[1:] != ["Cal: ready."]:
        assert listed.status == 0 and not playing.done()
    assert (await spades("compete", "start", name)).status == 0
    assert (await playing).status == 0
    told = await spades("compete", "standings", name)
    came_back = await spades(*bot)
    entered = await spades("compete", "enter", name, "--name", "Cal")

    assert (came_back.status, came_back.output) == (0, told.output)
    assert came_back.errors == f"Cal has nothing left to play in {name}: it is over.\n"
    assert entered.status == 1
    assert entered.errors == f"{name} cannot be entered any more: it is over.\n"


async def test_a_competition_without_a_clock_has_none(spades: Spades) -> None:
    made = await spades("compete", "create", "Cup", "--clock", "none", "--format", "gauntlet")
    assert "no clock, and 30 s of silence forfeit the game" in made.lines[1]
    assert made.lines[4:6] == [
        "The first entry meets all others.",
        "Each entry plays 1 unit against itself first.",
    ]
    told = await spades("compete", "status", made.lines[0].split()[0])
    assert made.lines[1:6] == told.lines[1:6]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--entry", "CUP234", "--table", "ABCDE"), "--table is for a table of one's own"),
        (("--entry", "CUP234", "--rules", "quick"), "--rules is for a table of one's own"),
        (("--as", "foo"), "--as is for a competition: name it with --entry."),
        (("--partner", "bob"), "--partner is for a competition: name it with --entry."),
    ],
)
async def test_a_bot_plays_a_competition_or_tables_and_not_both(
    spades: Spades, words: tuple[str, ...], said: str
) -> None:
    refused = await spades("agent", "run", "gentle", *words)
    assert refused.status == 2
    assert said in " ".join(refused.errors.replace("│", " ").split())


@pytest.mark.parametrize("what", ["start", "withdraw", "call-off"])
async def test_somebody_who_was_never_there_is_not_registered_to_be_refused(
    spades: Spades, what: str
) -> None:
    name = (await spades("compete", "create", "Cup")).lines[0].split()[0]
    refused = await spades("compete", what, name, "--name", "nobody")
    assert (refused.status, refused.output) == (1, "")
    assert refused.errors.startswith("nobody has not played on that server from this machine")
    # The name is still to be had.
    assert (await spades("compete", "enter", name, "--name", "nobody")).status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("create", "Cup", "--format", "swiss"), "match, round-robin, gauntlet are."),
        (("create", "Cup", "--games", "3"), "give an even number"),
        (("create", "Cup", "--clock", "soon"), "is no time control"),
        (("enter", "NOSUCH"), "There is no competition 'NOSUCH'."),
        (("enter", "NOSUCH", "gentle", "sharp", "--as", "one"), "one by one"),
        (("enter", "NOSUCH", "gentle", "--show-token"), "a house bot has no token"),
        (("status", "NOSUCH"), "There is no competition 'NOSUCH'."),
        (("verify", "NOSUCH"), "There is no competition 'NOSUCH'."),
    ],
)
async def test_what_cannot_be_is_refused_in_a_sentence(
    spades: Spades, words: tuple[str, ...], said: str
) -> None:
    refused = await spades("compete", *words)
    assert refused.status == 1
    assert said in refused.errors
    assert "Traceback" not in refused.errors


async def test_the_token_of_a_player_is_shown_alone_for_a_bot_that_connects_itself(
    spades: Spades,
) -> None:
    made = await spades("compete", "create", "Cup")
    name = made.lines[0].split()[0]
    shown = await spades("compete", "enter", name, "--name", "jay", "--show-token")
    assert len(shown.lines) == 1 and len(shown.lines[0]) > 30
    again = await spades("compete", "enter", name, "--name", "jay", "--show-token")
    assert again.output == shown.output


def a_status(stage: CompetitionStage, *entries: CompetitionEntry) -> CompetitionStatus:
    return CompetitionStatus(
        id="CUP234",
        title="Cup",
        organiser="Ann",
        stage=stage,
        terms=CompetitionTerms(
            format=CompetitionFormat.MATCH,
            boards=True,
            rules=Rules(),
            units=5,
            controls=1,
            challengers=1,
            time_control=TimeControl(2_000, 60_000),
            strikes=3,
            strict=True,
        ),
        seed_commitment="ab" * 32,
        event="",
        streams_root="",
        entries=entries,
        done=2,
        planned=7,
        playing=3,
    )


def test_a_competition_is_told_in_words() -> None:
    running_now = CompetitionStage.RUNNING
    told = a_status(
        running_now,
        CompetitionEntry(
            name="one", bot="sharp", connected=True, rank=1, units=2, points=3.5, lead=12
        ),
        CompetitionEntry(
            name="two", rank=2, units=2, points=0.5, lead=-12, forfeits=1, faults=4,
            fault_causes=(
                CompetitionFault("disconnected", 3, "m0001-u00002", "Its line was lost."),
                CompetitionFault("illegal action", 1, "m0001-u00001", ""),
            ),
        ),
        CompetitionEntry(
            name="three", rank=3, forfeits=3, withdrawn="3 units forfeited", annulled=True
        ),
        CompetitionEntry(name="four", rank=4, withdrawn="it was taken out by the organiser"),
        CompetitionEntry(name="five", rank=4, connected=True),
    )  # fmt: skip
    assert standing_sentences(told) == [
        "1. one (house bot sharp): 3.5 of 4 points, lead +12.0 points per deal.",
        "2. two: 0.5 of 4 points, lead −12.0 points per deal, 1 unit forfeited, 4 faults, not connected.",
        "   disconnected 3 times, the last in m0001-u00002: Its line was lost.",
        "   illegal action once, in m0001-u00001: told when the unit's deals have been played everywhere.",
        "3. three: 3 units forfeited, withdrawn (3 units forfeited), its results are annulled.",
        "4. four: withdrawn (it was taken out by the organiser), its results stand.",
        "4. five: no points yet.",
    ]
    assert progress_sentence(told) == "2 of 7 units are done, 3 are being played."
    assert leaders_sentence(told) == "1. one 3.5 of 4, 2. two 0.5 of 4"
    assert status_sentences(told)[1] == (
        "A match; each match has 5 units of one deal at two tables each; 2 s for a decision and 60 s in the"
        " bank of a seat; any fault forfeits the game."
    )


@pytest.mark.parametrize(
    ("stage", "counts", "said"),
    [
        (CompetitionStage.OPEN, (0, 0, 0, 0), "Entries are open: there are 0 entries so far."),
        (CompetitionStage.RUNNING, (1, 1, 0, 1), "1 of 1 unit is done, 1 is being played."),
        (
            CompetitionStage.FINISHED,
            (32, 45, 13, 0),
            "It is over: 32 of 45 units are done; 13 are not played, since an entry was withdrawn.",
        ),
        (CompetitionStage.CALLED_OFF, (0, 0, 0, 0), "It was called off."),
    ],
)
def test_how_far_a_competition_is_is_told_with_what_became_of_the_rest(
    stage: CompetitionStage, counts: tuple[int, int, int, int], said: str
) -> None:
    done, planned, dropped, playing = counts
    told = replace(a_status(stage), done=done, planned=planned, dropped=dropped, playing=playing)

    assert progress_sentence(told) == said


@pytest.mark.parametrize(
    ("entries", "said"), [(1, "there is 1 entry so far"), (2, "there are 2 entries so far")]
)
def test_entries_are_counted_in_singular_and_plural(entries: int, said: str) -> None:
    some = [CompetitionEntry(name=f"entry {number}") for number in range(entries)]

    assert said in progress_sentence(a_status(CompetitionStage.OPEN, *some))


def test_the_rules_of_a_competition_are_told_as_at_a_table_and_as_they_are_typed() -> None:
    status = a_status(CompetitionStage.OPEN)
    rules = replace(status.terms.rules, target=100)
    told = terms_sentences(replace(status.terms, rules=rules, strict=False, boards=False))

    assert "3 faults of a side forfeit its game." in told[0]
    assert (
        "a side has 100 points, or has fallen to -200, and after 50 hands at the latest" in told[1]
    )
    assert "A card that was played stays played." in told[1]
    assert told[2] == "As --rules takes them: classic,target=100."


def test_a_match_against_bots_imports_no_competitions(run_python: Callable[[str], str]) -> None:
    """What only competitions need would make everybody wait."""
    program = (
        "import sys, spades_client.solo, spades_client.programs\n"
        "print(*{name.split('.')[0] for name in sys.modules} & {'spades_arena', 'numpy', 'sqlalchemy'})"
    )
    assert run_python(program).strip() == ""


@pytest.fixture
def run_python() -> Callable[[str], str]:
    def ran(program: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        return done.stdout

    return ran
