"""The requests that a table has answered: the same request gets the same answer again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from spades import Reason, TableError
from spades_proto.frames import Answer, Command

REMEMBERED_REQUESTS: Final = 64
"""How many requests of a player are remembered: a client asks again at once or never."""

REMEMBERED_PLAYERS: Final = 16
"""Of how many players: four have seats, and before a match others may have had them."""

Answered = tuple[str, Command, Answer]
"""The id of a player, what was asked, and what came of it."""


class AnsweredRequests:
    """Remembers the last requests of each player; nobody pushes another's out."""

    __slots__ = ("_by_player",)

    def __init__(self) -> None:
        self._by_player: OrderedDict[str, OrderedDict[str, tuple[Command, Answer]]] = OrderedDict()
        """By player and request id; who has asked last stands last."""

    def repeat(self, player: str, command: Command) -> Answer | None:
        """The answer that a request had before, if it had one.

        :raises TableError: if its id was used for another request.
        """
        known = self._by_player.get(player, _NONE).get(command.request_id)
        if known is None:
            return None
        asked, answer = known
        if asked != command:
            raise TableError(
                f"The request id {command.request_id!r} was used for another request.",
                Reason.REQUEST_ID_REUSED,
            )
        return Answer(answer.seq, answer.refusal, replayed=True)

    def keep(self, player: str, command: Command, answer: Answer) -> None:
        """Remembers an answer."""
        answers = self._by_player.get(player)
        if answers is None:
            answers = self._by_player[player] = OrderedDict()
        else:
            self._by_player.move_to_end(player)
        answers[command.request_id] = (command, answer)
        if len(answers) > REMEMBERED_REQUESTS:
            answers.popitem(last=False)
        if len(self._by_player) > REMEMBERED_PLAYERS:
            self._by_player.popitem(last=False)

    def memo(self) -> tuple[Answered, ...]:
        """All of them, each player's oldest first."""
        return tuple(
            (player, *told)
            for player, answers in self._by_player.items()
            for told in answers.values()
        )

    def recall(self, memo: Iterable[Answered]) -> None:
        """Remembers what a memo says."""
        for answered in memo:
            self.keep(*answered)


_NONE: Final[OrderedDict[str, tuple[Command, Answer]]] = OrderedDict()
