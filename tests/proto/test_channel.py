"""S16: the settings of both ends come from one place, and agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import spades_agents
import spades_client
import spades_proto
import spades_server
from spades_proto.channel import CLIENT_OPTIONS, MAX_MESSAGE_BYTES, SERVER_OPTIONS

CLIENT = dict(CLIENT_OPTIONS)
SERVER = dict(SERVER_OPTIONS)
HOME = "channel.py"


def sources() -> list[Path]:
    packages = (spades_agents, spades_client, spades_proto, spades_server)
    return [
        path
        for package in packages
        for path in sorted(Path(package.__path__[0]).rglob("*.py"))
        if "_pb2" not in path.name
    ]


def test_s16_no_other_file_sets_an_option_of_grpc() -> None:
    option = re.compile(r'"grpc\.[\w.]+",\s*-?\d')
    setting = [path.name for path in sources() if option.search(path.read_text(encoding="utf-8"))]
    assert setting == [HOME]


@pytest.mark.parametrize(
    ("maker", "options"),
    [("insecure_channel(", "CLIENT_OPTIONS"), ("aio.server(", "SERVER_OPTIONS")],
)
def test_s16_every_channel_and_every_server_is_made_with_these_options(
    maker: str, options: str
) -> None:
    made = 0
    for path in sources():
        for part in path.read_text(encoding="utf-8").split(maker)[1:]:
            assert f"options={options}" in part[:200], path
            made += 1
    assert made > 0


def test_no_option_is_set_twice() -> None:
    assert len(CLIENT) == len(CLIENT_OPTIONS)
    assert len(SERVER) == len(SERVER_OPTIONS)


def test_s16_a_client_pings_no_oftener_than_the_server_takes() -> None:
    floor = SERVER["grpc.http2.min_ping_interval_without_data_ms"]
    # Twice as long, since a ping that comes early by the network's whim counts as a strike.
    assert CLIENT["grpc.keepalive_time_ms"] >= 2 * floor
    # S16 has a client that pings every ten seconds.
    assert floor < 10_000


def test_s16_a_stream_without_data_is_pinged_without_end() -> None:
    assert CLIENT["grpc.http2.max_pings_without_data"] == 0
    assert SERVER["grpc.keepalive_permit_without_calls"] == 1


@pytest.mark.parametrize("end", [CLIENT, SERVER])
def test_a_frozen_peer_is_noticed_within_a_minute_at_both_ends(end: dict[str, int]) -> None:
    timeout = end["grpc.keepalive_timeout_ms"]
    assert timeout == end["grpc.http2.ping_timeout_ms"]
    assert end["grpc.keepalive_time_ms"] + timeout <= 60_000


def test_a_client_swallows_no_megabytes_for_a_reader_that_does_not_read() -> None:
    assert CLIENT["grpc.http2.bdp_probe"] == 0


def test_a_server_takes_short_messages_and_a_client_takes_records() -> None:
    assert SERVER["grpc.max_receive_message_length"] == MAX_MESSAGE_BYTES == 65_536
    assert CLIENT["grpc.max_receive_message_length"] > 100 * MAX_MESSAGE_BYTES


def test_two_servers_never_share_a_port_and_a_proxy_is_not_asked() -> None:
    assert SERVER["grpc.so_reuseport"] == 0
    assert CLIENT["grpc.enable_http_proxy"] == 0
