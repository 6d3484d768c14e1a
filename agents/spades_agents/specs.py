"""How an agent is named: one parser for the command line, the SDK and competitions."""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import inspect
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar

from spades import Reason, SpadesError
from spades_agents.agent import Agent
from spades_agents.bots import HOUSE_BOTS
from spades_agents.failures import Exited

AgentFactory = Callable[[], Agent]
T = TypeVar("T")

PROGRAM: Final = "cmd:"
"""How the spec of a program begins."""

MISBEHAVING: Final = "misbehaving:"
"""How the spec of a bot begins that misbehaves on purpose."""


class SpecError(SpadesError):
    """A spec names no agent; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.UNKNOWN_BOT)


def load_agent(spec: str) -> AgentFactory:
    """Finds the agent that a spec names: ``name``, ``module:Class``, ``path.py:Class`` or ``cmd:PROGRAM``.

    The class may be left out where the module or file defines just one agent. A program is written as for a
    shell, with its arguments, and found from the working folder; it is started when it must play.

    >>> load_agent("gentle")().name
    'gentle'

    :raises SpecError: if there is no such bot, module, file or class, or it is no agent.
    """
    if spec.startswith(PROGRAM):
        return _program(spec)
    if spec.startswith(MISBEHAVING):
        return _misbehaving(spec)
    if spec in HOUSE_BOTS:
        return HOUSE_BOTS[spec]
    place, colon, name = spec.rpartition(":")
    # A drive letter is no module: `C:\bots\my.py` has a colon too.
    if not colon or not place or name.endswith(".py"):
        place, name = spec, ""
    if not place.endswith(".py") and not colon:
        raise SpecError(
            f"There is no bot {spec!r}: {', '.join(HOUSE_BOTS)} are house bots, and your own is"
            " written module:Class, path.py:Class or, in another language, cmd:PROGRAM."
        )
    module = _load_file(Path(place)) if place.endswith(".py") else _load_module(place)
    return _agent_class(module, name, spec)


def agent_of(agent: Agent | AgentFactory | str) -> Agent:
    """Makes an agent of an agent, a class or a spec.

    :raises SpecError: if the spec names none.
    :raises Exited: if the class calls ``sys.exit``.
    """
    if isinstance(agent, Agent):
        return agent
    factory = load_agent(agent) if isinstance(agent, str) else agent
    try:
        return factory()
    except SystemExit as error:
        raise Exited(error) from error


def _program(spec: str) -> AgentFactory:
    from spades_agents.pipe import PipeAgent  # noqa: PLC0415  # most agents are no programs

    try:
        command = shlex.split(spec.removeprefix(PROGRAM))
    except ValueError as error:
        raise SpecError(f"{spec} cannot be read as a command: {error}.") from None
    if not command:
        raise SpecError(f"{spec} names no program: write cmd:PROGRAM and its arguments.")
    return functools.partial(PipeAgent, command)


def _misbehaving(spec: str) -> AgentFactory:
    from spades_agents import misbehaving  # noqa: PLC0415  # for tests alone

    kinds = misbehaving.MISBEHAVING
    kind = spec.removeprefix(MISBEHAVING)
    if kind not in kinds:
        raise SpecError(f"No bot misbehaves in the way {kind!r}: {', '.join(kinds)} are there.")
    return kinds[kind]


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise SpecError(f"There is no file {path}.")
    # Two files of one name are two modules.
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    name = f"spades_agent_{digest}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SpecError(f"{path} cannot be read as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # A file may import what lies beside it.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    _run(lambda: spec.loader.exec_module(module) if spec.loader else None, str(path))
    return module


def _load_module(name: str) -> ModuleType:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise SpecError(f"There is no module {name!r} that could be imported.")
    return _run(lambda: importlib.import_module(name), name)


def _run(load: Callable[[], T], place: str) -> T:
    try:
        return load()
    except (Exception, SystemExit) as error:  # somebody else's code: whatever it raises is reported
        raise SpecError(f"{place} cannot be loaded: {type(error).__name__}: {error}") from error


def _agent_class(module: ModuleType, name: str, spec: str) -> AgentFactory:
    found = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and issubclass(value, Agent)
        and not inspect.isabstract(value)
        and value.__module__ == module.__name__
    ]
    if name:
        value = getattr(module, name, None)
        if not (inspect.isclass(value) and issubclass(value, Agent)):
            have = ", ".join(cls.__name__ for cls in found) or "none"
            raise SpecError(
                f"{spec} names no agent: {name!r} is no subclass of Agent; found: {have}."
            )
        if inspect.isabstract(value):
            lacking = ", ".join(sorted(value.__abstractmethods__))
            raise SpecError(f"{spec} is not finished: {name} lacks {lacking}.")
        return value
    if len(found) != 1:
        have = ", ".join(cls.__name__ for cls in found) or "none"
        raise SpecError(f"{spec} must name a class, as in {spec}:MyAgent; found: {have}.")
    return found[0]
