"""Structured logs. Nothing that is logged names a card: only tables, players, reasons and outcomes.

The server logs through the standard library, each fact as a field; how a line looks is decided here, and only
where somebody reads it: importing structlog takes longer than starting a table.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import structlog


def quieten() -> None:
    """Has libraries not log as faults, or at length, what is none."""
    logging.getLogger("grpc._cython.cygrpc").setLevel(logging.CRITICAL)
    # A migration that has nothing to do says so in six lines.
    logging.getLogger("alembic").setLevel(logging.WARNING)


def configure(level: str = "info", *, json: bool = False, stream: TextIO | None = None) -> None:
    """Sets the format of all logs of the process, on standard error unless told otherwise.

    :raises KeyError: if there is no such level.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    out = stream or sys.stderr
    handler = logging.StreamHandler(out)
    handler.setFormatter(_formatter(json=json, colors=out.isatty()))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(number)
    quieten()


def _formatter(*, json: bool, colors: bool) -> logging.Formatter:
    import structlog  # noqa: PLC0415  # see above

    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=colors)
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
