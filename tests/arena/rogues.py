"""Agents that misbehave, each in its own way; an event must survive them all."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

from spades import Bid, Card, Outcome, Rules, Seat, SeatView
from spades_agents import DidNotStart, Ended, Malformed
from spades_agents.bots import Beginner

FOREVER = 3_600.0


class Tame(Beginner):
    """The well-behaved agent behind all others here."""

    name = "tame"


class Exits(Tame):
    """Ends its process at its first card (T03)."""

    def play(self, view: SeatView) -> Card:
        del view
        os._exit(1)


class Sleeps(Tame):
    """Never comes back from its first bid (T03)."""

    def bid(self, view: SeatView) -> Bid:
        time.sleep(FOREVER)
        return super().bid(view)


class Awaits(Tame):
    """Never comes back either, but can be interrupted."""

    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # may be either
        await asyncio.sleep(FOREVER)
        return super().play(view)


class Raises(Tame):
    """Has a bug in its play."""

    def play(self, view: SeatView) -> Card:
        raise ZeroDivisionError(f"{view.seat} divides by nothing")


class Moody(Raises):
    """Has that bug in a hand with the two highest spades only."""

    spoilt = False

    def bid(self, view: SeatView) -> Bid:
        self.spoilt = {Card("AS"), Card("KS")} <= set(view.hand)
        return super().bid(view)

    def play(self, view: SeatView) -> Card:
        return super().play(view) if self.spoilt else Tame.play(self, view)


class Wordy(Tame):
    """Raises a long story."""

    def play(self, view: SeatView) -> Card:
        raise RuntimeError("once upon\na time " * 1_000)


class Quits(Tame):
    """Ends its program as a script would."""

    def play(self, view: SeatView) -> Card:
        raise SystemExit(3)


class QuitsLast(Tame):
    """Ends its program when it is told that it may go."""

    def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
        raise SystemExit(3)

    def close(self) -> None:
        raise SystemExit(3)


class Cheats(Tame):
    """Plays a card that no deck has."""

    def play(self, view: SeatView) -> Card:
        held = set(view.hand)
        return next(
            card
            for card in (Card(f"{rank}{suit}") for suit in "SHDC" for rank in "23456789TJQKA")
            if card not in held
        )


class Overbids(Tame):
    """Bids more tricks than there are."""

    def bid(self, view: SeatView) -> Bid:
        del view
        return Bid(14)


class Babbles(Tame):
    """Answers with something that is no card."""

    def play(self, view: SeatView) -> Card:
        del view
        return "a nice card"  # type: ignore[return-value]  # the point of it


class SlipsOnce(Tame):
    """Makes one mistake in each hand, at its first card."""

    def play(self, view: SeatView) -> Card:
        if view.hand_number == 1 and not view.tricks:
            raise LookupError("where is it?")
        return super().play(view)


class Unready(Tame):
    """Cannot be started."""

    def __init__(self) -> None:
        raise FileNotFoundError("model.bin")


class Missing(Tame):
    """Its program does not exist (T04)."""

    def __init__(self) -> None:
        raise DidNotStart("There is no program ./nowhere.")


class Dies(Tame):
    """Its program ends in the middle of a match."""

    def play(self, view: SeatView) -> Card:
        raise Ended("The program ended with exit status 7.", "segmentation fault")


class Garbled(Tame):
    """Its program writes what is no line."""

    def play(self, view: SeatView) -> Card:
        raise Malformed("The line is no JSON.", "hello?")


class SaysWhoItIs(Tame):
    """Writes down its process and never comes back."""

    def bid(self, view: SeatView) -> Bid:
        Path(os.environ["SPADES_TEST_MARKER"]).write_text(f"{os.getpid()}\n")
        time.sleep(FOREVER)
        return super().bid(view)


class Unborn(Tame):
    """Never comes back from its start."""

    def __init__(self) -> None:
        time.sleep(FOREVER)


class Stillborn(Tame):
    """Ends its process at its start."""

    def __init__(self) -> None:
        os._exit(4)


class KilledAlways(Tame):
    """Is killed by the system whenever it plays."""

    def play(self, view: SeatView) -> Card:
        os.kill(os.getpid(), signal.SIGKILL)
        return super().play(view)


class KilledOnce(Tame):
    """Is killed by the system, once."""

    def play(self, view: SeatView) -> Card:
        marker = Path(os.environ["SPADES_TEST_MARKER"])
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().play(view)


class Late(Tame):
    """Takes half a second for each of its first three cards (T10)."""

    def play(self, view: SeatView) -> Card:
        if view.hand_number == 1 and len(view.tricks) < 3:
            time.sleep(0.5)
        return super().play(view)


class Mulls(Tame):
    """Computes in a thread, for ever."""

    blocking = True

    def play(self, view: SeatView) -> Card:
        time.sleep(0.5)
        return super().play(view)


class Fickle(Tame):
    """Answers the same view with another card each time it is asked."""

    def __init__(self) -> None:
        self._noise = os.urandom(1)[0]

    def bid(self, view: SeatView) -> Bid:
        self._noise = self._noise + 1
        return view.legal_bids[1 + time.perf_counter_ns() % 5]


class Diarist(Tame):
    """Writes down what it hears beside its decisions."""

    def __init__(self) -> None:
        self._seat = "?"
        self._told: list[str] = ["ready"]

    def start_match(self, seat: Seat, rules: Rules) -> None:
        self._seat = seat.letter
        self._told.append(f"start {rules.target}")

    async def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
        assert seat.letter == self._seat
        assert outcome is not None
        assert outcome.winner is not None
        self._told.append(f"end {outcome.winner.name}")

    def close(self) -> None:
        self._told.append("closed")
        diary = Path(os.environ["SPADES_TEST_DIARY"])
        before = diary.read_text() if diary.exists() else ""
        diary.write_text(before + "".join(f"{self._seat} {line}\n" for line in self._told))


class Dawdler(Tame):
    """Is never ready."""

    async def get_ready(self) -> None:
        await asyncio.sleep(FOREVER)


class SoreLoser(Tame):
    """Makes a scene when it is over."""

    def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
        raise RuntimeError("unfair")

    async def close(self) -> None:
        raise SystemError("slammed the door")
