"""The parser of the proxy against RFC 9110 and RFC 9112; clauses are named beside the cases."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.isolation.http_request import RefusedError, Request, parse

NAMES = st.text(string.ascii_lowercase + string.digits + "-", min_size=1, max_size=20)
PATHS = st.text(string.ascii_letters + string.digits + "/?&=%._~-", max_size=40)


def head(*lines: str) -> bytes:
    return "\r\n".join((*lines, "", "")).encode("latin-1")


def refusal(*lines: str) -> int:
    with pytest.raises(RefusedError) as caught:
        parse(head(*lines))
    assert "\n" not in caught.value.reason
    return caught.value.status


def test_a_tunnel() -> None:
    assert parse(head("CONNECT API.example.com.:443 HTTP/1.1", "Host: other.example")) == Request(
        "api.example.com", 443
    )


@given(host=NAMES, port=st.integers(1, 65535), path=PATHS, size=st.integers(0, 10**9))
def test_an_absolute_request_becomes_one_for_the_server(host: str, port: int, path: str, size: int) -> None:
    found = parse(head(f"POST http://{host}:{port}/{path} HTTP/1.1", f"Content-Length: {size}", "X-Own: 1"))
    named = host if port == 80 else f"{host}:{port}"
    assert found == Request(
        host,
        port,
        head(
            f"POST /{path} HTTP/1.1",
            f"Host: {named}",
            f"Content-Length: {size}",
            "X-Own: 1",
            "Connection: close",
        ),
        size,
    )


@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_request_or_refused(data: bytes) -> None:
    try:
        found = parse(data + b"\r\n\r\n")
    except RefusedError as error:
        assert error.status in {400, 411}
    else:
        assert 0 < found.port < 65536


@pytest.mark.parametrize(
    ("target", "path"),
    [("http://a.example", "/"), ("http://a.example?q=1", "/?q=1"), ("HTTP://A.Example:80/x", "/x")],
)
def test_the_path_of_a_target(target: str, path: str) -> None:
    assert parse(head(f"GET {target} HTTP/1.1")).head.startswith(
        f"GET {path} HTTP/1.1\r\nHost: a.example\r\n".encode()
    )


def test_the_target_decides_and_not_the_host_field() -> None:
    """RFC 9112, section 3.2.2."""
    found = parse(head("GET http://a.example/ HTTP/1.1", "Host: b.example"))
    assert found.host == "a.example"
    assert b"b.example" not in found.head


def test_fields_of_one_hop_end_here() -> None:
    """RFC 9110, section 7.6.1; a body's length is never among them, or the server would read it as a request."""
    found = parse(
        head(
            "POST http://a.example/ HTTP/1.1",
            "Connection: X-Mine, Content-Length, keep-alive",
            "Proxy-Authorization: Basic eDp5",
            "X-Mine: 1",
            "X-Kept: 1",
            "Content-Length: 5",
        )
    )
    assert found.head == head(
        "POST / HTTP/1.1", "Host: a.example", "X-Kept: 1", "Content-Length: 5", "Connection: close"
    )
    assert found.length == 5


ABSOLUTE = "GET http://a.example/ HTTP/1.1"


@pytest.mark.parametrize(
    "lines",
    [
        ("GET / HTTP/1.1", "Host: a.example"),  # neither form of a proxy
        ("GET https://a.example/ HTTP/1.1",),
        ("GET http://a.example/#x HTTP/1.1",),
        ("GET http://u:p@a.example/ HTTP/1.1",),
        ("GET http://a.example@b.example/ HTTP/1.1",),
        ("GET http://a.example\\@b.example/ HTTP/1.1",),
        ("GET http://a.example:0/ HTTP/1.1",),
        ("GET http://a.example:65536/ HTTP/1.1",),
        ("GET http://a.example:8o/ HTTP/1.1",),
        ("GET http:///x HTTP/1.1",),
        ("GET http://a.example/ HTTP/2.0",),
        ("GET http://a.example/ b HTTP/1.1",),
        ("GET  http://a.example/ HTTP/1.1",),
        ("CONNECT a.example HTTP/1.1",),
        ("CONNECT http://a.example:443 HTTP/1.1",),
        ("CONNECT a.example:443/ HTTP/1.1",),
        ("CONNECT u@a.example:443 HTTP/1.1",),
        (ABSOLUTE, "Host: a.example", "Host: b.example"),  # RFC 9112, section 3.2
        (ABSOLUTE, "host: a.example", "HOST: a.example"),
        (ABSOLUTE, "Content-Length: 1", "Content-Length: 1"),  # section 6.3
        (ABSOLUTE, "Content-Length: 1, 1"),
        (ABSOLUTE, "Content-Length: +1"),
        (ABSOLUTE, "Content-Length: 0x1"),
        (ABSOLUTE, "Host : a.example"),  # section 5.1
        (ABSOLUTE, "X-A: 1", " folded"),  # section 5.2
        (ABSOLUTE, "X-A: 1\nHost: b.example"),  # section 2.2
        (ABSOLUTE, "X-A: 1\rHost: b.example"),
        (ABSOLUTE, "X-A: \x00"),
        (ABSOLUTE, ": 1"),
        (ABSOLUTE, "no colon"),
    ],
)
def test_what_two_parsers_could_read_differently_is_refused(lines: tuple[str, ...]) -> None:
    assert refusal(*lines) == 400


def test_a_transfer_coding_is_refused() -> None:
    assert refusal("POST http://a.example/ HTTP/1.1", "Transfer-Encoding: chunked") == 411
    assert refusal(ABSOLUTE, "Content-Length: 3", "transfer-encoding : chunked") == 400
