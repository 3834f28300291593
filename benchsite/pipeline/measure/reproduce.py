"""reproduce: a published receipt's run, made again here, and its numbers compared byte for byte.

    receipt -> the same work -> the same data, rules and subject? -> run -> draft that names the receipt -> compare

What comes out otherwise is data: the draft is left either way, and once published the record shows it. Refuses to
begin where the run would not be the same one: other data, other rules, another version or configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from benchsite import __version__, canonical, plugins
from benchsite.errors import InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.history import Difference, Verdict, examine
from benchsite.pipeline.measure import run as runs
from benchsite.pipeline.measure.surroundings import context
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress, silent
from benchsite.receipt import Document, Receipt
from benchsite.track import Plan, Track, Work


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A run made again.

    Attributes:
        original: the receipt it repeats.
        result: the run and the draft it left.
        compared: how many scores either of the two has.
        differences: scores that differ; empty where the two `scores` are the same bytes.
        queries: (id, what differs in words) of each query or task that came out otherwise.
        warnings: what was not the same before it began.
    """

    original: str
    result: runs.Result
    compared: int
    differences: tuple[Difference, ...]
    queries: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether the two `scores` are the same bytes."""
        return not self.differences


def reproduce(
    workspace: Workspace,
    snapshot: Snapshot,
    name: str,
    *,
    subject: str = "",
    warn: Callable[[str], None] = lambda _text: None,
    progress: Progress = silent,
) -> Reproduced:
    """Run a published receipt again and leave a draft that names it.

    Args:
        workspace: where the data and the rules are.
        snapshot: the record with the receipt.
        name: the receipt's path, id or the beginning of it.
        subject: the subject to start instead of the installed one of the receipt's name, such as `command:...`.
        warn: told before the run what is not the same.
        progress: called with (done, total, label) while the run goes on.

    Raises:
        UsageError: no such receipt in the log, no such subject, or the receipt records no run to make again.
        InputError: the data or the rules here are not those of the receipt.
        PrerequisiteError: the subject here is of another version or name.
        IntegrityError: the receipt is not what it claims to be.
    """
    receipt = _original(snapshot, name)
    document = receipt.document
    track = plugins.track(receipt.track)
    work = track.command.work_of(document)
    if document["origin"] != "native":
        raise UsageError(
            f"receipt {receipt.receipt_id} was not measured by benchsite (origin {document['origin']})",
            hint="run `benchsite rescore` to recompute its scores from its evidence",
        )
    _same_documents(workspace, track, document)
    work = replace(work, subject=subject or _installed(track, work))
    prepared = runs.prepare(workspace, snapshot, work)
    with context(progress, workspace, grants=workspace.config.grant) as made:
        plan = prepared.plan(made)
        warnings = tuple(_warnings(snapshot, track, document, plan))
        for text in warnings:
            warn(text)
        result, draft = runs.measure(
            workspace, snapshot, prepared, made, plan=plan, reproduces=receipt.receipt_id
        )
    return Reproduced(
        original=receipt.receipt_id,
        result=result,
        compared=len({*document["scores"], *draft.document["scores"]}),
        differences=tuple(_differences(document["scores"], draft.document["scores"])),
        queries=tuple(track.differing(document, draft.document)),
        warnings=warnings,
    )


def _original(snapshot: Snapshot, name: str) -> Receipt:
    """The published receipt of a name, verified."""
    log = snapshot.require_log()
    _, data = snapshot.receipt_bytes(name)
    seen = examine(data, log=log, scorers=snapshot.tracks)
    failed = seen.failed
    if failed is not None and (failed.name, failed.field) == ("parse", "signature"):
        raise UsageError(
            f"{name} is a draft", hint="publish it first: `benchsite reproduce` re-runs published receipts"
        )
    if seen.verdict is Verdict.INVALID or seen.receipt is None or seen.exit_code == 3:
        why = failed.detail if failed is not None else seen.verdict.value
        raise IntegrityError(f"receipt {name}: {why}", hint=f"benchsite verify {name}")
    if seen.verdict is Verdict.UNSUPPORTED:
        raise PrerequisiteError(f"receipt {name} is not supported by this release", hint="update benchsite")
    if seen.index is None:
        raise UsageError(
            f"receipt {seen.receipt.receipt_id} is not in the log of {log.origin}",
            hint="reproduce it in a clone of the repository that published it",
        )
    return seen.receipt


def _same_documents(workspace: Workspace, track: Track, document: Document) -> None:
    """The data and the rules here must be those the receipt was made with."""
    _, target, sha256 = track.target(document)
    if sha256 is None:
        raise UsageError(
            f"receipts of track {track.name} are human ratings and cannot be re-run",
            hint="run `benchsite rescore` to recompute the scores",
        )
    try:
        here = workspace.fixture_digest(target)
    except UsageError:
        importer = document["config"].get("importer")
        hint = (
            f"it was imported: benchsite fixture import {importer['kind']} PATH --id {target}"
            if importer
            else "copy it from the repository that published the receipt"
        )
        raise InputError(f"dataset {target} is missing: the receipt was made with it", hint=hint) from None
    if here != sha256:
        raise InputError(
            f"dataset {target} differs: sha256 here {here[:12]}…, in the receipt {sha256[:12]}…",
            hint="restore that version of the dataset, or re-import it",
        )
    rules = document["methodology"]
    found = workspace.methodologies.read(rules["id"], rules["version"])
    if found.sha256 != rules["sha256"]:
        raise InputError(
            f"methodology {rules['id']} {rules['version']} differs: sha256 here {found.sha256[:12]}…, "
            f"in the receipt {rules['sha256'][:12]}…",
            hint="restore it from git: published versions never change",
        )


def _installed(track: Track, work: Work) -> str:
    """The installed subject of the receipt's name; a receipt does not record a command."""
    group = track.subject_group
    if group is None or work.subject not in plugins.subjects(group):
        raise UsageError(
            f"no subject named {work.subject!r} is installed; a receipt does not record the start command",
            hint='--adapter "command:PROGRAM ARGS"',
        )
    return work.subject


def _warnings(snapshot: Snapshot, track: Track, document: Document, plan: Plan) -> Iterator[str]:
    """What is not the same and lets a run be a reproduction all the same; refuses what does not."""
    wanted = snapshot.summary(document).subject
    if plan.subject != (wanted.name, wanted.version):
        raise PrerequisiteError(
            f"the receipt measured {wanted.name} {wanted.version}, and {' '.join(plan.subject)} is installed: "
            "not the same version",
            hint=f"install {wanted.name} {wanted.version}, or measure the installed version: benchsite run {track.name}",
        )
    recorded, here = dict(document["config"]), dict(plan.config)
    sources = recorded.pop("subjectSha256", None), here.pop("subjectSha256", None)
    other = sorted(key for key in {*recorded, *here} if recorded.get(key) != here.get(key))
    if other:
        raise PrerequisiteError(
            f"configuration differs from the receipt's: {', '.join(other)}",
            hint="install the release of benchsite that made the receipt",
        )
    if sources[0] != sources[1]:
        yield (
            f"the source of {wanted.name} here has sha256 {_short(sources[1])}, in the receipt "
            f"{_short(sources[0])}: the comparison is inconclusive"
        )
    if document["benchVersion"] != __version__:
        yield f"benchsite versions differ: receipt {document['benchVersion']}, installed {__version__}"


def _short(sha256: str | None) -> str:
    return f"{sha256[:12]}…" if sha256 else "unknown"


def _differences(recorded: dict[str, Any], again: dict[str, Any]) -> Iterator[Difference]:
    """Scores whose canonical bytes differ, by name."""
    for name in sorted({*recorded, *again}):
        before, after = recorded.get(name), again.get(name)
        if canonical.dumps(before) != canonical.dumps(after):
            yield Difference(f"scores.{name}", before, after)
