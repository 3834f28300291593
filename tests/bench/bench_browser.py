"""Verification in the visitor's browser: `python -m tests.bench browser`. Not a test.

Receipts of about 10 KB and 1 MB in Chromium and Firefox, timed inside the page by tests/js/bench-verify.js. Two
figures: from the drop of the file to the verdict on a page newly opened, a new Worker and its log requests included;
and the engine alone, offline, in a Worker that is warm. Also the size of verify.html, raw and compressed.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from benchsite.pipeline.browser import verifier
from benchsite.site import pages
from benchsite.site.trust import lookup, trust
from tests.sample_record import SampleRecord, make_fixture, make_methodology

ROUNDS = 11
SCRIPTS = Path(__file__).parents[1] / "js"
QUERIES = {"10 KB": 8, "1 MB": 3_550}
"""Questions, all of one category, that make a receipt of about this size."""
BROWSERS = {
    "Chromium": ("chrome", os.environ.get("BENCHSITE_CHROMIUM") or "chromium"),
    "Firefox": ("firefox", os.environ.get("BENCHSITE_FIREFOX") or "firefox-esr"),
}


def made(folder: Path, queries: int) -> str:
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


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


def measured(kind: str, program: str, receipts: list[dict[str, str]]) -> Any:
    ran = subprocess.run(
        ["node", "bench-verify.js", kind, program],
        cwd=SCRIPTS,
        input=json.dumps({"rounds": ROUNDS, "receipts": receipts}),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def main() -> None:
    """Measure, print, and end with one JSON line."""
    page = verifier().page.encode()
    sizes = {"verifyHtmlBytes": len(page), "verifyHtmlGzipBytes": len(gzip.compress(page, 9))}
    print(f"verify.html without trust data: {len(page):,} bytes, {sizes['verifyHtmlGzipBytes']:,} compressed")
    summary: dict[str, Any] = dict(sizes)
    with tempfile.TemporaryDirectory() as folder:
        handler = functools.partial(_Quiet, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            receipts = []
            for name, queries in QUERIES.items():
                text = made(Path(folder) / name.replace(" ", ""), queries)
                address = f"http://127.0.0.1:{server.server_address[1]}/{name.replace(' ', '')}/verify.html"
                receipts.append({"name": name, "address": address, "text": text})
                print(f"{name}: a receipt of {len(text.encode()):,} bytes, {queries:,} questions")
            for name, (kind, command) in BROWSERS.items():
                program = shutil.which(command)
                if program is None:
                    print(f"{name} NOT MEASURED: {command} is not installed", file=sys.stderr)
                    continue
                found = measured(kind, program, receipts)
                for size, one in found["found"].items():
                    whole, engine = (statistics.median(one[part]) for part in ("whole", "engine"))
                    print(
                        f"{found['version']}, {size}: drop to verdict {whole:.0f} ms, engine {engine:.0f} ms "
                        f"(medians of {ROUNDS}; slowest {max(one['whole']):.0f} ms; {one['verdict']})"
                    )
                    summary[f"{name} {size}"] = {"wholeMs": round(whole), "engineMs": round(engine)}
            server.shutdown()
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
