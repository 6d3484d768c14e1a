"""The command `spades admin`: what it does is told in a sentence, and what it refuses too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spades_agents import Server
from spades_server.app import running
from spades_server.config import ServerConfig

SPADES = str(Path(sys.executable).with_name("spades"))


def admin(*words: str | Path, status: int = 0) -> str:
    """Runs the command and returns what it says on the stream that belongs to its status."""
    command = [SPADES, "admin", *map(str, words)]
    done = subprocess.run(command, env={}, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert not (done.stdout if status else done.stderr)
    return " ".join((done.stdout + done.stderr).split())


async def test_a_backup_is_made_while_the_server_runs_and_restored_when_it_does_not(
    tmp_path: Path,
) -> None:
    data, file, other = tmp_path / "data", tmp_path / "backup", tmp_path / "other.db"
    held = "1 open table, 1 player and 0 records"
    async with (
        running(ServerConfig(port=0, data=data)) as server,
        Server(f"127.0.0.1:{server.port}") as ann,
    ):
        await ann.register("Ann")
        await ann.create_table("")
        told = admin("backup", file, "--data", data)
        assert told == f"{held} of {data} are backed up in {file}."
        assert "Another server uses" in admin("restore", file, "--data", data, status=1)
    refused = admin("restore", file, "--data", data, status=1)
    assert refused == f"{data} holds {held}: add --force to replace them."
    told = admin("restore", file, "--data", data, "--force")
    assert told == f"{held} of {file} are restored to {data}."
    told = admin("restore", file, "--database", f"sqlite:///{other}")
    assert told == f"{held} of {file} are restored to {other}."


@pytest.mark.parametrize("verb", ["backup", "restore"])
def test_one_place_is_named(tmp_path: Path, verb: str) -> None:
    words = (verb, tmp_path / "file", "--data", tmp_path, "--database", "sqlite:///x")
    assert "--data and --database exclude each other" in admin(*words, status=2)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    refused = admin("restore", tmp_path / "nothing", "--data", tmp_path / "data", status=1)
    assert refused == f"{tmp_path / 'nothing'} cannot be read: No such file or directory."
    assert not (tmp_path / "data").exists()
