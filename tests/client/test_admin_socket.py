"""The admin socket: what whoever runs a server asks of it, and nobody else can."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from spades import Reason, Seat, SpadesError
from spades_agents import Server
from spades_client import admin_calls
from spades_client.session import Ended, TableSession
from spades_proto.admin import SOCKET
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[SpadesServer]:
    """A server with an admin socket."""
    async with running(ServerConfig(port=0, data=tmp_path, home=tmp_path)) as it:
        yield it


@pytest.fixture
async def ann(server: SpadesServer) -> AsyncIterator[Server]:
    """A player."""
    async with Server(f"127.0.0.1:{server.port}") as client:
        await client.register("Ann")
        yield client


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


@pytest.mark.usefixtures("server")
def test_nobody_but_the_owner_may_connect(tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / SOCKET).stat().st_mode) == 0o600


async def test_the_status_and_all_tables_are_told(
    ann: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await admin_calls.tables(tmp_path)
    assert told(capsys) == "There is no table.\n"
    opened = await ann.create_table(
        "", private=True, seats=(Seat.SOUTH,), bots=[(seat, "gentle") for seat in Seat if seat],
        start=True,
    )  # fmt: skip
    await admin_calls.tables(tmp_path)
    line = told(capsys)
    assert line.startswith(f"{opened.code} of Ann: playing, hand 1, private; South Ann")
    await admin_calls.status(tmp_path)
    status = told(capsys)
    assert "Tables: 1, 1 of them in a match. Streams: 0. Players: 1." in status
    assert f"Reached by: spades://127.0.0.1:{ann.link.port}" in status


async def test_a_table_is_closed_with_a_sentence_and_stays_closed(
    ann: Server, server: SpadesServer, tmp_path: Path
) -> None:
    opened = await ann.create_table("", seats=(Seat.SOUTH,))
    session = TableSession(ann, opened.code, Seat.SOUTH)
    last = None
    async with asyncio.timeout(20):
        async for update in session.updates():
            if last is None:
                await admin_calls.close_table(tmp_path, opened.code.lower(), "Good night.")
            last = update
    assert isinstance(last, Ended)
    assert len(server.lobby) == 0
    with pytest.raises(SpadesError, match="There is no table"):
        await admin_calls.close_table(tmp_path, opened.code, "")


async def test_a_revoked_token_is_nobodys_and_its_streams_end(ann: Server, tmp_path: Path) -> None:
    opened = await ann.create_table("", seats=(Seat.SOUTH,))
    session = TableSession(ann, opened.code, Seat.SOUTH)
    last = None
    async with asyncio.timeout(20):
        async for update in session.updates():
            if last is None:
                await admin_calls.revoke_token(tmp_path, "ann")
            last = update
    assert isinstance(last, Ended)
    with pytest.raises(SpadesError) as caught:
        await ann.me()
    assert caught.value.reason is Reason.TOKEN_INVALID
    with pytest.raises(SpadesError) as caught:
        await ann.register("Ann")
    assert caught.value.reason is Reason.NAME_TAKEN
    with pytest.raises(SpadesError, match="There is no player 'Nobody'"):
        await admin_calls.revoke_token(tmp_path, "Nobody")


async def test_the_server_is_asked_to_stop(server: SpadesServer, tmp_path: Path) -> None:
    await admin_calls.stop(tmp_path)
    assert server.asked_to_stop.is_set()


async def test_where_no_server_runs_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(SpadesError, match=f"No server runs with the data in {tmp_path}"):
        await admin_calls.status(tmp_path)
