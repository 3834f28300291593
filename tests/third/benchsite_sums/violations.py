"""What no honest receipt can say."""

from collections.abc import Iterator

from benchsite.history import Violation
from benchsite.receipt import Document


def violations(document: Document) -> Iterator[Violation]:
    """More right answers than sums."""
    counted = document["denominators"]["accuracy"]
    if counted["num"] > counted["den"]:
        yield Violation("more-than-all", "more sums are right than were asked", "denominators.accuracy.num")
