"""Bytes from web addresses: the evidence of mirrors, and receipts that are named by their address on a site.

An address is asked as it is written: no redirect is followed, one answer has a limit of bytes and of seconds, and only
https is spoken, or http to this machine. Nothing downloaded is trusted for where it came from.
"""

from __future__ import annotations

import codecs
import http
import http.client
import re
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, parse_qs, urlsplit

from benchsite import canonical, environment
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.layout import receipt_path
from benchsite.schema import UUID4
from benchsite.words import shown_path

__all__ = ["LONGEST", "Answer", "asked", "is_address", "receipt", "streamed", "with_scheme"]

_SECONDS: Final = 30
LONGEST: Final = 300.0
"""Seconds of one answer, from the connection to the last byte, whatever trickles in."""
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_ID: Final = UUID4.strip("^$")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PAGE: Final = re.compile(rf"(?P<site>.*/)receipts/[0-9a-f]{{2}}/(?P<id>{_ID})/?(?:index\.html)?")
_FILE: Final = re.compile(rf"(?:.*/)(?P<id>{_ID})\.json")
_BARE: Final = re.compile(
    r"(?P<host>localhost|[A-Za-z0-9][A-Za-z0-9-]*(?:\.[A-Za-z0-9-]+)+)(?::[0-9]+)?/"
    r"(?:(?:.*/)?receipts/|(?:.*/)?verify\.html)"
)
"""A host, then the path of a receipt."""
_VERIFY: Final = re.compile(r"(?P<site>.*/)verify\.html")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An answer comes from the address that was named, and from no other."""

    def redirect_request(self, *_: Any) -> None:
        """None: the answer stays what it is, a failure."""


class _Http(urllib.request.HTTPHandler):
    """Opens connections whose sockets it keeps, so that they can be cut."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """As the base class, with a connection of ours."""
        return self.do_open(_kept(http.client.HTTPConnection, self._sockets), req)


class _Https(urllib.request.HTTPSHandler):
    """The same over TLS."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """As the base class, with a connection of ours."""
        return self.do_open(_kept(http.client.HTTPSConnection, self._sockets), req)


def _kept(kind: type[http.client.HTTPConnection], sockets: list[socket.socket]) -> Any:
    """A kind of connection that notes its socket."""

    def connect(self: http.client.HTTPConnection) -> None:
        kind.connect(self)
        sockets.append(self.sock)

    return type("Connection", (kind,), {"connect": connect})


def _cut(sockets: list[socket.socket]) -> None:
    for each in sockets:
        with suppress(OSError):
            socket.socket.shutdown(each, socket.SHUT_RDWR)  # not TLS's own, which would read on without it


class Answer(NamedTuple):
    """What an address sent: at most one byte more than was asked for.

    `why` says why it is not the whole file as it is stored; empty where it is.
    """

    data: bytes
    why: str


def asked(address: str, most: int) -> Answer:
    """The bytes of an address, as `streamed` reads them."""
    parts: list[bytes] = []
    why = streamed(address, most, LONGEST, parts.append)
    return Answer(b"".join(parts), why)


def streamed(address: str, most: int, seconds: float, take: Callable[[bytes], None]) -> str:
    """Read an address, whose scheme the caller has checked, until the time is up, headers included.

    Args:
        address: where.
        most: bytes; `take` is given at most one more.
        seconds: how long.
        take: called with the bytes as they come.

    Returns:
        Why this is not the whole file as it is stored; empty if it is.

    Raises:
        OSError, http.client.HTTPException, ValueError: it cannot be reached, or answers with something else than a file.
    """
    sockets: list[socket.socket] = []
    ends = environment.perf_counter_ns() + int(seconds * 10**9)
    late = f"not complete after {seconds:g} s"
    timer = threading.Timer(seconds, _cut, (sockets,))
    timer.daemon = True
    timer.start()
    try:
        opener = urllib.request.build_opener(_NoRedirect, _Http(sockets), _Https(sockets))
        with opener.open(address, timeout=min(_SECONDS, seconds)) as answer:
            is_short = _read(answer, most, ends, take) <= most and bool(answer.length)
            coding = answer.headers.get("Content-Encoding", "identity")
            status = answer.status
    except (OSError, http.client.HTTPException):
        if environment.perf_counter_ns() >= ends:
            raise TimeoutError(late) from None
        raise
    finally:
        timer.cancel()
    if environment.perf_counter_ns() >= ends:
        return late
    if is_short:
        return "the connection ended before the end of the file"
    if status != http.HTTPStatus.OK:
        return f"HTTP status {status}"
    return "" if coding == "identity" else f"sent as {shown_path(coding)}, which was not asked for"


def _read(answer: http.client.HTTPResponse, most: int, ends: int, take: Callable[[bytes], None]) -> int:
    """Take all that is sent, or one byte more than `most`, or what came until the time was up; how many bytes."""
    length = 0
    # `read` would wait for all of it, however slowly it comes.
    while length <= most and environment.perf_counter_ns() < ends:
        part = answer.read1(min(1 << 20, most + 1 - length))
        if not part:
            break
        take(part)
        length += len(part)
    return length


def is_address(name: str) -> bool:
    """Whether a name is a web address, of whatever scheme."""
    return _ADDRESS.match(name) is not None


def with_scheme(name: str) -> str:
    """The address that a name without its scheme stands for, as `host/receipts/...`; empty where it looks like a path."""
    found = _BARE.match(name)
    if found is None:
        return ""
    return f"{'http' if found['host'] in _HERE else 'https'}://{name}"


def receipt(name: str) -> tuple[str, bytes]:
    """The address and the bytes of a receipt's file on a published site, named by the address of its page, of the file, or of verify.html with its id.

    Raises:
        UsageError: the address is none of these.
        InputError: the site does not answer with the file, or the file is larger than a receipt may be.
        IntegrityError: the file is another receipt than the one that the address names.
    """
    address, receipt_id = _file_of(name)
    shown = shown_path(urlsplit(address)._replace(query="").geturl())  # a query may hold a password
    try:
        data, why = asked(address, canonical.MAX_BYTES)
    except urllib.error.HTTPError as error:
        with error:  # it holds the connection
            raise _refused(error, shown) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"cannot download {shown}: {shown_path(str(reason))}", hint="check the address and the network"
        ) from None
    if why:
        raise InputError(
            f"cannot download {shown}: {why}",
            hint="repeat the command, or download the file and name its path",
        )
    if len(data) > canonical.MAX_BYTES:
        raise InputError(
            f"{shown} is larger than {canonical.MAX_BYTES // 2**20} MiB, so it is not a receipt",
            hint="name the address of a receipt's page",
        )
    if data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"<":
        raise InputError(
            f"{shown} is a web page, not a receipt", hint="name the address of the receipt's page"
        )
    if receipt_id is not None and (held := _held(data)) not in (None, receipt_id):
        raise IntegrityError(
            f"{shown} holds another receipt: {shown_path(str(held))}",
            hint="report it to the maintainers of the site",
        )
    return shown, data


def _held(data: bytes) -> str | None:
    """The receipt id that a file states; None where verification will say what is wrong with it."""
    try:
        value = canonical.loads(data)
    except canonical.JsonError:
        return None
    held = value.get("receiptId") if isinstance(value, dict) else None
    return held if isinstance(held, str) else None


def _refused(error: urllib.error.HTTPError, shown: str) -> InputError:
    """What to say of an answer that is not the file."""
    moved = error.headers.get("Location") if 300 <= error.code < 400 else None
    if moved is not None:
        return InputError(
            f"{shown} redirects to {shown_path(moved)}: not followed",
            hint="name that address, if you trust it",
        )
    is_fault_of_site = error.code >= http.HTTPStatus.INTERNAL_SERVER_ERROR
    return InputError(
        f"cannot download {shown}: HTTP status {error.code}",
        hint="repeat the command later" if is_fault_of_site else "copy the address of a receipt's page",
    )


def _file_of(name: str) -> tuple[str, str | None]:
    """The address of a receipt's file, and the receipt id that it names."""
    parts = _parts(name)
    named_id = parse_qs(parts.query).get("id", [""])[-1]
    found = _PAGE.fullmatch(parts.path)
    receipt_id = found["id"] if found is not None else None
    if found is None and (found := _VERIFY.fullmatch(parts.path)) is not None:
        receipt_id = named_id if re.fullmatch(_ID, named_id) else None
    if found is not None and receipt_id is not None:
        path = f"{found['site']}{receipt_path(receipt_id)}"
        return parts._replace(path=path, query="", fragment="").geturl(), receipt_id
    if parts.path.endswith(".json"):
        named = _FILE.fullmatch(parts.path)
        return parts._replace(fragment="").geturl(), named["id"] if named is not None else None
    raise UsageError(
        f"not the address of a receipt: {shown_path(name)}",
        hint="name https://SITE/receipts/AA/ID/, or the address of the receipt's JSON file",
    )


def _parts(name: str) -> SplitResult:
    """A web address that may be asked."""
    try:
        parts = urlsplit(name)
        host = parts.hostname
    except ValueError:  # of brackets around no address
        parts, host = SplitResult("", "", "", "", ""), None
    if "@" in parts.netloc:
        # The name and the password would be shown, and are not needed for what is public.
        raise UsageError("the address contains a user name", hint="remove what is before the @")
    if host is None or not (parts.scheme == "https" or (parts.scheme == "http" and host in _HERE)):
        raise UsageError(
            f"not an https address: {shown_path(name)}",
            hint="http is accepted for localhost only; name a file on this machine by its path",
        )
    return parts
