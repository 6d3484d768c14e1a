"""What `deploy/` holds is what a host can use as it is."""

from __future__ import annotations

import configparser
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[1]
UNIT = ROOT / "deploy" / "spades.service"
SETTINGS = ROOT / "deploy" / "spades.toml"
SPADES = str(Path(sys.executable).with_name("spades"))


def unit() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT)
    return parser


def serves(*words: str) -> list[str]:
    """Starts a server with the words of the unit, stops it, and returns what it said."""
    with subprocess.Popen(
        [SPADES, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        said = [process.stdout.readline()]
        process.send_signal(signal.SIGTERM)
        said += process.stdout.readlines()
        errors = process.stderr.read()
        assert process.wait(60) == 0, errors
    return said


def test_the_unit_starts_a_server_with_the_settings_beside_it(tmp_path: Path) -> None:
    command = unit()["Service"]["ExecStart"]
    program, *words = command.replace("${STATE_DIRECTORY}", str(tmp_path)).split()
    assert program.endswith("/bin/spades")
    words[words.index("/etc/spades.toml")] = str(SETTINGS)
    # Loopback and any free port, since this is only a test.
    said = serves(
        *words, "--no-announce", "--address", "127.0.0.1", "--port", "0", "--metrics", "0"
    )
    assert said[0].startswith("Spades is served on 127.0.0.1:")
    assert (tmp_path / "spades.db").exists()
    assert (tmp_path / "tls" / "certificate.pem").exists()


def test_every_setting_that_is_commented_out_is_an_option_too() -> None:
    text = SETTINGS.read_text(encoding="utf-8")
    shown = subprocess.run(
        [SPADES, "serve", "--help"], capture_output=True, text=True, check=True
    ).stdout
    for name in re.findall(r"^#? ?([a-z-]+) = ", text, flags=re.MULTILINE):
        assert f"--{name}" in shown, name
    tomllib.loads(re.sub(r"^# (?=[a-z-]+ = )", "", text, flags=re.MULTILINE))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_no_fault_with_the_unit(tmp_path: Path) -> None:
    """Only the program's place differs here."""
    text = UNIT.read_text(encoding="utf-8").replace("/opt/spades/.venv/bin/spades", SPADES)
    copy = tmp_path / UNIT.name
    copy.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    about = [line for line in (done.stdout + done.stderr).splitlines() if UNIT.name in line]
    assert about == []
