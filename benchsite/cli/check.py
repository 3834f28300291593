"""`benchsite verify`, `rescore` and `canonicalize`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from benchsite import canonical, plugins
from benchsite.cli import output
from benchsite.errors import UsageError
from benchsite.history import RESCORE_SENTENCES, SENTENCES, Examination, Rescore
from benchsite.pipeline import verify as checking
from benchsite.pipeline.instance import optional_instance
from benchsite.pipeline.instance.files import read_bounded

_methodologies = click.option(
    "--methodology",
    "methodologies",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with methodology.yaml and text.md; the receipt's own folder is looked in too.",
)


@click.command()
@click.argument("receipts", nargs=-1, metavar="[RECEIPT ...]")
@click.option("--all", "everything", is_flag=True, help="Every receipt of this instance.")
@_methodologies
@click.option(
    "--key", type=click.Path(path_type=Path), help="PEM public key of the signer, for foreign receipts."
)
@output.json_option
@click.pass_context
def verify(
    ctx: click.Context,
    receipts: Sequence[str],
    everything: bool,  # noqa: FBT001 - click passes options by keyword
    methodologies: Sequence[Path],
    key: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Check signature, log position and numbers of receipts.

    RECEIPT is a path, a receipt id or the beginning of one. Inside an instance the log and its keys come from
    the commit that HEAD names.

    The exit code is 0 when every signature was checked and nothing is wrong. It is 3 when a receipt is INVALID, or when
    a number DIFFERS or is impossible, and 4 when a file cannot be read. It is 5 when a file is a draft or UNSUPPORTED,
    or when its signature was not checked: UNKNOWN SIGNER, without that signer's key. Of several receipts, 3 comes
    before 4, and 4 before 5.
    """
    if not receipts and not everything:
        raise UsageError("nothing to verify", hint="name a receipt, or give --all")
    supplied = checking.supplied_key(key) if key is not None else None
    instance = optional_instance(Path.cwd())
    codes, rows = [], []
    with output.progress("verifying") as progress:
        found = checking.verify(
            instance,
            receipts,
            everything=everything,
            key=supplied,
            methodologies=methodologies,
            documents=False,
        )
        for done, checked in enumerate(found, start=1):
            progress(done, 0, checked.path)
            codes.append(checked.exit_code)
            if as_json:
                rows.append(_row(checked))
            else:
                _tell(checked, brief=everything, key=supplied)
    if as_json:
        output.emit({"receipts": rows})
    elif everything:
        bad = sum(code != 0 for code in codes)
        some = "receipt" if len(codes) == 1 else "receipts"
        output.say(f"{len(codes)} {some} verified, {bad} of them with a problem")
    ctx.exit(checking.exit_code(codes))


def _row(checked: checking.Checked) -> dict[str, Any]:
    seen = checked.examination
    if seen is None:
        return {
            "path": checked.path,
            "receiptId": None,
            "verdict": None,
            "rescore": None,
            "steps": [],
            "violations": [],
            "error": checked.error.message if checked.error is not None else "",
            "hint": checked.hint(None),
        }
    return {
        "path": checked.path,
        "receiptId": checked.receipt_id,
        "verdict": seen.verdict.value,
        "rescore": seen.rescore.value,
        "steps": [
            {"name": step.name, "state": step.state, "detail": step.detail, "field": step.field or None}
            for step in seen.steps
        ],
        "violations": [
            {"code": item.code, "message": item.message, "field": item.field or None}
            for item in seen.judgement.violations
        ],
    }


def _tell(checked: checking.Checked, *, brief: bool, key: bytes | None) -> None:
    seen = checked.examination
    hint = checked.hint(key)
    if seen is None:
        output.note(f"error: {checked.error.message if checked.error is not None else checked.path}")
        if hint:
            output.note(f"  try: {hint}")
        return
    output.say(f"{seen.verdict.value}  {checked.receipt_id or checked.path}")
    if brief and checked.exit_code == 0:
        return
    output.say(f"  {SENTENCES[seen.verdict]}")
    for step in seen.steps:
        output.say(f"  {output.mark(step.state)} {step.name}: {step.detail}")
    output.say(f"  {_numbers(seen)}")
    if hint:
        output.note(f"  try: {hint}")


def _numbers(seen: Examination) -> str:
    if seen.judgement.violations and seen.receipt is not None:
        return f"Numbers: {plugins.track(seen.receipt.track).violated}; the reasons stand above."
    if seen.rescore is Rescore.NOT_RESCORABLE:
        return f"Numbers: {seen.rescore.value}: {seen.judgement.reason}."
    return f"Numbers: {seen.rescore.value}. {RESCORE_SENTENCES[seen.rescore]}"


@click.command()
@click.argument("receipts", nargs=-1, metavar="[RECEIPT ...]")
@click.option("--all", "everything", is_flag=True, help="Every receipt of this instance.")
@_methodologies
@output.json_option
@click.pass_context
def rescore(
    ctx: click.Context,
    receipts: Sequence[str],
    everything: bool,  # noqa: FBT001
    methodologies: Sequence[Path],
    as_json: bool,  # noqa: FBT001
) -> None:
    """Compute every number of a receipt again from its evidence, bootstrap intervals included.

    RECEIPT is a path (drafts included), a receipt id or the beginning of one.
    """
    if not receipts and not everything:
        raise UsageError("nothing to re-score", hint="name a receipt, or give --all")
    results = []
    with output.progress("re-scoring") as progress:
        instance = optional_instance(Path.cwd())
        found = checking.rescore(instance, receipts, everything=everything, methodologies=methodologies)
        for result in found:
            results.append(result)
            progress(len(results), 0, result.path)
            if not as_json:
                _tell_rescored(result)
    if as_json:
        output.emit({"receipts": [_rescored_row(result) for result in results]})
    ctx.exit(checking.exit_code([result.exit_code for result in results]))


def _tell_rescored(result: checking.Rescored) -> None:
    if result.judgement is None:
        output.note(f"error: {result.path}: {result.error.message if result.error is not None else ''}")
        if result.error is not None and result.error.hint:
            output.note(f"  try: {result.error.hint}")
        return
    found = result.judgement
    detail = (
        f"all {found.compared} numbers come out again" if found.rescore is Rescore.MATCHES else found.reason
    )
    output.say(f"{found.rescore.value}  {result.receipt_id}  {detail}".rstrip())
    for item in found.differences:
        output.say(
            f"  {output.mark('fail')} {item.field}: recorded {item.recorded!r}, computed {item.computed!r}"
        )
    for broken in found.violations:
        output.say(f"  {output.mark('fail')} {broken.message}")


def _rescored_row(result: checking.Rescored) -> dict[str, Any]:
    found = result.judgement
    if found is None:
        return {
            "path": result.path,
            "receiptId": result.receipt_id or None,
            "rescore": None,
            "compared": 0,
            "differences": [],
            "violations": [],
            "error": result.error.message if result.error is not None else "",
            "hint": result.error.hint if result.error is not None else "",
        }
    return {
        "path": result.path,
        "receiptId": result.receipt_id,
        "rescore": found.rescore.value,
        "compared": found.compared,
        "differences": [
            {"field": item.field, "recorded": item.recorded, "computed": item.computed}
            for item in found.differences
        ],
        "violations": [{"code": item.code, "message": item.message} for item in found.violations],
    }


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
def canonicalize(file: Path | None) -> None:
    """Write JSON in its canonical form (RFC 8785) on stdout, without a newline.

    Reads FILE, or standard input.
    """
    if file is None or str(file) == "-":
        data = sys.stdin.buffer.read(canonical.MAX_BYTES + 1)
    else:
        data = read_bounded(file, canonical.MAX_BYTES)
    click.echo(canonical.dumps(canonical.loads(data)), nl=False)
