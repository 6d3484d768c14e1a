"""The settings of both ends of a connection, in one place since they must agree.

Keepalive alone does not notice a frozen peer: `ping_timeout` does. A server's default floor for pings is five
minutes, under which a client that pings is thrown off. With `bdp_probe` a client that does not read swallows
megabytes before its server notices.
"""

from __future__ import annotations

from typing import Final

Options = tuple[tuple[str, int], ...]

DEFAULT_PORT: Final = 7450
"""Where a server listens, and where one is looked for, unless another port is named."""

CERTIFICATE_NAME: Final = "spades"
"""The name in the certificates that servers make for themselves, recognised by their fingerprints."""

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""The longest message that a server takes; answers may be longer, since a record is."""

SERVER_OPTIONS: Final[Options] = (
    ("grpc.so_reuseport", 0),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_concurrent_streams", 200),
    ("grpc.server.max_pending_requests", 100_000),
    ("grpc.server.max_pending_requests_hard_limit", 100_000),
)

CLIENT_OPTIONS: Final[Options] = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.bdp_probe", 0),
    # Channels to one server would share a connection, and one player's fault would be all the others'.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)
