"""Small files with hundreds of thousands of faults: a verdict or a clean error, in bounded memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from builders import commit
from examples import some
from forgery import by_name
from sample_record import SampleRecord, draft_of, make_fixture, make_methodology

from benchsite import canonical
from benchsite.pipeline.workspace import Workspace

_ADDRESSES = 6 * 1024**3
_HANG = 300
# Not `ru_maxrss`: it keeps what the forking process of the tests had before the program was executed.
_PEAK = "int(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1]) // 1024"
_WATCHED = (
    "import runpy, sys; sys.argv[0] = 'benchsite'\n"
    "try: runpy.run_module('benchsite', run_name='__main__')\n"
    f"finally: print('peak', {_PEAK}, file=sys.stderr)"
)


def bounded(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """What came of a command with 6 GB of addresses; the time is a guard against hanging, not a measurement."""
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=_HANG,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES)),
    )


def ran(folder: Path, *arguments: str) -> tuple[int, str, int]:
    """Exit code, everything said, and the peak memory in MB of `benchsite ARGUMENTS` as `bounded` runs it."""
    out = bounded([sys.executable, "-c", _WATCHED, *arguments], folder)
    said, _, peak = out.stderr.rpartition("peak ")
    assert "Traceback" not in said, said
    return out.returncode, out.stdout + said, int(peak)


def repeated(entry: str, count: int) -> bytes:
    return ("[" + ",".join([entry] * count) + "]").encode()


def table(count: int) -> bytes:
    """An object whose every member is at fault, whatever it should be."""
    return ("{" + ",".join(f'"{place:x}":[]' for place in range(count)) + "}").encode()


@pytest.fixture(scope="module")
def receipt() -> dict[str, Any]:
    """A signed receipt as the sample record publishes it."""
    record = SampleRecord(make_fixture(queries=6), [make_methodology("1.0.0", "rules")])
    draft = draft_of(record, "sample", 0.6, 3, version="1.0.0", label=True)
    return draft | {
        "signature": {
            "algorithm": "Ed25519",
            "publicKeyFingerprint": f"sha256:{'ab' * 32}",
            "value": "A" * 86,
        }
    }


def with_member(document: dict[str, Any], name: str, value: bytes) -> bytes:
    """The document's canonical bytes, one member of it replaced by this text."""
    marked = canonical.dumps(document | {name: "HERE"})
    assert marked.count(b'"HERE"') == 1
    return marked.replace(b'"HERE"', value)


BODIES = {
    "perQuery": ("perQuery", repeated("{}", 300_000), "perQuery[0].queryId"),
    "evidence": ("evidence", repeated("{}", 300_000), "evidence[0].name"),
    "byCategory": ("byCategory", table(80_000), "byCategory.0"),
    "scores": ("scores", table(80_000), "scores.0.[key]"),
    "unknown": ("faults", table(80_000), "faults.duplicates"),
}


@pytest.mark.parametrize("case", some(list(BODIES), gate=2))
@pytest.mark.stories
def test_a_receipt_below_a_megabyte_ends_in_invalid(
    tmp_path: Path, receipt: dict[str, Any], case: str
) -> None:
    name, value, field = BODIES[case]
    (tmp_path / "r.json").write_bytes(with_member(receipt, name, value))
    code, said, peak = ran(tmp_path, "verify", "r.json")
    assert (code, f"field {field}: " in said) == (3, True), said[:400]
    assert peak <= 300


@pytest.mark.stories
@pytest.mark.parametrize("command", some(["verify", "audit"], gate=1))
def test_a_receipt_of_the_record_below_a_megabyte_is_named(published: Workspace, command: str) -> None:
    path, document = by_name(published, "bm25")
    commit(published, {path: with_member(document, "perQuery", repeated("{}", 300_000))})
    code, said, peak = ran(published.root, command, *(["--all"] if command == "verify" else []))
    assert (code, document["receiptId"] in said) == (3, True), said[:400]
    assert peak <= 300


@pytest.mark.stories
@pytest.mark.parametrize(
    ("entry", "count", "field"),
    some([("{}", 2_790_000, "evidence[0].name"), ('{"name":"q"}', 500_000, "evidence[0].sha256")], gate=1),
)
def test_a_receipt_of_eight_megabytes_ends_in_invalid(
    tmp_path: Path, receipt: dict[str, Any], entry: str, count: int, field: str
) -> None:
    # Two and a half million empty objects take 64 bytes each once they are read, whatever is said of them.
    (tmp_path / "r.json").write_bytes(with_member(receipt, "evidence", repeated(entry, count)))
    code, said, peak = ran(tmp_path, "verify", "r.json")
    assert (code, f"field {field}: " in said) == (3, True), said[:400]
    assert peak <= 600


@pytest.mark.stories
def test_a_draft_is_refused(tmp_path: Path, receipt: dict[str, Any]) -> None:
    draft = {name: value for name, value in receipt.items() if name != "signature"}
    (tmp_path / "d.json").write_bytes(with_member(draft, "perQuery", repeated("{}", 600_000)))
    code, said, peak = ran(tmp_path, "rescore", "d.json")
    assert (code, "perQuery[0]" in said) == (3, True), said[:400]
    assert peak <= 300


@pytest.mark.stories
def test_a_fixture_is_refused_with_its_first_problems(tmp_path: Path) -> None:
    (tmp_path / "fixture.json").write_bytes(b'{"items":' + repeated("{}", 600_000) + b"}")
    code, said, peak = ran(tmp_path, "fixture", "validate", "fixture.json")
    assert code == 4
    assert "at least " in said
    assert len(said.splitlines()) < 30
    assert peak <= 300


WRITTEN = {
    "a sheet": "from benchsite.tracks.rubric.sheet import opening\nopening(data, where='a.yaml')",
    "rules": (
        "from benchsite import yaml_document\nfrom benchsite.methodology import parse\n"
        "document = yaml_document.load(data, 'methodology.yaml')\n"
        "parse(document.value, files={'methodology.yaml': data, 'parameters.json': data, 'text.md': b''}, where='retrieval/1.0.0')"
    ),
    "settings": (
        "from benchsite import yaml_document\nfrom benchsite.pipeline.workspace.config import Config\n"
        "Config(yaml_document.load(data, 'mkdocs.yml'))"
    ),
    "a log entry": "from benchsite.log import decode_entry\ndecode_entry(data[:60000])",
    "the manifest": "from benchsite.log.manifest import parse_manifest\nparse_manifest(data)",
}
LISTS = {
    "a sheet": b"domain:\n  D1:\n    averagedFrom: " + repeated("{}", 60_000),
    "rules": b"changes: " + repeated("{}", 60_000),
    "settings": b"extra:\n  benchsite:\n    origin: a.example/log\n    suite: " + repeated("1", 100_000),
    "a log entry": b'{"type":"retract","v":1,' + table(5_000)[1:],
    "the manifest": repeated("{}", 300_000),
}


@pytest.mark.stories
@pytest.mark.parametrize("kind", some(list(WRITTEN), gate=2))
def test_what_people_and_logs_write_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_bytes(LISTS[kind])
    (tmp_path / "program.py").write_text(
        "from pathlib import Path\nfrom benchsite.errors import BenchsiteError\n"
        "data = Path('file').read_bytes()\ntry:\n"
        + "".join(f"    {line}\n" for line in WRITTEN[kind].splitlines())
        + f"except BenchsiteError as error:\n    print(len(error.message), {_PEAK})\n"
    )
    out = bounded([sys.executable, "program.py"], tmp_path)
    length, peak = map(int, out.stdout.split())
    assert length < 10_000
    assert peak <= 300
