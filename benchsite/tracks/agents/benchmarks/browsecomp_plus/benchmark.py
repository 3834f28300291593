"""BrowseComp-Plus as a benchmark: `search` over an adapter of the retrieval track, `get_document` over the corpus.

The adapter is an entry point that the document names; no module of the retrieval track is imported. Success is exact: the
answer equals the expected one after normalization. The official evaluation asks a model to judge. Its verdicts are imported
(`importers.browsecomp_judged`) and never change success. Evidence recall is the official one: |retrieved ∩ evidence| ÷ |evidence| of a query
(texttron/BrowseComp-Plus, `scripts_evaluation/evaluate_run.py`, `retrieval_recall`). Opened documents count as retrieved.
Sealed: facts, differences and errors have no query, answer or text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from benchsite import canonical
from benchsite.canonical import Json
from benchsite.errors import InputError
from benchsite.isolation import data_files
from benchsite.isolation.data_files import DataFile
from benchsite.track import Imported
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.benchmarks import Graded, Kind, Task
from benchsite.tracks.agents.benchmarks.browsecomp_plus import retrieved
from benchsite.tracks.agents.benchmarks.browsecomp_plus.document import (
    Document,
    convert,
    corpus_ids,
    parse,
    passage,
)
from benchsite.tracks.agents.benchmarks.packaged import Function, ToolError, described
from benchsite.tracks.agents.benchmarks.packaged.answers import matches
from benchsite.tracks.agents.benchmarks.packaged.functions import FunctionWorkspace, texts
from benchsite.tracks.agents.tools import Action, Call, Tool, Workspace
from benchsite.words import amount

__all__ = ["KIND", "BrowseCompPlus", "read"]

MOST_FOUND: Final = 5
"""Hits of a search, as in the official tool."""
MOST_SNIPPET: Final = 2_000
MOST_KEPT: Final = 100_000
"""Searches whose documents are kept."""
MOST_RESULT: Final = 100_000
"""Characters of a result; longer documents are cut."""
INSTRUCTIONS: Final = (
    "Answer the question from the documents of a fixed corpus. Use search to find documents, and get_document to read one. "
    "Give the exact answer in a few words, without an explanation."
)
_EXACT: Final = re.compile(r"^\W*exact answer\W*:\**[ \t]*(.+?)\**$", re.IGNORECASE | re.MULTILINE)
_NO_DOCUMENT: Final = "0"
"""What is opened if queries need the whole corpus."""
_HINT: Final = "run `benchsite benchmark import browsecomp-plus PATH` with the same files on this machine"


class _Item(NamedTuple):
    """A document as adapters take it."""

    id: str
    content: str
    metadata: Mapping[str, Any]
    timestamp: str | None


class BrowseCompPlus:
    """The benchmark of one file of queries, with one corpus and one searcher."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.id: str = document.id
        self.sha256: str = document.sha256
        self.license: str = document.license
        self.source: str = document.source
        self.notes: str = document.notes
        self.publish: Literal["full", "redacted", "sealed"] = document.publish
        self.edition = f"{document.searcher} over corpus {document.corpus.sha256[:12]}"
        self.rows = 1
        self._functions = (
            Function(described("search", f"Find {MOST_FOUND} documents by words.", "query"), self._search),
            Function(described("get_document", "Read a document by its id.", "docid"), self._document),
        )
        self.tools: Sequence[Tool] = tuple(function.tool for function in self._functions)
        self._answers = {query.id: query.answer for query in document.queries}
        self.tasks: Sequence[Task] = tuple(
            Task(query.id, "all", query.query, needs_action=True, split="reserved", instructions=INSTRUCTIONS)
            for query in document.queries
        )
        self._evidence = {query.id: frozenset(query.evidence) for query in document.queries}
        self._hits: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, int] = {}
        self._adapter: Any = None

    def open(self, task: str) -> Workspace:
        """Return the tools; raises `KeyError` for an unknown task."""
        self._answers[task]
        return FunctionWorkspace(self._functions, MOST_RESULT)

    def grade(self, task: str, actions: Sequence[Action], answer: str | None, error: str) -> Graded:
        """Compare the answer with the expected one; a line `Exact Answer: …` is the answer if there is one.

        Raises:
            KeyError: the task is unknown.
            PrerequisiteError: a search needs the corpus, and it isn't on this machine.
        """
        expected, evidence = self._answers[task], self._evidence[task]
        skipped: list[Mapping[str, Json]] = []
        found_evidence = set[str]()
        for index, action in enumerate(actions):
            try:
                found_evidence |= evidence.intersection(self._retrieved(action))
            except ToolError as refusal:
                skipped.append({"action": index, "reason": str(refusal)[:1000]})
        found = _EXACT.search(answer or "")
        given = answer if found is None else found[1]
        is_right = matches(given, expected, "text")
        after = "none" if answer is None else "another answer"
        difference = (
            () if is_right else ({"table": "answer", "row": "exact", "before": "sealed", "after": after},)
        )
        success = is_right and not error
        recall = len(found_evidence) / len(evidence) if evidence else None
        return Graded(success, float(success), None, skipped, difference, recall)

    def ended(self, error: str) -> tuple[Literal["failure", "limit", "error"], str | None]:
        """Return an error for every text; a run that ended by itself is a failure."""
        return ("error" if error else "failure"), None

    def most_common_answer(self) -> tuple[Sequence[Call], str | None]:
        """Return no answer: a sealed benchmark gives none away."""
        return (), None

    def example(self, tool: str, pick: Callable[[int], int]) -> Call:
        """Return a call with words of no query, or with the id of a document that no query needs.

        Raises:
            PrerequisiteError: the corpus isn't on this machine.
        """
        if tool == "search":
            return Call(tool, {"query": "history"})
        free = self._unneeded
        return Call(tool, {"docid": free[pick(len(free))]})

    @cached_property
    def _unneeded(self) -> Sequence[str]:
        """The ids of the corpus that no query needs."""
        self._index()
        needed = {name for query in self.document.queries for name in (*query.gold, *query.evidence)}
        return [name for name in self._places if name not in needed] or [_NO_DOCUMENT]

    def facts(self) -> Mapping[str, Any]:
        """Return evaluators, searcher and counts; no text."""
        return {
            "publish": self.publish,
            "data": self.edition,
            "documents": self.document.corpus.documents,
            "searcher": self.document.searcher,
            "doingNothing": {"num": 0, "den": len(self.tasks)},
            "evaluator": "exact: the answer after normalization; leaderboards rank by it",
            "judge": "official, by Qwen3-32B: not run here; its verdicts are imported, shown and not ranked",
            "toolNames": [tool.name for tool in self.tools],
        }

    def _retrieved(self, action: Action) -> Sequence[str]:
        """The documents that an action found or opened; raises `ToolError` if it cannot be carried out."""
        if isinstance(action, str):
            return retrieved.read(action)
        FunctionWorkspace(self._functions).changes(action)
        tool = next(one for one in self.tools if one.name == action.tool)
        arguments = texts(tool, action.arguments)
        return self._found(arguments["query"]) if tool.name == "search" else (arguments["docid"],)

    def _found(self, query: str) -> tuple[str, ...]:
        """The documents that a search finds; a query is searched once a process."""
        if query not in self._hits:
            self._index()
            if len(self._hits) >= MOST_KEPT:
                self._hits.clear()
            self._hits[query] = tuple(hit.id for hit in self._adapter.query(query, MOST_FOUND, None))
        return self._hits[query]

    def _search(self, arguments: Mapping[str, str]) -> str:
        found = [
            f"docid {name}: {self._text(name)[:MOST_SNIPPET]}" for name in self._found(arguments["query"])
        ]
        return "\n\n".join(found) or "nothing found"

    def _document(self, arguments: Mapping[str, str]) -> str:
        self._index()
        if arguments["docid"] not in self._places:
            raise ToolError("the corpus has no document of this id: use an id that search gave")
        return self._text(arguments["docid"])

    def _path(self) -> Any:
        corpus = self.document.corpus
        return data_files.found(corpus.sha256, f"the corpus {corpus.name} of {self.id}", _HINT)

    def _text(self, name: str) -> str:
        return passage(data_files.line_at(self._path(), self._places[name]), "corpus")[1]

    def _index(self) -> None:
        """Ingest the corpus once a process."""
        if self._adapter is not None:
            return
        adapter = TRACK.plugin("searcher", self.document.searcher)()
        adapter.reset()
        for place, line in data_files.lines(self._path()):
            if line.strip():
                name, text = passage(line, "corpus")
                self._places[name] = place
                adapter.ingest([_Item(name, text, {}, None)])
        if hasattr(adapter, "flush"):
            adapter.flush()
        self._adapter = adapter


def read(data: bytes, where: str) -> BrowseCompPlus:
    """Return the benchmark of a `fixture.json`; raises `InputError` with what is wrong."""
    return BrowseCompPlus(parse(data, where))


def _converted(files: Mapping[str, bytes], *, large: Mapping[str, DataFile], searcher: str) -> Imported:
    corpus = _only("corpus (NAME_corpus.jsonl or corpus.jsonl)", list(large))
    rows = _only("decrypted queries (.jsonl)", [name for name in files if name not in large])
    file = large[corpus]
    name = corpus.rpartition("/")[2]
    known = corpus_ids((line for _, line in data_files.lines(file.path)), name)
    member = {"name": name, "sha256": file.sha256, "size": file.size, "documents": len(known)}
    data = canonical.dumps(convert(rows, files[rows], member, known, searcher))
    found = read(data, rows)
    lines = [
        f"{amount(len(found.tasks), 'query', 'queries')} over {amount(len(known), 'document')}, searched with {searcher}",
        "sealed: keep the file on this machine; the corpus is kept in the user's cache folder",
    ]
    report = {
        "id": found.id,
        "sha256": found.sha256,
        "queries": len(found.tasks),
        "documents": len(known),
        "large": [file.sha256],
    }
    return Imported(data, lines, report)


def _only(what: str, names: Sequence[str]) -> str:
    if len(names) != 1:
        found = "no file with" if not names else f"{len(names)} files with"
        raise InputError(
            f"BrowseComp-Plus: {found} the {what}",
            hint="PATH must have one file of decrypted rows and one of the corpus, both as JSON lines",
        )
    return names[0]


KIND: Final = Kind(
    read,
    _converted,
    help=(
        "Import BrowseComp-Plus.\n\n"
        "PATH is a folder with the rows that the official script decrypted, as JSON lines, and the corpus as "
        "corpus.jsonl with docid, text and url. Both stay on this machine."
    ),
    suffixes=(".jsonl",),
    large=("corpus.jsonl",),
    choices={"searcher": (("bm25", "sqlite-fts5"), "Adapter that the tool search asks.")},
)
