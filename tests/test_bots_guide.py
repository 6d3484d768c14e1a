"""The guide for bot authors says what is so: its programs run, its lines are lines, as is the schema."""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast

import pytest
from jsonschema import Draft202012Validator

from spades import SeatView
from spades_agents import Agent, load_agent, play_local
from spades_agents.bots import Beginner
from spades_agents.conversation import Conversation
from spades_agents.misbehaving import MISBEHAVING
from spades_agents.pipe import START_S
from spades_proto.v1 import pipe_pb2
from spades_proto.wire.lines import from_line, to_line

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
SCHEMA: dict[str, Any] = json.loads((ROOT / "docs" / "bot-lines.schema.json").read_bytes())


class Validator(Protocol):
    """The part of a validator that is used here."""

    def validate(self, instance: object) -> None: ...

    def is_valid(self, instance: object) -> bool: ...


VALIDATOR = cast("Validator", Draft202012Validator(SCHEMA))


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def json_lines() -> list[dict[str, Any]]:
    return [json.loads(line) for block in blocks("json") for line in block.splitlines()]


def test_the_schema_is_what_the_descriptors_say() -> None:
    names = runpy.run_path(str(ROOT / "docs" / "schema.py"))
    text = cast("Callable[[], str]", names["text"])()
    on_disk = (ROOT / "docs" / "bot-lines.schema.json").read_text(encoding="utf-8")
    assert text == on_disk, "run: python docs/schema.py > docs/bot-lines.schema.json"


def test_the_schema_is_a_schema_and_says_something_of_everything() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for defined in SCHEMA["$defs"].values():
        assert defined["description"]
        for field in defined.get("properties", {}).values():
            assert field["description"]


@pytest.mark.parametrize("line", json_lines(), ids=lambda line: next(iter(line)))
def test_a_line_of_the_guide_fits_the_schema_and_can_be_read(line: dict[str, Any]) -> None:
    VALIDATOR.validate(line)
    asks = line.keys() & {"hello", "ask", "start", "end", "refused"}
    kind = pipe_pb2.PipeRequest if asks else pipe_pb2.PipeResponse
    message = from_line(json.dumps(line).encode(), kind)
    assert message.WhichOneof("kind") in line


class Daring(Beginner):
    """Bids blind nil, so that cards are passed."""

    def blind_bid(self, view: SeatView) -> bool:
        return True


def test_every_line_of_a_match_fits_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[pipe_pb2.PipeRequest] = []
    write = Conversation.write

    def listen(self: Conversation, request: pipe_pb2.PipeRequest) -> None:
        told.append(request)
        write(self, request)

    monkeypatch.setattr(Conversation, "write", listen)
    rules = "max_hands=3,floor=none,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
    spec = f"cmd:'{sys.executable}' '{ROOT}/examples/bots/lines.py'"
    play_local([spec, "gentle", Daring, "gentle"], rules, seed="1")
    for request in told:
        VALIDATOR.validate(json.loads(to_line(request)))
    kinds = {request.WhichOneof("kind") for request in told}
    assert kinds == {"hello", "start", "ask", "end"}
    assert {request.ask.decision.kind for request in told if request.HasField("ask")} == {1, 2, 3}


@pytest.mark.parametrize(
    "line",
    [
        {"command": {"decision": "x", "action": {"look": {}}}},
        {"command": {"decision": 1, "action": {"play": "CARD_1S"}}},
        {"command": {"decision": 1, "action": {"play": "CARD_2S", "look": {}}}},
        {"command": {"decision": 1, "acton": {"look": {}}}},
        {"ready": {}, "command": {}},
        {},
    ],
)
def test_what_is_no_line_does_not_fit_the_schema(line: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(line)


def test_the_class_of_the_guide_plays_and_so_does_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, program = blocks("python")
    (tmp_path / "mybot.py").write_text(bot, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(program, "bots.md", "exec"), names)  # the document's own program
    assert "match" in names


def test_the_guide_names_every_method_that_an_author_may_write() -> None:
    for name in vars(Agent):
        if not name.startswith("_") and callable(getattr(Agent, name)):
            assert f"`{name}(" in GUIDE


def test_the_guide_says_how_long_a_program_may_take_to_start() -> None:
    assert f"you have {START_S:.0f} seconds to load" in GUIDE


def test_what_the_guide_points_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        assert (ROOT / "docs" / target).exists(), target


@pytest.mark.parametrize("kind", MISBEHAVING)
def test_the_readme_names_every_way_to_misbehave(kind: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"`{kind}`" in readme or f"`misbehaving:{kind}`" in readme
    assert load_agent(f"misbehaving:{kind}") is MISBEHAVING[kind]
