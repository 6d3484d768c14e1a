"""Names and tokens that are kept between two starts of the client."""

from __future__ import annotations

import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from spades import Reason, SpadesError
from spades_agents import Server
from spades_client import identity as identities
from spades_client.identity import Identity, default_name, log_in
from spades_client.identity import state_folder as folder_in_use
from spades_client.settings import Settings, save_settings
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    async with running(ServerConfig(port=0)) as it:
        yield it


@pytest.fixture
async def connection(server: SpadesServer) -> AsyncIterator[Server]:
    async with Server(f"127.0.0.1:{server.port}") as it:
        yield it


async def log_in_once(connection: Server, name: str) -> Identity:
    """Logs in and leaves again, as a client that has ended."""
    held = await log_in(connection, name)
    held.release()
    return held


async def test_a_token_is_kept_where_only_its_owner_reads_it_and_used_again(
    connection: Server, state_folder: Path
) -> None:
    first = await log_in_once(connection, "Ann")
    assert first.path.is_relative_to(state_folder)
    assert stat.S_IMODE(first.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(first.path.parent.stat().st_mode) == 0o700
    assert json.loads(first.path.read_text()) == {"name": "Ann", "token": first.token}
    connection.token = ""
    again = await log_in_once(connection, "Ann")
    assert (again.name, again.token) == ("Ann", first.token)
    assert connection.token == first.token
    assert await connection.me() == ("Ann", ())


async def test_each_server_and_each_name_has_a_token_of_its_own(connection: Server) -> None:
    ann, bob = await log_in_once(connection, "Ann"), await log_in_once(connection, "Bob")
    assert ann.path != bob.path
    async with running(ServerConfig(port=0)) as other, Server(f"127.0.0.1:{other.port}") as there:
        elsewhere = await log_in_once(there, "Ann")
    assert elsewhere.path != ann.path
    assert len({ann.token, bob.token, elsewhere.token}) == 3


async def log_in_after_a_restart(text: str) -> tuple[str, Identity]:
    """Logs in, writes something into the file, and logs in again at a server that remembers nobody.

    Gives the first token, and the second identity.
    """
    async with running(ServerConfig(port=0)) as server:
        target = f"127.0.0.1:{server.port}"
        async with Server(target) as connection:
            first = await log_in_once(connection, "Ann")
    if text:
        first.path.write_text(text)
    async with running(ServerConfig(port=server.port)), Server(target) as connection:
        again = await log_in_once(connection, "Ann")
        assert await connection.me() == ("Ann", ())
    assert again.path == first.path
    return first.token, again


async def test_a_token_that_the_server_has_forgotten_is_replaced() -> None:
    forgotten, again = await log_in_after_a_restart("")
    assert again.token not in ("", forgotten)
    assert json.loads(again.path.read_text()) == {"name": "Ann", "token": again.token}


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "{",
        "[]",
        "7",
        "null",
        "{}",
        '{"token": null}',
        '{"token": ""}',
        '{"token": 7}',
        '{"token": "a\\nb"}',
        '{"token": "é牌"}',
        '{"token": "\\u0000"}',
        '{"token": "\\ud800"}',
        "[" * 5_000,
    ],
    ids=lambda text: text[:20],
)
async def test_a_file_that_holds_no_token_is_as_good_as_none(text: str) -> None:
    _, again = await log_in_after_a_restart(text)
    assert json.loads(again.path.read_text()) == {"name": "Ann", "token": again.token}


async def test_a_token_that_belongs_to_nobody_does_not_take_a_name_that_is_somebodys(
    connection: Server,
) -> None:
    kept = await log_in_once(connection, "Ann")
    kept.path.write_text(json.dumps({"name": "Ann", "token": "forged"}))
    with pytest.raises(SpadesError, match="taken") as raised:
        await log_in(connection, "Ann")
    assert raised.value.reason is Reason.NAME_TAKEN


async def test_a_name_that_another_client_of_this_machine_uses_is_refused(
    connection: Server,
) -> None:
    held = await log_in(connection, "Ann")
    with pytest.raises(SpadesError, match="Ann is playing from this machine already"):
        await log_in(connection, "Ann")
    held.release()
    assert (await log_in_once(connection, "Ann")).token == held.token


async def test_without_a_name_a_second_client_gets_a_second_name(connection: Server) -> None:
    assert default_name() == "tester"
    first = await log_in(connection, "")
    second = await log_in(connection, "")
    assert (first.name, second.name) == ("tester", "tester-2")
    first.release()
    third = await log_in(connection, "")
    assert (third.name, third.token) == ("tester", first.token)
    second.release()
    third.release()


async def test_without_a_name_one_that_is_taken_elsewhere_is_passed_over(
    connection: Server, state_folder: Path
) -> None:
    await connection.register("tester")
    assert (await log_in_once(connection, "")).name == "tester-2"
    assert folder_in_use() == state_folder


async def test_a_name_that_the_server_refuses_is_refused_with_its_sentence_and_not_held(
    connection: Server,
) -> None:
    with pytest.raises(SpadesError) as raised:
        await log_in(connection, "x" * 25)
    assert raised.value.reason is Reason.NAME_INVALID
    with pytest.raises(SpadesError) as raised:
        await log_in(connection, "x" * 25)
    assert raised.value.reason is Reason.NAME_INVALID


def test_a_person_without_a_login_name_is_called_player(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise OSError("no such user")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert default_name() == "player"
    monkeypatch.setattr("getpass.getuser", lambda: " a very long login name indeed ")
    assert default_name() == "a very long login na"


def test_one_server_of_this_machine_has_one_identity_however_it_is_called() -> None:
    first = identities.hold("localhost:7450", "Ann")
    assert first is not None
    first.token = "token"
    first.keep()
    first.release()
    again = identities.hold("127.0.0.1:7450", "Ann")
    assert again is not None
    assert again.token == "token"
    again.release()
    other = identities.hold("127.0.0.1:7451", "Ann")
    assert other is not None
    assert other.token == ""
    other.release()


def test_the_name_of_the_settings_comes_before_the_login_name() -> None:
    assert default_name() == "tester"
    assert save_settings(Settings(name="Zoë")) == ""
    assert default_name() == "Zoë"
