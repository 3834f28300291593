# ruff: noqa: ANN204, PTH115, PTH123, PTH208, S310 - adapters as hostile authors write them
"""Adapters that use a network limited to some hosts, and try to leave it."""

import ctypes
import errno
import fcntl
import json
import os
import socket
import struct
import urllib.request

from honest import Honest


def outcome(attempt):
    """What came of an attempt, in words that don't depend on the machine."""
    try:
        return attempt()
    except OSError as error:
        reason = getattr(error, "reason", error)
        return errno.errorcode.get(getattr(reason, "errno", None)) or str(reason)


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def connect(host, port):
    with socket.create_connection((host, port), timeout=10):
        return "connected"


def raw(kind, number):
    with socket.socket(socket.AF_INET, kind, number):
        return "opened"


def send_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"\0" * 20, ("192.0.2.1", 53))
        return "sent"


def change_interface():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        fcntl.ioctl(one, 0x8914, struct.pack("16sh22x", b"lo", 0))
        return "down"


def inherited_sockets():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:
            continue
        found += [name] if target.startswith("socket:") else []
    return found


def sockets_with_a_path():
    with open("/proc/net/unix") as file:
        return [line for line in file.read().splitlines()[1:] if len(line.split()) > 7]


def new_namespace():
    """The privileges of a user namespace of its own lead nowhere either."""
    libc = ctypes.CDLL(None)
    libc.unshare(0x10000000)
    with open("/proc/1/ns/net") as other:
        libc.setns(other.fileno(), 0x40000000)
    return fetch("http://other.example/")


class Reaches(Honest):
    """Answers with what came of each attempt."""

    def __init__(self, *, granted):
        super().__init__()
        self.granted = granted

    def query(self, q, k, when):
        host, _, port = self.granted.partition(":")
        attempts = {
            "granted": lambda: fetch(f"http://{self.granted}/a?b=c"),
            "another port": lambda: fetch(f"http://{host}:1/"),
            "another host": lambda: fetch("http://other.example/"),
            "another host in a tunnel": lambda: fetch("https://other.example/"),
            "an address": lambda: fetch("http://192.0.2.1/"),
            "the granted host without the proxy": lambda: connect(host, int(port)),
            "an address without the proxy": lambda: connect("192.0.2.1", 80),
            "a name": lambda: socket.getaddrinfo("other.example", 80),
            "a datagram": send_datagram,
            "a raw socket": lambda: raw(socket.SOCK_RAW, socket.IPPROTO_ICMP),
            "the interface": change_interface,
            "inherited sockets": inherited_sockets,
            "sockets with a path": sockets_with_a_path,
            "a new namespace": new_namespace,
        }
        found = {name: outcome(attempt) for name, attempt in attempts.items()}
        return [("d0001", 1.0, json.dumps(found))]
