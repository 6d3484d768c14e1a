"""How an agent is named, and the sentence for every name that means none."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from spades import Reason
from spades_agents import HOUSE_BOTS, Agent, SpecError, load_agent, play_local
from spades_agents.specs import agent_of

ONE = """
from spades_agents import Agent

class {name}(Agent):
    def bid(self, view):
        return 1

    def play(self, view):
        return view.legal_plays[0]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for agents' files; what they add to the path goes with it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_house_bot_is_named_by_its_name(name: str) -> None:
    assert load_agent(name)().name == name


def test_a_class_is_named_by_its_module() -> None:
    agent = load_agent("spades_agents.bots.beginner:Beginner")()
    assert agent.name == "beginner"
    assert load_agent("spades_agents.bots.gentle:")().name == "gentle"


def test_a_class_is_named_by_its_file(folder: Path) -> None:
    path = write(folder, "mine.py", ONE.format(name="Mine"))
    agent = load_agent(f"{path}:Mine")()
    assert agent.name == "Mine"
    assert play_local([agent, "random", "random", "random"], "max_hands=1").outcome


def test_the_class_may_be_left_out_where_there_is_one(folder: Path) -> None:
    path = write(folder, "mine.py", ONE.format(name="Mine"))
    assert load_agent(path)().name == "Mine"


def test_a_relative_path_is_read_from_the_working_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "mine.py", ONE.format(name="Mine"))
    monkeypatch.chdir(folder)
    assert load_agent("mine.py:Mine")().name == "Mine"
    assert load_agent(f".{os.sep}mine.py")().name == "Mine"


def test_two_files_of_one_name_are_two_agents(folder: Path) -> None:
    specs: list[str] = []
    for name in ("One", "Two"):
        (folder / name).mkdir()
        specs.append(write(folder / name, "bot.py", ONE.format(name=name)))
    assert [load_agent(spec)().name for spec in specs] == ["One", "Two"]
    assert load_agent(specs[0])().name == "One"


def test_a_file_may_import_what_lies_beside_it(folder: Path) -> None:
    write(folder, "spades_test_helper_beside.py", "TRICKS = 5\n")
    text = "from spades_test_helper_beside import TRICKS\n" + ONE.format(name="Mine")
    assert load_agent(write(folder, "mine.py", text) + ":Mine")().name == "Mine"


def test_an_imported_class_is_not_taken_for_the_files_own(folder: Path) -> None:
    text = "from spades_agents.bots import Gentle, Beginner\n" + ONE.format(name="Mine")
    assert load_agent(write(folder, "mine.py", text))().name == "Mine"


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (
            "nobody",
            "There is no bot 'nobody': random, beginner, gentle, steady, sharp are house bots",
        ),
        ("", "There is no bot ''"),
        ("Gentle", "There is no bot 'Gentle'"),
        ("no_such_module_here:Mine", "There is no module 'no_such_module_here'"),
        ("no.such.module:Mine", "There is no module 'no.such.module'"),
        ("spades_agents.bots.gentle:Nobody", "'Nobody' is no subclass of Agent; found: Gentle"),
        ("spades_agents.bots.gentle:SLIP", "'SLIP' is no subclass of Agent"),
        ("spades_agents.agent:Agent", "Agent lacks bid, play"),
        ("no/such/file.py", "There is no file"),
        ("no/such/file.py:Mine", "There is no file"),
        ("json:", "must name a class"),
        (":Mine", "There is no module"),
    ],
)
def test_a_spec_that_names_no_agent_is_refused_in_a_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_agent(spec)
    assert sentence in caught.value.sentence
    assert caught.value.sentence.endswith(".")
    assert caught.value.reason is Reason.UNKNOWN_BOT


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("def broken(:\n", "Mine", "cannot be loaded: SyntaxError"),
        ("1 / 0\n", "Mine", "cannot be loaded: ZeroDivisionError: division by zero"),
        ("import no_such_module_here\n", "Mine", "cannot be loaded: ModuleNotFoundError"),
        ("x = 1\n", "Mine", "found: none"),
        ("x = 1\n", "", "must name a class"),
        (ONE.format(name="One") + ONE.format(name="Two"), "", "found: One, Two"),
        (ONE.format(name="One") + ONE.format(name="Two"), "Three", "found: One, Two"),
        (ONE.format(name="Mine").replace("bid", "bet"), "Mine", "Mine lacks bid"),
        (ONE.format(name="Mine").replace("(Agent)", ""), "Mine", "is no subclass of Agent"),
        ("Mine = 3\n", "Mine", "is no subclass of Agent"),
    ],
)
def test_a_file_without_the_agent_is_refused_in_a_sentence(
    folder: Path, text: str, name: str, sentence: str
) -> None:
    path = write(folder, "mine.py", text)
    with pytest.raises(SpecError) as caught:
        load_agent(f"{path}:{name}" if name else path)
    assert sentence in caught.value.sentence


def test_a_file_that_could_not_be_loaded_can_be_mended_and_loaded(folder: Path) -> None:
    path = write(folder, "mine.py", "1 / 0\n")
    with pytest.raises(SpecError):
        load_agent(path)
    write(folder, "mine.py", ONE.format(name="Mine"))
    assert load_agent(path)().name == "Mine"


def test_agents_classes_and_specs_are_all_taken_as_agents() -> None:
    factory = load_agent("random")
    agent = factory()
    assert agent_of(agent) is agent
    assert isinstance(agent_of(factory), Agent)
    assert agent_of("gentle").name == "gentle"
