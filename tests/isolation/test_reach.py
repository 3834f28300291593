from __future__ import annotations

import pytest

from benchsite.isolation.reach import is_granted, is_public, named_addresses

HOSTS = ("api.example.com", "*.example.org:8443", "127.0.0.1:9", "localhost:11434")


@pytest.mark.parametrize(
    ("host", "port", "granted"),
    [
        ("api.example.com", 443, True),
        ("api.example.com", 80, True),
        ("api.example.com", 8443, False),
        ("example.com", 443, False),
        ("b.api.example.com", 443, False),
        ("api.example.com.evil.example", 443, False),
        ("a.example.org", 8443, True),
        ("a.b.example.org", 8443, True),
        ("a.example.org", 443, False),
        ("example.org", 8443, False),
        (".example.org", 8443, False),
        ("evilexample.org", 8443, False),
        ("127.0.0.1", 9, True),
        ("127.0.0.1", 80, False),
        ("[::1]", 443, False),
        ("", 443, False),
    ],
)
def test_a_grant_names_a_host_and_its_ports(host: str, port: int, granted: bool) -> None:  # noqa: FBT001
    assert is_granted(host, port, HOSTS) is granted


def test_nothing_is_granted_by_no_grant() -> None:
    assert not is_granted("api.example.com", 443, ())


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("127.8.8.8", False),
        ("0.0.0.0", False),  # noqa: S104 - an address to refuse
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("224.0.0.251", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.1.2.3", False),
        ("2002:7f00:1::", False),  # 6to4 of 127.0.0.1
        ("64:ff9b::7f00:1", False),  # NAT64 of 127.0.0.1
        ("64:ff9b::10.1.2.3", False),
        ("64:ff9b::93.184.215.14", True),
        ("::127.0.0.1", False),  # IPv4-compatible, deprecated
    ],
)
def test_public_addresses_are_outside_this_machine_and_its_networks(address: str, public: bool) -> None:  # noqa: FBT001
    """The IANA special-purpose address registries, IPv4 and IPv6."""
    assert is_public(address) is public


def test_addresses_that_a_grant_names_itself() -> None:
    assert "127.0.0.1" in named_addresses(HOSTS, 9)
    assert "127.0.0.1" not in named_addresses(HOSTS, 80)
    assert {"127.0.0.1", "::1"} <= named_addresses(HOSTS, 11434)
