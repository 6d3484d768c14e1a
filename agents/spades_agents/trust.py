"""Whom a client trusts: how it recognises a server before anything secret is sent."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import grpc
from grpc import aio

from spades import Reason, SpadesError
from spades_proto.channel import CERTIFICATE_NAME, CLIENT_OPTIONS
from spades_proto.link import Link, fingerprint_of

PROBE_S: Final = 5.0
"""How many seconds a server has to show its certificate."""


SIGNED: Final = "an authority"
"""What is known of a server for which an authority vouched, in place of a fingerprint."""


class ServerUnreachable(SpadesError):
    """No Spades server answers at the address."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.DRAINING)


class NotTrusted(SpadesError):
    """The server is not the one that was meant, or cannot prove that it is; nothing was sent."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.NOT_TRUSTED)


class KnownServers(Protocol):
    """The certificates that were seen before, by the server's ``host:port``."""

    def find(self, target: str) -> str:
        """The fingerprint that is known, or nothing."""
        ...

    def keep(self, target: str, fingerprint: str) -> None:
        """Keeps the fingerprint of a server, or that an authority vouched for it."""
        ...


@dataclass(frozen=True, slots=True)
class Trust:
    """What a client asks of a server.

    A fingerprint in the link decides alone. Without one a certificate counts that an authority has signed for
    the host, or the one that is known from before, or, the first time, any one if ``known`` can keep it. A
    server without encryption is taken on this machine only, unless ``insecure`` says otherwise.
    """

    known: KnownServers | None = None
    authority: Path | None = None
    """A file with certificates of authorities (PEM) in place of the system's."""
    insecure: bool = False
    """Whether to speak without encryption, and ask for no certificate."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a server has shown of itself."""

    certificate: bytes
    """In DER; empty where it speaks without encryption."""
    signed: bool = False
    """Whether an authority has signed it for the host."""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host.lower() == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    return False


class Opened(NamedTuple):
    """An open channel."""

    channel: aio.Channel
    fingerprint: str = ""
    """Of the certificate by which the server is recognised; empty where it is not by one."""


async def open_channel(link: Link, trust: Trust) -> Opened:
    """Opens a channel to a server that is the one that is meant.

    :raises NotTrusted: if it is another one, or does not encrypt.
    :raises ServerUnreachable: if nothing answers at a distant address.
    """
    local = is_loopback(link.host)
    if trust.insecure and not link.fingerprint:
        return Opened(aio.insecure_channel(link.target, options=CLIENT_OPTIONS))
    shown = await _look_at(link, trust)
    if shown is None:
        if not local or link.fingerprint:
            raise ServerUnreachable(
                f"No server answers at {link.target}: is it running, and is the address right?"
            )
        # Whoever calls says what that means for it, and may wait.
        return Opened(aio.insecure_channel(link.target, options=CLIENT_OPTIONS))
    if not shown.certificate:
        if link.fingerprint or not local:
            raise NotTrusted(_not_encrypted(link))
        return Opened(aio.insecure_channel(link.target, options=CLIENT_OPTIONS))
    _require_trust(link, trust, shown, local=local)
    options = CLIENT_OPTIONS if shown.signed else _pinned_options(shown)
    channel = aio.secure_channel(link.target, _credentials(shown, trust), options=options)
    return Opened(channel, "" if shown.signed else fingerprint_of(shown.certificate))


def remember(link: Link, trust: Trust, fingerprint: str) -> None:
    """Keeps the certificate of a server that has answered as one.

    What was known before and differs was refused, unless a link named the new one.
    """
    if trust.known is not None and fingerprint and not is_loopback(link.host):
        trust.known.keep(link.target, fingerprint)


def _require_trust(link: Link, trust: Trust, shown: _Shown, *, local: bool) -> None:
    fingerprint = fingerprint_of(shown.certificate)
    known = "" if trust.known is None else trust.known.find(link.target)
    if link.fingerprint:
        if link.fingerprint != fingerprint:
            raise NotTrusted(
                f"The server at {link.target} is not the one that the link is for: its certificate has"
                f" the fingerprint {fingerprint}, and the link says {link.fingerprint}. Nothing was"
                " sent. Ask the host for a new link."
            )
        return
    if shown.signed:
        if trust.known is not None and not local:
            trust.known.keep(link.target, SIGNED)
        return
    if trust.authority is not None:
        raise NotTrusted(
            f"No authority in {trust.authority} has signed the certificate of {link.target} for that"
            " name. Nothing was sent."
        )
    if local:
        return
    if known == SIGNED:
        raise NotTrusted(
            f"An authority vouched for the server at {link.target} before, and none does now: its"
            f" certificate has the fingerprint {fingerprint}. Nothing was sent."
        )
    if trust.known is None:
        raise NotTrusted(
            f"Nobody vouches for the server at {link.target}: use the link that its host gives, which"
            f" ends with #{fingerprint} if it is the right one."
        )
    if known and known != fingerprint:
        raise NotTrusted(
            f"The server at {link.target} has changed: its certificate has the fingerprint"
            f" {fingerprint}, and it had {known} before. Nothing was sent. If the host has set it up"
            " anew, join by the new link."
        )


def _not_encrypted(link: Link) -> str:
    where = f"The server at {link.target} does not encrypt what is sent"
    if link.fingerprint:
        return f"{where}, so it is not the one that the link is for. Nothing was sent."
    return f"{where}. With --insecure it is used all the same, and everybody on the way can read along."


def _credentials(shown: _Shown, trust: Trust) -> grpc.ChannelCredentials:
    if not shown.signed:
        # The one certificate that is trusted is the one that was looked at.
        return grpc.ssl_channel_credentials(ssl.DER_cert_to_PEM_cert(shown.certificate).encode())
    authorities = _context(trust).get_ca_certs(binary_form=True)
    pem = "".join(ssl.DER_cert_to_PEM_cert(one) for one in authorities).encode()
    return grpc.ssl_channel_credentials(pem or None)


def _pinned_options(shown: _Shown) -> tuple[tuple[str, int | str], ...]:
    from cryptography import x509  # noqa: PLC0415  # most channels are local and need it not

    certificate = x509.load_der_x509_certificate(shown.certificate)
    name = CERTIFICATE_NAME
    with contextlib.suppress(x509.ExtensionNotFound):
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        name = next(iter(names.get_values_for_type(x509.DNSName)), name)
    # It is recognised by itself and not by a name, so any name that it bears will do.
    return (*CLIENT_OPTIONS, ("grpc.ssl_target_name_override", name))


def _context(trust: Trust) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=trust.authority)
    context.set_alpn_protocols(["h2"])
    return context


async def _look_at(link: Link, trust: Trust) -> _Shown | None:
    """Has a server show its certificate; ``None`` if nothing answers."""
    if not link.fingerprint and (trust.authority or not is_loopback(link.host)):
        with contextlib.suppress(ssl.SSLError, OSError, TimeoutError):
            return _Shown(await _handshake(link, _context(trust)), signed=True)
    anything = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anything.check_hostname = False
    anything.verify_mode = ssl.CERT_NONE
    anything.set_alpn_protocols(["h2"])
    try:
        return _Shown(await _handshake(link, anything))
    except (ssl.SSLError, ConnectionResetError, asyncio.IncompleteReadError):
        return _Shown(b"")
    except (OSError, TimeoutError):
        return None


async def _handshake(link: Link, context: ssl.SSLContext) -> bytes:
    """Connects, and gives the certificate in DER."""
    async with asyncio.timeout(PROBE_S):
        _, writer = await asyncio.open_connection(
            link.host, link.port, ssl=context, server_hostname=link.host
        )
    try:
        shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
        return bytes(shown or b"")
    finally:
        # Nothing was said, so nobody needs to agree to the end: uvloop would wait half a minute for that.
        writer.transport.abort()
        with contextlib.suppress(ssl.SSLError, OSError):
            await writer.wait_closed()
