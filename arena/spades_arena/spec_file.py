"""An event from a TOML file."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from spades import parse_rules
from spades_arena.entrants import entry_of
from spades_arena.errors import ArenaError
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.spec import Bounds, Entry, EventSpec, Format, Mode, competition_rules
from spades_proto.timing import parse_time_control

E = TypeVar("E", bound=Enum)

KEYS: Final[dict[str, type | tuple[type, ...]]] = {
    "format": str,
    "mode": str,
    "rules": str,
    "units": int,
    "controls": int,
    "challengers": int,
    "forfeits": int,
    "bag_equity": (int, float),
    "equal_within": (int, float),
    "seed": str,
    "clock": str,
    "game_s": (int, float),
    "margin_ms": int,
    "start_s": (int, float),
    "silence_s": (int, float),
    "strikes": int,
    "strict": bool,
    "test": dict,
    "entries": list,
}
"""What may stand in the file, and what it is."""

TEST_KEYS: Final = ("low", "high", "alpha", "beta")
ENTRY_KEYS: Final = ("spec", "name", "owner")


def read_spec(path: Path) -> tuple[EventSpec, str]:
    """Reads an event and the seed that the file chooses, or an empty one.

    :raises SpadesError: naming the key that is wrong, and what is allowed.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArenaError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArenaError(f"{path} is not TOML: {error}.") from None
    return spec_of(data), str(data.get("seed", ""))


def spec_of(data: Mapping[str, Any]) -> EventSpec:
    """Makes an event of the values of a file.

    :raises SpadesError: naming the key that is wrong.
    """
    _check_keys(data)
    mode = _choice(Mode, "mode", data.get("mode", "games"))
    plain = {
        name: data[name]
        for name in ("units", "controls", "challengers", "forfeits", "bag_equity", "equal_within")
        if name in data
    }
    for name in ("bag_equity", "equal_within"):
        if name in plain:
            plain[name] = float(plain[name])
    return EventSpec(
        format=_choice(Format, "format", data.get("format", "match")),
        mode=mode,
        rules=competition_rules(parse_rules(data.get("rules", "classic")), mode),
        entries=tuple(map(_entry, data.get("entries", []))),
        limits=_limits(data),
        discipline=Discipline(data.get("strikes", 3), data.get("strict", False)),
        bounds=_bounds(data.get("test")),
        **plain,
    )


def _check_keys(data: Mapping[str, Any]) -> None:
    for name, value in data.items():
        kind = KEYS.get(name)
        if kind is None:
            raise ArenaError(f"There is no key {name!r}: {', '.join(KEYS)} are keys of an event.")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            kinds = kind if isinstance(kind, tuple) else (kind,)
            raise ArenaError(f"{name}={value!r} is not possible: it is a {_WORDS[kinds[-1]]}.")
        if isinstance(value, float) and not math.isfinite(value):
            raise ArenaError(f"{name}={value} is not possible: it is a finite number.")


_WORDS: Final = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dict: "table",
    list: "list of tables, each begun by [[entries]]",
}


def _choice(kind: type[E], name: str, word: str) -> E:
    words = [str(one.value) for one in kind]
    if word not in words:
        raise ArenaError(f"{name}={word!r} is not possible: {', '.join(words)} are.")
    return kind(word)


def _limits(data: Mapping[str, Any]) -> TimeLimits:
    given: dict[str, Any] = {}
    if "clock" in data:
        given["control"] = parse_time_control(data["clock"])
    for name in ("game", "start", "silence"):
        if f"{name}_s" in data:
            given[f"{name}_ms"] = round(1000 * data[f"{name}_s"])
    if "margin_ms" in data:
        given["margin_ms"] = data["margin_ms"]
    return TimeLimits(**given)


def _bounds(data: Mapping[str, Any] | None) -> Bounds | None:
    if data is None:
        return None
    for name, value in data.items():
        if name not in TEST_KEYS or isinstance(value, bool) or not isinstance(value, int | float):
            raise ArenaError(
                f"[test] has {name}={value!r}: {', '.join(TEST_KEYS)} are its keys, all of them numbers."
            )
    if "low" not in data or "high" not in data:
        raise ArenaError("[test] needs low and high: the two differences that it decides between.")
    return Bounds(**{name: float(value) for name, value in data.items()})


def _entry(data: object) -> Entry:
    if isinstance(data, str):
        return entry_of(data)
    if not isinstance(data, dict):
        raise ArenaError(f"{data!r} is no entry: a spec, or a table with {', '.join(ENTRY_KEYS)}.")
    given = cast("dict[str, Any]", data)
    for name, value in given.items():
        if name not in ENTRY_KEYS or not isinstance(value, str):
            raise ArenaError(
                f"An entry has {name}={value!r}: {', '.join(ENTRY_KEYS)} are its keys, all of them texts."
            )
    if not given.get("spec"):
        raise ArenaError('An entry needs a spec, as in spec = "gentle".')
    return entry_of(given["spec"], given.get("name", ""), given.get("owner", ""))
