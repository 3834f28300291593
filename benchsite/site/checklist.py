"""The reproducibility checklist: six conditions, each pass, fail or not checked (specs/retrieval.md).

"Not checked" counts against the result: "reproducible" needs six passes. The sixth is decided by reproduction receipts;
their submitters are named, because reproducing one's own run proves less. A reproduction that arrived through the inbox
is reported and decides nothing: a receipt can be copied, or invented, without any run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite.board import Leaderboard
from benchsite.history import Header, Reproduction
from benchsite.site.marks import STATES, Mark

INSTANCE: Final = "The instance commit"
"""Of the repository that the run was made in, which is not benchsite's own."""

Answer = Literal["pass", "fail", "not checked"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of the checklist."""

    name: str
    answer: Answer
    sentence: str

    @property
    def mark(self) -> Mark:
        """How the answer is shown."""
        return STATES[self.answer]


def checklist(
    header: Header, document: Mapping[str, Any], about: Leaderboard, *, here: bool, images: Mapping[str, str]
) -> tuple[Condition, ...]:
    """The six conditions.

    Args:
        header: the verified receipt.
        document: its body.
        about: the leaderboard of its track.
        here: whether the dataset is published here under the recorded hash.
        images: the container image digests that releases announced, by tag.
    """
    git = document["environment"].get("git") or {}
    return (
        _released(document, images),
        _clean(git, "that commit" if "schemaVersion" not in document else "the instance commit"),
        _image(document, images),
        _same(about, here=here),
        _signature(header),
        _repeated(header, document.get("ranBy"), document.get("determinism")),
    )


def passing(conditions: Sequence[Condition]) -> int:
    """How many of the six hold; a result is reproducible where all do."""
    return sum(condition.answer == "pass" for condition in conditions)


def _released(document: Mapping[str, Any], images: Mapping[str, str]) -> Condition:
    """Whether the code that ran is a release, by the commit's tag or by the release's own container image.

    `git` is the instance's repository, whose tags are its own; only schema 0.0.1 means the benchmark's.
    """
    name, version = "Release build", document["benchVersion"]
    git = document["environment"].get("git") or {}
    tag, commit = git.get("tag"), git.get("commit")
    whose = (
        f"{'The commit' if 'schemaVersion' not in document else INSTANCE}{f' {commit[:8]}' if commit else ''}"
    )
    if tag == f"v{version}":
        return Condition(name, "pass", f"{whose} has the release tag {tag}.")
    if _is_image_of(version, document, images):
        return Condition(name, "pass", f"The run used the container image of release v{version}.")
    if "schemaVersion" not in document:
        if not commit:
            return Condition(name, "not checked", "The receipt records no commit.")
        return Condition(name, "fail", f"Commit {commit[:8]} was not tagged v{version} at run time.")
    where = (
        f"{whose} has the tag {tag}, which is not a tag of benchsite"
        if tag
        else f"{whose} has no release tag"
    )
    if not commit and not tag:
        where = "The receipt records no commit"
    return Condition(
        name,
        "not checked",
        f"{where}. benchsite reported version {version}; the receipt does not show whether it was modified.",
    )


def _clean(git: Mapping[str, Any], commit: str) -> Condition:
    name = "Clean working tree"
    if git.get("dirty") is False:
        return Condition(name, "pass", f"No uncommitted changes to {commit}.")
    if git.get("dirty"):
        return Condition(name, "fail", f"Uncommitted changes to {commit}: the code that ran is not known.")
    return Condition(name, "not checked", "The receipt does not record uncommitted changes.")


def _image(document: Mapping[str, Any], images: Mapping[str, str]) -> Condition:
    name, version = "Container image", document["benchVersion"]
    image = document["environment"].get("containerImage")
    if not image:
        return Condition(name, "not checked", "The receipt records no container image.")
    if not _digest(image):
        return Condition(name, "not checked", "The container image is recorded without a digest.")
    if _is_image_of(version, document, images):
        return Condition(name, "pass", f"The container image is the one released as v{version}.")
    if _digest(images.get(f"v{version}")):
        return Condition(name, "fail", f"The container image is not the one released as v{version}.")
    return Condition(
        name, "not checked", f"The container image is recorded; this site lists none for v{version}."
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
    name = "Dataset hash"
    if here:
        return Condition(name, "pass", f"The {about.target_word} in this repository has the recorded hash.")
    return Condition(
        name,
        "not checked",
        f"The {about.target_word} is not in this repository, or its license does not allow redistribution. "
        "Obtain it from its source and compare the hash.",
    )


def _signature(header: Header) -> Condition:
    name = "Signature"
    if any(step.name == "signature" and step.state == "pass" for step in header.steps):
        return Condition(name, "pass", "Valid under a key of this site.")
    return Condition(name, "fail", "The signature is invalid.")


def _repeated(
    header: Header, ran_by: Mapping[str, str] | None, determinism: Mapping[str, Any] | None
) -> Condition:
    """Whether published reproductions, and repeats within the run, gave the same scores; one that did not decides.

    Only runs by the workflow or a maintainer decide. A submitted reproduction costs nothing to invent, either way: the
    same scores by copying the receipt, different scores by altering one answer. So alone it leaves the condition not
    checked, and it cannot turn a pass into a fail; where it contradicts a pass, the sentence says so.
    """
    name = "Independent reproduction"
    by_outcome = {item.outcome: item for item in reversed(header.reproduced_by) if not item.sent_by}
    sent = {item.outcome: item for item in reversed(header.reproduced_by) if item.sent_by}
    against = _said(sent["differs"], "different scores") if "differs" in sent else ""
    agreeing = _said(sent["identical"], "the same scores") if "identical" in sent else ""
    if (copy := by_outcome.get("differs")) is not None:
        return Condition(name, "fail", _told(copy, ran_by, "different scores"))
    if determinism and determinism.get("identical") is False:
        return Condition(
            name, "fail", f"Repeats within this run gave different results{_range(determinism)}."
        )
    if (copy := by_outcome.get("identical")) is not None:
        told = _told(copy, ran_by, "bit-exact scores")
        return Condition(name, "pass", f"{told} {against}".rstrip())
    heard = f"{against} {agreeing}".strip()
    return Condition(name, "not checked", heard or _unrepeated(header, determinism))


def _range(determinism: Mapping[str, Any]) -> str:
    """How far the score moved, for a receipt that states it."""
    low, high = determinism.get("ndcgLow"), determinism.get("ndcgHigh")
    return "" if low is None or high is None else f": nDCG from {low:.3f} to {high:.3f}"


def _unrepeated(header: Header, determinism: Mapping[str, Any] | None) -> str:
    """Why the sixth is not decided where no reproduction of the same source exists."""
    if any(item.outcome == "other source" for item in header.reproduced_by):
        return "The only reproductions used a different version of the system's source, so they do not count."
    if determinism and determinism.get("identical"):
        return (
            f"{determinism['runs']} repeats within this run were identical. Independent reproductions: none."
        )
    return "None published."


def _said(copy: Reproduction, what: str) -> str:
    """What the submitter of a reproduction states."""
    return (
        f"{copy.sent_by} submitted reproduction {copy.receipt_id[:8]} with {what}; "
        "this site did not observe that run."
    )


def _told(copy: Reproduction, ran_by: Mapping[str, str] | None, what: str) -> str:
    """Who reproduced it and with what result, by the names that the two receipts state."""
    _, _, runner = copy.ran_by.partition(" ")
    first = ran_by["name"] if ran_by else ""
    whose = "the original run has the same name" if runner == first else f"original run: {first or 'no name'}"
    return f"{runner} reproduced it in receipt {copy.receipt_id[:8]} with {what}; {whose}."
