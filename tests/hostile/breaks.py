# ruff: noqa: ANN204 - adapters as strangers write them
"""Adapters that each break one clause of the contract, and keep the others as far as that goes."""

import hashlib
import os
import socket
import time


class Kept:
    """Breaks nothing: every item that shares a word, by the share of the question's words."""

    about = {"name": "kept", "version": "1.0", "author": "tests"}

    def __init__(self):
        self.items = []

    def reset(self):
        self.items = []

    def ingest(self, items):
        self.items = [*self.items, *items]

    def query(self, q, k, when):
        asked = set(q.lower().split())
        found = [(item, len(asked & set(item.content.lower().split()))) for item in self.items]
        hits = [(item.id, shared / len(asked), item.content) for item, shared in found if shared]
        return sorted(hits, key=lambda hit: -hit[1])[:k]


class AnswersFromNothing(Kept):
    def query(self, q, k, when):
        return super().query(q, k, when) if self.items else [("d0001", 0.5, "a guess")]


class Invents(Kept):
    def query(self, q, k, when):
        hits = super().query(q, k, when)
        return [*hits[: k - 1], ("made-up", 0.0, "x")] if self.items else hits


class Silent(Kept):
    def query(self, q, k, when):
        return []


class Bare(Kept):
    """Returns ids alone."""

    def query(self, q, k, when):
        return [hit[0] for hit in super().query(q, k, when)]


class Repeats(Kept):
    def query(self, q, k, when):
        return [hit for hit in super().query(q, k, when) for _ in range(2)][:k]


class Ignores(Kept):
    """Does not look at k."""

    def query(self, q, k, when):
        return super().query(q, 1000, when)


class TwiceAsSure(Kept):
    def query(self, q, k, when):
        return [(name, 2 * score, text) for name, score, text in super().query(q, k, when)]


class UpsideDown(Kept):
    def query(self, q, k, when):
        return super().query(q, k, when)[::-1]


class Moody(Kept):
    """Begins with another of its hits each time it is asked."""

    def __init__(self):
        super().__init__()
        self.asked = 0

    def query(self, q, k, when):
        self.asked += 1
        hits = [(item.id, 1.0, item.content) for item in self.items]
        turn = self.asked % max(len(hits), 1)
        return [*hits[turn:], *hits[:turn]][:k]


class Replaces(Kept):
    """Takes each ingest for the whole memory."""

    def ingest(self, items):
        self.items = list(items)


class KeepsFirst(Kept):
    def ingest(self, items):
        self.items = self.items or list(items)


class RemembersScopes(Kept):
    """Forgets only when there is nothing to gain from remembering: the first reset."""

    def reset(self):
        pass


class RemembersStatistics(Kept):
    """Returns no old item, and ranks by how often it was reset."""

    def __init__(self):
        super().__init__()
        self.resets = 0

    def reset(self):
        super().reset()
        self.resets += 1

    def query(self, q, k, when):
        hits = [(item.id, 1.0, item.content) for item in self.items]
        turn = self.resets % max(len(hits), 1)
        return [*hits[turn:], *hits[:turn]][:k]


class FearsEmoji(Kept):
    def query(self, q, k, when):
        q.encode("latin-1", "strict" if "🦜" in q else "replace")
        return super().query(q, k, when)


class FearsNothingAsked(Kept):
    """An error for an empty question, which no fixture holds."""

    def query(self, q, k, when):
        if not q.strip():
            raise ValueError("an empty question")
        return super().query(q, k, when)


class DiesOfLength(Kept):
    def query(self, q, k, when):
        if len(q) > 1000:
            os.write(2, b"out of memory\n")
            os._exit(9)
        return super().query(q, k, when)


class Sleeps(Kept):
    def query(self, q, k, when):
        time.sleep(60)


class CallsHome(Kept):
    def query(self, q, k, when):
        with socket.create_connection(("192.0.2.1", 80), timeout=1):
            return super().query(q, k, when)


class DeclaresNetwork(Kept):
    about = {**Kept.about, "network": True}


class Nondeterministic(Kept):
    """Each process has an order of its own, whatever the seed; within a process the order stays."""

    def __init__(self):
        super().__init__()
        self.process = os.urandom(16)
        self.resets = 0

    def reset(self):
        super().reset()
        self.resets += 1

    def query(self, q, k, when):
        key = self.process + bytes([self.resets])
        items = sorted(self.items, key=lambda item: hashlib.sha256(key + item.id.encode()).digest())
        return [(item.id, 1.0, item.content) for item in items][:k]


class AsksForMuch(Kept):
    about = {**Kept.about, "network": True, "environment": ("SERVICE_KEY", "SERVICE_URL")}


class WholeSentences(Kept):
    """Finds only what contains the whole question."""

    def query(self, q, k, when):
        return [(item.id, 1.0, item.content) for item in self.items if q and q in item.content][:k]


class RefusesOperators(Kept):
    def query(self, q, k, when):
        if "(" in q:
            raise ValueError("invalid query: unexpected token RParen")
        return super().query(q, k, when)
