# ruff: noqa: ANN204, B905, PTH123 - an adapter as a stranger writes it
"""Adapters whose process is well and whose answers are not."""

import json
import math

from honest import Honest


class Duplicates(Honest):
    def query(self, q, k, when):
        return [hit for hit in super().query(q, k, when) for _ in range(2)]


class UnknownIds(Honest):
    """First an id nobody gave it, then one with a lone surrogate, then what it found."""

    def query(self, q, k, when):
        return [("made-up", 0.5, "x"), ("\ud800", 0.5, "x"), *super().query(q, k, when)]


class Remembers(Honest):
    """Keeps what it was told in earlier scopes."""

    def reset(self):
        pass


class BadScores(Honest):
    """One score of each kind the contract refuses, then a good one."""

    def query(self, q, k, when):
        scores = [math.nan, math.inf, -0.1, 1.1, None, "1", True, 1]
        return [(item.id, score, item.content) for item, score in zip(self.items, scores)]


class OverK(Honest):
    def query(self, q, k, when):
        return [(item.id, 1.0, item.content) for item in self.items] * 3


class WrongTypes(Honest):
    """A different breach of the contract for each first word of the question."""

    answers = {
        "none": None,
        "text": "d0001",
        "object": {"d0001": 1.0},
        "ids": ["d0001"],
        "pairs": [("d0001", 1.0)],
        "numbers": [(1, 1.0, "x")],
        "content": [("d0001", 1.0, 5)],
        "bytes": [(b"d0001", 1.0, "x")],
        "lazy": (hit for hit in ()),
        "fine": [],
    }

    def query(self, q, k, when):
        return self.answers[q.split()[0]]


class Records(Honest):
    """Writes down, in the run's folder, everything it was given."""

    def note(self, what, value):
        with open("../../record.jsonl", "a") as file:
            file.write(json.dumps([what, value]) + "\n")

    def reset(self):
        super().reset()
        self.note("reset", None)

    def ingest(self, items):
        super().ingest(items)
        self.note("ingest", [item._asdict() for item in items])

    def query(self, q, k, when):
        self.note("query", [q, k, when])
        return super().query(q, k, when)


class Fickle(Honest):
    """Answers about boats differently each time it is started."""

    def __init__(self):
        super().__init__()
        with open("../../starts", "a+") as file:
            file.write("x")
            file.seek(0)
            self.start = len(file.read())

    def query(self, q, k, when):
        hits = super().query(q, k, when)
        return hits[self.start - 1 :] if "boat" in q else hits


class Huge(Honest):
    def query(self, q, k, when):
        return [("d0001", 1.0, "x" * (65 * 1024 * 1024))]
