"""A second machine on the network, a network namespace here: it finds the server by mDNS and joins."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SPADES = str(Path(sys.executable).with_name("spades"))
ANN, BOB = "10.99.0.1", "10.99.0.2"
WRONG = "A" * 43


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def has_namespaces() -> bool:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    made = subprocess.run(["ip", "netns", "add", "spades-try"], check=False, capture_output=True)
    if made.returncode == 0:
        ip("netns", "del", "spades-try")
    return made.returncode == 0


pytestmark = [
    pytest.mark.skipif(
        not has_namespaces(), reason="network namespaces need root, and the program ip"
    ),
    pytest.mark.once,
]


class Network(NamedTuple):
    """Two machines and the wire between them."""

    ann: str
    bob: str

    def run(self, machine: str, *words: str, state: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["ip", "netns", "exec", machine, SPADES, *words],
            env={**os.environ, "SPADES_STATE": str(state)},
            capture_output=True, text=True, check=False, timeout=60, input="who\n",
        )  # fmt: skip


@pytest.fixture
def network() -> Iterator[Network]:
    it = Network(f"spades-a-{os.getpid()}", f"spades-b-{os.getpid()}")
    for machine in it:
        ip("netns", "add", machine)
    try:
        ip(
            "link",
            "add",
            "wire",
            "netns",
            it.ann,
            "type",
            "veth",
            "peer",
            "name",
            "wire",
            "netns",
            it.bob,
        )
        for machine, address in zip(it, (ANN, BOB), strict=True):
            ip("-n", machine, "addr", "add", f"{address}/24", "dev", "wire")
            ip("-n", machine, "link", "set", "lo", "up")
            ip("-n", machine, "link", "set", "wire", "up")
            ip("-n", machine, "route", "add", "224.0.0.0/4", "dev", "wire")
        yield it
    finally:
        for machine in it:
            ip("netns", "del", machine)


@pytest.fixture
def link(network: Network, tmp_path: Path) -> Iterator[str]:
    """Ann's server, by its link."""
    with subprocess.Popen(
        ["ip", "netns", "exec", network.ann, SPADES, "serve", "--lan", "--port", "0", "--name",
         "Ann's cellar", "--data", str(tmp_path / "data")],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        said = (line for line in process.stdout if line.startswith("Join with: "))
        yield next(said).removeprefix("Join with: spades join ").strip()
        process.send_signal(signal.SIGTERM)


def test_a_second_machine_finds_the_server_and_joins_with_the_pinned_certificate(
    network: Network, link: str, tmp_path: Path
) -> None:
    state = tmp_path / "bob"
    assert link.startswith(f"spades://{ANN}:")
    found = network.run(network.bob, "servers", state=state)
    assert found.stdout == f"Ann's cellar: {link}\n"

    joined = network.run(network.bob, "join", "--name", "Bob", "--new", "--plain", state=state)
    assert joined.returncode == 0, joined.stderr
    assert f"You are Bob on {ANN}:" in joined.stdout
    address, _, fingerprint = link.partition("#")
    assert f"Others join with: spades join {address}/" in joined.stdout
    assert f"#{fingerprint}" in joined.stdout

    by_link = network.run(network.bob, "tables", "--server", link, state=state)
    assert (by_link.returncode, by_link.stderr) == (0, "")


def test_a_wrong_fingerprint_is_refused_in_words(
    network: Network, link: str, tmp_path: Path
) -> None:
    state = tmp_path / "bob"
    forged = f"{link.partition('#')[0]}#{WRONG}"
    refused = network.run(network.bob, "join", forged, state=state)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "is not the one that the link is for" in refused.stderr
    assert WRONG in refused.stderr and link.partition("#")[2] in refused.stderr


def test_an_address_alone_is_kept_the_first_time_and_compared_ever_after(
    network: Network, link: str, tmp_path: Path
) -> None:
    state = tmp_path / "bob"
    address = link.removeprefix("spades://").partition("#")[0]
    first = network.run(network.bob, "tables", "--server", address, state=state)
    assert "is new to you" in first.stdout
    second = network.run(network.bob, "tables", "--server", address, state=state)
    assert (second.returncode, second.stdout) == (0, "There is no table.\n")
    servers = state / "servers.json"
    servers.write_text(servers.read_text().replace(link.partition("#")[2], WRONG))
    changed = network.run(network.bob, "tables", "--server", address, state=state)
    assert changed.returncode == 1
    assert "has changed" in changed.stderr


def test_where_nothing_is_announced_that_is_said(network: Network, tmp_path: Path) -> None:
    found = network.run(network.bob, "servers", state=tmp_path)
    assert found.stdout.startswith("No server is announced on this network.")
    alone = network.run(network.bob, "join", state=tmp_path)
    assert alone.returncode == 1
    assert "none is announced on this network" in alone.stderr
