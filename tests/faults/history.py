"""What clients were told and what they sent, as it went over the wire."""

from __future__ import annotations

from dataclasses import dataclass, field

from spades import Seat
from spades_proto.v1 import action_pb2, frame_pb2


@dataclass(slots=True)
class Stream:
    """One feed of one viewer, from its opening to its end."""

    table: str
    seat: Seat | None
    """Whose eyes; ``None`` for a spectator."""
    epoch: int = 0
    after: int = 0
    """The position from which the viewer resumed, 0 without one."""
    frames: list[frame_pb2.Frame] = field(default_factory=list[frame_pb2.Frame])


@dataclass(slots=True)
class Deed:
    """A command that a player sent, however often, and what it was told of it."""

    player: str
    command: action_pb2.Command
    answers: list[int] = field(default_factory=list[int])
    """The ``seq`` of every answer that said it was done."""
    refusals: list[str] = field(default_factory=list[str])
    """The reason of every answer that said it was not."""


class History:
    """All that the clients of a run were told and sent."""

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self.deeds: dict[tuple[str, str], Deed] = {}
        """By player and request id."""

    def open(self, stream: Stream) -> Stream:
        """Notes a feed that was opened."""
        self.streams.append(stream)
        return stream

    def send(self, player: str, command: action_pb2.Command) -> Deed:
        """Notes a command that is sent, for the first time or again."""
        return self.deeds.setdefault(
            (player, command.request_id),
            Deed(player, action_pb2.Command.FromString(command.SerializeToString())),
        )

    @property
    def acknowledged(self) -> int:
        """How many commands were answered as done."""
        return sum(bool(deed.answers) for deed in self.deeds.values())
