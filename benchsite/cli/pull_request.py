"""`benchsite check`."""

from __future__ import annotations

from pathlib import Path

import click

from benchsite.cli import output
from benchsite.cli.main import advice
from benchsite.pipeline import check as checking
from benchsite.pipeline import head
from benchsite.repo import Repository


@click.command()
@click.option("--base", help="Target revision of the pull request [default: the default branch of origin].")
@click.option("--no-build", is_flag=True, help="Do not build the site.")
@output.json_option
@click.pass_context
def check(ctx: click.Context, base: str | None, no_build: bool, as_json: bool) -> None:  # noqa: FBT001
    """Run the pull-request checks on the commits of this branch.

    Published receipts, keys, methodologies and datasets are unchanged. No commit holds a private key or anything
    under .benchsite. Drafts re-score. Datasets and methodologies are valid. Changed adapters pass the conformance
    test (this executes their code). The site builds. Changes that can run code are listed as a warning.

    Exit code 3 if something was altered or a key is exposed, else 4 for malformed files, else 5 for a missing
    prerequisite.
    """
    with output.progress("checking") as progress:
        repository = Repository.open(Path.cwd())
        report = checking.check(
            repository, head.commit(repository), onto=base, build=not no_build, progress=progress
        )
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
            output.say(f"    {item.where}: {output.indented(item.message, 6)}")
            if item.hint:
                output.say(f"      {advice(item.hint)}")
    failed = [step.name for step in report.steps if step.state == "fail"]
    output.say("pass: ready to send" if report.ok else f"fail: {', '.join(failed)}")
