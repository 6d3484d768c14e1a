"""Structured logs. Nothing that is logged names a card: only tables, players, reasons and outcomes."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog


def configure(level: str = "info", *, json: bool = False, stream: TextIO | None = None) -> None:
    """Sets the format of all logs of the process, on standard error unless told otherwise."""
    number = logging.getLevelNamesMapping()[level.upper()]
    out = stream or sys.stderr
    # grpc's own loop logs calls that were cancelled as if they were faults.
    logging.getLogger("grpc._cython.cygrpc").setLevel(logging.CRITICAL)
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if json
        else structlog.dev.ConsoleRenderer(colors=out.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
