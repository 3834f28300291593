"""The seed's six conditions for a result to be defensible, each pass, fail or unknown (specs/retrieval.md).

Unknown is an honest answer and counts against "defensible": only six passes make that word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchsite.history import Header
from benchsite.site.marks import STATES, Mark

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
    header: Header, document: Mapping[str, Any], *, fixture_here: bool, images: Mapping[str, str]
) -> tuple[Condition, ...]:
    """The six conditions.

    Args:
        header: the receipt's standing.
        document: its body.
        fixture_here: whether content with the recorded hash lies in this repository.
        images: the container image digests that releases announced, by tag.
    """
    environment = document["environment"]
    git = environment.get("git") or {}
    return (
        _tagged(git),
        _clean(git),
        _image(environment.get("containerImage"), images),
        _fixture(fixture_here=fixture_here),
        _signature(header),
        _repeated(header, document.get("determinism")),
    )


def defensible(conditions: tuple[Condition, ...]) -> bool:
    """Whether all six hold."""
    return all(condition.answer == "pass" for condition in conditions)


def _tagged(git: Mapping[str, Any]) -> Condition:
    name = "Tagged code"
    if git.get("tag"):
        return Condition(name, "pass", f"The run was made from the release {git['tag']}.")
    if git.get("commit"):
        return Condition(name, "fail", f"Commit {git['commit'][:8]} was not a tagged release when it ran.")
    return Condition(name, "unknown", "The receipt names no commit.")


def _clean(git: Mapping[str, Any]) -> Condition:
    name = "Clean tree"
    if git.get("dirty") is False:
        return Condition(name, "pass", "No file differed from that commit.")
    if git.get("dirty"):
        return Condition(name, "fail", "Files differed from that commit, so the code that ran is not known.")
    return Condition(name, "unknown", "The receipt does not say whether files differed from a commit.")


def _image(image: str | None, images: Mapping[str, str]) -> Condition:
    name = "Known container"
    if not image:
        return Condition(name, "unknown", "It did not run in a container image that the receipt could name.")
    if any(image.endswith(digest) for digest in images.values()):
        return Condition(name, "pass", "The container image is one that a release of this site announced.")
    return Condition(
        name, "unknown", "The container image is recorded; no release of this site announced it."
    )


def _fixture(*, fixture_here: bool) -> Condition:
    name = "Same questions"
    if fixture_here:
        return Condition(name, "pass", "The fixture in this repository has the hash recorded here.")
    return Condition(
        name, "unknown", "The fixture is not in this repository; import it and compare its hash."
    )


def _signature(header: Header) -> Condition:
    name = "Signature"
    if any(step.name == "signature" and step.state == "pass" for step in header.steps):
        return Condition(name, "pass", "It verifies against a key of this site.")
    return Condition(name, "fail", "It does not verify.")


def _repeated(header: Header, determinism: Mapping[str, Any] | None) -> Condition:
    name = "Repeated"
    if header.reproduced_by:
        return Condition(name, "unknown", "Others ran it again; compare their receipts, named above.")
    if determinism and determinism.get("identical") is False:
        return Condition(name, "fail", "Repeats within this run did not give the same answers.")
    if determinism and determinism.get("identical"):
        runs = determinism["runs"]
        return Condition(
            name,
            "unknown",
            f"{runs} repeats within this run were identical; nobody has published another run.",
        )
    return Condition(name, "unknown", "Nobody has published another run of it yet.")
