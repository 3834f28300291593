"""The HTTP proxy through which a program reaches the hosts that it was granted, and no other.

The program has a network namespace of its own, in which nothing but this proxy answers (`loopback`). The harness resolves
names and connects; a program needs no DNS. A tunnel's bytes are not read: a granted host can pass them on to others. Limits:
64 connections, 32 KiB of head within 30 s, 15 s to connect, 10 minutes without a byte. Everything ends with `close`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
from collections.abc import Sequence
from typing import Final

from benchsite.isolation import loopback
from benchsite.isolation.http_request import RefusedError, Request, parse
from benchsite.isolation.reach import is_granted, is_public, named_addresses

__all__ = ["Proxy"]

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CONNECTIONS: Final = 64
HEAD_LIMIT: Final = 32 * 1024
HEAD_S: Final = 30
CONNECT_S: Final = 15
IDLE_S: Final = 600
CHUNK: Final = 64 * 1024
_HERE: Final = ("localhost", "127.0.0.1")
"""What a program reaches without the proxy: its own servers, on the loopback interface of its namespace."""


class Proxy:
    """A proxy for one program, in a thread."""

    def __init__(self, hosts: Sequence[str]) -> None:
        """Prepare; `handover` is the end of a socket pair that the program's first process inherits."""
        self._hosts = tuple(hosts)
        self._open = 0
        self._control, self.handover = socket.socketpair()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that lead a program's HTTP clients here."""
        address = "http://{}:{}".format(*loopback.ADDRESS)
        granted = {name.partition(":")[0] for name in self._hosts}
        named = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), address)
        named["NO_PROXY"] = ",".join(name for name in _HERE if name not in granted)
        return {**named, **{name.lower(): value for name, value in named.items()}, "NODE_USE_ENV_PROXY": "1"}

    def start(self) -> None:
        """Serve as soon as the program's first process hands over its listening socket."""
        self.handover.close()
        self._thread.start()

    def close(self) -> None:
        """End every connection and the thread."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        if self._thread.ident is not None:
            self._thread.join()
        self.handover.close()
        self._control.close()

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            _, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
            for descriptor in descriptors:
                os.set_inheritable(descriptor, False)
                loop = asyncio.new_event_loop()
                # What a program does to its connections is no message for a person.
                loop.set_exception_handler(lambda *_: None)
                # Not asyncio.run, which would wait for a name that is still being resolved.
                with socket.socket(fileno=descriptor) as listener, contextlib.closing(loop):
                    loop.run_until_complete(self._serve(listener))

    async def _serve(self, listener: socket.socket) -> None:
        """Answer connections until the other end of the socket pair is gone, or ours is shut."""
        self._control.setblocking(False)
        server = await asyncio.start_server(self._answer, sock=listener, limit=HEAD_LIMIT)
        await asyncio.get_running_loop().sock_recv(self._control, 1)
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # what was closed is released in the loop's next round

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection."""
        self._open += 1
        try:
            request = await self._request(reader)
            server = await self._connected(request)
            await _exchange(request, (reader, writer), server)
        except RefusedError as refusal:
            with contextlib.suppress(OSError):
                writer.write(
                    f"HTTP/1.1 {refusal.status} {refusal.reason}\r\n"
                    "Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
                )
        except (OSError, asyncio.CancelledError):  # a time limit, the end of either side or of the program
            writer.transport.abort()
        finally:
            self._open -= 1
            writer.close()

    async def _request(self, reader: asyncio.StreamReader) -> Request:
        """Read a request for a host that is granted."""
        if self._open > CONNECTIONS:
            raise RefusedError(503, f"More than {CONNECTIONS} connections")
        try:
            async with asyncio.timeout(HEAD_S):
                request = parse(await reader.readuntil(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            raise RefusedError(431, "The header is too large") from None
        except asyncio.IncompleteReadError:
            raise RefusedError(400, "The request is incomplete") from None
        if not is_granted(request.host, request.port, self._hosts):
            raise RefusedError(403, f"Not granted: {request.host}:{request.port}")
        return request

    async def _connected(self, request: Request) -> Streams:
        """Connect to the first allowed address that answers; the address that is checked is the one that is used."""
        host, port = request.host, request.port
        try:
            async with asyncio.timeout(CONNECT_S):
                found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise RefusedError(502, f"Unknown host: {host}") from None
        addresses = dict.fromkeys(str(place[0]) for *_, place in found)
        named = named_addresses(self._hosts, port)
        allowed = [one for one in addresses if one in named or is_public(one)]
        if not allowed:
            raise RefusedError(403, f"Not a public address: {host}")
        for address in allowed:
            with contextlib.suppress(OSError):
                async with asyncio.timeout(CONNECT_S):
                    reader, writer = await asyncio.open_connection(address, port, limit=CHUNK)
                # A connection to a public address of this machine has the same address at both ends.
                if address in named or writer.get_extra_info("sockname")[0] != address:
                    return reader, writer
                writer.transport.abort()
        raise RefusedError(502, f"Cannot connect: {host}:{port}")


async def _exchange(request: Request, client: Streams, server: Streams) -> None:
    """Pass bytes both ways until the server ends its side, or none came for `IDLE_S`."""
    (reader, writer), (answers, requests) = client, server
    try:
        async with asyncio.timeout(IDLE_S) as idle:
            if request.length is None:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            requests.write(request.head)
            sending = asyncio.create_task(_pass_on(reader, requests, idle, request.length))
            try:
                await _pass_on(answers, writer, idle, None)
                writer.close()
                await writer.wait_closed()
            finally:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
    finally:
        requests.transport.abort()


async def _pass_on(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, idle: asyncio.Timeout, length: int | None
) -> None:
    """Pass bytes on as they come: `length` of them, or all, and then the end."""
    loop = asyncio.get_running_loop()
    while length is None or length > 0:
        data = await source.read(CHUNK if length is None else min(CHUNK, length))
        if not data:
            break
        length = None if length is None else length - len(data)
        idle.reschedule(loop.time() + IDLE_S)
        sink.write(data)
        await sink.drain()
    if length is None:
        sink.write_eof()
