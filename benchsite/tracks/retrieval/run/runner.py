"""The writing part of the track: a fixture and an adapter in, the retrieval part of a receipt out.

Reads a request (made by `command`) and resolves nothing. Follows specs/retrieval.md, "Adapter contract" and "Metrics"; the shape
of what it returns is `payload`'s. A failure of the adapter is counted there; only an adapter that cannot start at all is an error (`InputError`).
Reads no clock itself: durations come from the run context.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.isolation import sandbox, stderr
from benchsite.isolation.subject import START_TIMEOUT_S, Description, Program, Subject, describe
from benchsite.methodology import Methodology
from benchsite.stats import nearest_rank
from benchsite.track import Measurement, Plan, Resolved, RunContext, Work
from benchsite.tracks.retrieval import metrics
from benchsite.tracks.retrieval.fixture import Fixture, Query, parse
from benchsite.tracks.retrieval.record.verification import identity
from benchsite.tracks.retrieval.run import external
from benchsite.tracks.retrieval.run.programs import ARGUMENTS, arguments, spec_of
from benchsite.tracks.retrieval.run.query_run import Answer, Trial, no_op_ns
from benchsite.tracks.retrieval.scores import scoring
from benchsite.tracks.retrieval.scores.engines import parameters

__all__ = ["Settings", "configuration", "measure", "plan", "run"]

LOW_N: Final = 20
MOST_FAILURES: Final = 5
"""Kinds of failures that are listed, the most frequent first."""
PERCENTILES: Final = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is asked to do.

    Attributes:
        ks: strictly ascending cut-offs within 1 to 1,000; the largest is the depth asked for.
        seed: of the query order, of seeded adapters and of the bootstrap.
        limit: ask only the first so many queries of the fixture.
        repeats: how often the whole run is made; scores and timing are those of the first.
        timeout_s: deadline of a query in seconds; reset, ingest and flush have ten times as long.
        start_timeout_s: deadline of the adapter's start.
    """

    ks: tuple[int, ...]
    seed: int
    limit: int | None = None
    repeats: int = 1
    timeout_s: float = 60.0
    start_timeout_s: float = START_TIMEOUT_S


@dataclass(frozen=True, slots=True)
class _Load:
    """What a trial cost the machine (nanoseconds, bytes, the load average when it ended), and its confinement."""

    no_op_ns: int | None
    peak_rss: int | None
    load: float | None
    network: str
    hosts: tuple[str, ...]
    confinement: Mapping[str, Any]


def plan(work: Work, resolved: Resolved, context: RunContext) -> Plan:
    """Start the adapter only to hear its version, and say what a run would cost."""
    fixture = _fixture(work, resolved.target)
    if work.imported:
        return _imported(work, fixture, _cutoffs(work, resolved.rules))
    settings, spec = _settings(work, resolved.rules), _spec(work, resolved, context)
    found = describe(spec, settings.seed, _granting(work, context))
    config = configuration(fixture, spec, settings, found)
    asked = min(len(fixture.queries), settings.limit or len(fixture.queries)) * settings.repeats
    return Plan(
        identity=identity({"name": found.name, "version": found.version}, config),
        subject=(found.name, found.version),
        config=config,
        target=(fixture.id, fixture.sha256),
        cost=f"{asked:,} queries over {len(fixture.items):,} items, {found.name} {found.version}",
    )


def run(work: Work, resolved: Resolved, context: RunContext) -> Measurement:
    """Measure; raises `InputError` where the fixture is malformed or the adapter does not start."""
    fixture = _fixture(work, resolved.target)
    if work.imported:
        return external.measured(work, fixture, _cutoffs(work, resolved.rules))
    spec = _spec(work, resolved, context)
    measured = measure(fixture, spec, _settings(work, resolved.rules), _granting(work, context))
    foreign = measured.payload["faults"]["foreignIds"]
    if foreign and work.request["strict"]:
        raise InputError(
            f"adapter {work.subject}: {foreign} returned ids are not in the scope of their query",
            hint="drop --strict to count them in the receipt instead",
        )
    return measured


def _imported(work: Work, fixture: Fixture, ks: tuple[int, ...]) -> Plan:
    """What the import of an external run would score."""
    stated, config = external.subject(work), external.configuration(work, fixture, ks)
    return Plan(
        identity=identity(stated, config),
        subject=(stated["name"], stated["version"]),
        config=config,
        target=(fixture.id, fixture.sha256),
        cost=f"{len(fixture.queries):,} queries of an external run, {stated['name']} {stated['version']}",
    )


def _granting(work: Work, context: RunContext) -> RunContext:
    """The context with what the command line grants besides the configuration."""
    return replace(context, grants=lambda subject: context.grants(subject).extended(work.grant))


def _fixture(work: Work, target: bytes) -> Fixture:
    fixture = parse(target, where=work.target)
    if fixture.id != work.target:
        raise InputError(
            f"fixture {work.target}: its id is {fixture.id!r}",
            hint="rename the folder or correct the id",
        )
    return fixture


def _settings(work: Work, rules: Methodology) -> Settings:
    request = work.request
    return Settings(
        ks=_cutoffs(work, rules),
        seed=request["seed"],
        limit=request["limit"],
        repeats=request["repeats"],
        timeout_s=request["timeout"],
    )


def _cutoffs(work: Work, rules: Methodology) -> tuple[int, ...]:
    return tuple(work.request["ks"] or parameters(rules).ks)


def _spec(work: Work, resolved: Resolved, context: RunContext) -> Program:
    reference, options = resolved.references.get("adapter"), dict(work.request["options"])
    return spec_of(work.subject, reference, options, environments=context.environments)


def measure(fixture: Fixture, spec: Program, settings: Settings, context: RunContext) -> Measurement:
    """Measure an adapter on a fixture.

    Raises:
        InputError: the adapter does not start.
        ValueError: `settings.ks` are no cut-offs.
    """
    scoring.columns(settings.ks)
    queries = fixture.queries[: settings.limit]
    trial, load, description = _trial(fixture, queries, spec, settings, context, number=1)
    others = [
        _trial(fixture, queries, spec, settings, context, number=number)[0].answers
        for number in range(2, settings.repeats + 1)
    ]
    rows = [_row(query, trial.answers[query.id], settings.ks[-1]) for query in queries]
    scores = metrics.score((scoring.Query.from_row(row) for row in rows), settings.ks)
    payload = {
        "adapter": {
            **_adapter(description),
            "networkAccess": load.network,
            "hosts": list(load.hosts),
            "confinement": load.confinement,
        },
        "fixture": fixture.stated,
        **scores.sections(seed=settings.seed),
        "timing": _timing(trial, load, cores=context.cores),
        "perQuery": rows,
        "determinism": _determinism(queries, [trial.answers, *others], settings.ks),
        "faults": _faults(trial.answers.values()),
    }
    config = configuration(fixture, spec, settings, description)
    return Measurement(config, payload, tuple(_notes(trial, payload["faults"])))


def configuration(
    fixture: Fixture, spec: Program, settings: Settings, description: Description
) -> dict[str, Any]:
    """The receipt's `config`: everything that changes scores, known before anything is measured."""
    return {
        "k": list(settings.ks),
        "seed": settings.seed,
        "limit": settings.limit,
        "repeats": settings.repeats,
        "isolation": "process",
        "timeoutSeconds": settings.timeout_s,
        "threads": sandbox.THREADS,
        "subjectSha256": description.subject_sha256,
        "assets": [asset._asdict() for asset in description.assets],
        "options": _options(spec),
        "importer": fixture.importer.model_dump(by_alias=True) if fixture.importer is not None else None,
    }


def _options(spec: Program) -> dict[str, Any]:
    """The options that identify a configuration; of a command its arguments too."""
    given = arguments(spec.command) if spec.command else ""
    return {**spec.options, **({ARGUMENTS: given} if given else {})}


def _adapter(description: Description) -> dict[str, Any]:
    """The receipt's `adapter`, but for what a run adds."""
    declared, found = description.declared, description.interpreter
    interpreter = None
    if found is not None:
        interpreter = {"name": found.name, "version": found.version, "packages": found.packages_sha256}
    return {
        "name": declared.name,
        "version": description.version,
        "author": declared.author,
        "hosted": declared.hosted,
        "network": declared.network,
        "backend": declared.backend or None,
        "distributions": dict(description.distributions),
        "interpreter": interpreter,
    }


def _trial(
    fixture: Fixture,
    queries: Sequence[Query],
    spec: Program,
    settings: Settings,
    context: RunContext,
    *,
    number: int,
) -> tuple[Trial, _Load, Description]:
    """One trial in its own processes."""
    label = f"{spec.name} on {fixture.id}" + (f", run {number}" if number > 1 else "")
    trial = Trial(
        fixture,
        queries,
        k=settings.ks[-1],
        seed=settings.seed,
        timeout_s=settings.timeout_s,
        report=lambda done, total, scope: context.progress(done, total, f"{label}: {scope}"),
    )
    with Subject(spec, settings.seed, context, start_timeout_s=settings.start_timeout_s) as subject:
        no_op = no_op_ns(subject, settings.timeout_s) if number == 1 else None
        trial.run(subject)
        load = _Load(
            no_op,
            subject.peak_memory,
            context.load_average(),
            subject.network,
            subject.hosts,
            subject.confinement,
        )
    return trial, load, subject.description


def _row(query: Query, answer: Answer, k: int) -> dict[str, Any]:
    """One entry of `perQuery`; optional keys are absent where there is nothing to say."""
    row: dict[str, Any] = {
        "queryId": query.id,
        "scope": query.scope,
        "answerable": query.answerable,
        "expected": [{"id": entry.id, "grade": entry.grade} for entry in query.expected],
        "retrieved": list(answer.retrieved),
        "foreign": list(answer.foreign),
        "latencyMs": _ms(answer.elapsed_ns),
    }
    optional = {"category": query.category, "split": query.split, "error": answer.error}
    row |= {key: value for key, value in optional.items() if value is not None}
    if answer.error is None:
        row["returnedChars"] = answer.returned_chars
    rank = scoring.Query.from_row(row).rank(k)
    return {**row, "hit": rank is not None, "rank": rank}


def _timing(trial: Trial, load: _Load, *, cores: int) -> dict[str, Any]:
    """Percentiles over answered queries but the first asked, which is cold and reported separately."""
    spent = sorted(
        answer.elapsed_ns
        for name, answer in trial.answers.items()
        if answer.elapsed_ns is not None and name != trial.cold_query
    )
    percentiles = {
        f"latency_p{percent}_ms": _ms(nearest_rank(spent, percent)) if spent else None
        for percent in PERCENTILES
    }
    flags = ["low-n"] if len(spent) < LOW_N else []
    if load.load is not None and load.load > cores:
        flags.append("unreliable-load")
    seconds = trial.ingest_ns / 1e9
    return {
        **percentiles,
        "latency_min_ms": _ms(spent[0]) if spent else None,
        "latency_max_ms": _ms(spent[-1]) if spent else None,
        "percentileMethod": "nearest-rank",
        "n": len(spent),
        "first_query_ms": _ms(trial.cold_ns),
        "ingest_throughput_items_per_sec": round(trial.ingested_items / seconds, 3) if seconds > 0 else None,
        "ingestedBytes": trial.ingested_bytes,
        "peakRssBytes": load.peak_rss,
        "noopRpcMs": _ms(load.no_op_ns),
        "flags": flags,
    }


def _determinism(
    queries: Sequence[Query], runs: Sequence[Mapping[str, Answer]], ks: tuple[int, ...]
) -> dict[str, Any] | None:
    """Which queries came out differently in another run, and how far the score moved; None for a single run."""
    if len(runs) == 1:
        return None
    first = runs[0]
    differing = [
        query.id
        for query in queries
        if any(_outcome(other[query.id]) != _outcome(first[query.id]) for other in runs[1:])
    ]
    found = {"runs": len(runs), "identical": not differing, "differing": differing}
    scored = [_ndcg(queries, answers, ks) for answers in runs] if differing else []
    known = [value for value in scored if value is not None]
    return {**found, "ndcgLow": min(known), "ndcgHigh": max(known)} if known else found


def _ndcg(queries: Sequence[Query], answers: Mapping[str, Answer], ks: tuple[int, ...]) -> float | None:
    """Return nDCG at the largest cut-off of one run; None if no query is scored."""
    rows = (_row(query, answers[query.id], ks[-1]) for query in queries)
    scores = metrics.score((scoring.Query.from_row(row) for row in rows), ks)
    return scores.overall.scores.get(f"ndcg_at_{ks[-1]}")


def _outcome(answer: Answer) -> tuple[Any, ...]:
    return answer.retrieved, answer.error


def _faults(answers: Iterable[Answer]) -> dict[str, int]:
    """Breaches of the contract: repeated ids, ids outside the scope, scores and queries at fault."""
    counted = {"duplicates": 0, "foreignIds": 0, "badScores": 0, "overK": 0, "failed": 0, "timedOut": 0}
    for answer in answers:
        counted["duplicates"] += len(answer.retrieved) - len(set(answer.retrieved))
        counted["foreignIds"] += len(answer.foreign)
        counted["badScores"] += answer.bad_scores
        counted["overK"] += answer.over_k
        counted["timedOut"] += answer.error == "timeout"
        counted["failed"] += answer.error not in (None, "timeout")
    return counted


def _notes(trial: Trial, faults: Mapping[str, int]) -> Iterator[str]:
    """What the person who runs this should know, in words; no line of stderr is ever in a receipt."""
    errors = Counter(answer.error for answer in trial.answers.values())
    asked = errors.total()
    failed = asked - errors.pop(None, 0)
    if failed:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(errors.items(), key=str))
        yield f"{failed} of {asked} queries failed, scored 0: {kinds}"
        if trial.first_failure:
            yield f"first failure: {trial.first_failure}"
        if len(trial.failures) > 1:
            for words, count in trial.failures.most_common(MOST_FAILURES):
                yield f"{count:,} × {words}"
        if trial.first_stderr:
            yield f"adapter {stderr.shown(trial.first_stderr)}"
    elif not any(answer.retrieved for answer in trial.answers.values()):
        yield f"all {asked:,} result lists are empty: try benchsite adapter check"
    for key, words in _BREACHES.items():
        if faults[key]:
            yield f"{faults[key]} {words}"


_BREACHES: Final = {
    "duplicates": "duplicate ids in a result list",
    "foreignIds": "ids outside the query's scope",
    "badScores": "scores outside [0, 1]",
    "overK": "result lists longer than k, cut",
}


def _ms(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else round(nanoseconds / 1e6, 3)
