"""Bytes from web addresses: the evidence of mirrors, and receipts that are named by their address on a site.

An address is asked as it is written: no redirect is followed, one answer has a limit of bytes and of seconds, and only
https is spoken, or http to this machine. Nothing downloaded is trusted for where it came from.
"""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs, urlsplit

from benchsite import canonical, environment
from benchsite.errors import InputError, IntegrityError, UsageError
from benchsite.layout import receipt_path
from benchsite.schema import UUID4
from benchsite.words import shown_path

__all__ = ["is_address", "opened", "read", "receipt"]

_SECONDS: Final = 30
_LONGEST: Final = 300
"""Seconds of one answer, whatever trickles in."""
_HERE: Final = frozenset({"localhost", "127.0.0.1", "::1"})

_ID: Final = UUID4.strip("^$")
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PAGE: Final = re.compile(rf"(?P<site>.*/)receipts/[0-9a-f]{{2}}/(?P<id>{_ID})/?(?:index\.html)?")
_FILE: Final = re.compile(rf"(?:.*/)(?P<id>{_ID})\.json")
_VERIFY: Final = re.compile(r"(?P<site>.*/)verify\.html")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An answer comes from the address that was named, and from no other."""

    def redirect_request(self, *_: Any) -> None:
        """None: the answer stays what it is, a failure."""


def opened(address: str) -> http.client.HTTPResponse:
    """The answer of an address, whose scheme the caller has checked."""
    opener = urllib.request.build_opener(_NoRedirect)
    answer: http.client.HTTPResponse = opener.open(address, timeout=_SECONDS)
    return answer


def read(answer: http.client.HTTPResponse, most: int) -> tuple[bytes, bool]:
    """All that is sent, or one byte more than `most`, or what came until the time was up; and whether the time was."""
    ends = environment.perf_counter_ns() + _LONGEST * 10**9
    parts: list[bytes] = []
    length = 0
    while length <= most:
        if environment.perf_counter_ns() >= ends:
            return b"".join(parts), True
        # `read` would wait for all of it, however slowly it comes.
        part = answer.read1(min(1 << 20, most + 1 - length))
        if not part:
            break
        parts.append(part)
        length += len(part)
    return b"".join(parts), False


def is_address(name: str) -> bool:
    """Whether a name is a web address, of whatever scheme."""
    return _ADDRESS.match(name) is not None


def receipt(name: str) -> tuple[str, bytes]:
    """The address and the bytes of a receipt's file on a published site, named by the address of its page, of the file, or of verify.html with its id.

    Raises:
        UsageError: the address is none of these.
        InputError: the site does not answer with the file; a file that is too large is left to verification.
        IntegrityError: the file is another receipt than the one that the address names.
    """
    address, receipt_id = _file_of(name)
    shown = shown_path(address)
    try:
        with opened(address) as answer:
            data, is_late = read(answer, canonical.MAX_BYTES)
            is_short = len(data) <= canonical.MAX_BYTES and bool(answer.length)
    except urllib.error.HTTPError as error:
        raise _refused(error, shown) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(
            f"cannot download {shown}: {shown_path(str(reason))}", hint="check the address and the network"
        ) from None
    if is_late or is_short:
        said = (
            f"not complete after {_LONGEST} s"
            if is_late
            else "the connection ended before the end of the file"
        )
        raise InputError(f"cannot download {shown}: {said}", hint="repeat the command")
    if data.lstrip()[:1] == b"<":
        raise InputError(
            f"{shown} is a web page, not a receipt", hint="name the address of the receipt's page"
        )
    if receipt_id is not None and (held := _held(data)) not in (None, receipt_id):
        raise IntegrityError(
            f"{shown} holds another receipt: {shown_path(str(held))}",
            hint="report it to the maintainers of the site",
        )
    return address, data


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
    return InputError(
        f"cannot download {shown}: HTTP status {error.code}", hint="copy the address of a receipt's page"
    )


def _file_of(name: str) -> tuple[str, str | None]:
    """The address of a receipt's file, and the receipt id that it names."""
    parts = _parts(name)
    asked = parse_qs(parts.query).get("id", [""])[-1]
    found = _PAGE.fullmatch(parts.path)
    receipt_id = found["id"] if found is not None else None
    if found is None and (found := _VERIFY.fullmatch(parts.path)) is not None:
        receipt_id = asked if re.fullmatch(_ID, asked) else None
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
