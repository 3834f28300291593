"""Evidence from the mirrors of `mkdocs.yml`, within one budget of time and bytes for a command and its processes.

A piece goes to a file while its digest is computed, so that a mirror that serves other bytes costs no memory. A host that
ran into a limit is not asked for the rest of the command.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import zlib
from collections.abc import Iterable
from contextlib import suppress
from http.client import HTTPException
from typing import Final
from urllib.parse import urlsplit

from benchsite import environment
from benchsite.pipeline.snapshot import download
from benchsite.pipeline.workspace.download_cache import Budget

__all__ = ["fetch"]

_PIECE: Final = 1 << 20


def fetch(mirrors: Iterable[str], sha256: str, budget: Budget, most: int) -> bytes | None:
    """Return the first copy of a mirror that has the digest, as it is served: plain or gzip'd.

    Args:
        mirrors: web addresses of folders.
        sha256: of the uncompressed bytes.
        budget: what the command may still spend.
        most: bytes of a piece of evidence, uncompressed and as it is served.
    """
    for mirror in mirrors:
        host = urlsplit(mirror).hostname or mirror
        if budget.is_blocked(host):
            continue
        if budget.is_spent:
            if budget.tell_once():
                logging.getLogger("benchsite").warning(
                    "the limits for mirrors are used up (%d s, %d bytes a command): no more evidence is fetched",
                    budget.SECONDS,
                    budget.BYTES,
                )
            return None
        with suppress(HTTPException, OSError, ValueError):
            found = _served(f"{mirror.rstrip('/')}/{sha256}", host, _Digest(sha256, most), budget)
            if found is not None:
                return found
    return None


def _served(address: str, host: str, digest: _Digest, budget: Budget) -> bytes | None:
    """Return what an address serves if it has the digest; block its host if it ran into a limit."""
    seconds = min(download.LONGEST, budget.seconds_left)
    began = environment.perf_counter_ns()
    with tempfile.TemporaryFile() as file:

        def take(piece: bytes) -> None:
            digest.update(piece)
            file.write(piece)

        try:
            download.streamed(address, min(digest.most, budget.bytes_left), seconds, take)
        except OSError as error:
            if isinstance(getattr(error, "reason", error), TimeoutError):
                budget.block(host)
            raise
        finally:
            spent = environment.perf_counter_ns() - began
            budget.spend(spent, digest.length)
            if spent >= seconds * 10**9 or digest.length > digest.most:
                budget.block(host)
        if not digest.matches():
            return None
        file.seek(0)
        return file.read()


class _Digest:
    """Compares bytes as they come with a digest, plain and unpacked, and keeps none of them."""

    def __init__(self, sha256: str, most: int) -> None:
        self.most = most
        self.length = 0
        self._wanted = sha256
        self._plain = hashlib.sha256()
        self._unpacked = hashlib.sha256()
        self._size = 0
        self._unpacker = zlib.decompressobj(wbits=31)
        self._is_gzip = True

    def update(self, data: bytes) -> None:
        """Take the next bytes."""
        self.length += len(data)
        self._plain.update(data)
        if self._is_gzip:
            self._unpack(data)

    def _unpack(self, data: bytes) -> None:
        if self._unpacker.eof:  # bytes behind the end of the archive
            self._is_gzip = False
            return
        while self._is_gzip:
            try:
                plain = self._unpacker.decompress(data, _PIECE)
            except zlib.error:
                self._is_gzip = False
                return
            self._unpacked.update(plain)
            self._size += len(plain)
            self._is_gzip = self._size <= self.most and not self._unpacker.unused_data
            data = self._unpacker.unconsumed_tail
            if not data and len(plain) < _PIECE:
                return

    def matches(self) -> bool:
        """Whether all bytes together have the digest, as they came or unpacked."""
        if self.length <= self.most and self._plain.hexdigest() == self._wanted:
            return True
        return self._is_gzip and self._unpacker.eof and self._unpacked.hexdigest() == self._wanted
