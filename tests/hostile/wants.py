# ruff: noqa: ANN204, PTH100, PTH118, PTH120, PTH123, PTH208 - an adapter as a stranger writes it
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

    def query(self, q, k, when):
        seen = {
            "environment": dict(os.environ),
            "cwd": os.listdir("."),
            "home": os.listdir(os.environ["HOME"]),
            "network": reaches_network(),
        }
        return [("d0001", 1.0, json.dumps(seen))]


class DumpsVariable(Dumps):
    about = {**Honest.about, "environment": ("WANTED_TOKEN", "NOT_SET_ANYWHERE")}


class DumpsNetwork(Dumps):
    about = {**Honest.about, "network": True}


class DumpsHosts(Dumps):
    about = {**Honest.about, "hosts": ("a.example", "b.example:8443")}


class NeedsVariable(Dumps):
    """Cannot even be built without what it declares."""

    about = {**Honest.about, "environment": ("WANTED_TOKEN",)}

    def __init__(self):
        super().__init__()
        self.token = os.environ["WANTED_TOKEN"]


class WantsKey(Honest):
    about = {**Honest.about, "environment": ("BENCHSITE_RECEIPT_KEY",)}


class NoVersion(Honest):
    about = {**Honest.about, "version": None}


class BadName(Honest):
    about = {**Honest.about, "name": "two\nlines"}


class BadHosted(Honest):
    about = {**Honest.about, "hosted": "yes"}


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


class Product(Honest):
    """Is built on another system, and depends on a distribution and a file of weights."""

    about = {
        "name": "product",
        "version": "9.9.9 by its own word",
        "author": "tests",
        "distributions": ["numpy"],
        "assets": {"weights": os.path.join(os.path.dirname(os.path.abspath(__file__)), "program.py")},
        "backend": "honest",
    }


class NotInstalled(Honest):
    about = {**Product.about, "distributions": ["no-such-distribution"]}


class NoWeights(Honest):
    about = {**Product.about, "assets": {"weights": "/no/such/file"}}


class RelativeWeights(Honest):
    about = {**Product.about, "assets": {"weights": "program.py"}}


class NoAbout:
    pass


class Saturates(Honest):
    """Takes a number, a name if there is one, truth values or names, and a text of digits."""

    def __init__(self, *, k1=1.2, name=None, also: bool | str = False, level: str = "1"):
        super().__init__()
        self.settings = {"k1": k1, "name": name, "also": also, "level": level}
