"""The certificates of servers: made once, read again, and refused in words."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
import trustme
from cryptography import x509

from spades_server.certificates import CertificateError, own_certificate, signed_certificate


def test_a_certificate_is_made_at_the_first_start_and_is_the_same_at_the_next(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "tls"
    first = own_certificate(folder)
    assert own_certificate(folder) == first
    assert len(first.fingerprint) == 43
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_without_a_folder_every_certificate_is_a_new_one() -> None:
    assert own_certificate(None).fingerprint != own_certificate(None).fingerprint


def test_a_certificate_is_good_for_longer_than_anybody_plays() -> None:
    made = x509.load_pem_x509_certificate(own_certificate(None).chain)
    assert (made.not_valid_after_utc - made.not_valid_before_utc).days > 3_650


def test_a_key_that_was_written_before_a_crash_does_no_harm(tmp_path: Path) -> None:
    """The certificate is written last: without it everything is made anew."""
    (tmp_path / "key.pem").write_bytes(b"half a k")
    made = own_certificate(tmp_path)
    assert own_certificate(tmp_path) == made


def test_what_is_no_certificate_is_refused_in_words(tmp_path: Path) -> None:
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    with pytest.raises(CertificateError, match="cannot be read: No such file"):
        signed_certificate(chain, key)
    chain.write_bytes(b"nonsense")
    key.write_bytes(b"nonsense")
    with pytest.raises(CertificateError, match="are no certificate and unlocked key"):
        signed_certificate(chain, key)


def test_a_key_of_another_certificate_is_refused(tmp_path: Path) -> None:
    authority = trustme.CA()
    one, other = authority.issue_cert("one.example"), authority.issue_cert("other.example")
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    one.cert_chain_pems[0].write_to_path(chain)
    other.private_key_pem.write_to_path(key)
    with pytest.raises(CertificateError, match="does not belong to the certificate"):
        signed_certificate(chain, key)
    one.private_key_pem.write_to_path(key)
    # An authority vouches for it, so links carry no fingerprint.
    assert signed_certificate(chain, key).fingerprint == ""


def test_a_certificate_without_its_key_is_not_replaced_in_silence(tmp_path: Path) -> None:
    own_certificate(tmp_path)
    (tmp_path / "key.pem").unlink()
    with pytest.raises(CertificateError, match="is missing"):
        own_certificate(tmp_path)
