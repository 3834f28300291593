"""The program that calls a function of foreign source; `trial` starts it in its own namespaces, as `python -c`.

It shuts itself into an empty root with nothing but the standard library, gives up every privilege, and forbids itself by
seccomp to start processes or threads, run programs, open sockets or change namespaces. Only then is the source run. It
knows arguments and no expected value, so that its results prove nothing by themselves: the harness compares them.

Standard input is the order, as JSON; standard output takes a line for each call; what the source prints goes to stderr.
If a step of this fails, nothing is run, and the exit code is 3.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys
from typing import Any, Final

UNAVAILABLE: Final = 3
_MOUNT_SETATTR: Final = 442
_AT_FDCWD: Final = -100
_RECURSIVE: Final = 0x8000
_READ_ONLY: Final = 0x1 | 0x2 | 0x4  # MOUNT_ATTR_RDONLY, NOSUID, NODEV
_BIND: Final = 4096 | 16384  # MS_BIND, MS_REC
_CAPABILITY_VERSION: Final = 0x20080522
_EPERM: Final = 0x00050001
_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000

_MACHINES: Final = {
    # Architecture in an audit record; clone, fork, vfork, execve, socket, socketpair, ptrace, mount, unshare, setns
    "x86_64": (0xC000003E, (56, 57, 58, 59, 41, 53, 101, 165, 272, 308, 322, 248, 250, 321, 298, 323)),
    "aarch64": (0xC00000B7, (220, 221, 198, 199, 117, 40, 97, 268, 281, 217, 219, 280, 241, 282)),
}
"""Numbers of forbidden system calls; those from 425 on are the same on every machine."""
_ON_EVERY_MACHINE: Final = (425, 428, 429, 430, 435, 442)
_TEXT: Final = 2000
_LINE: Final = 30_000


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def shut_in(order: dict[str, Any]) -> None:
    """Enter the empty root and give up every privilege; raises `OSError` if a step is not possible."""
    libc = ctypes.CDLL(None, use_errno=True)
    root = order["root"]
    _must(libc.mount(b"none", root.encode(), b"tmpfs", 0, b"size=1m,mode=755"))
    for path in (*order["folders"], "/tmp"):  # noqa: S108 - of the new root
        os.makedirs(f"{root}{path}", exist_ok=True)  # noqa: PTH103 - the name has a root before it
    for path in order["folders"]:
        _must(libc.mount(path.encode(), f"{root}{path}".encode(), None, _BIND, None))
    for path in order["hidden"]:
        _must(libc.mount(b"none", f"{root}{path}".encode(), b"tmpfs", 0, b"size=4k,mode=555"))
    for path, place in order.get("mounts", {}).items():
        _mounted(libc, path, f"{root}{place}")
    for name, target in order["links"].items():
        os.symlink(target, f"{root}{name}")  # noqa: PTH211 - pathlib would be loaded for this alone
    attributes = struct.pack("QQQQ", _READ_ONLY, 0, 0, 0)
    _must(
        libc.syscall(
            _MOUNT_SETATTR, _AT_FDCWD, root.encode(), _RECURSIVE, attributes, ctypes.c_size_t(len(attributes))
        )
    )
    _must(libc.mount(b"none", f"{root}/tmp".encode(), b"tmpfs", 0, b"size=1m,mode=777"))  # noqa: S108 - of the new root
    os.chroot(root)
    os.chdir("/tmp")  # noqa: S108 - of the new root
    _limit(order["limits"])
    _give_up(libc)


def _mounted(libc: Any, path: str, place: str) -> None:
    """Show a folder or a file at a place of the new root."""
    if os.path.isdir(path):  # noqa: PTH112 - pathlib would be loaded for this alone
        os.makedirs(place, exist_ok=True)  # noqa: PTH103
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY))
    _must(libc.mount(path.encode(), place.encode(), None, _BIND, None))


def _must(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _limit(limits: dict[str, int]) -> None:
    for name, most in (
        (resource.RLIMIT_CPU, limits["cpu_s"]),
        (resource.RLIMIT_AS, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["output"]),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(name, (most, most))


def _give_up(libc: Any) -> None:
    for number in range(64):
        libc.prctl(24, number, 0, 0, 0)  # PR_CAPBSET_DROP; unknown ones are refused
    libc.prctl(47, 4, 0, 0, 0)  # PR_CAP_AMBIENT_CLEAR_ALL
    _must(libc.capset(struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24)))
    _must(libc.prctl(38, 1, 0, 0, 0))  # PR_SET_NO_NEW_PRIVS
    architecture, numbers = _MACHINES[os.uname().machine]
    forbidden = (*numbers, *_ON_EVERY_MACHINE)
    load, equal, above, end = (
        0x20,
        0x15,
        0x35,
        0x06,
    )  # BPF: load a word, jump if equal, jump if at least, return
    steps = [
        (load, 0, 0, 4),
        (equal, 1, 0, architecture),
        (end, 0, 0, _KILL),
        (load, 0, 0, 0),
        (above, len(forbidden) + 1, 0, 0x40000000),  # the other calling convention of x86_64
        *((equal, len(forbidden) - place, 0, number) for place, number in enumerate(forbidden)),
        (end, 0, 0, _ALLOW),
        (end, 0, 0, _EPERM),
    ]
    packed = b"".join(struct.pack("HBBI", *step) for step in steps)
    _must(libc.prctl(22, 2, ctypes.byref(_Program(len(steps), packed)), 0, 0))  # PR_SET_SECCOMP


def plain(value: Any, depth: int = 20) -> Any:
    """Return a value as JSON: plain types as they are, a tuple and everything else marked."""
    kind = type(value)
    is_plain = value is None or kind in (bool, str) or (kind is int and value.bit_length() < 256)
    if is_plain or (kind is float and value - value == 0):
        return value
    if depth and kind is list:
        return [plain(one, depth - 1) for one in value]
    if depth and kind is tuple:
        return {"tuple": [plain(one, depth - 1) for one in value]}
    if depth and kind is dict and all(type(name) is str for name in value):
        return {"dict": {name: plain(one, depth - 1) for name, one in value.items()}}
    if depth and kind is set:
        return {"set": sorted((plain(one, depth - 1) for one in value), key=repr)}
    return {"other": kind.__name__}


def told(error: BaseException) -> dict[str, str]:
    """Return an exception by its class and its text."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - of a class of the foreign source
        text = ""
    return {"raised": type(error).__name__[:80], "text": text[:_TEXT]}


def run(order: dict[str, Any], results: int) -> None:
    """Run the source, then each call; write a line of JSON for each."""

    def write(line: dict[str, Any]) -> None:
        text = json.dumps(line, ensure_ascii=True)
        if len(text) > _LINE:
            text = json.dumps({**dict.fromkeys(line), "raised": "TooLarge", "text": "a value is too large"})
        os.write(results, text.encode("ascii") + b"\n")

    space: dict[str, Any] = {"__name__": "solution"}
    try:
        exec(compile(order["source"], "solution.py", "exec", dont_inherit=True), space)  # noqa: S102 - shut in
        function = space[order["function"]]
    except BaseException as error:  # noqa: BLE001 - whatever foreign source does
        write(
            {
                "call": None,
                **(
                    _missing(order)
                    if isinstance(error, KeyError) and order["function"] not in space
                    else told(error)
                ),
            }
        )
        return
    for number, arguments in enumerate(order["calls"]):
        try:
            value = function(*arguments)
            write({"call": number, "value": plain(value), "after": [plain(one) for one in arguments]})
        except BaseException as error:  # noqa: BLE001 - whatever foreign source does
            write({"call": number, **told(error)})


def _missing(order: dict[str, Any]) -> dict[str, str]:
    return {"raised": "NameError", "text": f"the code defines no function {order['function']}"}


def main() -> None:
    """Read the order, shut in, run."""
    order = json.loads(sys.stdin.buffer.read())
    other: dict[str, Any] = {"__name__": "program"}
    try:
        if "program" in order:  # another than `run`, such as `script_child`
            exec(order.pop("program"), other)  # noqa: S102 - a program of this package
            other["prepare"](order)
        shut_in(order)
    except (OSError, KeyError, ValueError) as error:
        os.write(2, f"{type(error).__name__}: {error}".encode())
        os._exit(UNAVAILABLE)
    results = os.dup(1)
    os.dup2(2, 1)
    other.get("run", run)(order, results)
    os._exit(0)


if __name__ == "__main__":
    main()
