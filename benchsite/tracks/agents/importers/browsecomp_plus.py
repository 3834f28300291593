"""Run files of BrowseComp-Plus (texttron/BrowseComp-Plus, README, "Evaluating Results"): one JSON object per query in a folder.

Read: `query_id`, `status`, `retrieved_docids`, `tool_call_counts`, and of the last entry of `result` the text, if its type is
`output_text`; other members are ignored. As in the official `evaluate_run.py`, a run that isn't completed or has no such text is
wrong. Texts are sealed: messages name files and query ids and quote nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.browsecomp_plus import retrieved
from benchsite.tracks.agents.importers.json_object import loaded
from benchsite.tracks.agents.importers.run_lines import MAX_ANSWER, StatedRun, stated
from benchsite.words import amount

__all__ = ["CORRECT", "Answered", "confidence", "files_entry", "query_id", "read_answers", "stated_run"]

CORRECT: Final = "content/docs/run-an-official-benchmark.md shows the members of a run file"
_ID: Final = re.compile(r"[A-Za-z0-9-]{1,80}")
_STATUS: Final = re.compile(r"[a-z_-]{1,40}")
_CONFIDENCE: Final = re.compile(
    r"^[^\w\n]*confidence(?:[ ]score|[ ]level)?[^\w\n]*[:\uff1a][*~\[({< \t]*([0-9]{1,9}(?:\.[0-9]{1,9})?)"
    # Neither a part of a longer word or number, nor the start of a fraction or a range.
    r"(?!\w|\.\w|[ %]{0,5}(?:/|[-\u2013][ ]?[0-9]|(?:out[ ])?of[ ]|to[ ]))",
    re.IGNORECASE | re.MULTILINE,
)
_MOST_IDS: Final = 100_000


class Answered(NamedTuple):
    """A run as its file states it.

    Attributes:
        query: id, in lower case as in the imported benchmark.
        where: the file, for messages.
        output: the last text; empty without one.
        fault: why the run counts as wrong, in words that quote no text; empty for a completed run with a text.
        retrieved: ids of documents.
        calls: number of tool calls; None if it isn't stated.
    """

    query: str
    where: str
    output: str
    fault: str
    retrieved: tuple[str, ...]
    calls: int | None


def read_answers(files: Mapping[str, bytes]) -> list[Answered]:
    """Return the runs of a folder.

    Raises:
        InputError: there is no run file, one is malformed, or two have the same query id.
    """
    found: dict[str, Answered] = {}
    for path in files:
        if "/" in path:
            continue  # as the official script: files of the folder itself
        one = _answered(loaded(files, path), path)
        if one.query in found:
            raise InputError(
                f"{path}: query {one.query} occurs twice, first in {found[one.query].where}",
                hint="keep one run file per query",
            )
        found[one.query] = one
    if not found:
        raise InputError(
            "BrowseComp-Plus: no run file", hint="name the folder that has one .json file per query"
        )
    return list(found.values())


def query_id(value: Any, where: str) -> str:
    """Return a query id in lower case; raises `InputError`, which quotes no value."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise InputError(
            f"{where}: query_id: must be an id of letters, digits and hyphens",
            hint="judge files (*_eval.json, evaluation_summary.json) are for --judged; " + CORRECT,
        )
    return value.lower()


def confidence(output: str) -> float | None:
    """Return the confidence that the last line `Confidence: 87%` of an answer states, from 0 to 1; None without a number.

    A fraction such as 8/10 and a range are no number. It is a percentage with or without its sign, and above 100 counts as 100, as in the official `parse_judge_response`.
    """
    found = _CONFIDENCE.findall(output)
    return min(100.0, float(found[-1])) / 100 if found else None


def stated_run(one: Answered, judged: bool | None) -> StatedRun:  # noqa: FBT001 - a verdict, blank included
    """Return a run as importers state it: its documents as one action, then its answer with confidence and verdict."""
    line: dict[str, Any] = {"task": one.query}
    if one.fault:
        line |= {"outcome": "failure", "error": one.fault}
    if one.calls is not None:
        line["toolCalls"] = one.calls
    events: list[Mapping[str, Any]] = []
    if one.retrieved:
        action = retrieved.written(one.retrieved)
        # Of a long list the trace has the same action as the record, which the agreement compares.
        events.append({"event_type": "tool_call", "payload": {"action": action, "partial": True}})
    if one.output:
        sure = None if one.fault else confidence(one.output)  # the official error has completed runs only
        payload = {
            "output": one.output,
            "partial": True,
            **({} if sure is None else {"confidence": sure}),
            **({} if judged is None else {"judged": judged}),
            **({} if one.calls is None or one.fault else {"totals": {"toolCalls": one.calls}}),
        }
        events.append({"event_type": "finalize", "payload": payload})
    return stated(line, one.where).with_events(events)


def files_entry(files: Mapping[str, bytes], *what: str) -> dict[str, Any]:
    """Return files as a receipt names them, in one entry: file names may have words of a query."""
    names = [name for name in files if "/" not in name]
    digests = {name: canonical.sha256_hex(files[name]) for name in names}
    size = sum(len(files[name]) for name in names)
    return {
        "name": f"{amount(len(names), *what)}, SHA-256 of their hashes",
        "sha256": canonical.digest(digests),
        "size": size,
    }


def _answered(value: Mapping[str, Any], where: str) -> Answered:
    query = query_id(value.get("query_id"), where)
    status, result = value.get("status"), value.get("result")
    if not isinstance(status, str):
        raise InputError(f"{where}: query {query}: status: must be a text such as completed", hint=CORRECT)
    if not isinstance(result, list) or not all(isinstance(one, dict) for one in result):
        raise InputError(f"{where}: query {query}: result: must be a list of objects", hint=CORRECT)
    output = result[-1].get("output") if result and result[-1].get("type") == "output_text" else ""
    if not isinstance(output, str) or len(output) > MAX_ANSWER:
        raise InputError(
            f"{where}: query {query}: output: must be a text of at most {MAX_ANSWER:,} characters",
            hint=CORRECT,
        )
    fault = "" if output else "no output_text at the end of result"
    if status != "completed":
        fault = f"status {status}" if _STATUS.fullmatch(status) else "status isn't completed"
    return Answered(query, where, output, fault, _ids(value, query, where), _calls(value, query, where))


def _ids(value: Mapping[str, Any], query: str, where: str) -> tuple[str, ...]:
    """The documents that were retrieved; a run file without the member retrieved none."""
    ids = value.get("retrieved_docids", [])
    is_list = isinstance(ids, list) and len(ids) <= _MOST_IDS
    if not is_list or not all(
        type(one) in (str, int) and len(str(one)) <= 200 and str(one).isprintable() for one in ids
    ):
        raise InputError(f"{where}: query {query}: retrieved_docids: must be a list of ids", hint=CORRECT)
    return tuple(map(str, ids))


def _calls(value: Mapping[str, Any], query: str, where: str) -> int | None:
    counts = value.get("tool_call_counts")
    if counts is None:
        return None
    numbers: Sequence[Any] = list(counts.values()) if isinstance(counts, dict) else [None]
    if not all(type(one) is int and 0 <= one <= 1_000_000 for one in numbers) or len(numbers) > 1000:
        raise InputError(
            f"{where}: query {query}: tool_call_counts: must be an object of whole numbers", hint=CORRECT
        )
    return int(sum(numbers))
