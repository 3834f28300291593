"""The clauses of the adapter contract: what is asked, on data made here, and the sentence an author reads for each.

Follows specs/retrieval.md, "Adapter contract". Owns a small invented dataset of two scopes and what a good result on it
is. Tells a system that is nondeterministic, which is allowed, from one that keeps state across `reset`, which is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from benchsite.errors import BenchsiteError
from benchsite.isolation import stderr
from benchsite.isolation.process import METHOD_NOT_FOUND, Fault
from benchsite.isolation.subject import Subject
from benchsite.tracks.retrieval.run.answers import Malformed, is_confidence, read_hits

__all__ = ["ABOUT_SAMPLE", "CLAUSES", "SEED", "BreachError", "Session", "sentences_about_things"]

SEED: Final = 7
FRESH_PROCESSES: Final = 4
KS: Final = (1, 3, 10, 1000)
_WHEN: Final = "2026-02-01T12:00:00Z"
_THINGS: Final = (
    *("lantern", "violin", "anchor", "teapot", "compass", "saddle", "mirror", "basket"),
    *("ladder", "kettle", "quilt", "whistle", "barrel", "candle", "harness", "telescope"),
)
_DEEDS: Final = ("mended", "painted", "borrowed", "sold")
_PEOPLE: Final = ("Ada", "Bruno", "Chidi", "Dalia", "Emre")
_ODD: Final = {
    "an empty query": "",
    "a query of blanks": "  \t\n",
    "a query of punctuation": "?!… — ()",
    "a query with unbalanced quotes and operators": 'who "painted AND (NOT the lantern* OR -NEAR/2',
    "a query that looks like SQL": "'; DROP TABLE items; --",
    "a query in emoji": "🦜🏴‍☠️ 👩‍👩‍👧‍👦?",
    "a query in several scripts": "谁修好了灯笼 кто починил фонарь من أصلح الفانوس",
    "a query with combining and invisible characters": "l\u0301a\u0308ntern\u200d\u202e",
    "a query with a NUL": "lantern\x00anchor",
    "a query of 1,000 words": "lantern anchor teapot violin candle " * 200,
}
_READ: Final = "correct the adapter where its stderr says"
_OF_A_NETWORK: Final = re.compile(
    r"\bconnect(ion|error|timeout)?\b|network|name resolution|resolve host|getaddrinfo|unreachable|proxy|socket|\bssl|timed out",
    re.IGNORECASE,
)
"""What errors of a missing network say."""
_OFFLINE: Final = "if the adapter needs the network, declare network: it runs without access otherwise"


@dataclass(frozen=True, slots=True)
class _Answer:
    """The hits of one question as they came, scores unjudged."""

    question: str
    k: int
    hits: Sequence[tuple[str, Any]]

    @property
    def ids(self) -> list[str]:
        return [name for name, _ in self.hits]


class BreachError(Exception):
    """A rule is broken: what was seen, and what to do about it."""

    def __init__(self, detail: str, hint: str) -> None:
        """Keep both sentences."""
        super().__init__(detail)
        self.detail = detail
        self.hint = hint


@dataclass(slots=True)
class Session:
    """A started adapter, and what it has answered about the first scope: (first time, second time) pairs.

    `start` gives another process of the same adapter.
    """

    subject: Subject
    timeout_s: float
    start: Callable[[], Subject]
    timeouts: int = 0
    faults: int = 0
    told: bool = False
    sample: list[tuple[_Answer, _Answer]] = field(default_factory=list)

    def call(self, method: str, **params: Any) -> Any | Fault:
        """A result, or the fault; a process that ended gets a successor first."""
        if not self.subject.alive and (fault := self.subject.restart()):
            return fault
        reply = self.subject.call(method, params, timeout_s=self.timeout_s)
        if reply.fault is not None:
            self.timeouts += reply.fault.kind == "timeout"
            return reply.fault
        return reply.result

    def prepare(self, *batches: Sequence[Mapping[str, Any]]) -> None:
        """Reset, ingest each batch, flush."""
        self.must("reset")
        for batch in batches:
            self.must("ingest", items=batch)
        flushed = self.call("flush")
        if isinstance(flushed, Fault) and flushed.code != METHOD_NOT_FOUND:
            raise self.fault("flush", flushed)

    def must(self, method: str, **params: Any) -> Any:
        """A result; a fault breaks the clause."""
        result = self.call(method, **params)
        if isinstance(result, Fault):
            raise self.fault(method, result)
        return result

    def ask(self, question: str, k: int, what: str = "query") -> _Answer:
        """The hits for a query; anything but a list of (id, score, content) breaks the clause."""
        result = self.must("query", query=question, k=k, when=_WHEN)
        hits = read_hits(result)
        if isinstance(hits, Malformed):
            raise BreachError(f"{what}: {hits.detail}", hits.hint)
        return _Answer(question, k, [(hit.id, hit.score) for hit in hits])

    def fault(self, what: str, fault: Fault) -> BreachError:
        """A failed call, in words, with stderr: in full once, then the line that says most."""
        said = fault.detail if fault.kind != "raised" else f"adapter error: {fault.detail}"
        self.faults += 1
        words, lines = self.subject.last_words, self.subject.stderr
        hint = f"stderr: {words}" if words and words not in said else ""
        if len(lines) > 1 and not self.told:
            self.told, hint, said = True, _READ, f"{said}; {stderr.shown(lines)}"
        told = " ".join((fault.detail, *lines))
        offline = fault.kind == "timeout" or (fault.kind == "raised" and _OF_A_NETWORK.search(told))
        if self.subject.network == "off" and offline and hint in ("", _READ):
            hint = _OFFLINE
        return BreachError(f"{what}: {said}", hint)


def _items(first: int, count: int) -> list[dict[str, Any]]:
    """Sentences about one thing each; the number decides everything about an item."""
    return [
        {
            "id": f"d{number + 1:04}",
            "content": f"{_PEOPLE[number % 5]} {_DEEDS[number % 4]} the {_THINGS[number]} in the old harbour.",
            "metadata": {"place": number, "tags": ["invented"]},
            "timestamp": f"2026-01-{number + 1:02}T08:30:00Z" if number % 3 else None,
        }
        for number in range(first, first + count)
    ]


_EARLY, _LATE = _items(0, 5), _items(5, 5)
_OTHER: Final = _items(10, 6)
_QUESTIONS: Final = (
    _EARLY[0]["content"],
    _LATE[0]["content"],
    f"Who {_DEEDS[2]} the {_THINGS[2]}?",
    f"Where is the {_THINGS[8]}?",
    "What was painted in the old harbour?",
)


def sentences_about_things() -> list[dict[str, Any]]:
    """Return every item of the synthetic dataset."""
    return _items(0, len(_THINGS))


def _ids(items: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(item["id"] for item in items)


def _empty(session: Session) -> str:
    session.prepare()
    found = session.ask(_QUESTIONS[0], 10)
    if found.hits:
        raise BreachError(
            f"{found.ids[0]!r} was returned and nothing was ingested",
            "clear the index on reset, then return []",
        )
    return "no items, empty result"


def _answers(session: Session) -> str:
    session.prepare(_EARLY, _LATE)
    pairs = [(session.ask(question, k), session.ask(question, k)) for question in _QUESTIONS for k in KS]
    known = _ids(_EARLY) | _ids(_LATE)
    for answer, _ in pairs:
        strange = [name for name in answer.ids if name not in known]
        if strange:
            raise BreachError(
                f"unknown id {strange[0][:80]!r}: not ingested",
                "return the ids of ingested items of this scope, unchanged",
            )
    if not any(answer.hits for answer, _ in pairs):
        raise BreachError(
            f"all {len(pairs)} results are empty, although two queries quote an item",
            "if indexing is asynchronous, wait for it in flush; in a mapping, check hits and id",
        )
    session.sample = pairs
    return f"{2 * len(pairs)} queries, all ids known"


def _duplicates(session: Session) -> str:
    for answer, _ in session.sample:
        twice = next((name for name in answer.ids if answer.ids.count(name) > 1), None)
        if twice is not None:
            raise BreachError(
                f"{twice!r} is returned twice in one result", "return each item once, at its first rank"
            )
    return "no duplicate ids"


def _at_most_k(session: Session) -> str:
    for answer, _ in session.sample:
        if len(answer.hits) > answer.k:
            raise BreachError(
                f"k = {answer.k}, {len(answer.hits)} results returned", "cut the result list at k"
            )
    return f"at most k results for k = {', '.join(map(str, KS))}"


def _scores(session: Session) -> str:
    for answer, _ in session.sample:
        for name, score in answer.hits:
            if not is_confidence(score):
                raise BreachError(
                    f"the score of {name!r} is {str(score)[:40]}, not a number in [0, 1]",
                    "normalize, for example divide by the best score of the result",
                )
    return "all scores in [0, 1]"


def _order(session: Session) -> str:
    for answer, _ in session.sample:
        scores = [score for _, score in answer.hits]
        try:
            sorted_down = all(one >= other for one, other in pairwise(scores))
        except TypeError:
            continue
        if not sorted_down:
            raise BreachError(
                f"scores are not in descending order: {', '.join(f'{score:.3g}' for score in scores[:5])}",
                "the order of the list is the ranking: sort it best first",
            )
    return "best first"


def _stable(session: Session) -> str:
    for first, second in session.sample:
        if first.ids != second.ids:
            raise BreachError(
                f"the same query gave different rankings: {', '.join(first.ids[:5])}, then {', '.join(second.ids[:5])}",
                "break ties deterministically; seed random numbers from initialize",
            )
    return "same query, same ranking"


def _keeps_all(session: Session) -> str:
    seen = {name for answer, _ in session.sample for name in answer.ids}
    for part, items in (("first", _EARLY), ("second", _LATE)):
        if not seen & _ids(items):
            raise BreachError(
                f"no item of the {part} ingest call is returned",
                "ingest must add; only reset clears",
            )
    return "items of both ingest calls are returned"


def _resets(session: Session) -> str:
    session.prepare(_EARLY, _LATE)
    session.prepare(_OTHER)
    for question in (*_QUESTIONS, _OTHER[0]["content"]):
        left = [name for name in session.ask(question, max(KS)).ids if name not in _ids(_OTHER)]
        if left:
            raise BreachError(
                f"{left[0][:80]!r} of the previous scope was returned after reset",
                "clear the whole index on reset",
            )
    session.prepare(_EARLY, _LATE)
    if any(
        first.ids == second.ids != session.ask(first.question, first.k).ids
        for first, second in session.sample
    ):
        return f"no item of an earlier scope; {_nondeterminism(session)}"
    return "no state carried to the next scope"


def _nondeterminism(session: Session) -> str:
    """How much fresh processes differ; where they agree, only an earlier scope can be the reason."""
    runs = [_in_a_fresh_process(session) for _ in range(FRESH_PROCESSES)]
    differing = sum(len(set(answers)) > 1 for answers in zip(*runs, strict=True))
    if not differing:
        raise BreachError(
            "state of an earlier scope changes the ranking: after another scope and reset, the first scope is ranked "
            "differently; fresh processes agree",
            "clear statistics, caches and counters on reset",
        )
    return f"nondeterministic: {differing} of {len(session.sample)} rankings differ between fresh processes"


def _in_a_fresh_process(session: Session) -> list[tuple[str, ...]]:
    """The rankings of the first scope by a process that has seen nothing else."""
    try:
        with session.start() as subject:
            fresh = Session(subject, session.timeout_s, session.start)
            fresh.prepare(_EARLY, _LATE)
            return [tuple(fresh.ask(first.question, first.k).ids) for first, _ in session.sample]
    except BenchsiteError as error:
        raise BreachError(f"a second process does not start: {error.message}", error.hint) from None


def _odd(session: Session) -> str:
    odd: list[dict[str, Any]] = [
        {"id": f"d9{place:03}", "content": text if text.strip() else "…", "metadata": {}, "timestamp": None}
        for place, text in enumerate(_ODD.values())
    ]
    session.prepare(_EARLY, odd)
    refused = 0
    for what, text in _ODD.items():
        result = session.call("query", query=text, k=3, when=None)
        if isinstance(result, Fault) and not text.strip() and result.kind == "raised":
            refused += 1  # no fixture may hold an empty question, so an error is an answer
        elif isinstance(result, Fault):
            raise session.fault(what, result)
    said = f"; {refused} of the 2 empty ones refused, which is allowed" if refused else ""
    return f"{len(_ODD)} queries answered{said}"


def _unknown_call(session: Session) -> str:
    session.prepare(_EARLY)
    result = session.call("no-such-method")
    if isinstance(result, Fault) and result.kind != "raised":
        raise session.fault("an unknown method", result)
    session.ask(_QUESTIONS[0], 1)
    return "answered, and the adapter still runs"


CLAUSES: Final[Mapping[str, Callable[[Session], str]]] = {
    "empty index": _empty,
    "known ids": _answers,
    "no duplicates": _duplicates,
    "at most k": _at_most_k,
    "scores": _scores,
    "order": _order,
    "repeatable": _stable,
    "ingest adds": _keeps_all,
    "reset": _resets,
    "unusual queries": _odd,
    "unknown methods": _unknown_call,
}
ABOUT_SAMPLE: Final = (_duplicates, _at_most_k, _scores, _order, _stable, _keeps_all)
