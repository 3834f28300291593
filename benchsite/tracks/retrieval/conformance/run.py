"""The contract test: an adapter asked what only a well-behaved one answers well.

Follows specs/retrieval.md, "Adapter contract"; the clauses and their data are `clauses`'. Starts the adapter exactly as a
measurement does (`subject`), so what passes here can be measured. An adapter that asks for what it was not granted is not
started with less: every clause is then not checked. Judges behavior; the one clause about quality (`finds`) only warns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from benchsite.errors import InputError
from benchsite.isolation.grants import NotGrantedError
from benchsite.isolation.subject import Program, Subject
from benchsite.track import Clause, RunContext
from benchsite.tracks.retrieval.conformance.cases import ABOUT_SAMPLE, CLAUSES, SEED, BreachError, Session
from benchsite.tracks.retrieval.conformance.finds import NAME, finds

__all__ = ["TIMEOUT_S", "examine"]

TIMEOUT_S: Final = 20.0
MOST_TIMEOUTS: Final = 2


def examine(spec: Program, context: RunContext, *, timeout_s: float = TIMEOUT_S) -> Iterator[Clause]:
    """Run every clause of the conformance test, in order; a failed one does not hide the next.

    Args:
        spec: what to start.
        context: a clock and a scratch folder.
        timeout_s: deadline of each call; after two missed ones the rest is skipped.

    Raises:
        IntegrityError: the repository changed meanwhile.
    """
    start = partial(Subject, spec, SEED, context, start_timeout_s=timeout_s)
    try:
        subject = start()
    except NotGrantedError as error:
        yield Clause("start", "not checked", f"not checked: needs a grant for {error.needs}", error.hint)
        yield from (
            Clause(name, "not checked", "not checked: access not granted")
            for name in (*CLAUSES, NAME, "network")
        )
        return
    except InputError as error:
        yield Clause("start", "fail", error.message, error.hint)
        yield from (
            Clause(name, "not checked", "not checked: the adapter does not start")
            for name in (*CLAUSES, NAME, "network")
        )
        return
    with subject:
        found = subject.description
        yield Clause("start", "pass", f"{found.name} {found.version} by {found.declared.author}")
        session = Session(subject, timeout_s, start)
        for name, keep in CLAUSES.items():
            yield _clause(name, keep, session)
        yield _finds(session)
        yield _network(subject, session)


def _clause(name: str, keep: Callable[[Session], str], session: Session) -> Clause:
    if session.timeouts >= MOST_TIMEOUTS:
        return Clause(name, "not checked", f"not checked: {MOST_TIMEOUTS} calls timed out")
    if keep in ABOUT_SAMPLE and not session.sample:
        return Clause(name, "not checked", "not checked: no results")
    try:
        return Clause(name, "pass", keep(session))
    except BreachError as breach:
        return Clause(name, "fail", breach.detail, breach.hint)


def _finds(session: Session) -> Clause:
    if session.timeouts >= MOST_TIMEOUTS or not session.sample:
        return Clause(NAME, "not checked", "not checked: a clause before failed")
    return finds(session)


def _network(subject: Subject, session: Session) -> Clause:
    if subject.network == "off" and session.faults:
        return Clause("network", "not checked", "not checked: a failed clause may have needed the network")
    if subject.network == "off":
        return Clause("network", "pass", "all clauses ran without network access")
    why = {
        "allowed": "network access was granted",
        "not blocked": "this system cannot block the network (unshare -n)",
    }
    return Clause("network", "not checked", f"not checked: {why[subject.network]}")
