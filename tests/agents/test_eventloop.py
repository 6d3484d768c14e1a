"""The event loop that servers and runners use."""

from __future__ import annotations

import asyncio
import sys

import pytest

from spades_agents import eventloop


async def _loop() -> str:
    return type(asyncio.get_running_loop()).__module__


def test_without_the_extra_asyncio_s_own_loop_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert eventloop.run(_loop()).startswith("asyncio")


def test_with_the_extra_uvloop_runs() -> None:
    pytest.importorskip("uvloop")
    assert eventloop.run(_loop()).startswith("uvloop")
