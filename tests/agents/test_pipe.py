"""Programs as agents: the same game as in process, and one kind of failure for each way to fail."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from spades import (
    BLIND_NIL,
    Bid,
    CardPlayed,
    Look,
    MakeBid,
    Match,
    PassCards,
    Play,
    Seat,
    SeatView,
    SeededDeals,
    parse_rules,
    view,
)
from spades.actions import Action
from spades_agents import (
    AgentFailure,
    Crashed,
    DidNotStart,
    Ended,
    GivenUp,
    Malformed,
    conversation,
    load_agent,
    play,
    play_local,
    play_local_async,
    program,
)
from spades_agents.agent import decide
from spades_agents.pipe import MOST_DEATHS, PipeAgent
from spades_proto.records import game_json
from spades_server.app import SpadesServer

SOUTH, WEST, NORTH, EAST = Seat
PATIENCE = 30.0
R = TypeVar("R")
BLIND = "max_hands=3,floor=none,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"

HEAD = """
import json, os, signal, subprocess, sys, time

def say(**line):
    print(json.dumps(line), flush=True)

def answer(request, **action):
    say(command={"decision": request["ask"]["decision"]["id"], "action": action})

def act(request):
    decision = request["ask"]["decision"]
    if decision["may_look"]:
        answer(request, look={})
    elif decision["kind"] == "DECISION_KIND_BID":
        answer(request, bid={"tricks": 3})
    elif decision["kind"] == "DECISION_KIND_PASS_CARDS":
        cards = request["ask"]["view"]["hand"]["cards"]
        answer(request, pass_cards={"cards": cards[: decision["pass_count"]]})
    else:
        answer(request, play=decision["legal_plays"][0])

requests = (json.loads(line) for line in sys.stdin)
"""
READY = """
next(requests)
say(ready={"name": "Scripted", "version": "7"})
"""
PLAYS = """
for request in requests:
    if "ask" in request:
        act(request)
"""

Write = Callable[[str], PipeAgent]


@pytest.fixture
async def write(tmp_path: Path) -> AsyncIterator[Write]:
    """Makes agents of the texts of their programs, and closes them."""
    made: list[PipeAgent] = []

    def make(text: str) -> PipeAgent:
        path = tmp_path / f"bot{len(made)}.py"
        path.write_text(HEAD + text, encoding="utf-8")
        made.append(PipeAgent([sys.executable, str(path)]))
        return made[-1]

    yield make
    for agent in made:
        await agent.close()


def view_of(seat: Seat = SOUTH, rules: str = "classic", bids: Sequence[int] = ()) -> SeatView:
    match = Match(parse_rules(rules), SeededDeals(bytes(32)))
    for tricks in bids:
        assert match.turn is not None
        match.bid(match.turn, Bid(tricks))
    return view(match, seat, b"secret")


PLAYING = (3, 3, 3, 3)
"""The bids after which a card is asked for."""


async def ask(agent: PipeAgent, seen: SeatView) -> Action:
    action = decide(agent, seen)
    assert isinstance(action, Awaitable)
    return await asyncio.wait_for(action, PATIENCE)


async def failing(agent: PipeAgent, seen: SeatView, kind: type[AgentFailure]) -> AgentFailure:
    with pytest.raises(kind) as caught:
        await ask(agent, seen)
    return caught.value


# What goes well.


async def test_a_program_says_its_name_and_its_version(write: Write) -> None:
    agent = write(READY + PLAYS)
    assert agent.name == "bot0"
    await agent.get_ready()
    assert (agent.name, agent.version) == ("Scripted", "7")


async def test_a_program_answers_every_kind_of_decision(write: Write) -> None:
    agent = write(READY + PLAYS)
    match = Match(parse_rules(BLIND), SeededDeals(bytes(32)))
    match.act(SOUTH, MakeBid(BLIND_NIL))
    match.act(WEST, Look())
    match.act(WEST, MakeBid(Bid(2)))
    seen: set[type] = set()
    while match.hand_number == 1 and match.turn is not None:
        seat = match.turn
        action = await ask(agent, view(match, seat))
        seen.add(type(action))
        match.act(seat, action)
    assert seen == {Look, MakeBid, PassCards, Play}


async def test_a_program_bids_blind_nil(write: Write) -> None:
    agent = write(READY + 'answer(next(requests), bid={"tricks": 0, "blind": True})')
    assert await ask(agent, view_of(rules=BLIND)) == MakeBid(BLIND_NIL)


async def test_a_program_is_asked_with_all_that_a_player_without_memory_needs(
    write: Write, tmp_path: Path
) -> None:
    agent = write(
        READY
        + "request = next(requests)\nprint(json.dumps(request), file=sys.stderr)\nact(request)"
    )
    seen = view_of(bids=PLAYING)
    await ask(agent, seen)
    await agent.close()
    told = json.loads(agent.errors)["ask"]
    assert told["decision"]["id"] == "1"
    assert told["decision"]["legal_plays"] == [f"CARD_{card}" for card in seen.legal_plays]
    assert told["view"]["seat"] == "SEAT_SOUTH"
    assert told["view"]["hand"]["cards"] == [f"CARD_{card}" for card in seen.hand]
    assert told["view"]["rules"]["target"] == 500
    assert told["view"]["bids"] == [
        {"seat": f"SEAT_{seat.name}", "bid": {"tricks": 3, "blind": False}} for seat in Seat
    ]
    assert told["view"]["taken"] == [0, 0, 0, 0]
    assert told["view"]["standings"] == [{"total": 0, "bags": 0}] * 2
    assert told["view"]["trick"] == told["view"]["tricks"] == []
    assert int(told["view"]["rng_seed"], 16) == seen.rng_seed
    assert "sent_us" not in told


AGENT = """
from spades_agents import Agent, serve_stdio

class Drawing(Agent):
    def bid(self, view):
        return view.legal_bids[view.rng_seed % min(6, len(view.legal_bids))]

    def play(self, view):
        return view.rng().choice(view.legal_plays)

    def blind_bid(self, view):
        return view.rng_seed % 3 == 0

    def pass_cards(self, view):
        return view.rng().sample(view.hand, view.pass_count)

class Slow(Drawing):
    async def play(self, view):
        return super().play(view)

class Failing(Drawing):
    def play(self, view):
        raise RuntimeError("no card today")

if __name__ == "__main__":
    import sys
    serve_stdio(globals()[sys.argv[1]])
"""


@pytest.fixture
def drawing(tmp_path: Path) -> Path:
    path = tmp_path / "drawing.py"
    path.write_text(AGENT, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["Drawing", "Slow"])
@pytest.mark.parametrize("rules", [BLIND, "nyc,max_hands=2"])
def test_an_agent_plays_the_same_game_in_process_and_as_a_program(
    drawing: Path, kind: str, rules: str
) -> None:
    spec = f"cmd:'{sys.executable}' '{drawing}' {kind}"
    piped = play_local([spec, "gentle", spec, "random"], rules, seed="same")
    own = f"{drawing}:{kind}"
    within = play_local([own, "gentle", own, "random"], rules, seed="same")
    assert game_json(piped.match) == game_json(within.match)


async def test_one_program_plays_four_seats_of_two_tables_at_once(drawing: Path) -> None:
    agent = PipeAgent([sys.executable, str(drawing), "Slow"])
    games = await asyncio.gather(
        *(play_local_async([agent] * 4, "max_hands=1", seed=seed) for seed in "12")
    )
    await agent.close()
    for seed, game in zip("12", games, strict=True):
        within = await play_local_async([f"{drawing}:Slow"] * 4, "max_hands=1", seed=seed)
        assert game_json(game.match) == game_json(within.match)


async def test_a_program_plays_on_a_server(drawing: Path, target: str) -> None:
    said: list[str] = []
    (result,) = await play(
        f"cmd:'{sys.executable}' '{drawing}' Drawing", target, rules=BLIND, report=said.append
    )
    assert result.record
    assert said == []


def test_an_agent_may_be_used_in_one_event_loop_after_the_other(drawing: Path) -> None:
    agent = PipeAgent([sys.executable, str(drawing), "Drawing"])
    for _ in range(2):
        assert play_local([agent, "random", "random", "random"], "max_hands=1").outcome
    asyncio.run(agent.close())


# Who does not start.


async def test_t04_a_program_that_does_not_exist_did_not_start() -> None:
    agent = PipeAgent(["./no such bot", "--fast"])
    with pytest.raises(
        DidNotStart, match=re.escape("'./no such bot' --fast cannot be started: No")
    ):
        await agent.get_ready()
    await failing(agent, view_of(), DidNotStart)
    await agent.close()


async def test_t04_a_program_that_may_not_be_run_did_not_start(tmp_path: Path) -> None:
    path = tmp_path / "bot"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o600)
    agent = PipeAgent([str(path)])
    with pytest.raises(DidNotStart, match="Permission denied"):
        await agent.get_ready()
    await agent.close()


async def test_a_program_that_ends_before_it_is_ready_did_not_start(write: Write) -> None:
    agent = write('print("no model", file=sys.stderr)\nsys.exit(3)')
    with pytest.raises(DidNotStart, match="ended with exit code 3 before it was ready") as caught:
        await agent.start_match(SOUTH, parse_rules("classic"))
    assert caught.value.evidence == "no model\n"


async def test_a_program_that_says_something_else_first_did_not_start(write: Write) -> None:
    agent = write('print("Welcome!")\n' + READY + PLAYS)
    with pytest.raises(DidNotStart, match=r"did not begin by saying .*: 'Welcome!' is not JSON"):
        await agent.get_ready()


@pytest.mark.parametrize("name", ["x" * 65, "two\nlines", "\x1b[2J"])
async def test_a_program_whose_name_cannot_be_shown_did_not_start(write: Write, name: str) -> None:
    agent = write(f"next(requests)\nsay(ready={{'name': {name!r}}})\n" + PLAYS)
    with pytest.raises(DidNotStart, match="are printable and have at most 64 characters"):
        await agent.get_ready()


async def test_a_program_that_says_nothing_did_not_start(write: Write) -> None:
    silent = write("for request in requests: pass")
    agent = PipeAgent(silent.command, start_s=0.2)
    with pytest.raises(DidNotStart, match=r"is ready within 0.2 seconds"):
        await agent.get_ready()
    await agent.close()


def test_nobody_plays_where_a_program_does_not_start() -> None:
    with pytest.raises(DidNotStart):
        play_local(["cmd:./nothing", "random", "random", "random"])


async def test_a_program_that_does_not_start_takes_no_seat_on_a_server(target: str) -> None:
    with pytest.raises(DidNotStart):
        await play("cmd:./nothing", target)


# Who crashes.


async def test_t03_a_program_that_dies_in_a_match_has_crashed_and_is_noticed_at_once(
    write: Write,
) -> None:
    agent = write(READY + 'next(requests)\nprint("out of cards", file=sys.stderr)\nos._exit(1)')
    failure = await failing(agent, view_of(), Crashed)
    assert re.search(r"bot0\.py ended with exit code 1\.$", str(failure))
    assert failure.evidence == "out of cards\n"


async def test_a_program_that_a_signal_ends_has_crashed(write: Write) -> None:
    agent = write(READY + "next(requests)\nos.kill(os.getpid(), signal.SIGSEGV)")
    failure = await failing(agent, view_of(), Crashed)
    assert "was ended by SIGSEGV." in str(failure)


async def test_all_decisions_that_are_open_fail_with_the_program(write: Write) -> None:
    agent = write(READY + "for _ in range(3): next(requests)\nsys.exit(1)")
    failures = await asyncio.gather(*(failing(agent, view_of(), Crashed) for _ in range(3)))
    assert len(failures) == 3


async def test_a_program_that_has_ended_is_started_anew_for_the_next_decision(
    write: Write,
) -> None:
    agent = write(
        READY + "for request in requests:\n"
        '    if request["ask"]["view"]["seat"] == "SEAT_WEST": sys.exit(5)\n'
        "    act(request)"
    )
    for _ in range(2 * MOST_DEATHS):
        # Each run answers well before it ends, so none of them counts against the next.
        assert await ask(agent, view_of()) == MakeBid(Bid(3))
        assert "exit code 5" in str(await failing(agent, view_of(WEST, bids=(3,)), Ended))


async def test_a_program_that_ends_between_two_decisions_fails_in_the_second(write: Write) -> None:
    agent = write(
        READY + "act(next(requests))\nprint('no more', file=sys.stderr, flush=True)\nos._exit(3)"
    )
    assert await ask(agent, view_of()) == MakeBid(Bid(3))
    failure = await failing(agent, view_of(), Ended)
    assert failure.evidence == "no more\n"
    assert await ask(agent, view_of()) == MakeBid(Bid(3))


async def test_a_program_that_ends_whenever_it_is_started_is_given_up(write: Write) -> None:
    agent = write(
        'print("once more", file=sys.stderr, flush=True)' + READY + "next(requests)\nsys.exit(5)"
    )
    for _ in range(MOST_DEATHS - 1):
        assert not isinstance(await failing(agent, view_of(), Ended), GivenUp)
    failures = [await failing(agent, view_of(), GivenUp) for _ in range(3)]
    for failure in failures:
        assert re.search(
            r"is given up: it ended 3 times in a row without a good answer\. .*exit code 5\.$",
            str(failure),
        )
        # After the first of them it is not started again.
        assert failure.evidence == "once more\n"
    with pytest.raises(GivenUp):
        await agent.start_match(SOUTH, parse_rules("classic"))


async def test_all_decisions_that_fail_with_one_run_count_as_one_death(write: Write) -> None:
    agent = write(READY + "for _ in range(5): next(requests)\nsys.exit(1)")
    failures = await asyncio.gather(*(failing(agent, view_of(), Ended) for _ in range(5)))
    assert not any(isinstance(failure, GivenUp) for failure in failures)


async def test_a_program_that_cannot_be_started_again_is_given_up(
    write: Write, tmp_path: Path
) -> None:
    agent = write(READY + f"next(requests)\nos.remove({str(tmp_path / 'bot0.py')!r})\nsys.exit(1)")
    await failing(agent, view_of(), Ended)
    for _ in range(MOST_DEATHS - 1):
        await failing(agent, view_of(), DidNotStart)
    assert "before it was ready" in str(await failing(agent, view_of(), GivenUp))


async def test_a_program_that_closes_its_output_is_ended(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "GRACE_S", 0.1)
    agent = write(READY + "next(requests)\nos.close(1)\nfor request in requests: pass")
    assert "was ended by SIGKILL" in str(await failing(agent, view_of(), Crashed))


async def test_an_agent_that_raises_in_its_program_has_crashed_in_that_decision_alone(
    drawing: Path,
) -> None:
    agent = PipeAgent([sys.executable, str(drawing), "Failing"])
    failure = await failing(agent, view_of(bids=PLAYING), Crashed)
    assert str(failure).endswith(" failed: RuntimeError: no card today")
    assert isinstance(await ask(agent, view_of()), MakeBid)
    assert "Traceback" in agent.errors
    await agent.close()


async def test_on_a_server_a_crash_is_reported_and_the_match_goes_on(
    write: Write, target: str
) -> None:
    agent = write(
        READY + "for request in requests:\n"
        '    if "ask" in request and request["ask"]["decision"]["number"] > 52: sys.exit(1)\n'
        '    if "ask" in request: act(request)'
    )
    said: list[str] = []
    (result,) = await play(agent, target, rules="max_hands=1", report=said.append)
    assert result.record
    (failure,) = said
    assert "ended with exit code 1" in failure and "Traceback" not in failure


async def test_on_a_server_a_program_that_is_given_up_leaves_and_its_seat_is_empty(
    write: Write, server: SpadesServer, target: str
) -> None:
    agent = write(READY + "next(requests)\nsys.exit(1)")
    said: list[str] = []
    with pytest.raises(GivenUp, match=r"is given up: .* ended with exit code 1\.$"):
        await play(agent, target, rules="max_hands=1", report=said.append)
    assert len(said) == MOST_DEATHS
    (host,) = server.lobby
    assert host.table.state.seats[SOUTH].away
    # The last decision was answered before the line was hung up.
    match = host.table.match
    assert match is not None
    assert len([event for event in match.log if isinstance(event, CardPlayed)]) > MOST_DEATHS


# Who answers with something that is no answer.

NONSENSE = {
    'print("QS")': "'QS' is not JSON: Expecting value at character 1.",
    "print([1, 2])": "'[1, 2]' is no JSON object.",
    "say()": "The line holds no command.",
    "say(ready={})": "The line holds no command.",
    'say(comand={"decision": 1})': "is no PipeResponse: Message type",
    "say(command={})": "The line does not say which decision it answers.",
    "say(command={'decision': 99, 'action': {'look': {}}})": (
        "99 is the id of no decision that was asked for."
    ),
    "say(command={'decision': 1})": "The action is missing.",
    "answer(request, undo={})": "The action 'undo' is no answer: a card to play was asked for.",
    'answer(request, bid={"tricks": 4})': ("The bid 4 is no answer: a card to play was asked for."),
    'answer(request, play="CARD_XX")': "is no PipeResponse: ",
    'answer(request, play="CARD_UNSPECIFIED")': "The card is missing.",
    'answer(request, pass_cards={"cards": []})': (
        "The action 'pass cards' is no answer: a card to play was asked for."
    ),
    r'os.write(1, b"\xff\xfe\n")': "is not JSON",
    'print("[" * 30000)': "is not JSON",
}


@pytest.mark.parametrize("line", NONSENSE)
async def test_what_is_no_answer_is_malformed_and_the_program_hears_why(
    write: Write, line: str
) -> None:
    agent = write(
        READY
        + f"request = next(requests)\n{line}\n"
        + 'refused = next(requests)["refused"]\n'
        + 'print(refused["refusal"]["sentence"], file=sys.stderr, flush=True)\n'
        + PLAYS
    )
    failure = await failing(agent, view_of(bids=PLAYING), Malformed)
    assert NONSENSE[line] in str(failure)
    # The next decision is answered, and what the program has heard is what the failure says.
    assert await ask(agent, view_of()) == MakeBid(Bid(3))
    assert agent.errors.strip()
    assert agent.errors.strip() in str(failure)


async def test_a_bid_while_the_cards_are_face_down_is_malformed(write: Write) -> None:
    agent = write(READY + 'answer(next(requests), bid={"tricks": 4})\n' + PLAYS)
    failure = await failing(agent, view_of(rules=BLIND), Malformed)
    assert "The bid 4 is no answer: a look or blind nil was asked for." in str(failure)


@pytest.mark.parametrize("end", ["\n", ""])
async def test_a_line_without_an_end_ends_the_program(write: Write, end: str) -> None:
    agent = write(
        READY
        + f"next(requests)\nsys.stdout.write('x' * 70000 + {end!r})\nsys.stdout.flush()\n"
        + PLAYS
    )
    failure = await failing(agent, view_of(), Malformed)
    assert "wrote a line of more than 65,536 bytes, and was ended" in str(failure)
    assert "was ended" in str(await failing(agent, view_of(), Malformed))


async def test_a_program_that_never_stops_talking_is_ended(write: Write) -> None:
    agent = write(READY + "request = next(requests)\nwhile True: act(request)")
    assert await ask(agent, view_of()) == MakeBid(Bid(3))
    failure = await failing(agent, view_of(), Malformed)
    assert "wrote more than 1,000 lines that answer nothing, and was ended." in str(failure)


async def test_a_repeated_answer_is_passed_over(write: Write) -> None:
    agent = write(READY + "request = next(requests)\nact(request)\nact(request)\n" + PLAYS)
    for _ in range(3):
        assert await ask(agent, view_of()) == MakeBid(Bid(3))


async def test_a_late_answer_is_not_taken_for_the_next(write: Write) -> None:
    agent = write(
        READY + "late = next(requests)\nrequest = next(requests)\nact(late)\nact(request)\n" + PLAYS
    )
    await agent.get_ready()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(agent.bid(view_of()), 0.01)
    assert isinstance(await ask(agent, view_of(bids=PLAYING)), Play)


async def test_answers_may_come_in_any_order(write: Write) -> None:
    agent = write(
        READY + "for request in reversed([next(requests) for _ in range(2)]): act(request)"
    )
    bid, card = await asyncio.gather(ask(agent, view_of()), ask(agent, view_of(bids=PLAYING)))
    assert isinstance(bid, MakeBid)
    assert isinstance(card, Play)


# How it ends.


async def gone(pid: int) -> None:
    """Waits until a process is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, ended.set)
    try:
        await asyncio.wait_for(ended.wait(), PATIENCE)
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


async def test_a_program_ends_by_itself_when_its_input_does(write: Write) -> None:
    agent = write(
        READY + "for request in requests: pass\nprint('farewell', file=sys.stderr, flush=True)"
    )
    await agent.get_ready()
    await agent.close()
    assert agent.errors == "farewell\n"


STUBBORN = """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
next(requests)
say(ready={"name": f"{os.getpid()} {child.pid}"})
"""


async def test_a_program_that_does_not_end_is_killed_with_all_that_it_has_started(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "GRACE_S", 0.1)
    agent = write(STUBBORN + "time.sleep(600)")
    await agent.get_ready()
    await agent.close()
    for pid in agent.name.split():
        await gone(int(pid))


async def test_what_a_crashed_program_has_started_ends_with_it(write: Write) -> None:
    agent = write(STUBBORN + "next(requests)\nos._exit(1)")
    await failing(agent, view_of(), Crashed)
    for pid in agent.name.split():
        await gone(int(pid))


async def test_a_child_that_left_the_group_and_holds_the_pipes_does_not_keep_it_open(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "GRACE_S", 0.1)
    agent = write(
        STUBBORN.replace('600)"]', '600)"], start_new_session=True') + "next(requests)\nos._exit(1)"
    )
    await failing(agent, view_of(), Crashed)
    child = int(agent.name.split()[1])
    os.kill(child, signal.SIGKILL)
    await gone(child)


async def test_only_the_end_of_what_a_program_complains_of_is_kept(write: Write) -> None:
    agent = write(READY + "next(requests)\nsys.stderr.write('x' * 100000 + 'end')\nos._exit(1)")
    failure = await failing(agent, view_of(), Crashed)
    assert len(failure.evidence) == program.ERRORS_KEPT
    assert failure.evidence.endswith("xend")


async def test_closing_twice_or_without_a_start_does_nothing(write: Write) -> None:
    agent = write(READY + PLAYS)
    await agent.close()
    await agent.get_ready()
    await agent.close()
    await agent.close()
    assert not [one for one in threading.enumerate() if one.name.startswith("pipe of")]


async def test_a_start_that_nobody_waits_for_any_more_leaves_no_program(write: Write) -> None:
    agent = write("print(os.getpid(), file=sys.stderr, flush=True)\nfor request in requests: pass")
    starting = asyncio.create_task(agent.get_ready())
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await agent.close()


async def test_a_program_that_never_reads_can_be_asked_and_closed(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "GRACE_S", 0.1)
    agent = write(READY + "time.sleep(600)")
    await agent.get_ready()
    for _ in range(100):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(agent.bid(view_of()), 0.001)
    await agent.close()


# How it is named.


def test_a_command_is_read_as_a_shell_would(tmp_path: Path) -> None:
    agent = load_agent("cmd:./my\\ bot 'level 3' --fast")()
    assert isinstance(agent, PipeAgent)
    assert agent.command == ("./my bot", "level 3", "--fast")
    assert agent.name == "my bot"
    assert load_agent("cmd:python3 bots/clever.py")().name == "clever"


async def test_a_program_is_found_from_the_working_folder(
    drawing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(drawing.parent)
    agent = load_agent(f"cmd:'{sys.executable}' drawing.py Drawing")()
    assert isinstance(agent, PipeAgent)
    assert isinstance(await ask(agent, view_of()), MakeBid)
    await agent.close()


def test_the_limits_are_what_the_documents_say() -> None:
    assert conversation.MOST_UNASKED == 1_000
