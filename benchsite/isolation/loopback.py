"""The first step of a program whose network access is limited to hosts: a listening socket in its network namespace.

`sandbox` starts this file as a script while the process still has the privileges of its namespaces. It brings the loopback
interface up, hands a socket that listens there to the harness, which serves it (`proxy`), and becomes the program. So
nothing but the harness answers at `ADDRESS`, no relay runs next to the program, and no path leads to the proxy.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
import sys
from typing import Final

__all__ = ["ADDRESS", "command", "main"]

ADDRESS: Final = ("127.0.0.1", 3128)
"""Where the proxy listens in every such namespace."""

_SET_INTERFACE_FLAGS: Final = 0x8914  # SIOCSIFFLAGS
_UP: Final = 1  # IFF_UP


def command(handover: int) -> tuple[str, ...]:
    """Return the prefix of a program's command; `handover` is the descriptor that takes the listening socket."""
    return (sys.executable, "-I", "-S", "-B", __file__, str(handover))


def main(handover: str, *program: str) -> None:
    """Hand over a listening socket and become the program."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_INTERFACE_FLAGS, struct.pack("16sh22x", b"lo", _UP))
    with socket.create_server(ADDRESS) as listener, socket.socket(fileno=int(handover)) as harness:
        socket.send_fds(harness, [b"\0"], [listener.fileno()])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and a program inherits that
        signal.signal(number, signal.SIG_DFL)
    os.execv(program[0], program)  # noqa: S606 - it replaces this process, without a shell


if __name__ == "__main__":
    main(*sys.argv[1:])
