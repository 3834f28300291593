"""`benchsite upgrade --check`: what another release of benchsite makes of a record, before it is used for it."""

from __future__ import annotations

from collections import Counter
from typing import Final

import click

from benchsite import __version__
from benchsite.cli import here, output
from benchsite.errors import UsageError
from benchsite.history import Rescore
from benchsite.pipeline import verify as checking
from benchsite.words import amount

_SHOWN: Final = 20
"""Problems that are printed."""


@click.command()
@click.option("--check", "is_check", is_flag=True, help="Verify and re-score the record; change nothing.")
@output.json_option
@click.pass_context
def upgrade(ctx: click.Context, is_check: bool, as_json: bool) -> None:  # noqa: FBT001 - click passes options by keyword
    """Check that this release of benchsite reads the record as earlier ones did.

    Verifies and re-scores every receipt, bootstrap CIs included, and changes nothing. Run it with the new release before you
    pin it with `benchsite ci pin`.
    """
    if not is_check:
        raise UsageError(
            "upgrade needs --check: a record has nothing to convert", hint="benchsite upgrade --check"
        )
    snapshot = here.snapshot()
    found: Counter[str] = Counter()
    problems: list[tuple[str, str]] = []
    codes = []
    with output.progress("re-scoring") as progress:
        for result in checking.rescore(snapshot, (), everything=True):
            codes.append(result.exit_code)
            progress(len(codes), 0, result.path)
            word, detail = _outcome(result)
            found[word] += 1
            if result.exit_code:
                problems.append((result.receipt_id or result.path, detail))
    if as_json:
        listed = [{"receipt": name, "detail": detail} for name, detail in problems]
        output.emit({"benchsite": __version__, "receipts": len(codes), "results": found, "problems": listed})
    else:
        for name, detail in problems[:_SHOWN]:
            output.say(f"{output.mark('fail')} {name}: {detail}")
        if len(problems) > _SHOWN:
            output.say(f"  and {len(problems) - _SHOWN:,} more: --json lists all")
        counts = ", ".join(f"{count:,} {word}" for word, count in sorted(found.items()))
        said = (
            f"{amount(len(codes), 'receipt')} under benchsite {__version__}: {counts or 'nothing to check'}"
        )
        output.say(f"{output.mark('fail' if problems else 'pass')} {said}")
    ctx.exit(checking.exit_code(codes))


def _outcome(result: checking.Rescored) -> tuple[str, str]:
    """Return the result in a word and its detail."""
    if result.rescoring is None:
        return "unreadable", result.error.message if result.error is not None else ""
    differing = result.rescoring.differences
    detail = f"{differing[0].field} differs" if differing else result.rescoring.reason
    if result.rescoring.rescore is Rescore.MATCHES and result.rescoring.violations:
        return "impossible values", result.rescoring.violations[0].message
    return result.rescoring.rescore.value, detail
