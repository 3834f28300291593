# ruff: noqa: ANN204 - an adapter as a stranger writes it
import os
import signal
import time

from honest import Honest


class Hangs(Honest):
    """Never answers a question about boats, and ignores what it can ignore."""

    def __init__(self):
        super().__init__()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def query(self, q, k, when):
        while "boat" in q:
            time.sleep(60)
        return super().query(q, k, when)


class HangsAlways(Honest):
    def query(self, q, k, when):
        time.sleep(60)


class HangsOnStart(Honest):
    def __init__(self):
        time.sleep(60)


class HangsWithChild(Honest):
    """Leaves a child of its own behind, which keeps the pipes open while it hangs too."""

    def query(self, q, k, when):
        child = os.fork()
        if child:
            print(f"child {child}", flush=True)
        time.sleep(60)
