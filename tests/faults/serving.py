"""`spades serve` as a process of its own, on a free port, that is killed, stopped and started again."""

from __future__ import annotations

import asyncio
import re
import resource
import signal
import sys
from pathlib import Path
from typing import Final

SPADES: Final = str(Path(sys.executable).with_name("spades"))


class Serving:
    """A server with its data in a folder; started again it has the same port and the same data."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.port = 0
        self._options = options
        self._process: asyncio.subprocess.Process | None = None
        self.told = folder.with_name(f"{folder.name}.stderr")
        """What the server says on standard error."""

    @property
    def target(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self.port}"

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The running process."""
        assert self._process is not None, "a server is started before anything is done to it"
        return self._process

    async def start(self) -> None:
        """Starts the process and waits until it says that it listens."""
        with self.told.open("ab") as errors:
            self._process = await asyncio.create_subprocess_exec(
                *(SPADES, "serve", "--port", str(self.port), "--data", str(self.folder)),
                # The whole journal stays, to be compared with what was told.
                *("--insecure", "--tempo", "0", "--log-level", "error", "--memo-every", "0"),
                *self._options,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            line = (await self._process.stdout.readline()).decode()
        found = re.search(r"127\.0\.0\.1:(\d+)", line)
        assert found is not None, f"the server did not start: {line}{self.told.read_text()}"
        self.port = int(found[1])

    async def kill(self, number: int = signal.SIGKILL) -> int:
        """Ends the process; returns its status."""
        self.process.send_signal(number)
        return await self.ended()

    async def ended(self) -> int:
        """Waits until the process has ended; returns its status."""
        async with asyncio.timeout(60):
            # The pipe is read to its end, so that nothing of it stays open.
            await self.process.communicate()
        return await self.process.wait()

    async def close(self) -> None:
        """Ends the process if it runs."""
        if self._process is not None and self._process.returncode is None:
            await self.kill()

    def freeze(self) -> None:
        """Stops the process where it is, and waits until the system says that it stands still."""
        self.process.send_signal(signal.SIGSTOP)
        while self._stat()[0] not in ("T", "t"):
            pass

    def thaw(self) -> None:
        """Lets the process go on."""
        self.process.send_signal(signal.SIGCONT)

    def limit_files(self, bytes_more: int) -> None:
        """Lets no file grow by more than that over the biggest there is: what a full disk does."""
        biggest = max(path.stat().st_size for path in self.folder.iterdir())
        most = biggest + bytes_more
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (most, most))

    def memory_mb(self) -> float:
        """The memory that the process has in use, in megabytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() / 1e6

    def _stat(self) -> list[str]:
        return Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
