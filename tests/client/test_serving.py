"""`spades serve`: options from the command line, the environment and a file, and what it says then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from spades_proto.tempo import TEMPOS

SPADES = str(Path(sys.executable).with_name("spades"))


def serve(*words: str, **environment: str) -> tuple[list[str], Mapping[str, object]]:
    """Starts a server and stops it as soon as it listens; what it said, and the settings that it logged."""
    with subprocess.Popen(
        [SPADES, "serve", "--port", "0", "--json-logs", *words],
        env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **environment},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        said = [process.stdout.readline()]
        process.send_signal(signal.SIGTERM)
        said += process.stdout.readlines()
        errors = process.stderr.read()
        assert process.wait(60) == 0, errors
    logged = [json.loads(line) for line in errors.splitlines() if line.startswith("{")]
    (settings,) = [one["settings"] for one in logged if one["event"] == "settings"]
    return [line.rstrip("\n") for line in said], settings


def test_a_file_the_environment_and_the_command_line_count_in_this_order(tmp_path: Path) -> None:
    file = tmp_path / "spades.toml"
    file.write_text('tempo = 100\ngrace = 5\nclock = "10+5"\nmemory = true\nallow-seeds = true\n')
    environment = {"SPADES_SERVE_TEMPO": "200", "SPADES_SERVE_GRACE": "6"}
    _, settings = serve("--config", str(file), "--tempo", "300", **environment)
    assert settings["tempo_ms"] == 300
    assert settings["grace_s"] == 6.0
    assert settings["time_control"] == "10+5"
    assert settings["data"] is None
    assert settings["allow_seeds"] is True


def test_a_tempo_has_a_name_or_milliseconds_wherever_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "spades.toml"
    file.write_text('tempo = "relaxed"\nmemory = true\n')
    assert serve("--memory")[1]["tempo_ms"] == TEMPOS["normal"]
    assert serve("--config", str(file))[1]["tempo_ms"] == TEMPOS["relaxed"]
    assert serve("--memory", SPADES_SERVE_TEMPO="fast")[1]["tempo_ms"] == TEMPOS["fast"]
    assert serve("--memory", "--tempo", "1234")[1]["tempo_ms"] == 1234


def test_hints_are_switched_off_by_an_option_the_environment_or_the_file(tmp_path: Path) -> None:
    file = tmp_path / "spades.toml"
    file.write_text("hints = false\nmemory = true\n")
    assert serve("--memory")[1]["hints"] is True
    assert serve("--memory", "--no-hints")[1]["hints"] is False
    assert serve("--config", str(file))[1]["hints"] is False
    assert serve("--memory", SPADES_SERVE_HINTS="0")[1]["hints"] is False
    assert serve("--config", str(file), "--hints")[1]["hints"] is True


def test_the_settings_are_logged_without_secrets(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'x.db'}?password=hush"
    _, settings = serve("--database", url, "--home", str(tmp_path))
    assert "hush" not in json.dumps(settings)
    assert settings["database"]


def test_a_server_says_how_it_is_joined_and_where_it_keeps_things(tmp_path: Path) -> None:
    said, settings = serve("--data", str(tmp_path))
    assert said[0].startswith("Spades is served on 127.0.0.1:")
    assert said[1].startswith("Join with: spades join spades://127.0.0.1:")
    assert said[2] == f"Players, matches and records are kept in {tmp_path}."
    assert settings["secure"] is True


def test_a_name_that_it_is_reached_by_stands_in_the_link() -> None:
    said, _ = serve("--memory", "--host", "table.example", "--insecure")
    assert said[1].startswith("Join with: spades join spades://table.example:")
    assert "#" not in said[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "sets colour, which is no option"),
        ("port = [1]", "sets port to what is neither text nor a number"),
        ("port =", "cannot be read"),
        ('port = "many"', "--port"),
        ('tempo = "soon"', "'soon' is no tempo: relaxed, normal, fast, instant are"),
        ("certificate = 'chain.pem'", "a certificate and its key belong together"),
    ],
)
def test_a_wrong_file_is_refused_in_words(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "spades.toml"
    file.write_text(text)
    done = subprocess.run(
        [SPADES, "serve", "--memory", "--config", str(file)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
