"""The seed's six conditions for a result to be defensible, each pass, fail or unknown (specs/retrieval.md).

Unknown is an honest answer and counts against "defensible": only six passes make that word. The sixth is filled by
reproduction receipts; whoever ran them is named, because a person who repeats a run of their own proves less. A
reproduction that somebody sent to the inbox is told and decides nothing: a receipt can be copied, or invented, without
any run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.board import Leaderboard
from benchsite.history import Header, Reproduction
from benchsite.site.marks import STATES, Mark

INSTANCE: Final = "The instance's commit"
"""Of the repository the run was made in, which is not benchsite's own."""

Answer = Literal["pass", "fail", "unknown"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of the checklist."""

    name: str
    answer: Answer
    sentence: str

    @property
    def mark(self) -> Mark:
        """How the answer is shown."""
        return STATES["skip" if self.answer == "unknown" else self.answer]


def checklist(
    header: Header, document: Mapping[str, Any], about: Leaderboard, *, here: bool, images: Mapping[str, str]
) -> tuple[Condition, ...]:
    """The six conditions.

    Args:
        header: the receipt's standing.
        document: its body.
        about: what its track calls the things that are run.
        here: whether the content that was run is published here under the recorded hash.
        images: the container image digests that releases announced, by tag.
    """
    git = document["environment"].get("git") or {}
    return (
        _released(document, images),
        _clean(git, "that commit" if "schemaVersion" not in document else "the instance's commit"),
        _image(document, images),
        _same(about, here=here),
        _signature(header),
        _repeated(header, document.get("ranBy"), document.get("determinism")),
    )


def defensible(conditions: tuple[Condition, ...]) -> bool:
    """Whether all six hold."""
    return all(condition.answer == "pass" for condition in conditions)


def _released(document: Mapping[str, Any], images: Mapping[str, str]) -> Condition:
    """Whether the code that ran is a release, by the commit's tag or by the release's own container image.

    `git` is the instance's repository, whose tags are its own; only schema 0.0.1 means the benchmark's.
    """
    name, version = "Tagged code", document["benchVersion"]
    git = document["environment"].get("git") or {}
    tag, commit = git.get("tag"), git.get("commit")
    whose = (
        f"{'The commit' if 'schemaVersion' not in document else INSTANCE}{f' {commit[:8]}' if commit else ''}"
    )
    if tag == f"v{version}":
        return Condition(name, "pass", f"{whose} carries the tag of the release, {tag}.")
    if _is_image_of(version, document, images):
        return Condition(name, "pass", f"It ran in the container image of the release v{version}.")
    if "schemaVersion" not in document:
        if not commit:
            return Condition(name, "unknown", "The receipt names no commit.")
        return Condition(name, "fail", f"Commit {commit[:8]} was not the release v{version} when it ran.")
    where = (
        f"{whose} carries the tag {tag}, which is not benchsite's"
        if tag
        else f"{whose} carries no release's tag"
    )
    if not commit and not tag:
        where = "The receipt names no commit"
    return Condition(
        name,
        "unknown",
        f"{where}. benchsite says that it was version {version}; whether that was the release or a changed copy of "
        "it, the receipt does not show.",
    )


def _clean(git: Mapping[str, Any], commit: str) -> Condition:
    name = "Clean tree"
    if git.get("dirty") is False:
        return Condition(name, "pass", f"No file differed from {commit}.")
    if git.get("dirty"):
        return Condition(name, "fail", f"Files differed from {commit}, so what ran is not known.")
    return Condition(name, "unknown", "The receipt does not say whether files differed from a commit.")


def _image(document: Mapping[str, Any], images: Mapping[str, str]) -> Condition:
    name, version = "Known container", document["benchVersion"]
    image = document["environment"].get("containerImage")
    if not image:
        return Condition(name, "unknown", "It did not run in a container image that the receipt could name.")
    if not _digest(image):
        return Condition(name, "unknown", "The container image is recorded without its digest.")
    if _is_image_of(version, document, images):
        return Condition(name, "pass", f"The container image is the one announced for v{version}.")
    if _digest(images.get(f"v{version}")):
        return Condition(name, "fail", f"The container image is not the one announced for v{version}.")
    return Condition(
        name, "unknown", f"The container image is recorded; this site knows of none announced for v{version}."
    )


def _is_image_of(version: str, document: Mapping[str, Any], images: Mapping[str, str]) -> bool:
    """Whether it ran in the image that this release announced: by the whole digest, under its own tag."""
    recorded = _digest(document["environment"].get("containerImage"))
    return recorded != "" and recorded == _digest(images.get(f"v{version}"))


_IMAGE: Final = re.compile(r"(?:[^@\s]+@)?(sha256:[0-9a-f]{64})")


def _digest(image: str | None) -> str:
    """`sha256:<64 hex>` of `name@sha256:<64 hex>` or of the bare digest; empty for anything else."""
    found = _IMAGE.fullmatch(image or "")
    return found[1] if found else ""


def _same(about: Leaderboard, *, here: bool) -> Condition:
    name = f"Same {about.tasks}"
    if here:
        return Condition(name, "pass", f"The {about.target} in this repository has the hash recorded here.")
    return Condition(
        name,
        "unknown",
        f"This site cannot show the {about.target}: it is not in this repository, or its licence keeps its texts off the page. "
        "Get it from its source and compare its hash.",
    )


def _signature(header: Header) -> Condition:
    name = "Signature"
    if any(step.name == "signature" and step.state == "pass" for step in header.steps):
        return Condition(name, "pass", "It verifies against a key of this site.")
    return Condition(name, "fail", "It does not verify.")


def _repeated(
    header: Header, ran_by: Mapping[str, str] | None, determinism: Mapping[str, Any] | None
) -> Condition:
    """Whether published reproductions, and repeats within the run, gave the same numbers; one that did not decides.

    Only runs by the workflow or a maintainer decide. What a stranger sends costs nothing to make up, either way: the same
    numbers by copying the receipt, other numbers by spoiling one answer. So alone it leaves the answer unknown, and
    it cannot turn a pass into a fail; where it contradicts a pass, the sentence says so, for the reader to weigh and
    for the maintainers to run again.
    """
    name = "Repeated"
    by_outcome = {item.outcome: item for item in reversed(header.reproduced_by) if not item.sent_by}
    sent = {item.outcome: item for item in reversed(header.reproduced_by) if item.sent_by}
    against = _said(sent["differs"], "other numbers") if "differs" in sent else ""
    agreeing = _said(sent["identical"], "the same numbers") if "identical" in sent else ""
    if (copy := by_outcome.get("differs")) is not None:
        return Condition(name, "fail", _told(copy, ran_by, "other numbers"))
    if determinism and determinism.get("identical") is False:
        return Condition(name, "fail", "Repeats within this run did not give the same answers.")
    if (copy := by_outcome.get("identical")) is not None:
        told = _told(copy, ran_by, "the same numbers, byte for byte")
        return Condition(name, "pass", f"{told} {against}".rstrip())
    heard = f"{against} {agreeing}".strip()
    return Condition(name, "unknown", heard or _unrepeated(header, determinism))


def _unrepeated(header: Header, determinism: Mapping[str, Any] | None) -> str:
    """Why the sixth is open where nobody claims to have repeated the very same thing."""
    if any(item.outcome == "other source" for item in header.reproduced_by):
        return "It was run again, but from a source of the system with another digest, which proves nothing about this one."
    if determinism and determinism.get("identical"):
        return (
            f"{determinism['runs']} repeats within this run were identical; nobody has published another run."
        )
    return "Nobody has published another run of it yet."


def _said(copy: Reproduction, what: str) -> str:
    """What somebody who sent a reproduction says of it."""
    return (
        f"{copy.sent_by} says that they repeated it in receipt {copy.receipt_id[:8]} and got {what}; "
        "nobody here saw that run."
    )


def _told(copy: Reproduction, ran_by: Mapping[str, str] | None, what: str) -> str:
    """Who repeated it and what came out, by the names that the two receipts state."""
    _, _, runner = copy.ran_by.partition(" ")
    first = ran_by["name"] if ran_by else ""
    whose = (
        "the same name stands under this run"
        if runner == first
        else f"this run is by {first or 'nobody named'}"
    )
    return f"{runner} repeated it in receipt {copy.receipt_id[:8]} and got {what}; {whose}."
