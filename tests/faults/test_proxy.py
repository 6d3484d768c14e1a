"""The line that fails does what it is told: else the rounds would prove nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from tests.faults.proxy import Proxy
from tests.lines import hung_up

Dial = Callable[[], Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]]
PATIENCE = 20.0


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    """A line to a server that says everything again, and "bye" at the end."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1_000):
                writer.write(data)
            writer.write(b"bye")
            writer.write_eof()
        except OSError:
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    echoing: set[asyncio.Task[None]] = set()

    def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        echoing.add(asyncio.create_task(echo(reader, writer)))

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    it = Proxy(server.sockets[0].getsockname()[1])
    await it.start()
    yield it
    await it.stop()
    await hung_up(server)
    await asyncio.gather(*echoing)


@pytest.fixture
async def dial(proxy: Proxy) -> AsyncIterator[Dial]:
    writers: list[asyncio.StreamWriter] = []

    async def dialled() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writers.append(writer)
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
        return reader, writer

    yield dialled
    for writer in writers:
        writer.transport.abort()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


async def test_a_cut_resets_the_lines_there_are_and_takes_new_ones(
    proxy: Proxy, dial: Dial
) -> None:
    reader, _ = await dial()
    proxy.cut()
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(reader.read(), PATIENCE)
    await dial()
    assert proxy.opened == 2


async def test_what_is_sent_into_a_black_hole_arrives_when_it_is_gone(
    proxy: Proxy, dial: Dial
) -> None:
    reader, writer = await dial()
    proxy.black_hole()
    writer.write(b"are you there?")
    _, other = await asyncio.open_connection("127.0.0.1", proxy.port)
    other.write(b"and you?")
    await other.drain()
    reading = asyncio.create_task(reader.read(100))
    # Another line through the same loop has had many turns by now; this one has had nothing.
    for _ in range(200):
        await asyncio.sleep(0)
    assert not reading.done()
    proxy.heal()
    assert await asyncio.wait_for(reading, PATIENCE) == b"are you there?"
    other.transport.abort()


async def test_what_is_in_a_black_hole_is_lost_with_its_line(proxy: Proxy, dial: Dial) -> None:
    reader, writer = await dial()
    proxy.black_hole()
    writer.write(b"are you there?")
    proxy.cut()
    proxy.heal()
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(reader.read(), PATIENCE)


async def test_a_slow_line_brings_everything_in_order(proxy: Proxy, dial: Dial) -> None:
    reader, writer = await dial()
    proxy.delay(0.01)
    proxy.throttle(40_000)
    said = bytes(range(256)) * 20
    writer.write(said)
    assert await asyncio.wait_for(reader.readexactly(len(said)), PATIENCE) == said


async def test_a_half_closed_line_still_carries_the_other_way(proxy: Proxy, dial: Dial) -> None:
    reader, _ = await dial()
    proxy.half_close(towards_server=True)
    assert await asyncio.wait_for(reader.read(), PATIENCE) == b"bye"
    reader, _ = await dial()
    proxy.half_close(towards_server=False)
    assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
