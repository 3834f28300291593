"""Does a draft ask what its fixture asks; where does a repeated run answer otherwise."""

from collections.abc import Iterator

from benchsite import canonical
from benchsite.errors import IntegrityError
from benchsite.receipt import Document
from benchsite.track import Resolved


def hold_against(document: Document, resolved: Resolved) -> None:
    tasks = canonical.loads(resolved.target)["tasks"]
    asked = len(tasks[: document["config"]["limit"]])
    if document["denominators"]["accuracy"]["den"] != asked:
        raise IntegrityError(f"the fixture asks {asked} sums", hint="run it again")


def differing(document: Document, again: Document) -> Iterator[tuple[str, str]]:
    if document["evidence"][0]["sha256"] != again["evidence"][0]["sha256"]:
        yield "answers", "some answers are others"
