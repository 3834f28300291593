"""LoCoMo (snap-research/locomo, CC BY-NC 4.0): ten long conversations and their questions, as a fixture.

Owns every trap of that dataset named in specs/retrieval.md, "LoCoMo": `dia_id`s that repeat across samples,
dates in words, evidence strings that hold several ids or none, questions without an answer. What cannot be
resolved is dropped and reported, never guessed. Refuses files of another shape, naming sample and question.

An adversarial question (category 5) has no answer in its conversation: it becomes `answerable: false` with
nothing expected; the turns its `evidence` cites are where the misleading topic came up, not an answer. Public numbers often
score these turns all the same: `adversarial` keeps them as labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.tracks.retrieval.importers.locomo_source import (
    Evidence,
    Question,
    Sample,
    apply_errata,
    read_errata,
    read_samples,
    resolve,
)

__all__ = ["CATEGORIES", "Report", "Unresolved", "convert"]

CATEGORIES: Final[Mapping[int, str]] = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ADVERSARIAL = 5
LICENSE = "CC BY-NC 4.0"
SOURCE = "https://github.com/snap-research/locomo"
PUBLISHED = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
"""SHA-256 of `data/locomo10.json` in the authors' repository."""
DESCRIPTION = "Queries about very long two-person conversations over many sessions (LoCoMo)."

Granularity = Literal["turn", "session"]


@dataclass(frozen=True, slots=True)
class Unresolved:
    """An evidence string that is not the id of a turn.

    Attributes:
        sample: the sample's id.
        question: the question's place in the sample's `qa`, from 0.
        text: the string as the file has it.
        found: turns it names after splitting and stripping zeros.
        dropped: ids in it that name no turn, and text that is no id at all.
    """

    sample: str
    question: int
    text: str
    found: tuple[str, ...]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What the import did, for a person and for `--json`.

    Attributes:
        scored: answerable queries that expect at least one item.
        abstention: `answerable: false` queries.
        excluded: ids of answerable queries left with nothing expected.
        evidence: evidence strings read, of every category.
        errata: queries whose evidence the overlay changed.
        published: whether the input has the SHA-256 of the published file.
    """

    fixture_id: str
    published: bool
    scopes: int
    items: int
    queries: int
    scored: int
    abstention: int
    excluded: tuple[str, ...]
    evidence: int
    duplicates: int
    unresolved: tuple[Unresolved, ...]
    errata: int

    @property
    def dropped(self) -> tuple[str, ...]:
        """`<sample>/qa<n>: <text>` for every piece of evidence that names no turn."""
        return tuple(
            f"{entry.sample}/qa{entry.question}: {text}"
            for entry in self.unresolved
            for text in entry.dropped
        )


def convert(
    data: bytes,
    *,
    where: str,
    fixture_id: str | None = None,
    granularity: Granularity = "turn",
    captions: bool = False,
    dates: bool = True,
    adversarial: bool = False,
    errata: bytes | None = None,
) -> tuple[dict[str, Any], Report]:
    """Turn `locomo10.json` into the object of a `fixture.json`.

    Args:
        data: the file's bytes.
        where: the file's name, for messages.
        fixture_id: the fixture's id; by default `locomo-<samples>-<granularity>` and the options that
            change it (`-captions`, `-undated`, `-adversarial`, `-errata`); of any file but the published one, it begins with `altered-`.
        granularity: an item is a turn or a whole session.
        captions: append each shared image's caption to its turn.
        dates: start the text of an item with the session's date.
        adversarial: score adversarial questions by the turns that their evidence cites.
        errata: bytes of an overlay of corrected evidence (dial481/locomo-audit), applied by question.

    Raises:
        InputError: either file is malformed, or the overlay does not belong to this dataset.
    """
    samples = read_samples(data, where=where)
    corrected = 0
    if errata is not None:
        samples, corrected = apply_errata(samples, read_errata(errata))
    tally = _Tally(corrected, adversarial=adversarial)
    queries = [tally.query(sample, asked, granularity) for sample in samples for asked in sample.questions]
    options = {
        "granularity": granularity,
        "captions": captions,
        "errata": None if errata is None else canonical.sha256_hex(errata),
    }
    # Only these two are stated if they are off: what is added later changes no digest of a dataset made before.
    options |= {
        name: True for name, is_set in (("undated", not dates), ("adversarial", adversarial)) if is_set
    }
    changes = [name for name in ("captions", "undated", "adversarial", "errata") if options.get(name)]
    sha256 = canonical.sha256_hex(data)
    published = sha256 == PUBLISHED
    altered = () if published else ("altered",)
    fixture = {
        "id": fixture_id or "-".join([*altered, "locomo", str(len(samples)), granularity, *changes]),
        "benchmark": "locomo" if published else "locomo (altered data)",
        "subset": f"{len(samples)} conversations",
        "description": DESCRIPTION,
        "granularity": granularity,
        "items": [
            item for sample in samples for item in _items(sample, granularity, captions=captions, dates=dates)
        ],
        "queries": queries,
        "license": LICENSE if published else "unknown",
        "source": SOURCE if published else f"a file in the format of LoCoMo, not the published one: {where}",
        "notes": f"{_provenance(sha256)} {_notes(granularity, captions=captions, dates=dates, tally=tally)}",
        "importer": {"kind": "locomo", "sha256": sha256, "options": options},
    }
    return fixture, tally.report(fixture, scopes=len(samples), published=published)


class _Tally:
    """Builds queries and counts what became of their evidence."""

    def __init__(self, corrected: int, *, adversarial: bool) -> None:
        self.corrected = corrected
        self.adversarial = adversarial
        self.evidence = self.duplicates = self.abstention = 0
        self.unresolved: list[Unresolved] = []
        self.excluded: list[str] = []

    def query(self, sample: Sample, question: Question, granularity: Granularity) -> dict[str, Any]:
        """One query of the fixture."""
        name = f"{sample.name}/qa{question.index}"
        expected: dict[str, None] = {}
        for text in question.evidence:
            self.evidence += 1
            evidence = resolve(text, sample)
            if not evidence.verbatim:
                self.unresolved.append(self._unresolved(sample, question, text, evidence))
            for turn in evidence.found:
                target = turn if granularity == "turn" else _session_id(sample.session_of[turn])
                self.duplicates += target in expected
                expected[target] = None
        answerable = self.adversarial or question.category != ADVERSARIAL
        if not answerable:
            self.abstention += 1
            expected = {}
        elif not expected:
            self.excluded.append(name)
        return {
            "id": name,
            "query": question.text,
            "scope": sample.name,
            "expected": [{"id": f"{sample.name}/{target}", "grade": 1} for target in expected],
            "category": CATEGORIES[question.category],
            "answerable": answerable,
        }

    def report(self, fixture: Mapping[str, Any], *, scopes: int, published: bool) -> Report:
        """What became of the whole file."""
        queries = len(fixture["queries"])
        return Report(
            fixture_id=fixture["id"],
            published=published,
            scopes=scopes,
            items=len(fixture["items"]),
            queries=queries,
            scored=queries - self.abstention - len(self.excluded),
            abstention=self.abstention,
            excluded=tuple(self.excluded),
            evidence=self.evidence,
            duplicates=self.duplicates,
            unresolved=tuple(self.unresolved),
            errata=self.corrected,
        )

    @staticmethod
    def _unresolved(sample: Sample, question: Question, text: str, evidence: Evidence) -> Unresolved:
        return Unresolved(sample.name, question.index, text, evidence.found, evidence.dropped)


def _items(sample: Sample, granularity: Granularity, *, captions: bool, dates: bool) -> list[dict[str, Any]]:
    """Items in the order they were said; metadata never holds an id, because adapters see it."""
    items = []
    for session in sample.sessions:
        said = []
        for turn in session.turns:
            shared = f" [shares {turn.caption}]" if captions and turn.caption else ""
            said.append((turn.name, turn.speaker, f"{turn.speaker}: {turn.text}{shared}"))
        shared_fields = {"scope": sample.name, "timestamp": session.timestamp}
        if granularity == "session":
            content = "\n".join([*([session.date] if dates else []), *(text for _, _, text in said)])
            name = f"{sample.name}/{_session_id(session.number)}"
            items.append(
                {"id": name, "content": content, "metadata": {"session": session.number}, **shared_fields}
            )
            continue
        for turn_name, speaker, text in said:
            metadata = {"session": session.number, "speaker": speaker}
            name = f"{sample.name}/{turn_name}"
            content = f"{session.date} {text}" if dates else text
            items.append({"id": name, "content": content, "metadata": metadata, **shared_fields})
    return items


def _session_id(number: int) -> str:
    return f"session_{number}"


def _provenance(sha256: str) -> str:
    """Whether the input is the published file, by its SHA-256."""
    if sha256 == PUBLISHED:
        return f"The published data: SHA-256 {sha256}."
    return f"Altered data: the input has SHA-256 {sha256}; the published file has {PUBLISHED}."


def _notes(granularity: Granularity, *, captions: bool, dates: bool, tally: _Tally) -> str:
    kept = "part of the text" if captions else "excluded"
    lines = [
        f"Item ids are <sample>/{'<dia_id>' if granularity == 'turn' else 'session_<n>'}; one scope per sample.",
        "Times are local times of an unnamed zone, written as UTC.",
        f"{len(tally.unresolved)} of {tally.evidence} evidence strings are not a turn id.",
        f"{len(tally.excluded)} answerable queries have no relevant items.",
        "Adversarial queries (category 5) are scored by the turns that their evidence cites."
        if tally.adversarial
        else "Adversarial queries (category 5) are unanswerable.",
        f"Captions of shared images are {kept}.",
    ]
    if not dates:
        lines.append("Texts have no session dates.")
    if tally.corrected:
        lines.append(f"An errata overlay changed the evidence of {tally.corrected} queries.")
    return " ".join(lines)
