"""The yardstick of the wire: a bare bidirectional echo over grpc.aio, each stream on its own connection."""

from __future__ import annotations

import asyncio
import sys
import time

import grpc
from grpc import aio

PAYLOAD = b"x" * 20


async def serve() -> None:
    """Echoes until the input ends; prints its port."""

    async def echo(_requests: object, context: aio.ServicerContext[bytes, bytes]) -> None:
        while (message := await context.read()) is not aio.EOF:  # type: ignore[comparison-overlap]
            await context.write(message)

    server = aio.server(options=(("grpc.so_reuseport", 0),))
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(echo)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("bench.Echo", {"Echo": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.stop(0)


async def round_trips_per_second(port: int, streams: int, seconds: float) -> float:
    """Keeps one message under way on each stream and counts the round trips."""
    options = (("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0))
    channels = [aio.insecure_channel(f"127.0.0.1:{port}", options=options) for _ in range(streams)]
    calls: list[aio.StreamStreamCall[bytes, bytes]] = [
        channel.stream_stream("/bench.Echo/Echo")() for channel in channels
    ]
    counts = [0] * streams
    stop = False

    async def bounce(number: int) -> None:
        call = calls[number]
        while not stop:
            await call.write(PAYLOAD)
            await call.read()
            counts[number] += 1

    tasks = [asyncio.create_task(bounce(number)) for number in range(streams)]
    await asyncio.sleep(0.5)
    before, start = sum(counts), time.perf_counter()
    await asyncio.sleep(seconds)
    rate = (sum(counts) - before) / (time.perf_counter() - start)
    stop = True
    await asyncio.gather(*tasks)
    for call, channel in zip(calls, channels, strict=True):
        call.cancel()
        await channel.close()
    return rate


if __name__ == "__main__":
    asyncio.run(serve())
