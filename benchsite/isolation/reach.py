"""The hosts and addresses that a grant by host covers.

Forms: `api.example.com`; `*.example.com` for every name below it; a numeric IPv4 address; `localhost`. Each may have a port;
without one, the ports are 80 and 443.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from typing import Final

__all__ = ["is_granted", "is_public", "named_addresses"]

PORTS: Final = (80, 443)
LOOPBACK: Final = ("127.0.0.1", "::1")
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as a NAT64 gateway reaches them (RFC 6052)."""


def is_granted(host: str, port: int, hosts: Collection[str]) -> bool:
    """Whether a grant names a host and its port."""
    names = _names(hosts, port)
    return host in names or any(
        name.startswith("*.") and host.endswith(name[1:]) and not host.startswith(".") for name in names
    )


def named_addresses(hosts: Collection[str], port: int) -> frozenset[str]:
    """Return the addresses that grants name themselves; `localhost` names those of the loopback interface."""
    names = _names(hosts, port)
    return frozenset(names).union(LOOPBACK if "localhost" in names else ())


def is_public(address: str) -> bool:
    """Whether an address is outside this machine and its networks.

    A name that resolves to another one opens nothing there: its owner is not the maintainer.
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        translated = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF) if found in _TRANSLATED else None
        found = found.ipv4_mapped or found.sixtofour or translated or found
    return found.is_global and not found.is_multicast and not found.is_reserved


def _names(hosts: Collection[str], port: int) -> list[str]:
    split = (one.partition(":") for one in hosts)
    return [name for name, _, own in split if (port == int(own) if own else port in PORTS)]
