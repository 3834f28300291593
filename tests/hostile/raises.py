# ruff: noqa: ANN204 - an adapter as a stranger writes it
from honest import Honest


class Raises(Honest):
    """Raises on every question about boats."""

    def query(self, q, k, when):
        if "boat" in q:
            raise RuntimeError("no boats\nplease")
        return super().query(q, k, when)


class RaisesTwoErrors(Raises):
    """Raises on every other question too, with another error."""

    def query(self, q, k, when):
        super().query(q, k, when)
        raise KeyError("index")


class RaisesOnIngest(Honest):
    def ingest(self, items):
        raise OSError("disk full")


class RaisesOnStart(Honest):
    def __init__(self):
        raise RuntimeError("no licence file")
