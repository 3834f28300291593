"""`benchsite check`."""

from __future__ import annotations

from pathlib import Path

import click

from benchsite.cli import output
from benchsite.pipeline import check as checking


@click.command()
@click.option("--base", help="The revision the branch is meant for [default: the default branch of origin].")
@click.option("--no-build", is_flag=True, help="Do not build the site.")
@output.json_option
@click.pass_context
def check(ctx: click.Context, base: str | None, no_build: bool, as_json: bool) -> None:  # noqa: FBT001
    """Check everything a pull request must hold to.

    The commits of this branch beyond its merge base are held against the rules: published receipts, keys, rules and
    data never change; no commit holds a private key or anything under .benchsite; drafts re-score; fixtures and methodologies are well formed;
    changed adapters keep the contract, for which they are started; the site builds. Changes that can run code are named, as a warning. Exit code 3 for
    what was altered or leaked, else 4 for malformed files, else 5 for what is missing here.
    """
    with output.progress("checking") as progress:
        report = checking.check(Path.cwd(), onto=base, build=not no_build, progress=progress)
    if as_json:
        output.emit({"ok": report.ok, "base": report.base, "steps": [_row(step) for step in report.steps]})
    else:
        _tell(report)
    ctx.exit(report.exit_code)


def _row(step: checking.Step) -> dict[str, object]:
    items = [{"where": item.where, "message": item.message, "hint": item.hint} for item in step.items]
    return {"name": step.name, "state": step.state, "detail": step.detail, "items": items}


def _tell(report: checking.Report) -> None:
    for step in report.steps:
        output.say(f"{output.mark(step.state)} {step.name}: {step.detail}")
        for item in step.items:
            output.say(f"    {item.where}: {item.message}")
            if item.hint:
                output.say(f"      try: {item.hint}")
    failed = [step.name for step in report.steps if step.state == "fail"]
    output.say("this branch is ready to send" if report.ok else f"not ready yet: {', '.join(failed)}")
