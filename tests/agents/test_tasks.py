"""The end of what was running beside: waited for, whatever it ends with."""

from __future__ import annotations

import asyncio

import pytest

from spades import Reason, SpadesError
from spades_agents.tasks import end


async def test_tasks_are_cancelled_in_order_and_waited_for() -> None:
    heard: list[str] = []

    async def work(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            heard.append(name)

    tasks = [asyncio.create_task(work(name)) for name in ("first", "second")]
    await asyncio.sleep(0)
    await end(*tasks)

    assert heard == ["first", "second"]
    assert all(task.cancelled() for task in tasks)


async def test_all_are_cancelled_though_one_fails() -> None:
    async def fail() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            raise ZeroDivisionError

    tasks = [asyncio.create_task(fail()), asyncio.create_task(asyncio.sleep(3_600))]
    await asyncio.sleep(0)
    with pytest.raises(ZeroDivisionError):
        await end(*tasks)
    assert tasks[1].cancelled()


async def test_whoever_ends_tasks_can_be_cancelled_itself() -> None:
    going = asyncio.Event()

    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            going.set()
            await asyncio.sleep(0)
            await asyncio.sleep(0)

    task = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    ender = asyncio.create_task(end(task))
    await going.wait()
    ender.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ender
    assert ender.cancelled()
    await asyncio.wait((task,))


async def test_a_refusal_is_passed_over_and_a_fault_of_the_program_is_not() -> None:
    async def fail(error: Exception) -> None:
        raise error

    refused = asyncio.create_task(fail(SpadesError("No.", Reason.DRAINING)))
    broken = asyncio.create_task(fail(ZeroDivisionError()))
    await asyncio.wait((refused, broken))
    await end(refused)
    with pytest.raises(ZeroDivisionError):
        await end(broken)
