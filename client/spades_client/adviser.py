"""Asks for advice, beside the loop that draws: thinking takes a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from spades import Reason, SeatView, TableError
from spades_agents import Advice, advise
from spades_client.hints import Hint, HintLine
from spades_client.phrases import action_words

Adviser = Callable[[SeatView], Sequence[Advice]]


async def advised(view: SeatView, adviser: Adviser = advise) -> Hint:
    """Has advice made in a thread for what a seat is asked now.

    :raises TableError: if there is none.
    """
    thinking = asyncio.get_running_loop().run_in_executor(None, adviser, view)
    await asyncio.wait((thinking,))
    error = thinking.exception()
    if error is not None:
        raise TableError(
            f"No hint could be made: thinking failed with {type(error).__name__}.",
            Reason.TABLE_STATE,
        )
    return hint_of(thinking.result())


def hint_of(advice: Sequence[Advice]) -> Hint:
    """Puts advice into lines: each choice with its reasons, the best first.

    :raises TableError: if nothing is advised.
    """
    lines = [
        HintLine(one.action, f"{_beginning(one, choice, number)} {reason}")
        for choice, one in enumerate(advice)
        for number, reason in enumerate(one.sentences)
    ]
    if not lines:
        raise TableError("No hint could be made: nothing is advised.", Reason.TABLE_STATE)
    return Hint(tuple(lines))


def _beginning(advice: Advice, choice: int, number: int) -> str:
    words = action_words(advice.action)
    # A card needs no verb once it is clear that cards are spoken of.
    words = f"Or {words.removeprefix('play ')}" if choice else words[0].upper() + words[1:]
    return f"{words}; moreover," if number else f"{words}:"
