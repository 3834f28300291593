"""Verification in the visitor's browser: a small receipt (about 10 KB), a large one (1 MB at the default size), and an
agents receipt of 690 runs, with its traces of about 2 MB and without.

Timed inside the page by tests/js/bench-verify.js, in Chromium and Firefox. Two figures: from the drop of the file to the
verdict on a page newly opened, a new Worker and its log requests included; and the engine alone, offline, in a Worker
that is warm. Also the size of verify.html, raw and compressed. A browser that is not installed is left out, and said.
The tiny size is of two receipts in the first browser: starting each browser and page takes longer than all else.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from benchsite import canonical
from benchsite.pipeline.browser import verifier
from benchsite.site import pages
from benchsite.site.trust import lookup, trust
from tests.bench.measurement import Gate, Numbers
from tests.invented_runs import receipt
from tests.rescoring import SIGNATURE
from tests.sample_record import SampleRecord, make_fixture, make_methodology

UNIT = "questions in the large receipt, all of one category"
SIZE = 3_550
TINY = 1
ROUNDS = 11
GATES: dict[str, Gate] = {}  # none is specified
SMALL = 8
TASKS, EVENTS = 690, 18
FEW = 12
SCRIPTS = Path(__file__).parents[1] / "js"
BROWSERS = {
    "chromium": ("chrome", os.environ.get("BENCHSITE_CHROMIUM") or "chromium"),
    "firefox": ("firefox", os.environ.get("BENCHSITE_FIREFOX") or "firefox-esr"),
}


def measure(size: int, rounds: int) -> Numbers:
    """Milliseconds of each browser, and bytes."""
    page = verifier().page.encode()
    numbers: dict[str, float | dict[str, float]] = {
        "verify_html_bytes": len(page),
        "verify_html_gzip_bytes": len(gzip.compress(page, 9)),
    }
    with tempfile.TemporaryDirectory() as folder:
        handler = functools.partial(_Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            receipts = []
            for name, queries in (("small", SMALL), ("large", size)):
                text = _made(Path(folder) / name, queries)
                address = f"http://127.0.0.1:{server.server_address[1]}/{name}/verify.html"
                receipts.append({"name": name, "address": address, "text": text, "beside": ""})
                numbers[f"{name}_receipt_bytes"] = len(text.encode())
            agents, traces = _agents(TASKS if size > FEW else FEW)
            for name, beside in (("agents", ""), ("agents_traces", traces)):
                receipts.append({"name": name, "address": address, "text": agents, "beside": beside})
            numbers |= {"agents_receipt_bytes": len(agents), "agents_traces_bytes": len(traces)}
            for name, (kind, command) in BROWSERS.items():
                program = shutil.which(command)
                if program is None:
                    print(f"{name} NOT MEASURED: {command} is not installed", file=sys.stderr)
                    continue
                numbers[name] = _driven(kind, program, receipts[-2:] if size == TINY else receipts, rounds)
                if size == TINY:
                    break
            server.shutdown()
    return numbers


def _made(folder: Path, queries: int) -> str:
    """Write a site of one receipt, as far as verification reads it; the receipt's text."""
    fixture = make_fixture(queries)
    for query in fixture["queries"]:
        query["category"] = "temporal"
    record = SampleRecord(fixture, [make_methodology("1.0.0", "## 1 Score\n\nText.")])
    record.publish("fair", 0.6)
    data = trust(
        record.log,
        site="bench",
        roots=[record.root.fingerprint],
        checkpoint=record.checkpoint,
        witnesses=(),
    )
    files = {"verify.html": verifier().with_trust(data)}
    found = [*pages.log(record.log, record.checkpoint), *lookup(record.log)]
    files.update({page.path: page.data for page in found if page.data is not None})
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return record.blobs[0].data.decode()


def _agents(tasks: int) -> tuple[str, str]:
    """A receipt of another site's key, and its traces."""
    document, traces = receipt(random.Random(16), tasks, most=EVENTS)  # noqa: S311 - invented runs
    return canonical.dumps(document | {"signature": SIGNATURE}).decode(), traces.decode()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


def _driven(kind: str, program: str, receipts: list[dict[str, str]], rounds: int) -> dict[str, float]:
    ran = subprocess.run(
        ["node", "bench-verify.js", kind, program],
        cwd=SCRIPTS,
        input=json.dumps({"rounds": rounds, "receipts": receipts}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    numbers: dict[str, float] = {}
    for name, one in json.loads(ran.stdout)["found"].items():
        assert one["verdict"], f"{kind} shows no verdict on the {name} receipt"
        numbers[f"{name}_drop_to_verdict_ms"] = statistics.median(one["whole"])
        numbers[f"{name}_slowest_ms"] = max(one["whole"])
        numbers[f"{name}_engine_ms"] = statistics.median(one["engine"])
    return numbers
