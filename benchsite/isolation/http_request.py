"""The head of a request to an HTTP proxy, parsed strictly (RFC 9110, RFC 9112).

Takes CONNECT and the absolute form. Refuses what two parsers could read differently: folded or malformed lines, two `Host` or
`Content-Length` fields, a transfer coding, user information in the target.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

__all__ = ["RefusedError", "Request", "parse"]

_TOKEN: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - RFC 9110, section 5.6.2
_AUTHORITY: Final = r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?"
_REQUEST_LINE: Final = re.compile(rf"({_TOKEN}) ([!-~]+) (HTTP/1\.[01])")
_FIELD_LINE: Final = re.compile(rf"({_TOKEN}):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_TUNNEL: Final = re.compile(_AUTHORITY)
_ABSOLUTE: Final = re.compile(rf"(?i:http)://{_AUTHORITY}((?:[/?][^#]*)?)")
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_HOP_BY_HOP: Final = frozenset(
    (
        "connection",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "upgrade",
    )
)


class RefusedError(Exception):
    """A request that the proxy answers itself; the program sees `status` and `reason`, which are one line."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Request(NamedTuple):
    """Where a request goes, and what is sent there.

    Attributes:
        host: in lower case, without a final dot.
        head: what is sent to an HTTP server; empty for a tunnel.
        length: size of the body in bytes; None for a tunnel.
    """

    host: str
    port: int
    head: bytes = b""
    length: int | None = None


def parse(head: bytes) -> Request:
    """Return the request of a head that ends with its empty line.

    Raises:
        RefusedError: it is malformed, or neither CONNECT nor absolute.
    """
    first, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    fields = [_FIELD_LINE.fullmatch(one) for one in rest]
    if line is None or None in fields:
        raise RefusedError(400, "Malformed request")
    kept = [(one[1], one[2]) for one in fields if one is not None]
    names = [name.lower() for name, _ in kept]
    if names.count("host") > 1 or names.count("content-length") > 1:
        raise RefusedError(400, "A header field is repeated")
    method, target, version = line.groups()
    if method == "CONNECT":
        if (found := _TUNNEL.fullmatch(target)) is None or found[2] is None:
            raise RefusedError(400, "CONNECT needs HOST:PORT")
        return Request(_host(found[1]), _port(found[2]))
    if (found := _ABSOLUTE.fullmatch(target)) is None:
        raise RefusedError(400, "Use CONNECT, or an absolute http:// target")
    if "transfer-encoding" in names:
        raise RefusedError(411, "Content-Length is needed")
    host, port = _host(found[1]), _port(found[2] or "80")
    path = found[3] if found[3].startswith("/") else f"/{found[3]}"
    authority = host if port == 80 else f"{host}:{port}"
    # RFC 9112, section 3.2.2: the target decides, whatever `Host` says.
    lines = (
        f"{method} {path} {version}",
        f"Host: {authority}",
        *(f"{name}: {value}" for name, value in _end_to_end(kept)),
        *("Connection: close", "", ""),
    )
    return Request(host, port, "\r\n".join(lines).encode("latin-1"), _length(kept))


def _host(text: str) -> str:
    return text.lower().removesuffix(".")


def _port(text: str) -> int:
    if not 0 < int(text) < 65536:
        raise RefusedError(400, "Not a port")
    return int(text)


def _end_to_end(fields: Collection[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the fields that concern the server; `Content-Length` is one, even if `Connection` names it."""
    options = ",".join(value for name, value in fields if name.lower() == "connection").lower().split(",")
    dropped = _HOP_BY_HOP.union(option.strip() for option in options) - {"content-length"}
    yield from ((name, value) for name, value in fields if name.lower() not in dropped)


def _length(fields: Collection[tuple[str, str]]) -> int:
    text = next((value for name, value in fields if name.lower() == "content-length"), "0")
    if _LENGTH.fullmatch(text) is None:
        raise RefusedError(400, "Not a Content-Length")
    return int(text)
