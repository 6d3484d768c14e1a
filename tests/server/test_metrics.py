"""Figures for Prometheus."""

from __future__ import annotations

import asyncio
import socket
import urllib.request
from collections.abc import AsyncIterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spades import Seat
from spades_agents import Server
from spades_client.session import Changed, TableSession
from spades_proto.table import RecordKept
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    """A server with a page of figures."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    async with running(ServerConfig(port=0, tempo_ms=0, metrics_port=port)) as it:
        yield it


async def figures(server: SpadesServer) -> dict[str, float]:
    """The page, by name and labels."""
    url = f"http://127.0.0.1:{server.config.metrics_port}/metrics"

    def fetch() -> str:
        with urllib.request.urlopen(url) as page:
            return str(page.read().decode())

    text = await asyncio.to_thread(fetch)
    return {
        ".".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_the_page_tells_what_the_server_does(server: SpadesServer) -> None:
    before = await figures(server)
    assert before["spades_players"] == before["spades_streams"] == 0
    async with Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        bots = tuple((seat, "random") for seat in Seat)
        opened = await ann.create_table("quick,max_hands=1", bots=bots)
        session = TableSession(ann, opened.code, None)
        async with asyncio.timeout(60):
            started = False
            async for update in session.updates():
                if not started:
                    started = True
                    now = await figures(server)
                    assert now["spades_spectators"] == now["spades_streams"] == 1
                    assert now["spades_tables.open"] == 1
                    await ann.start(opened.code)
                if isinstance(update, Changed) and isinstance(update.frame.payload, RecordKept):
                    break
    after = await figures(server)
    assert after["spades_players"] == 1
    assert after["spades_matches_total"] == 1
    assert after["spades_tables.finished"] == 1
    assert after["spades_events_total"] > 52
    assert after["spades_commands_total"] > 52
    assert after["spades_call_seconds_count.Register.ok"] == 1
    assert after["spades_loop_lag_seconds"] >= 0


async def test_refused_calls_are_told_apart(server: SpadesServer) -> None:
    async with Server(f"127.0.0.1:{server.port}") as client:
        with pytest.raises(ValueError, match="token"):
            await client.me()
    assert (await figures(server))["spades_call_seconds_count.GetMe.refused"] == 1
