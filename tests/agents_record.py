"""A small signed and logged record of agents receipts: for tests of what leaderboards and pages say.

Systems, tasks and outcomes are invented; the rules are the published ones. Every receipt passes the same verification as
a published one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boards import pages_of
from sample_record import SampleRecord, invented_envelope

from benchsite import canonical, methodology, yaml_document
from benchsite.site.render import Renderer
from benchsite.track import Library, Page
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.scores.scoring import score

FOLDER = Path(__file__).parents[1] / "methodology" / "agents" / "1.0.0"
_FILES = {name: (FOLDER / name).read_bytes() for name in methodology.FILES}
RULES = methodology.parse(
    yaml_document.load(_FILES["methodology.yaml"], "methodology.yaml").value,
    files=_FILES,
    where="methodology/agents/1.0.0",
)
SOURCE = {
    "kind": "workbench-results",
    "configuration": "all",
    "files": [{"name": "calendar/one_all.csv", "sha256": "ab" * 32, "size": 1234}],
}
LETTERS = {"s": "success", "f": "failure", "h": "failure", "l": "limit", "L": "limit", "e": "error"}
"""Of a result: success, failure, harmful failure, limit, harmful limit, error."""


def make_tasks(count: int = 10, passive: int = 2) -> dict[str, Any]:
    """A benchmark of two domains; doing nothing succeeds on the first tasks."""
    names = [f"{'calendar' if i < count // 2 else 'email'}-{i:03d}" for i in range(count)]
    return {
        "id": "desk",
        "title": "Desk: invented office tasks",
        "license": "MIT",
        "source": "written for these tests",
        "publish": "full",
        "tasks": [
            {
                "id": name,
                "domain": name.partition("-")[0],
                "query": f"Please do task {i}.",
                "actions": [] if i < passive else [f'calendar.create_event.func(event_name="{i}")'],
            }
            for i, name in enumerate(names)
        ],
    }


class AgentsRecord(SampleRecord):
    """A log with agents receipts on one invented benchmark."""

    def __init__(self, count: int = 10, passive: int = 2, benchmark: dict[str, Any] | None = None) -> None:
        super().__init__(benchmark or make_tasks(count, passive), [RULES], scorers={"agents": TRACK})
        self.passive = passive
        self.documents: dict[str, bytes] = {}

    @property
    def library(self) -> Library:
        plain = super().library
        known = frozenset(self.documents)
        return Library(plain.methodologies, plain.fixture, self.log.methodologies, known, self.documents.get)

    def run(self, name: str, results: str | Sequence[str], **changes: Any) -> str:
        """Publish runs: one letter of `LETTERS` a task, or several for several runs of each.

        `columns` are further ones; `actions` and `traces` the lines of these files, which the site serves.
        """
        body = payload(self.fixture, name, results, self.passive, changes.pop("columns", {}))
        source = SOURCE if changes.get("origin") == "import" else None
        pinned = {
            f"{name}.jsonl": changes.pop(name)
            for name in ("actions", "traces")
            if changes.get(name) is not None
        }
        if pinned:
            changes["evidence"] = [self._pinned(file, lines) for file, lines in pinned.items()]
        made = {**envelope(len(body["runs"]["taskId"]) // len(body["tasks"]["id"]), source), **body}
        return self.add_receipt(made | changes | self.envelope())

    def _pinned(self, name: str, lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The entry of an evidence file."""
        data = b"".join(canonical.dumps(dict(line)) + b"\n" for line in lines)
        digest = canonical.sha256_hex(data)
        self.documents[digest] = data
        entry = {"name": name, "sha256": digest, "size": len(data), "mediaType": "application/x-ndjson"}
        return entry | ({"mirrored": True} if name == "traces.jsonl" else {})

    def pages(self) -> dict[str, Page]:
        """Every page of the track but the receipts' own, by path."""
        return {page.path: page for page in pages_of(TRACK, self.history(), self.body, self.library)}

    def certificate(self, receipt_id: str) -> Page:
        """The page of a receipt."""
        header = self.history().get(receipt_id)
        assert header is not None
        return TRACK.receipt_page(header, self.body(receipt_id), self.library)


def payload(
    benchmark: Mapping[str, Any],
    name: str,
    results: str | Sequence[str],
    passive: int,
    columns: Mapping[str, Sequence[Any]],
) -> dict[str, Any]:
    """The track's own keys of a receipt."""
    ids = [task["id"] for task in benchmark["tasks"]]
    tasks = {
        "id": ids,
        "domain": [task["domain"] for task in benchmark["tasks"]],
        "needsAction": [i >= passive for i in range(len(ids))],
    }
    cells = [
        (task, run, letter)
        for task, letters in zip(ids, results, strict=True)
        for run, letter in enumerate(letters, start=1)
    ]
    runs: dict[str, Any] = {
        "taskId": [task for task, _, _ in cells],
        "run": [run for _, run, _ in cells],
        "outcome": [LETTERS[letter] for _, _, letter in cells],
        "completion": [letter not in "lLe" for _, _, letter in cells],
        "harmful": [letter in "hL" for _, _, letter in cells],
        "steps": [2 for _ in cells],
        "toolCalls": [1 for _ in cells],
        "toolFailures": [0 for _ in cells],
        **columns,
    }
    if any(letter in "lL" for _, _, letter in cells):
        runs["limit"] = ["iterations" if letter in "lL" else None for _, _, letter in cells]
    baseline = name in {"null", "constant", "random-choice", "spam-tools"}
    return {
        "system": {
            "name": name,
            "version": "1.0.0",
            "kind": "baseline" if baseline else "single-agent",
            "models": {} if baseline else {"default": {"requested": None, "responded": "invented-1"}},
            "sizes": {},
            "prompts": None,
        },
        "benchmark": {
            "id": benchmark["id"],
            "sha256": canonical.digest(dict(benchmark)),
            "tasks": len(ids),
            "publish": benchmark["publish"],
        },
        "tasks": tasks,
        "runs": runs,
        **score(tasks, runs).sections(seed=7),
    }


def envelope(repeats: int, source: Mapping[str, Any] | None) -> dict[str, Any]:
    """All but the payload, id, date and head."""
    return {
        **invented_envelope(tag=None),
        "track": "agents",
        "methodology": RULES.reference,
        "config": {
            "runsPerTask": repeats,
            "seed": 7,
            "limit": None,
            "isolation": None if source else "process",
            "budget": None if source else {"toolCalls": 20, "messages": None, "tokens": None, "seconds": 60},
            "concurrency": None if source else 1,
            "prices": None,
            "subjectSha256": None,
            "options": {},
            "source": source,
        },
    }


def renders() -> Renderer:
    return Renderer({"agents": TRACK})
