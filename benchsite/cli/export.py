"""`benchsite export`: a receipt's evidence, or a whole record, in files that other programs read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from benchsite.cli import here, output
from benchsite.errors import InputError, UsageError
from benchsite.pipeline import export as exporting
from benchsite.words import amount

_FILE = click.Path(path_type=Path)
_OF_RECEIPT = "--trec, --qrels, --longmemeval, --atif and --otel"


@click.command()
@click.argument("receipt", required=False)
@click.option("--trec", type=_FILE, metavar="FILE", help="Of RECEIPT: write the rankings as a run file.")
@click.option(
    "--qrels",
    type=_FILE,
    metavar="FILE",
    help="Of RECEIPT: write the relevance labels of the scored queries.",
)
@click.option(
    "--longmemeval",
    type=_FILE,
    metavar="FILE",
    help="Of RECEIPT: write LongMemEval's own metrics, as JSON.",
)
@click.option(
    "--atif",
    type=_FILE,
    metavar="DIR",
    help="Of RECEIPT: write its traces as a job of Harbor with trajectories in ATIF 1.8 to a new folder.",
)
@click.option(
    "--otel",
    type=_FILE,
    metavar="FILE",
    help="Of RECEIPT: write its traces as spans of OpenTelemetry, in lines of OTLP JSON.",
)
@click.option("--csv", type=_FILE, metavar="FILE", help="Write the evidence of every receipt as CSV.")
@click.option("--jsonl", type=_FILE, metavar="FILE", help="The same as JSON Lines.")
@click.option("--parquet", type=_FILE, metavar="FILE", help="The same as Parquet; needs benchsite[parquet].")
@click.option(
    "--sqlite",
    type=_FILE,
    metavar="FILE",
    help="The same as an SQLite database, with receipts, scores and dictionary.",
)
@click.option(
    "--eee",
    type=_FILE,
    metavar="DIR",
    help="Write every ranked receipt in the format of Every Eval Ever to a new folder.",
)
@click.option(
    "--at",
    type=click.IntRange(min=1),
    metavar="SIZE",
    help="Export the record as it was with SIZE log entries.",
)
@output.json_option
def export(
    receipt: str | None,
    trec: Path | None,
    qrels: Path | None,
    longmemeval: Path | None,
    atif: Path | None,
    otel: Path | None,
    at: int | None,
    *,
    as_json: bool,
    **files: Path | None,
) -> None:
    """Write evidence in files that other programs read.

    With RECEIPT, the files are LongMemEval's metrics, or those that trec_eval, Harbor or a collector of OpenTelemetry reads. RECEIPT
    is a path (drafts included), a receipt id or its first characters, or the web address of a receipt.

    Without RECEIPT, a file has a row for each query, run of a task or rating of every receipt. Every receipt is verified first,
    and one that fails is excluded. FILE is a new file.
    """
    texts = (("trec", trec), ("qrels", qrels), ("longmemeval", longmemeval))
    of_receipt = {name: path for name, path in texts if path is not None}
    of_evidence = {name: path for name, path in (("atif", atif), ("otel", otel)) if path is not None}
    of_record = {name: path for name, path in files.items() if path is not None}
    needs_receipt = bool(of_receipt or of_evidence)
    if receipt is None and of_record and not needs_receipt:
        _record(of_record, at, as_json=as_json)
    elif receipt is not None and needs_receipt and not of_record and at is None:
        _receipt(receipt, of_receipt, of_evidence, as_json=as_json)
    elif not needs_receipt and not of_record:
        raise UsageError(
            "nothing to write",
            hint="benchsite export RECEIPT --trec FILE --qrels FILE, or benchsite export --csv FILE",
        )
    elif receipt is None:
        raise UsageError(f"{_OF_RECEIPT} need a receipt", hint="benchsite export RECEIPT --trec FILE")
    else:
        raise UsageError(
            f"RECEIPT goes with {_OF_RECEIPT} only; the other files have every receipt",
            hint="benchsite export --csv FILE",
        )


def _receipt(name: str, texts: Mapping[str, Path], evidence: Mapping[str, Path], *, as_json: bool) -> None:
    """Write the files of one receipt; a format that it lacks is refused before anything is written."""
    snapshot = here.optional_snapshot()
    if len({*texts.values()}) < len(texts):
        raise UsageError("two files have one name", hint="give each file another name")
    for path in texts.values():
        if path.exists():
            raise _exists(path)
    made = exporting.export(snapshot, name, list(texts))
    written = [exporting.export_evidence(snapshot, name, kind, path) for kind, path in evidence.items()]
    for kind, path in texts.items():
        _write(path, made[kind])
        written.append(exporting.ExportedEvidence(path, 1))
    if as_json:
        output.emit({"files": [{"path": str(one.path), "files": one.files} for one in written]})
        return
    for one in written:
        output.say(f"wrote {one.path}" + (f": {amount(one.files, 'file')}" if one.files > 1 else ""))


def _record(files: Mapping[str, Path], size: int | None, *, as_json: bool) -> None:
    with output.progress("verifying") as progress:
        record = exporting.ExportedRecord.of(here.snapshot(), size)
        written = [exporting.write(record, kind, path, progress) for kind, path in files.items()]
    if as_json:
        output.emit(_report(record, written))
        return
    for one in written:
        receipts = amount(one.receipts, "receipt")
        output.say(f"wrote {one.path}: {amount(one.rows, 'row')} from {receipts}, log size {record.size:,}")
    if record.excluded:
        output.note(f"! {amount(record.excluded, 'receipt')} excluded: verification failed")
        output.note("hint: run `benchsite verify --all`")


def _report(record: exporting.ExportedRecord, written: list[exporting.Written]) -> Mapping[str, Any]:
    return {
        "files": [{"path": str(one.path), "rows": one.rows, "receipts": one.receipts} for one in written],
        "receipts": len(record.headers),
        "excluded": record.excluded,
        "size": record.size,
        "root": record.root,
    }


def _exists(path: Path) -> InputError:
    return InputError(f"{path} exists", hint="give another name, or remove it")


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        reason = (error.strerror or "unwritable").lower()
        raise InputError(
            f"cannot write {path}: {reason}", hint="check the path and its permissions"
        ) from None
