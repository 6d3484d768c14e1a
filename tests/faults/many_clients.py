"""A process of many clients, each with a line, a seat and a feed of its own, that waits to be killed."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack

from spades import Seat
from spades_proto import wire
from spades_proto.v1 import tables_pb2
from tests.faults.history import History
from tests.faults.recording import RecordingServer


async def main(port: str, number: int) -> None:
    """Opens everything, says so, and stays."""
    async with AsyncExitStack() as stack:
        code = ""
        calls: list[object] = []
        for one in range(number):
            server = RecordingServer.to(f"127.0.0.1:{port}", History())
            await stack.enter_async_context(server)
            await server.register(f"client {one}")
            seat = Seat(one % 4)
            if seat is Seat.SOUTH:
                code = (await server.create_table()).code
            await server.sit(code, seat)
            request = tables_pb2.WatchRequest(table=code, seat=wire.SEAT.to_wire(seat))
            call = server.tables().Watch(request, metadata=server.metadata)
            await call.read()
            calls.append(call)
        print("open", flush=True)  # the parent waits for it
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
