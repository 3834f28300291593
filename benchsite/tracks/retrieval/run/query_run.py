"""One trial: every chosen query asked once of a started adapter, scope by scope, and what came back.

Owns the rules of specs/retrieval.md, "Adapter contract", that keep a measurement honest: ids are opaque to the
adapter, the queries of a scope come in an order shuffled by the recorded seed, and no gold (expected ids,
category, split) is passed. Owns too what an adapter's failure comes to: every query ends in an answer or in a
recorded fault, and a process that died gets a successor that has ingested the scope.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchsite.isolation.process import METHOD_NOT_FOUND, Fault, FaultKind
from benchsite.isolation.subject import Subject
from benchsite.progress import Progress
from benchsite.stats import below, word
from benchsite.tracks.retrieval.fixture import Fixture, Item, Query
from benchsite.tracks.retrieval.record.payload import unknown_item
from benchsite.tracks.retrieval.run.answers import Malformed, ReturnedHit, is_confidence, read_hits
from benchsite.words import one_line

__all__ = ["Answer", "Trial", "no_op_ns", "shuffled"]

STRIKES: Final = 3
PREPARATION_FACTOR: Final = 10
FRAME_ITEMS: Final = 2_000
FRAME_CHARACTERS: Final = 2_000_000
PINGS: Final = 100
REPORT_EVERY: Final = 25
MOST_KINDS: Final = 100
LONGEST_FAILURE: Final = 200
"""Characters of a failure's words, as kinds of failures are counted."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one query came to.

    Attributes:
        retrieved: real item ids in the adapter's order, duplicates kept, at most k; an id that was never given
            to it is `?` and 12 hex digits of its sha256.
        foreign: those of them outside the query's scope, each once.
        error: the fault's kind; then nothing is retrieved.
        elapsed_ns: duration of the call; None where it failed or was not made.
        over_k: whether more than k hits were returned.
        bad_scores: hits whose score is no number in [0, 1].
        returned_chars: characters of content returned.
    """

    retrieved: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    error: FaultKind | None = None
    elapsed_ns: int | None = None
    over_k: bool = False
    bad_scores: int = 0
    returned_chars: int = 0


class Trial:
    """Asks and keeps account: `answers` by query id, what ingesting came to, and what the first failure said."""

    def __init__(
        self,
        fixture: Fixture,
        queries: Sequence[Query],
        *,
        k: int,
        seed: int,
        timeout_s: float,
        report: Progress,
    ) -> None:
        """Prepare to ask `queries` of `fixture` for `k` hits each.

        `timeout_s` is the deadline of a query; reset, ingest and flush have ten times as long.
        """
        self._fixture = fixture
        self._queries = queries
        self._k = k
        self._seed = seed
        self._timeout_s = timeout_s
        self._report = report
        self._real = {f"d{number:04}": item.id for number, item in enumerate(fixture.items, 1)}
        self._opaque = {real: name for name, real in self._real.items()}
        self.answers: dict[str, Answer] = {}
        self.first_failure = ""
        self.first_stderr: tuple[str, ...] = ()
        self.failures: Counter[str] = Counter()
        self.cold_ns: int | None = None
        self.cold_query: str | None = None
        self.ingested_items = 0
        self.ingested_bytes = 0
        self.ingest_ns = 0

    def run(self, subject: Subject) -> None:
        """Ask everything; a subject's failures become answers with an `error`."""
        by_scope: dict[str, list[Query]] = {}
        for query in self._queries:
            by_scope.setdefault(query.scope, []).append(query)
        drawn = 0
        for scope, queries in by_scope.items():
            self._ask_scope(subject, scope, shuffled(queries, self._seed, drawn))
            drawn += len(queries)

    def _ask_scope(self, subject: Subject, scope: str, queries: Sequence[Query]) -> None:
        fault = self._prepare(subject, scope, first=True)
        strikes = 0
        for query in queries:
            if fault is not None:
                self._record(query, Answer(error=fault.kind))
                continue
            fault = self._ask(subject, query)
            strikes = 0 if fault is None else strikes + 1
            if fault is not None and strikes < STRIKES:
                fault = self._prepare(subject, scope, first=False)

    def _prepare(self, subject: Subject, scope: str, *, first: bool) -> Fault | None:
        """Reset, ingest and flush, in a new process where the last one ended."""
        if not subject.alive and (fault := subject.restart()):
            self._note(subject, "initialize", fault)
            return fault
        items = self._fixture.items_by_scope[scope]
        spent = 0
        for method, params in self._preparation(items):
            reply = subject.call(method, params, timeout_s=self._timeout_s * PREPARATION_FACTOR)
            if reply.fault and not (method == "flush" and reply.fault.code == METHOD_NOT_FOUND):
                self._note(subject, method, reply.fault)
                return reply.fault
            spent += 0 if method == "reset" else reply.elapsed_ns
        if first:
            self.ingested_items += len(items)
            self.ingested_bytes += sum(len(item.content.encode()) for item in items)
            self.ingest_ns += spent
        return None

    def _preparation(self, items: Sequence[Item]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield "reset", {}
        batch: list[dict[str, Any]] = []
        characters = 0
        for item in items:
            batch.append(
                {
                    "id": self._opaque[item.id],
                    "content": item.content,
                    "metadata": item.metadata,
                    "timestamp": item.timestamp,
                }
            )
            characters += len(item.content)
            if len(batch) == FRAME_ITEMS or characters > FRAME_CHARACTERS:
                yield "ingest", {"items": batch}
                batch, characters = [], 0
        if batch:
            yield "ingest", {"items": batch}
        yield "flush", {}

    def _ask(self, subject: Subject, query: Query) -> Fault | None:
        """Ask one query; the fault is given back when the process did not survive it."""
        params = {"query": query.query, "k": self._k, "when": query.when}
        reply = subject.call("query", params, timeout_s=self._timeout_s)
        if self.cold_query is None:
            self.cold_query = query.id
            self.cold_ns = None if reply.fault else reply.elapsed_ns
        if reply.fault:
            self._note(subject, "query", reply.fault)
            self._record(query, Answer(error=reply.fault.kind))
            return None if subject.alive else reply.fault
        hits = read_hits(reply.result)
        if isinstance(hits, Malformed):
            self._note(subject, "query", Fault("protocol", f"{hits.detail}; {hits.hint}"))
            self._record(query, Answer(error="protocol"))
        else:
            self._record(query, self._answer(hits, query, reply.elapsed_ns))
        return None

    def _note(self, subject: Subject, method: str, fault: Fault) -> None:
        """Keep the first failure in full, and count all by their words; for the terminal, never for a receipt."""
        words = one_line(f"{method}: {fault.detail}", LONGEST_FAILURE)
        if words in self.failures or len(self.failures) < MOST_KINDS:
            self.failures[words] += 1
        if not self.first_failure:
            self.first_failure = f"{method}: {fault.detail}"
            self.first_stderr = subject.stderr

    def _answer(self, hits: Sequence[ReturnedHit], query: Query, elapsed_ns: int) -> Answer:
        retrieved = tuple(self._name(hit.id) for hit in hits[: self._k])
        scope = self._fixture.ids_by_scope[query.scope]
        return Answer(
            retrieved=retrieved,
            foreign=tuple(dict.fromkeys(name for name in retrieved if name not in scope)),
            elapsed_ns=elapsed_ns,
            over_k=len(hits) > self._k,
            bad_scores=sum(not is_confidence(hit.score) for hit in hits),
            returned_chars=sum(len(hit.content or "") for hit in hits),
        )

    def _name(self, opaque: str) -> str:
        return self._real.get(opaque) or unknown_item(opaque)

    def _record(self, query: Query, answer: Answer) -> None:
        self.answers[query.id] = answer
        done, total = len(self.answers), len(self._queries)
        if done == total or done % REPORT_EVERY == 0:
            self._report(done, total, query.scope)


def no_op_ns(subject: Subject, timeout_s: float) -> int | None:
    """Median duration of 100 `ping` calls; None when the adapter did not survive them."""
    spent = []
    for _ in range(PINGS):
        reply = subject.call("ping", {}, timeout_s=timeout_s)
        if not subject.alive:
            return None
        spent.append(reply.elapsed_ns)
    return int(statistics.median(spent))


def shuffled(queries: Sequence[Query], seed: int, drawn: int) -> list[Query]:
    """Fisher and Yates from the back, with words `drawn`, `drawn` + 1, … of stream `seed`."""
    order = list(queries)
    for turn, place in enumerate(range(len(order) - 1, 0, -1)):
        other = below(word(seed, drawn + turn), place + 1)
        order[place], order[other] = order[other], order[place]
    return order
