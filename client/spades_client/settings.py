"""What a player has settled for good: looks, habits and the table that is offered first."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Final

import platformdirs
import tomli_w

from spades_client.files import write_private
from spades_proto.tempo import TEMPOS

COLOURS: Final = ("four-colour", "two-colour", "high-contrast", "no-colour")
PAUSES_MS: Final = (0, 600, 1_200, 2_400)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings, each with what a newcomer gets."""

    colours: str = "four-colour"
    """A theme, by name."""
    letters: bool = False
    """Whether suits are written as letters, and frames in ASCII."""
    one_press: bool = False
    """Whether one press, or click, plays a card; else the first picks it."""
    mouse: bool = True
    """Whether the mouse clicks; without it the terminal's own selection of text works."""
    pause_ms: int = 1_200
    """For how long a full trick stays on the table; nobody else waits for it."""
    name: str = ""
    """The name that others see; the login name where it is empty."""
    rules: str = "classic"
    """The rules that the start screen offers first."""
    level: str = "gentle"
    """The bots that the start screen offers first: one level, or three for left, partner and right."""
    tempo: str = "normal"
    """The tempo of house bots at tables that the start screen opens."""
    hints: bool = True
    """Whether there are hints at tables that the start screen opens."""
    server: str = ""
    """The server that the start screen offers first."""

    def changed(self, name: str) -> Settings:
        """Moves one setting to its next value; those that are typed stay."""
        match name:
            case "colours":
                return replace(self, colours=value_after(COLOURS, self.colours))
            case "letters":
                return replace(self, letters=not self.letters)
            case "one_press":
                return replace(self, one_press=not self.one_press)
            case "mouse":
                return replace(self, mouse=not self.mouse)
            case "pause_ms":
                more = [pause for pause in PAUSES_MS if pause > self.pause_ms]
                return replace(self, pause_ms=more[0] if more else PAUSES_MS[0])
            case "tempo":
                return replace(self, tempo=value_after(list(TEMPOS), self.tempo))
            case "hints":
                return replace(self, hints=not self.hints)
            case _:
                return self


def value_after(values: Sequence[str], value: str) -> str:
    """The value after another, round again at the end."""
    return values[(values.index(value) + 1) % len(values)] if value in values else values[0]


def settings_path() -> Path:
    """Where the settings are kept; ``SPADES_CONFIG`` names another file."""
    chosen = os.environ.get("SPADES_CONFIG")
    return Path(chosen) if chosen else platformdirs.user_config_path("spades") / "settings.toml"


def load_settings(path: Path | None = None) -> tuple[Settings, str]:
    """Reads the settings; a file that is spoilt gives the newcomer's, and a sentence that says so."""
    path = path or settings_path()
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, ValueError) as error:
        return Settings(), f"The settings in {path} cannot be read: {error}."
    known = {one.name: one for one in fields(Settings)}
    settings, wrong = Settings(), [name for name in found if name not in known]
    for name, value in found.items():
        if name in known and type(value) is type(getattr(settings, name)):
            settings = replace(settings, **{name: value})
        elif name in known:
            wrong.append(name)
    if settings.colours not in COLOURS:
        settings, wrong = replace(settings, colours=COLOURS[0]), [*wrong, "colours"]
    if settings.tempo not in TEMPOS:
        settings, wrong = replace(settings, tempo=Settings().tempo), [*wrong, "tempo"]
    if not wrong:
        return settings, ""
    return settings, f"In {path} this is not understood: {', '.join(sorted(wrong))}."


def save_settings(settings: Settings, path: Path | None = None) -> str:
    """Keeps the settings; returns why they could not be kept, or nothing."""
    path = path or settings_path()
    try:
        write_private(path, tomli_w.dumps(asdict(settings)))
    except OSError as error:
        return f"The settings could not be kept in {path}: {error.strerror}."
    return ""
