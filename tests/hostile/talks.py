"""Adapters that use the standard streams, which belong to the protocol."""

import os
import subprocess
import sys

from honest import Honest


class Prints(Honest):
    def query(self, q, k, when):
        print("thinking about", q)
        sys.__stdout__.write('{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
        os.write(1, b"raw bytes on stdout\n")
        subprocess.run(["echo", "a child on stdout"], check=True)
        return super().query(q, k, when)


class Reads(Honest):
    def query(self, q, k, when):
        assert sys.stdin.read() == ""
        return super().query(q, k, when)


class Floods(Honest):
    """Writes more to stderr than any pipe holds, before it answers."""

    def query(self, q, k, when):
        os.write(2, b"noise\n" * 1_000_000)
        os.write(2, b"the last word\n")
        return super().query(q, k, when)
