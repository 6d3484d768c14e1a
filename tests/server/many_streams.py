"""A client of its own process that opens tables with five streams each, says so and waits to be killed."""

from __future__ import annotations

import asyncio
import sys

from grpc import aio

from spades import Seat
from spades_agents import Server
from spades_proto import wire
from spades_proto.v1 import card_pb2, tables_pb2


async def main(port: str, name: str, tables: int) -> None:
    async with Server(f"127.0.0.1:{port}") as client:
        await client.register(name)
        calls: list[aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse]] = []
        for _ in range(tables):
            table = await client.create_table(seats=tuple(Seat), many_seats=True)
            for seat in (*map(wire.SEAT.to_wire, Seat), card_pb2.SEAT_UNSPECIFIED):
                request = tables_pb2.WatchRequest(table=table.code, seat=seat)
                calls.append(client.tables().Watch(request, metadata=client.metadata))
        for call in calls:
            await call.read()
        print("open", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
