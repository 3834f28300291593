"""run: fixture x methodology x subject -> runner -> draft. One failure does not stop a suite."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from benchsite import canonical, environment, plugins
from benchsite.errors import BenchsiteError, InputError, UsageError
from benchsite.history import standing, unranked
from benchsite.layout import (
    TRACES,
)
from benchsite.methodology import Methodology
from benchsite.methodology.engine import require_engine
from benchsite.methodology.status import version_status
from benchsite.pipeline.measure import compose, fixtures
from benchsite.pipeline.measure.published import Run, published
from benchsite.pipeline.measure.register import Announce, Announced, require_announceable
from benchsite.pipeline.measure.surroundings import context
from benchsite.pipeline.record import evidence
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import LARGEST_FIXTURE, Workspace, drafts
from benchsite.pipeline.workspace.files import read_bounded
from benchsite.pipeline.workspace.scratch import require_folder
from benchsite.progress import Progress, silent
from benchsite.receipt import SCHEMA_VERSION, Receipt
from benchsite.site import formats
from benchsite.track import (
    PROGRAMS,
    AlreadyMeasuredError,
    Plan,
    Resolved,
    RunContext,
    Track,
    Work,
)

_REFUSED_THERE: Final = (
    "; the workflow publishes with --untrusted, and refuses this draft until the log pins its version"
)


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one piece of work.

    `state` is what happened, `reason` why in words; `draft` names the file a finished run left, `digest` is the sha256 of
    its bytes; `announced` is the log's announcement of the run, which stays even where the run then failed.
    """

    work: Work
    state: Literal["measured", "skipped", "planned", "failed"]
    reason: str = ""
    draft: Path | None = None
    digest: str = ""
    receipt_id: str = ""
    headline: str = ""
    notes: tuple[str, ...] = ()
    announced: Announced | None = None
    error: BenchsiteError | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A piece of work and what it needs, looked up."""

    work: Work
    track: Track
    resolved: Resolved

    @property
    def rules(self) -> Methodology:
        """The methodology it is scored under."""
        return self.resolved.rules

    def plan(self, context: RunContext) -> Plan:
        """What the run would measure; starts the subject only to hear what it is."""
        return self.track.runner.plan(self.work, self.resolved, context)


def suite(workspace: Workspace) -> list[Work]:
    """The work that `extra.benchsite.suite` lists.

    Raises:
        InputError: an entry is malformed; its line in `mkdocs.yml` is named.
    """
    works = [entry_work(workspace, place) for place in range(len(workspace.config.benchsite.suite))]
    if not works:
        raise InputError(
            "no suite: mkdocs.yml",
            hint="add runs under extra.benchsite.suite, or name one: benchsite run retrieval --help",
        )
    return works


def entry_work(workspace: Workspace, place: int) -> Work:
    """The work of one entry of the suite, counted from 0; raises `InputError` as `suite` does."""
    entry = workspace.config.benchsite.suite[place]
    try:
        track = plugins.track(str(entry.get("track", "")))
        return track.command.suite(entry, str(workspace.root))
    except BenchsiteError as error:
        at = ("extra", "benchsite", "suite", place)
        raise workspace.config.document.error(at, error.message, hint=error.hint) from None


def run(
    workspace: Workspace,
    snapshot: Snapshot,
    works: Sequence[Work],
    *,
    changed: bool = False,
    dry_run: bool = False,
    announce: Announce | None = None,
    progress: Progress = silent,
    known: Callable[[Snapshot], frozenset[Run]] | None = None,
) -> Iterator[Result]:
    """Measure each piece of work and leave a draft; results come as they are made.

    Args:
        workspace: where the fixtures, rules and drafts are.
        snapshot: the record: its checkpoint is what each receipt names as the log that it follows.
        works: what to measure.
        changed: skip what is published already for the same subject, configuration, data and rules.
        dry_run: say what would run, why, and at what cost; measure and announce nothing.
        announce: logs each run before it begins (`pipeline.measure.register.announcer`).
        progress: called with (done, total, label) while a run goes on.
        known: what is published already; `published` by default.
    """
    done = (known or published)(snapshot) if changed else frozenset()
    look = changed or dry_run or announce is not None
    with context(progress, workspace, grants=workspace.config.grant) as made:
        for work in works:
            try:
                prepared = prepare(workspace, snapshot, work)
                plan = prepared.plan(made) if look else None
                yield _one(
                    workspace, snapshot, prepared, plan, made, done, announce=announce, dry_run=dry_run
                )
            except BenchsiteError as error:
                yield Result(work, "failed", error.message, error=error)


def _one(
    workspace: Workspace,
    snapshot: Snapshot,
    prepared: Prepared,
    plan: Plan | None,
    made: RunContext,
    done: frozenset[tuple[str, str, str, str]],
    *,
    announce: Announce | None,
    dry_run: bool,
) -> Result:
    work, version = prepared.work, prepared.rules.data.version
    announced = None
    if plan is not None:
        if _key(plan, version) in done:
            return Result(
                work, "skipped", "published already: same system, configuration, dataset and methodology"
            )
        if dry_run:
            return Result(work, "planned", plan.cost)
        if announce is not None:
            require_announceable(prepared.track)
            announced = announce(work.track, version, plan)
    try:
        result, _ = measure(workspace, snapshot, prepared, made, plan=plan, announced=announced)
    except AlreadyMeasuredError as error:
        return Result(work, "skipped", error.message, announced=announced)
    except BenchsiteError as error:
        return Result(work, "failed", error.message, announced=announced, error=error)
    return result


def prepare(workspace: Workspace, snapshot: Snapshot, work: Work) -> Prepared:
    """Look up the rules, the data and the subject of a piece of work.

    Raises:
        UsageError: one of them does not exist, or the rules are superseded.
        InputError: the data or the rules cannot be read.
    """
    track = plugins.track(work.track)
    rules = _rules(workspace, snapshot, work)
    if rules.data.receipt_schema != SCHEMA_VERSION:
        raise UsageError(
            f"{work.track} methodology {rules.data.version} is superseded: no new runs",
            hint="remove --methodology to use the current version",
        )
    require_engine(rules, track.engines)
    target = b""
    if track.on_files:
        noun = track.fixtures.noun if track.fixtures is not None else "dataset"
        target = read_bounded(fixtures.held(workspace, work.target, noun), LARGEST_FIXTURE)
    return Prepared(work, track, Resolved(rules, _references(track, work), target))


def _references(track: Track, work: Work) -> dict[str, str]:
    """The `module:attribute` of each plug-in that a piece of work names, by its role."""
    subject_role = next(iter(track.groups), None) if not work.imported else None
    names = {subject_role: work.subject} if subject_role is not None else {}
    return {
        role: plugins.reference(track.groups[role], name)
        for role, name in {**names, **work.plugins}.items()
        if not name.startswith(PROGRAMS)
    }


def measure(
    workspace: Workspace,
    snapshot: Snapshot,
    prepared: Prepared,
    made: RunContext,
    *,
    plan: Plan | None = None,
    announced: Announced | None = None,
    reproduces: str | None = None,
) -> tuple[Result, Receipt]:
    """Measure and leave a draft.

    Args:
        workspace: where the draft goes.
        snapshot: the record that the receipt follows.
        prepared: what to measure.
        made: what the runner may know of the outside.
        plan: what was found when the subject was looked at.
        announced: the log's announcement of this run.
        reproduces: the receipt whose run this is again.

    Raises:
        InputError: the data is malformed, the subject does not start, or it is no longer what `plan` found.
    """
    work, track = prepared.work, prepared.track
    started = compose.start(
        workspace,
        announced.snapshot if announced is not None else snapshot,
        at_least=announced.index + 1 if announced is not None else 0,
    )
    require_folder(workspace.root)  # what is not there when a program starts is not hidden from it
    require_folder(workspace.root, TRACES, make=False)  # nothing is written through a link
    traces = _traces(workspace)
    measured = track.runner.run(
        work, prepared.resolved, replace(made, traces=traces, is_registered=announced is not None)
    )
    if plan is not None and dict(measured.config) != dict(plan.config):
        raise InputError(
            f"{work.subject} changed between planning and the run",
            hint="leave its files unchanged during a run, and re-run",
        )
    intent_id = announced.intent_id if announced is not None else None
    draft = compose.finish(
        started, work.track, prepared.rules, measured, intentId=intent_id, reproduces=reproduces
    )
    track.check(draft.document)
    for item in measured.evidence:
        evidence.keep(workspace, item)
    path = drafts.save(workspace, draft)
    shutil.rmtree(traces, ignore_errors=True)  # the draft has them; after an error or a kill they stay
    headline, rank = _scored(track, draft, prepared.rules, is_reproduction=reproduces is not None)
    to_mirror = filter(None, (evidence.to_mirror(workspace, item) for item in measured.evidence))
    return Result(
        work,
        "measured",
        draft=path,
        digest=canonical.sha256_hex(draft.data),
        receipt_id=draft.receipt_id,
        headline=headline,
        notes=(*measured.notes, *to_mirror, *_standing(workspace, snapshot, prepared.rules), *rank),
        announced=announced,
    ), draft


def _scored(
    track: Track, draft: Receipt, rules: Methodology, *, is_reproduction: bool
) -> tuple[str, Sequence[str]]:
    """Return the headline score of a draft, and why it will not be ranked; a reproduction never is, as is known."""
    summary = track.summary(draft.document, rules)
    headline = summary.headline
    value = (
        "blank" if headline.value is None else formats.score(headline.value, track.metric(headline.metric))
    )
    reasons = () if is_reproduction else unranked(draft.document, summary, track.limited)
    return f"{headline.metric} {value}", tuple(standing(reasons, imports=track.results is not None))


def _rules(workspace: Workspace, snapshot: Snapshot, work: Work) -> Methodology:
    """The version the work names, or the one in force."""
    if work.methodology:
        try:
            return workspace.methodologies.read(work.track, work.methodology)
        except UsageError as error:
            if not work.stated:
                raise
            raise InputError(f"{work.stated}: {error.message}", hint=error.hint) from None
    log = snapshot.log
    return workspace.methodologies.current(work.track, log.methodologies if log is not None else {})


def _standing(workspace: Workspace, snapshot: Snapshot, rules: Methodology) -> Iterator[str]:
    """What a maintainer should know who runs under a methodology that is not the current one."""
    name, version = rules.data.track, rules.data.version
    log = snapshot.log
    present = workspace.methodologies.versions(name)
    pins = log.methodologies if log is not None else {}
    standing = version_status(name, version, present=present, pins=pins)
    if standing.superseded and not any(track == name for track, _ in pins):
        yield (
            f"{name} {standing.current} is newer, and the log pins no version of {name} yet: publishing this pins "
            f"{version} and puts it in force here; benchsite methodology publish {name} {standing.current} puts "
            f"the newer one in force{_REFUSED_THERE}"
        )
    elif standing.superseded:
        yield (f"{name} {version} is superseded by {standing.current}; receipts under {version} stay valid")
    elif standing.proposed:
        said = f"{name} {version} is not in force here yet: publishing this pins it, and supersedes {standing.current}"
        yield said + _REFUSED_THERE


def _key(plan: Plan, version: str) -> tuple[str, str, str, str]:
    return (plan.identity, *plan.target, version)


def _traces(workspace: Workspace) -> str:
    """Return a folder for one run alone; the track that writes there creates it."""
    return str(workspace.root / TRACES / f"{environment.now().replace(':', '-')}-{environment.new_id()[:8]}")
