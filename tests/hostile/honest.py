# ruff: noqa: ANN204 - an adapter as a stranger writes it
"""A well-behaved adapter the hostile ones are made from: every item whose text shares a word, in order."""


class Honest:
    about = {"name": "honest", "version": "1.0", "author": "tests"}

    def __init__(self):
        self.items = []

    def reset(self):
        self.items = []

    def ingest(self, items):
        self.items += items

    def query(self, q, k, when):
        words = set(q.lower().split())
        found = [item for item in self.items if words & set(item.content.lower().split())]
        return [(item.id, 1.0, item.content) for item in found[:k]]
