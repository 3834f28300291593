"""Rules for methodologies, fixtures and `mkdocs.yml`, which may change until the log depends on them. Pure."""

from __future__ import annotations

from typing import Any

from benchsite import canonical, yaml_document
from benchsite.canonical import JsonError
from benchsite.errors import InputError
from benchsite.layout import CONFIG
from benchsite.pipeline.changes.change import ALLOWED, FileChange, Judgment, finding, found, subject_of
from benchsite.pipeline.changes.published import Identity, Published
from benchsite.pipeline.findings import Kind


def judge_document(change: FileChange, published: Published) -> Judgment:
    """A methodology or fixture may change until the log names it."""
    index = published.named_at(change.path)
    if change.old is None or index is None or change.size_before <= index:
        return ALLOWED
    if subject_of(change.path) == "fixture":
        return _fixture(change, index, published)
    verb = "removed" if change.new is None else "changed"
    return found(change, Kind.METHODOLOGY, f"it was {verb} after entry {index} of the log named it")


def _fixture(change: FileChange, index: int, published: Published) -> Judgment:
    """A fixture is its canonical form: another layout of the same content is allowed."""
    old, new, log = change.old, change.new, published.log
    if new is None or not new.is_regular:
        what = "was removed" if new is None else "is no longer a file"
        return found(change, Kind.FIXTURE, f"it {what} after entry {index} of the log named it")
    pinned = log.fixtures[change.path.split("/")[1]].sha256 if log is not None else ""
    if old is not None and old.blob == new.blob:
        return ALLOWED
    if fixture_digest(new.data) != pinned:
        detail = f"its content was changed after entry {index} of the log named it"
        return found(change, Kind.FIXTURE, detail)
    if old is not None and fixture_digest(old.data) == pinned:
        return Judgment(notes=(f"{change.path} was reformatted; its content is the same",))
    return found(change, Kind.RESTORED, f"it was restored to what entry {index} of the log names")


def fixture_digest(data: bytes) -> str | None:
    """Return the digest of a fixture's canonical form, None if the bytes are not JSON."""
    try:
        return canonical.digest(canonical.loads(data, max_bytes=len(data)))
    except JsonError:
        return None


def judge_configuration(change: FileChange, published: Published) -> Judgment:
    """A version that cannot be read names no other origin; nothing could be done under it."""
    notes = []
    identities = []
    for version in (change.old, change.new):
        known = published.identity if version is None or not version.is_regular else identity(version.data)
        if known is None:
            notes.append(f"one version of {CONFIG} could not be read")
        identities.append(known or published.identity)
    (old_origin, old_roots), (new_origin, new_roots) = identities
    findings = []
    if old_origin != new_origin and change.size_before:
        detail = f"origin was {old_origin} and became {new_origin}, after the log was created"
        findings.append(finding(change, Kind.ORIGIN, detail))
    if old_roots != new_roots and change.size_before:
        was, now = (", ".join(roots) or "empty" for roots in (old_roots, new_roots))
        detail = f"root_keys was {was} and became {now}, after the log was created"
        findings.append(finding(change, Kind.ROOT, detail))
    return Judgment(tuple(findings), notes=tuple(notes))


def identity(data: bytes) -> Identity | None:
    """Return origin and root keys of a `mkdocs.yml`, whatever else it says; None if they cannot be read."""
    try:
        value: Any = yaml_document.load(data, CONFIG).value
        settings = value["extra"]["benchsite"]
        roots = settings.get("root_keys") or []
        return str(settings["origin"]), tuple(str(item) for item in roots)
    except (InputError, KeyError, TypeError, AttributeError):
        return None
