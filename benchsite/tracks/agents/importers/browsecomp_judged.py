"""Verdicts of the judge of BrowseComp-Plus: output of the official `evaluate_run.py`, or JSON lines of `query_id` and `correct`.

Read: `*_eval.json` (`judge_result.correct`), `evaluation_summary.json` (`per_query_metrics`), and lines in `.jsonl`. A verdict is true,
false, "yes" or "no"; null, or `parse_error` of the official file, is no verdict, which counts as wrong. Texts are sealed: messages name
files, lines and query ids and quote nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite.errors import InputError
from benchsite.tracks.agents.importers.browsecomp_plus import Answered, query_id
from benchsite.tracks.agents.importers.json_object import loaded
from benchsite.words import amount

__all__ = ["Verdict", "judge_of", "judged_files", "read_verdicts", "verdicts_of"]

NOT_NAMED: Final = "not named by its files"
_SUMMARY: Final = "evaluation_summary.json"
_EVAL: Final = "_eval.json"
_MODEL: Final = re.compile(r"[A-Za-z0-9._/:@+-]{1,100}")
_VERDICTS: Final[Mapping[Any, bool]] = {"yes": True, "no": False}
_SHOWN: Final = 5
_HINT: Final = 'a verdict is true, false, "yes" or "no"; null if the judge gave none'
_FORMS: Final = f"give the folder of *{_EVAL}, {_SUMMARY}, or JSON lines of query_id and correct"


class Verdict(NamedTuple):
    """A verdict; `response` is the answer that the judge read, None if its file doesn't say; `judge` is the model."""

    correct: bool | None
    where: str
    response: str | None
    judge: str | None


def judged_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a judge among some files: a single one, else each `*_eval.json`, else the summary.

    Raises:
        InputError: there is none.
    """
    direct = [name for name in files if "/" not in name]
    evals = [name for name in direct if name.endswith(_EVAL)]
    chosen = direct if len(direct) == 1 else evals or [name for name in direct if name == _SUMMARY]
    if not chosen:
        raise InputError("--judged: no file with verdicts", hint=_FORMS)
    return {name: files[name] for name in chosen}


def read_verdicts(files: Mapping[str, bytes]) -> dict[str, Verdict]:
    """Return the verdicts by query id.

    Raises:
        InputError: a file is malformed, or a query has two verdicts.
    """
    found: dict[str, Verdict] = {}
    for value, where in _objects(files):
        query = query_id(value.get("query_id"), where)
        if query in found:
            raise InputError(
                f"{where}: query {query} has two verdicts, the first in {found[query].where}", hint="keep one"
            )
        found[query] = _verdict(value, f"{where}: query {query}", where)
    if not found:
        raise InputError("--judged: no verdict", hint=_FORMS)
    return found


def verdicts_of(runs: Sequence[Answered], verdicts: Mapping[str, Verdict]) -> dict[str, bool | None]:
    """Return the verdict of each run by query id; None for a run that isn't judged because it is wrong already.

    Raises:
        InputError: a verdict has no run, a completed run has no verdict, a run that counts as wrong is accepted, or the judge
            read another answer.
    """
    known = {run.query for run in runs}
    if extra := [query for query in verdicts if query not in known]:
        raise InputError(
            f"{verdicts[extra[0]].where}: {amount(len(extra), 'verdict')} without a run: {_listed(extra)}",
            hint="give the verdicts on these run files",
        )
    if missing := [run.query for run in runs if not run.fault and run.query not in verdicts]:
        raise InputError(
            f"--judged: {amount(len(missing), 'completed run')} without a verdict: {_listed(missing)}",
            hint='judge them too, or state "correct": null, which counts as wrong',
        )
    found: dict[str, bool | None] = {}
    for run in runs:
        verdict = verdicts.get(run.query)
        if run.fault and verdict is not None and verdict.correct:
            raise InputError(
                f"{verdict.where}: query {run.query} is judged correct, but its run counts as wrong: {run.fault}",
                hint="judge these run files with the official script, which never judges such a run",
            )
        if verdict is not None and verdict.response not in (None, run.output):
            raise InputError(
                f"{verdict.where}: query {run.query}: the judge read another answer than {run.where} has",
                hint="give the verdicts on these run files",
            )
        found[run.query] = None if verdict is None or run.fault else verdict.correct
    return found


def judge_of(verdicts: Mapping[str, Verdict]) -> str:
    """Return the model that judged, or that the files name none or several."""
    names = {one.judge for one in verdicts.values()}
    (name,) = names if len(names) == 1 else (None,)
    return NOT_NAMED if name is None else name


def _objects(files: Mapping[str, bytes]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each object with a verdict, and its place."""
    for name, data in files.items():
        if name.endswith(".jsonl"):
            for number, line in enumerate(data.split(b"\n"), 1):
                if line.strip():
                    where = f"{name} line {number}"
                    yield loaded({where: line}, where), where
            continue
        value = loaded(files, name)
        listed = value.get("per_query_metrics")
        if listed is None:
            yield value, name
        elif isinstance(listed, list) and all(isinstance(one, dict) for one in listed):
            yield from ((one, f"{name}: per_query_metrics.{place}") for place, one in enumerate(listed))
        else:
            raise InputError(f"{name}: per_query_metrics: must be a list of objects", hint=_FORMS)


def _verdict(value: Mapping[str, Any], place: str, where: str) -> Verdict:
    result = value.get("judge_result")
    holder: Mapping[str, Any] = result if isinstance(result, dict) else value
    correct = None if holder.get("parse_error") is True else _correct(holder, place)
    response, info = value.get("response"), value.get("model_info")
    model = info.get("judge_model") if isinstance(info, dict) else None
    is_named = isinstance(model, str) and _MODEL.fullmatch(model)
    return Verdict(
        correct, where, response if isinstance(response, str) else None, model if is_named else None
    )


def _correct(holder: Mapping[str, Any], place: str) -> bool | None:
    if "correct" not in holder:
        raise InputError(f"{place}: no verdict: the member correct is missing", hint=_HINT)
    value = holder["correct"]
    if value is None or isinstance(value, bool):
        return value
    found = _VERDICTS.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise InputError(f"{place}: correct: isn't a verdict", hint=_HINT)
    return found


def _listed(queries: Sequence[str]) -> str:
    return ", ".join(queries[:_SHOWN]) + (", …" if len(queries) > _SHOWN else "")
