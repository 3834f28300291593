# ruff: noqa: ANN204, PTH101, PTH102, PTH103, PTH120, PTH123 - adapters as hostile authors write them
"""Adapters that try to reach, to outlive or to exhaust what they were started in."""

import ctypes
import json
import os
import signal
import socket
import time

from honest import Honest


class Daemon(Honest):
    """Leaves a process in a session of its own, without the pipes, in the background."""

    def query(self, q, k, when):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            for descriptor in range(3):
                os.close(descriptor)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        return super().query(q, k, when)


class Writes(Honest):
    """Writes to a file whatever stands in its way, and answers with what came of each try."""

    def __init__(self, *, path):
        super().__init__()
        self.path = path

    def attempt(self):
        try:
            with open(self.path, "w") as file:
                file.write("forged")
        except OSError as error:
            return os.strerror(error.errno)
        return "written"

    def query(self, q, k, when):
        tries = [self.attempt()]
        folder = os.path.dirname(self.path).encode()
        libc = ctypes.CDLL(None)
        libc.umount2(folder, 2)
        tries.append(self.attempt())
        libc.mount(None, folder, None, 0x1020, None)  # MS_REMOUNT | MS_BIND, without MS_RDONLY
        tries.append(self.attempt())
        libc.unshare(0x10020000)  # a user and a mount namespace of its own, with every privilege in them
        libc.umount2(folder, 2)
        libc.mount(None, folder, None, 0x1020, None)
        tries.append(self.attempt())
        with open("private", "w") as file:
            file.write("its own folder is its own")
        return [("d0001", 1.0, ", ".join(tries))]


class WritesQuietly(Writes):
    """Answers as if nothing had happened."""

    def query(self, q, k, when):
        self.attempt()
        return Honest.query(self, q, k, when)


class Returns(Honest):
    """Goes back to the network of the process that started it, and says whether it got there."""

    def query(self, q, k, when):
        libc = ctypes.CDLL(None)
        for process in (os.getppid(), 1):
            try:
                descriptor = os.open(f"/proc/{process}/ns/net", os.O_RDONLY)
            except OSError:
                continue
            libc.setns(descriptor, 0x40000000)
        there = any(name != "lo" for _, name in socket.if_nameindex())
        return [("d0001", 1.0, "outside" if there else "inside")]


class Nests(Honest):
    """3,000 folders, each in the one before."""

    def query(self, q, k, when):
        for _ in range(3000):
            os.mkdir("d")
            os.chdir("d")
        return super().query(q, k, when)


class Locks(Honest):
    """A folder without permissions, with a file in it."""

    def query(self, q, k, when):
        os.makedirs("locked", exist_ok=True)
        with open("locked/file", "w"):
            os.chmod("locked", 0)
        return super().query(q, k, when)


class Fills(Honest):
    """Takes 400 MB, and keeps them."""

    def query(self, q, k, when):
        self.kept = bytearray(b"x") * 400_000_000
        time.sleep(30)
        return super().query(q, k, when)


class Looks(Honest):
    """Says who it is, what it reads in some files, and which sockets answer it."""

    def __init__(self, *, files="", sockets=""):
        super().__init__()
        self.files, self.sockets = files.split(), sockets.split()

    def query(self, q, k, when):
        libc = ctypes.CDLL(None)
        seen = {"user": os.getuid(), "group": os.getgid(), "files": [], "sockets": []}
        for attempt in ("at once", "after umount"):
            for path in self.files:
                seen["files"].append(self.read(path))
            for path in self.sockets:
                seen["sockets"].append(self.connect(path))
            if attempt == "at once":
                libc.unshare(0x10020000)
                for path in (*self.files, *self.sockets):
                    libc.umount2(path.encode(), 2)
                    libc.umount2(os.path.dirname(path).encode(), 2)
        return [("d0001", 1.0, json.dumps(seen))]

    def read(self, path):
        try:
            with open(path) as file:
                return file.read()
        except OSError as error:
            return os.strerror(error.errno)

    def connect(self, path):
        try:
            with socket.socket(socket.AF_UNIX) as one:
                one.connect(path)
                return one.recv(100).decode()
        except OSError as error:
            return os.strerror(error.errno)


class Grows(Honest):
    """A child holds 150 MB and stays."""

    def query(self, q, k, when):
        if os.fork() == 0:
            self.kept = bytearray(b"x") * 150_000_000
            time.sleep(600)
        time.sleep(1.5)
        return super().query(q, k, when)
