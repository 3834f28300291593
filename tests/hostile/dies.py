# ruff: noqa: ANN204, PTH110, PTH123 - an adapter as a stranger writes it
import os
import time

from honest import Honest


class Dies(Honest):
    """Ends its process on every question about boats."""

    def query(self, q, k, when):
        if "boat" in q:
            os._exit(3)
        return super().query(q, k, when)


class DiesOnIngest(Honest):
    """Ends its process in the middle of a scope that has a red boat."""

    def ingest(self, items):
        for item in items:
            if item.content == "red boat":
                os._exit(3)
            super().ingest([item])


class DiesLoudly(Honest):
    def query(self, q, k, when):
        os.write(2, b"first line\nout of memory\n\n")
        os.abort()


class DiesOnStart(Honest):
    def __init__(self):
        os.write(2, b"cannot find model.bin\n")
        os._exit(1)


class ForksAndDies(Honest):
    """Its child holds the pipes open, so the end of the adapter is no end of file."""

    def query(self, q, k, when):
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)


class DiesOnSecondStart(Honest):
    """Can be started once only: the working folder is new each time, so it marks the one above."""

    def query(self, q, k, when):
        with open("../../died", "w"):
            os._exit(1)

    def __init__(self):
        super().__init__()
        if os.path.exists("../../died"):
            os._exit(1)
