"""The bar of a running event: how far it is, how fast, how long still."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from spades_arena.runner import Progress as Step


class Bar:
    """A bar on the terminal; where standard error is none, nothing is drawn."""

    def __init__(self, words: str) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._progress.add_task(escape(words), total=None, pace="")

    def show(self, step: Step) -> None:
        """Moves the bar."""
        self._progress.update(self._task, completed=step.done, total=step.planned, pace=pace(step))

    def tell_interrupted(self) -> None:
        """Says what Ctrl-C does, and what a second one would."""
        self._progress.console.print(
            "The units that are being played are finished; Ctrl-C again drops them."
        )

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()


def pace(step: Step) -> str:
    """The rate and the time that is left, in words."""
    if not step.played or not step.seconds:
        return ""
    rate = step.played / step.seconds
    words = f"{rate:.1f} units/s" if rate >= 1 else f"{1 / rate:.1f} s/unit"
    left = step.left_s
    return words if left is None else f"{words}, {duration(left)} left"


def duration(seconds: float) -> str:
    """A length of time, as roughly as it is known.

    >>> duration(7), duration(200), duration(9_000)
    ('7 s', '3 min', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
