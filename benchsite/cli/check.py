"""`benchsite verify`, `rescore` and `canonicalize`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from benchsite import canonical, plugins
from benchsite.cli import corrections, here, leaderboard_check, output
from benchsite.cli.main import advice
from benchsite.errors import UsageError
from benchsite.history import (
    RESCORE_SENTENCES,
    SENTENCES,
    TITLES,
    Examination,
    Rescore,
    Step,
    Verdict,
    matching,
    said,
)
from benchsite.pipeline import verify as checking
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.words import amount

_methodologies = click.option(
    "--methodology",
    "methodologies",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with the files of a methodology version; the receipt's folder is searched too.",
)


@click.command()
@click.argument("receipts", nargs=-1, metavar="[RECEIPT ...]")
@click.option("--all", "everything", is_flag=True, help="Verify every receipt of this instance.")
@_methodologies
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="Public key of the signer (PEM), for receipts of another site.",
)
@click.option(
    "--board",
    metavar="BOARD",
    help="Recompute a leaderboard from the log: TRACK/DATASET, or a file that states one.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Of --board: write one HTML file that verifies itself offline.",
)
@click.option(
    "--at", "size", type=click.IntRange(min=1), metavar="SIZE", help="Of --board: as of SIZE entries."
)
@output.json_option
@click.pass_context
def verify(  # noqa: PLR0913, PLR0917 - click passes options by keyword
    ctx: click.Context,
    receipts: Sequence[str],
    everything: bool,  # noqa: FBT001 - click passes options by keyword
    methodologies: Sequence[Path],
    key: Path | None,
    board: str | None,
    save: Path | None,
    size: int | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Verify signature, inclusion in the log and scores of receipts, or a leaderboard.

    RECEIPT is a path, a receipt id or its first characters, or the web address of a receipt: of its page or of its JSON
    file. Inside an instance the log and its keys come from the commit at HEAD. A downloaded file is verified like one on
    this machine: no log and no key is taken from the site.

    Exit code 0: every signature was checked and nothing failed. 3: a receipt is INVALID, a score DIFFERS or a value is
    impossible. 4: a file cannot be read. 5: a file is a draft or UNSUPPORTED, or its signature was not checked
    (UNKNOWN SIGNER, without --key). Of several receipts, 3 comes before 4, and 4 before 5.

    With --board, every receipt of the log is verified and the leaderboard is recomputed, as of all entries or of SIZE. BOARD is
    TRACK/DATASET, TRACK/DATASET/VERSION, or a file that states a leaderboard: its proof.json or its saved page. Exit code 3:
    the file differs from the record.
    """
    if board is not None:
        if receipts or everything or key or methodologies:
            raise UsageError(
                "--board takes no receipts, --key or --methodology",
                hint="benchsite verify --board TRACK/DATASET",
            )
        ctx.exit(leaderboard_check.tell(board, size, save=save, as_json=as_json))
    if size is not None or save is not None:
        raise UsageError(
            "--at and --save need --board", hint="benchsite verify --board TRACK/DATASET --at SIZE"
        )
    if not receipts and not everything:
        raise UsageError("no receipt given", hint="benchsite verify RECEIPT, --all, or --board BOARD")
    supplied = checking.supplied_key(key) if key is not None else None
    codes, rows = [], []
    verdicts: Counter[Verdict] = Counter()
    with output.progress("verifying") as progress:
        found = checking.verify(
            here.optional_snapshot(),
            receipts,
            everything=everything,
            key=supplied,
            methodologies=methodologies,
            documents=False,
        )
        for done, checked in enumerate(found, start=1):
            progress(done, 0, checked.path)
            codes.append(checked.exit_code)
            if checked.examination is not None:
                verdicts[checked.examination.verdict] += 1
            if as_json:
                rows.append(_row(checked, supplied))
            else:
                _tell(checked, brief=everything, key=supplied)
    if as_json:
        output.emit({"receipts": rows})
    elif everything or len(codes) > 1:
        problems = sum(code != 0 for code in codes)
        output.say(_summary(verdicts, problems))
    ctx.exit(checking.exit_code(codes))


def _summary(verdicts: Counter[Verdict], problems: int) -> str:
    """Return how many receipts have each verdict, and how many files make the command fail."""
    verified = f"{amount(verdicts.total(), 'receipt')} verified"
    counts = ", ".join(f"{verdicts[verdict]:,} {verdict.value}" for verdict in Verdict if verdicts[verdict])
    return f"{verified}{f': {counts}' if counts else ''}; {amount(problems, 'problem')}"


def _row(checked: checking.Checked, key: bytes | None) -> dict[str, Any]:
    seen = checked.examination
    if seen is None:
        return {
            "path": checked.path,
            "receiptId": None,
            "downloadedFrom": None,
            "log": None,
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
        "downloadedFrom": checked.address or None,
        "log": checked.log.origin if checked.log is not None else None,
        "verdict": seen.verdict.value,
        "rescore": seen.rescore.value,
        "steps": [
            {"name": step.name, "state": step.state, "detail": step.detail, "field": step.field or None}
            for step in _steps(checked, seen, key)
        ],
        "violations": [
            {"code": item.code, "message": item.message, "field": item.field or None}
            for item in seen.rescoring.violations
        ],
    }


def _tell(checked: checking.Checked, *, brief: bool, key: bytes | None) -> None:
    seen = checked.examination
    hint = checked.hint(key)
    if seen is None:
        output.note(f"error: {checked.error.message if checked.error is not None else checked.path}")
        if hint:
            output.note(f"  {advice(hint)}")
        return
    output.say(f"{seen.verdict.value}  {checked.receipt_id or checked.path}  {checked.about}".rstrip())
    if checked.address:
        output.say(_downloaded(checked.address))
        output.say(f"  {_compared(checked)}")
    if brief and checked.exit_code == 0:
        return
    failed = seen.failed if seen.verdict is Verdict.INVALID else None
    plain = said("failed", title=TITLES[failed.name]) if failed is not None else SENTENCES[seen.verdict]
    if checked.has_no_log_for_signer:
        plain = "The signer was not looked up: there is no log here."
    output.say(f"  {plain}")
    for step in _steps(checked, seen, key):
        output.say(f"  {output.mark(step.state)} {TITLES.get(step.name, step.name)}: {step.detail}")
    if scores := _scores(seen):
        output.say(f"  {scores}")
    if hint:
        output.note(f"  {advice(hint)}")


def _downloaded(address: str) -> str:
    return f"  Downloaded from {address}"


def _compared(checked: checking.Checked) -> str:
    """Which log a downloaded receipt was compared with."""
    if checked.log is None:
        return "Compared with no log: run the command in a clone of the site's repository."
    return f"Compared with the log {checked.log.origin} ({amount(checked.log.size, 'entry', 'entries')}) of this repository."


def _steps(checked: checking.Checked, seen: Examination, key: bytes | None) -> Iterator[Step]:
    """The steps; scores that match in a file that failed verification are a warning, as on verify.html.

    Without a log, a key that nobody supplied was looked up nowhere.
    """
    for step in seen.steps:
        if key is None and checked.has_no_log_for_signer and step.name == "key" and seen.receipt is not None:
            detail = f"{seen.receipt.fingerprint} was not looked up: there is no log here"
            if head := seen.receipt.document.get("logHead"):
                detail += f"; the receipt names the log {head['origin']}"
            yield replace(step, detail=detail)
            continue
        if seen.verdict is Verdict.INVALID and (step.name, step.state) == ("re-score", "pass"):
            yield replace(step, state="warning", detail=said("matches-altered"))
        else:
            yield step


def _scores(seen: Examination) -> str:
    """The last line; none about matching scores of a file that failed verification."""
    if seen.rescoring.violations and seen.receipt is not None:
        return f"Scores: {plugins.track(seen.receipt.track).violated}; see the steps above."
    if seen.rescore is Rescore.NOT_RESCORABLE:
        return f"Scores: {seen.rescore.value}: {seen.rescoring.reason}."
    if seen.verdict is Verdict.INVALID and seen.rescore is Rescore.MATCHES:
        return ""
    return f"Scores: {seen.rescore.value}. {RESCORE_SENTENCES[seen.rescore]}"


@click.command()
@click.argument("receipts", nargs=-1, metavar="[RECEIPT ...]")
@click.option("--all", "everything", is_flag=True, help="Verify every receipt of this instance.")
@click.option(
    "--methodology",
    "methodologies",
    multiple=True,
    metavar="FOLDER|VERSION",
    help="Folder with the files of a methodology version, searched besides the receipt's; or a version to score under instead.",
)
@click.option("--fixture", metavar="DATASET", help="Score by the labels of this corrected dataset instead.")
@click.option("--draft", is_flag=True, help="Leave a draft of each correction, derived from the receipt.")
@click.option("--supersede", is_flag=True, help="The drafts supersede the published receipts.")
@click.option(
    "--evaluate", is_flag=True, help="Run the benchmark's evaluator too, where its data is at hand."
)
@output.json_option
@click.pass_context
def rescore(
    ctx: click.Context,
    /,
    receipts: Sequence[str],
    everything: bool,  # noqa: FBT001
    methodologies: Sequence[str],
    evaluate: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    **correction: Any,
) -> None:
    """Recompute a receipt's scores from its evidence, bootstrap CIs included.

    With --fixture or --methodology VERSION, stored rankings are scored another way, and the items that moved are listed.
    Nothing is run. --draft keeps each result as a draft.

    If an agents receipt's traces are available, also recompute its run columns. With --evaluate, so is
    the success of each run.

    RECEIPT is a path (drafts included), a receipt id or its first characters, or the web address of a receipt.
    """
    if not receipts and not everything:
        raise UsageError("no receipt given", hint="benchsite rescore RECEIPT, or --all")
    if everything and evaluate:
        raise UsageError("--evaluate needs receipts by name", hint="benchsite rescore RECEIPT --evaluate")
    version, folders = corrections.split(methodologies)
    asked = corrections.Asked(version=version, **correction)
    if asked.fixture is not None or version is not None:
        corrections.tell(receipts, asked, everything=everything, as_json=as_json)
        return
    if asked.draft or asked.supersede:
        raise UsageError(
            "--draft and --supersede need a correction",
            hint="benchsite rescore RECEIPT --fixture DATASET --draft",
        )
    results = []
    with output.progress("re-scoring") as progress:
        found = checking.rescore(
            here.optional_snapshot(),
            receipts,
            everything=everything,
            methodologies=folders,
            evaluate=evaluate,
        )
        for result in found:
            results.append(result)
            progress(len(results), 0, result.path)
            if not as_json:
                _tell_rescored(result)
    if as_json:
        output.emit({"receipts": [_rescored_row(result) for result in results]})
    ctx.exit(checking.exit_code([result.exit_code for result in results]))


def _tell_rescored(result: checking.Rescored) -> None:
    if result.rescoring is None:
        output.note(f"error: {result.path}: {result.error.message if result.error is not None else ''}")
        if result.error is not None and result.error.hint:
            output.note(f"  {advice(result.error.hint)}")
        return
    found = result.rescoring
    detail = matching(found) if found.rescore is Rescore.MATCHES else found.reason
    output.say(f"{found.rescore.value}  {result.receipt_id}  {detail}".rstrip())
    if result.address:
        output.say(_downloaded(result.address))
    for step in found.further:
        output.say(f"  {output.mark(step.state)} {TITLES.get(step.name, step.name)}: {step.detail}")
    for item in found.differences:
        output.say(
            f"  {output.mark('fail')} {item.field}: recorded {item.recorded!r}, recomputed {item.computed!r}"
        )
    for broken in found.violations:
        output.say(f"  {output.mark('fail')} {broken.message}")


def _rescored_row(result: checking.Rescored) -> dict[str, Any]:
    found = result.rescoring
    if found is None:
        return {
            "path": result.path,
            "receiptId": result.receipt_id or None,
            "downloadedFrom": None,
            "rescore": None,
            "compared": 0,
            "omitted": 0,
            "differences": [],
            "violations": [],
            "further": [],
            "error": result.error.message if result.error is not None else "",
            "hint": result.error.hint if result.error is not None else "",
        }
    return {
        "path": result.path,
        "receiptId": result.receipt_id,
        "downloadedFrom": result.address or None,
        "rescore": found.rescore.value,
        "compared": found.compared,
        "omitted": found.omitted,
        "differences": [
            {"field": item.field, "recorded": item.recorded, "computed": item.computed}
            for item in found.differences
        ],
        "violations": [{"code": item.code, "message": item.message} for item in found.violations],
        "further": [
            {"name": step.name, "state": step.state, "detail": step.detail} for step in found.further
        ],
    }


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
def canonicalize(file: Path | None) -> None:
    """Write JSON in its canonical form (RFC 8785) on stdout, without a newline.

    Reads FILE, or standard input. Receipts and log entries follow a profile of RFC 8785: no -0, no integer beyond 2^53-1, no key
    __proto__. `verify` refuses those; this command writes them as RFC 8785 does.
    """
    if file is None or str(file) == "-":
        data = sys.stdin.buffer.read(canonical.MAX_BYTES + 1)
    else:
        data = read_bounded(file, canonical.MAX_BYTES)
    click.echo(canonical.canonicalize(data), nl=False)
