"""run: fixture x methodology x subject -> runner -> draft. One failure does not stop a suite."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from benchsite import environment, plugins
from benchsite.errors import BenchsiteError, InputError, UsageError
from benchsite.history import Verdict
from benchsite.pipeline import drafts
from benchsite.pipeline.instance import Instance
from benchsite.receipt import SCHEMA_VERSION
from benchsite.track import Plan, RunContext, Work

COMMAND: Final = "command:"
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one piece of work.

    `state` is what happened, `reason` why in words; `draft` names the file a finished run left.
    """

    work: Work
    state: Literal["measured", "skipped", "planned", "failed"]
    reason: str = ""
    draft: Path | None = None
    receipt_id: str = ""
    headline: str = ""
    notes: tuple[str, ...] = ()
    error: BenchsiteError | None = None


def suite(instance: Instance) -> list[Work]:
    """The work that `extra.benchsite.suite` lists.

    Raises:
        InputError: an entry is malformed; its line in `mkdocs.yml` is named.
    """
    works = []
    for place, entry in enumerate(instance.config.benchsite.suite):
        at = ("extra", "benchsite", "suite", place)
        try:
            track = plugins.track(str(entry.get("track", "")))
            works.append(track.command().suite(entry))
        except BenchsiteError as error:
            raise instance.config.document.error(at, error.message, hint=error.hint) from None
    if not works:
        raise InputError(
            "mkdocs.yml lists no suite to run",
            hint="add runs under extra.benchsite.suite, or name one: benchsite run retrieval --help",
        )
    return works


def run(
    instance: Instance,
    works: Sequence[Work],
    *,
    changed: bool = False,
    dry_run: bool = False,
    progress: Progress = lambda _done, _total, _label: None,
) -> Iterator[Result]:
    """Measure each piece of work and leave a draft; results come as they are made.

    Args:
        instance: where the fixtures, rules and drafts are.
        works: what to measure.
        changed: skip what is published already for the same subject, configuration, data and rules.
        dry_run: say what would run, why, and at what cost; measure nothing.
        progress: called with (done, total, label) while a run goes on.
    """
    published = _published(instance) if changed else frozenset()
    with _context(progress) as context:
        for work in works:
            try:
                yield _one(instance, work, context, published, dry_run=dry_run, plan_first=changed or dry_run)
            except BenchsiteError as error:
                yield Result(work, "failed", error.message, error=error)


def _one(
    instance: Instance,
    work: Work,
    context: RunContext,
    published: frozenset[tuple[str, str, str, str]],
    *,
    dry_run: bool,
    plan_first: bool,
) -> Result:
    track = plugins.track(work.track)
    rules = instance.methodology(work.track, work.methodology)
    if rules.data.receipt_schema != SCHEMA_VERSION:
        raise UsageError(
            f"{work.track} methodology {rules.data.version} is superseded: nothing is measured under it any more",
            hint="leave --methodology out for the current one",
        )
    target = instance.fixture_bytes(work.target)
    reference = (
        None if work.subject.startswith(COMMAND) else plugins.reference(track.plugin_group, work.subject)
    )
    if plan_first:
        plan = track.runner().plan(work, reference, target, context)
        if _key(plan, rules.data.version) in published:
            return Result(work, "skipped", "published already, and nothing has changed")
        if dry_run:
            return Result(work, "planned", plan.cost)
    begun = drafts.begin(instance)
    measured = track.runner().run(work, reference, target, context)
    draft = drafts.finish(begun, work.track, rules, measured)
    track.check(draft.document)
    headline = track.summary(draft.document).headline
    shown = (
        f"{headline.metric} {headline.value:.3f}"
        if headline.value is not None
        else f"{headline.metric} blank"
    )
    path = drafts.save(instance, draft)
    return Result(work, "measured", "", path, draft.receipt_id, shown, measured.notes)


def _key(plan: Plan, version: str) -> tuple[str, str, str, str]:
    return (plan.identity, *plan.target, version)


def _published(instance: Instance) -> frozenset[tuple[str, str, str, str]]:
    """(identity, target id, target sha256, methodology version) of everything that stands in the log in good order."""
    log = instance.open_log()
    if log is None:
        return frozenset()
    return frozenset(
        (header.summary.identity, header.summary.target, header.summary.target_sha256, header.methodology)
        for header in instance.history(log)
        if header.summary is not None and header.verdict in (Verdict.LOGGED, Verdict.WITNESSED)
    )


@contextmanager
def _context(progress: Progress) -> Iterator[RunContext]:
    with tempfile.TemporaryDirectory(prefix="benchsite-run-") as folder:
        yield RunContext(
            now=environment.now,
            perf_counter_ns=environment.perf_counter_ns,
            load_average=environment.load_average,
            cores=environment.cores(),
            progress=progress,
            temp_dir=folder,
        )
