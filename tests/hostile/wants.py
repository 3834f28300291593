# ruff: noqa: ANN204, PTH123, PTH208 - an adapter as a stranger writes it
"""Adapters that want something from their surroundings."""

import json
import os
import socket

from honest import Honest


def reaches_network():
    """Whether any interface but a downed loopback exists: no packet is sent."""
    return any(name != "lo" for _, name in socket.if_nameindex())


class Dumps(Honest):
    """Answers with its whole environment, its folders and its interfaces."""

    environment = ()

    def query(self, q, k, when):
        seen = {
            "environment": dict(os.environ),
            "cwd": os.listdir("."),
            "home": os.listdir(os.environ["HOME"]),
            "network": reaches_network(),
        }
        return [("d0001", 1.0, json.dumps(seen))]


class DumpsVariable(Dumps):
    environment = ("WANTED_TOKEN", "NOT_SET_ANYWHERE")


class DumpsNetwork(Dumps):
    network = True


class DumpsHosts(Dumps):
    hosts = ("a.example", "b.example:8443")


class NeedsVariable(Dumps):
    """Cannot even be built without what it declares."""

    environment = ("WANTED_TOKEN",)

    def __init__(self):
        super().__init__()
        self.token = os.environ["WANTED_TOKEN"]


class WantsKey(Honest):
    environment = ("BENCHSITE_RECEIPT_KEY",)


class NoVersion(Honest):
    version = None


class BadName(Honest):
    name = "two\nlines"


class BadHosted(Honest):
    hosted = "yes"


class Closes(Honest):
    def flush(self):
        print("FLUSHED")

    def close(self):
        with open(os.environ["HOME"] + "/../../closed", "w") as file:
            file.write("yes")


class Options(Honest):
    def __init__(self, *, depth, seed):
        super().__init__()
        self.given = {"depth": depth, "seed": seed}

    def query(self, q, k, when):
        return [("d0001", 1.0, json.dumps(self.given))]
