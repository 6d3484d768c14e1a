"""Settings: kept, found again, and never in the way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from spades_client.screen.themes import THEMES
from spades_client.settings import COLOURS, PAUSES_MS, Settings, load_settings, save_settings
from spades_proto.tempo import TEMPOS


def test_settings_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.toml"
    settings = Settings("high-contrast", letters=True, one_press=True, mouse=False, name="Zoë")
    assert save_settings(settings, path) == ""
    assert load_settings(path) == (settings, "")


def test_without_a_file_a_newcomer_gets_what_a_newcomer_gets(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == (Settings(), "")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("colours = 7", "colours"),
        ('colours = "pink"', "colours"),
        ('tempo = "soon"', "tempo"),
        ('hints = "no"', "hints"),
        ("mouse = 1", "mouse"),
        ("colour = true", "colour"),
        ("= what", "cannot be read"),
        ("\x00", "cannot be read"),
    ],
)
def test_what_is_not_understood_is_named_and_the_rest_holds(
    tmp_path: Path, text: str, named: str
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f"one_press = true\n{text}\n" if "cannot" not in named else text)
    settings, wrong = load_settings(path)
    assert named in wrong
    assert settings == (Settings() if "cannot" in named else replace(Settings(), one_press=True))


def test_where_settings_cannot_be_kept_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    sentence = save_settings(Settings(), tmp_path / "file" / "settings.toml")
    assert sentence.startswith("The settings could not be kept in ")


@pytest.mark.parametrize(
    "name", ["colours", "letters", "one_press", "mouse", "pause_ms", "tempo", "hints"]
)
def test_a_setting_goes_round_all_its_values(name: str) -> None:
    settings, seen = Settings(), [Settings()]
    for _ in range(10):
        settings = settings.changed(name)
        if settings in seen:
            break
        seen.append(settings)
    assert settings == Settings()
    values = {"colours": len(COLOURS), "pause_ms": len(PAUSES_MS), "tempo": len(TEMPOS)}
    assert len(seen) == values.get(name, 2)


def test_every_colour_of_the_settings_is_a_theme() -> None:
    assert set(COLOURS) == set(THEMES)
