"""Whom a client trusts: fingerprints, authorities, servers that are known, and those that do not encrypt."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from spades_agents import NotTrusted, Server, ServerUnreachable, Trust
from spades_agents import trust as trusting
from spades_agents.runner import play
from spades_agents.trust import SIGNED
from spades_proto.link import Link, fingerprint_of
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig

WRONG = fingerprint_of(b"another certificate")


class Known:
    """Servers that are known, in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def find(self, target: str) -> str:
        return self.kept.get(target, "")

    def keep(self, target: str, fingerprint: str) -> None:
        self.kept[target] = fingerprint


@pytest.fixture
async def secure(tmp_path: Path) -> AsyncIterator[SpadesServer]:
    """A server with a certificate of its own."""
    async with running(ServerConfig(port=0, secure=True, home=tmp_path)) as server:
        yield server


@pytest.fixture
async def plain() -> AsyncIterator[SpadesServer]:
    """A server that does not encrypt."""
    async with running(ServerConfig(port=0)) as server:
        yield server


@pytest.fixture
def distant(monkeypatch: pytest.MonkeyPatch) -> None:
    """No address is taken for this machine's."""

    def is_loopback(host: str) -> bool:
        return host == "nobody's"

    monkeypatch.setattr(trusting, "is_loopback", is_loopback)


GUARD_S = 20.0
"""After how long a test that waits in vain fails; nothing is measured against it."""


def address(server: SpadesServer) -> str:
    return f"127.0.0.1:{server.port}"


async def test_the_link_of_a_server_leads_to_it(secure: SpadesServer) -> None:
    (link,) = secure.links
    async with Server(str(link)) as client:
        info = await client.info()
        assert info.links == (str(link),)
        assert client.fingerprint == link.fingerprint
        assert await client.register("Ann") == "Ann"


LOOKING = """
import sys
from spades_agents import Server, eventloop

async def look():
    async with Server(sys.argv[1]) as client:
        print((await client.info()).links)

eventloop.run(look())
"""


async def test_who_looks_at_a_certificate_waits_for_no_end_of_tls(secure: SpadesServer) -> None:
    """uvloop would wait half a minute for a server that does not agree to it."""
    pytest.importorskip("uvloop")
    (link,) = secure.links
    looking = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LOOKING, str(link), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(GUARD_S):
        told, _ = await looking.communicate()
    assert str(link) in told.decode()


async def test_another_certificate_than_the_links_is_refused_before_anything_is_sent(
    secure: SpadesServer,
) -> None:
    link = Link(address(secure), fingerprint=WRONG)
    with pytest.raises(NotTrusted) as caught:
        async with Server(str(link), token="a secret"):
            raise AssertionError("it must not open")
    assert WRONG in caught.value.sentence
    assert secure.fingerprint in caught.value.sentence
    assert "Nothing was sent" in caught.value.sentence


async def test_a_server_without_encryption_is_not_the_one_of_a_link(plain: SpadesServer) -> None:
    with pytest.raises(NotTrusted, match="does not encrypt"):
        async with Server(str(Link(address(plain), fingerprint=WRONG))):
            raise AssertionError("it must not open")


async def test_on_this_machine_both_kinds_of_servers_are_taken(
    secure: SpadesServer, plain: SpadesServer
) -> None:
    for server in (secure, plain):
        async with Server(address(server)) as client:
            await client.info()
            assert client.fingerprint == server.fingerprint


@pytest.mark.usefixtures("distant")
async def test_a_distant_server_needs_somebody_who_vouches_for_it(secure: SpadesServer) -> None:
    with pytest.raises(NotTrusted, match=f"ends with #{secure.fingerprint}"):
        async with Server(address(secure)):
            raise AssertionError("it must not open")


@pytest.mark.usefixtures("distant")
async def test_a_distant_server_without_encryption_is_taken_only_if_that_is_meant(
    plain: SpadesServer,
) -> None:
    with pytest.raises(NotTrusted, match="With --insecure"):
        async with Server(address(plain), trust=Trust(Known())):
            raise AssertionError("it must not open")
    async with Server(address(plain), trust=Trust(insecure=True)) as client:
        await client.info()


@pytest.mark.usefixtures("distant")
async def test_a_server_that_was_met_once_is_known_and_a_change_is_refused(
    secure: SpadesServer,
) -> None:
    known = Known()
    async with Server(address(secure), trust=Trust(known)) as client:
        # It is kept when the server has answered as one.
        assert known.kept == {}
        await client.info()
        assert known.kept == {address(secure): secure.fingerprint}
    async with Server(address(secure), trust=Trust(known)) as client:
        await client.info()
    assert known.kept == {address(secure): secure.fingerprint}
    known.kept[address(secure)] = WRONG
    with pytest.raises(NotTrusted, match="has changed"):
        async with Server(address(secure), trust=Trust(known)):
            raise AssertionError("it must not open")
    assert known.kept[address(secure)] == WRONG


@pytest.mark.usefixtures("distant")
async def test_nobody_at_a_distant_address_is_said(unused: int) -> None:
    with pytest.raises(ServerUnreachable, match=f"No server answers at 127.0.0.1:{unused}"):
        async with Server(f"127.0.0.1:{unused}", trust=Trust(Known())):
            raise AssertionError("it must not open")


@pytest.fixture
def unused() -> int:
    """A port where nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.usefixtures("distant")
async def test_a_certificate_that_an_authority_has_signed_needs_no_fingerprint(
    tmp_path: Path,
) -> None:
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    chain, key, root = (tmp_path / name for name in ("chain.pem", "key.pem", "root.pem"))
    chain.write_bytes(b"".join(one.bytes() for one in issued.cert_chain_pems))
    key.write_bytes(issued.private_key_pem.bytes())
    authority.cert_pem.write_to_path(root)
    config = ServerConfig(port=0, secure=True, certificate=chain, key=key)
    async with running(config) as server:
        assert server.links == (Link(address(server)),)
        async with Server(address(server), trust=Trust(authority=root)) as client:
            await client.info()
            assert client.fingerprint == ""
        with pytest.raises(NotTrusted, match="Nobody vouches"):
            async with Server(address(server)):
                raise AssertionError("it must not open")
        known = Known()
        async with Server(address(server), trust=Trust(known, authority=root)) as client:
            await client.info()
        assert known.kept == {address(server): SIGNED}
        with pytest.raises(NotTrusted, match="An authority vouched"):
            async with Server(address(server), trust=Trust(known)):
                raise AssertionError("it must not open")


@pytest.mark.usefixtures("distant")
async def test_with_an_authority_named_nothing_else_is_trusted(
    secure: SpadesServer, tmp_path: Path
) -> None:
    root = tmp_path / "root.pem"
    trustme.CA().cert_pem.write_to_path(root)
    with pytest.raises(NotTrusted, match="No authority in"):
        async with Server(address(secure), trust=Trust(Known(), authority=root)):
            raise AssertionError("it must not open")


async def test_a_client_comes_back_to_the_same_certificate_after_a_restart(tmp_path: Path) -> None:
    config = ServerConfig(port=0, secure=True, data=tmp_path, home=tmp_path)
    async with running(config) as server:
        (link,) = server.links
        async with Server(str(link)) as client:
            await client.register("Ann")
            token = client.token
    async with running(config) as server, Server(str(server.links[0]), token) as client:
        assert server.fingerprint == link.fingerprint
        assert (await client.me())[0] == "Ann"


@pytest.mark.usefixtures("distant")
async def test_an_agent_keeps_the_server_that_it_has_met_and_refuses_another(
    secure: SpadesServer,
) -> None:
    known = Known()
    await play("random", address(secure), rules="max_hands=1", trust=Trust(known))
    assert known.kept == {address(secure): secure.fingerprint}
    known.kept[address(secure)] = WRONG
    with pytest.raises(NotTrusted, match="has changed"):
        await play("random", address(secure), trust=Trust(known))


@pytest.mark.usefixtures("distant")
async def test_only_a_link_replaces_what_is_known(secure: SpadesServer) -> None:
    known = Known()
    known.kept[address(secure)] = WRONG
    async with Server(str(secure.links[0]), trust=Trust(known)) as client:
        await client.info()
    assert known.kept == {address(secure): secure.fingerprint}
