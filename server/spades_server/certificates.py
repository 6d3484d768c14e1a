"""The certificate of a server: somebody's own, or one that it makes for itself at its first start."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import socket
import ssl
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from spades import Reason, SpadesError
from spades_proto.channel import CERTIFICATE_NAME
from spades_proto.link import fingerprint_of

YEARS: Final = 20
"""How long a certificate that a server makes is good: those who know it know it by its fingerprint."""


class CertificateError(SpadesError):
    """The certificate or its key cannot be used."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.INVALID_OPTION)


class Certificate(NamedTuple):
    """A certificate and its key, both in PEM."""

    chain: bytes
    key: bytes
    fingerprint: str
    """What a link carries; empty where an authority vouches for the certificate."""


def own_certificate(folder: Path | None) -> Certificate:
    """The certificate of a server's data folder, made at the first start; without a folder a fresh one.

    :raises CertificateError: if it cannot be read or written.
    """
    if folder is None:
        return _made()
    chain, key = folder / "certificate.pem", folder / "key.pem"
    if chain.exists() and not key.exists():
        raise CertificateError(
            f"{key} is missing. Put it back, or take {chain} away too: then a new certificate is made,"
            " and everybody needs a new link."
        )
    try:
        return _load(chain, key, signed=False)
    except FileNotFoundError:
        made = _made()
    except OSError as error:
        raise CertificateError(f"{error.filename} cannot be read: {error.strerror}.") from None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # The certificate comes last: whoever finds it finds its key too.
        _write(folder / "key.pem", made.key)
        _write(folder / "certificate.pem", made.chain)
    except OSError as error:
        raise CertificateError(f"{error.filename} cannot be written: {error.strerror}.") from None
    return made


def signed_certificate(chain: Path, key: Path) -> Certificate:
    """A certificate that an authority has signed.

    :raises CertificateError: if a file cannot be read, or the two do not belong together.
    """
    try:
        return _load(chain, key, signed=True)
    except OSError as error:
        raise CertificateError(f"{error.filename} cannot be read: {error.strerror}.") from None


def _load(chain: Path, key: Path, *, signed: bool) -> Certificate:
    pem, secret = chain.read_bytes(), key.read_bytes()
    try:
        leaf = x509.load_pem_x509_certificate(pem)
        private = serialization.load_pem_private_key(secret, None)
    except (ValueError, TypeError):
        raise CertificateError(
            f"{chain} and {key} are no certificate and unlocked key in PEM."
        ) from None
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    if leaf.public_key().public_bytes(*form) != private.public_key().public_bytes(*form):
        raise CertificateError(f"The key in {key} does not belong to the certificate in {chain}.")
    der = ssl.PEM_cert_to_DER_cert(leaf.public_bytes(serialization.Encoding.PEM).decode())
    return Certificate(pem, secret, "" if signed else fingerprint_of(der))


def _write(path: Path, data: bytes) -> None:
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    fresh.replace(path)


def _made() -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, CERTIFICATE_NAME)])
    # A clock that is a little behind must not find it too young.
    start = dt.datetime.now(dt.UTC) - dt.timedelta(days=2)
    names: list[x509.GeneralName] = [
        *(x509.DNSName(one) for one in dict.fromkeys((CERTIFICATE_NAME, "localhost", _host()))),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
        x509.IPAddress(ipaddress.ip_address("::1")),
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=365 * YEARS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Certificate(
        certificate.public_bytes(serialization.Encoding.PEM),
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
        fingerprint_of(certificate.public_bytes(serialization.Encoding.DER)),
    )


def _host() -> str:
    """The machine's name, as far as a certificate can bear it."""
    name = socket.gethostname().lower()
    return name if name.isascii() and name.replace("-", "").replace(".", "").isalnum() else "host"
