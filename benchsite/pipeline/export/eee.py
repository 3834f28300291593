"""A record in the format of Every Eval Ever, schema 0.3.0 (https://github.com/evaleval/every_eval_ever).

A receipt is one JSON file with its headline score, and one JSON Lines file with a record for each scored query or run, in
`data/<collection>/<developer>/<model>/`. Their names are the receipt's id. Excluded: other metrics, whose direction and range
the format asks for. Times are those of the run, so that two exports of one record are equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from benchsite import canonical
from benchsite.dates import posix_seconds
from benchsite.history import Header, Summary
from benchsite.pipeline.export.record import ExportedRecord
from benchsite.progress import Progress
from benchsite.receipt import Document
from benchsite.track import Track
from benchsite.track.table import EvalModel

__all__ = ["SCHEMA", "write"]

SCHEMA: Final = "0.3.0"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED: Final = re.compile(r"(?i)(data|con|aux|nul|prn|com[1-9]|lpt[1-9])(\..*)?")
"""Names that the format, or Windows, does not allow as a folder."""


def write(record: ExportedRecord, folder: Path, progress: Progress) -> int:
    """Write the files below a folder; return the number of records of items."""
    texts = _Texts(record)
    count = 0
    for header, body in record.bodies(progress):
        track, summary = record.snapshot.tracks[header.track], header.summary
        if track.eee is None or summary is None or summary.headline.value is None:
            continue
        made = _Log(record, track, header, summary, body)
        path = folder / made.path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [canonical.dumps(one) + b"\n" for one in made.samples(texts.of(summary))]
        path.write_bytes(canonical.dumps(made.aggregate(lines)) + b"\n")
        if lines:
            path.with_name(f"{path.stem}_samples.jsonl").write_bytes(b"".join(lines))
        count += len(lines)
    return count


class _Texts:
    """Texts of queries that the record may show: of datasets in its repository, unchanged; the last one is kept."""

    def __init__(self, record: ExportedRecord) -> None:
        self._snapshot = record.snapshot
        self._last: tuple[str, Mapping[str, str]] = ("", {})

    def of(self, summary: Summary) -> Mapping[str, str]:
        """Return the text of each query of a receipt's dataset, by id."""
        if self._last[0] != summary.target_sha256:
            self._last = (summary.target_sha256, self._read(summary))
        return self._last[1]

    def _read(self, summary: Summary) -> Mapping[str, str]:
        fixture = self._snapshot.fixture(summary.target)
        if not isinstance(fixture, dict) or canonical.digest(fixture) != summary.target_sha256:
            return {}
        queries = fixture.get("queries")
        listed = queries if isinstance(queries, list) else []
        return {one["id"]: one["query"] for one in listed if isinstance(one, dict) and "query" in one}


class _Log:
    """One receipt as an evaluation log."""

    def __init__(
        self, record: ExportedRecord, track: Track, header: Header, summary: Summary, body: Document
    ) -> None:
        assert track.eee is not None  # noqa: S101 - the caller has looked
        self._record, self._track, self._header = record, track, header
        self._summary, self._body, self._part = summary, body, track.eee
        self._model: EvalModel = self._part.model(body)
        self._site = record.snapshot.config.site

    @property
    def _model_id(self) -> str:
        return f"{self._model.developer or 'unknown'}/{self._model.name}"

    @property
    def _id(self) -> str:
        at = posix_seconds(self._header.ran_at)
        return f"{self._summary.target}/{self._model_id}/{at}/{self._header.receipt_id}"

    @property
    def path(self) -> PurePosixPath:
        """Where the log is, below the folder."""
        collection = f"{self._site.site_name}-{self._summary.target}"
        parts = (collection, self._model.developer or "unknown", self._model.name)
        return PurePosixPath("data", *map(_component, parts), f"{self._header.receipt_id}.json")

    def aggregate(self, lines: list[bytes]) -> Mapping[str, Any]:
        """Return the log, with a reference to the records of items if there are any."""
        made: dict[str, Any] = {
            "schema_version": SCHEMA,
            "evaluation_id": self._id,
            "evaluation_timestamp": self._header.ran_at,
            "retrieved_timestamp": str(posix_seconds(self._header.ran_at)),
            "source_metadata": self._source(),
            "eval_library": {"name": "benchsite", "version": self._body["benchVersion"]},
            "model_info": {
                "name": self._model.name,
                "id": self._model_id,
                "developer": self._model.developer or "unknown",
                "additional_details": {
                    "deployment_type": "unknown",
                    "model_availability": "unknown",
                    **self._model.details,
                },
            },
            "evaluation_results": [self._result()],
        }
        if lines:
            made["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": str(self.path.with_name(f"{self.path.stem}_samples.jsonl")),
                "hash_algorithm": "sha256",
                "checksum": sha256(b"".join(lines)).hexdigest(),
                "total_rows": len(lines),
            }
        return made

    def samples(self, texts: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        """Yield a record for each scored item."""
        for sample in self._part.samples(self._body, texts):
            yield {
                "schema_version": SCHEMA,
                "evaluation_id": self._id,
                "model_id": self._model_id,
                "evaluation_name": self._summary.target,
                "evaluation_result_id": self._summary.headline.metric,
                "sample_hash": _sample_hash(sample["input"]),
                "answer_attribution": [],
                **sample,
            }

    def _source(self) -> Mapping[str, Any]:
        log, header = self._record.history.log, self._header
        details = {
            "receipt_id": header.receipt_id,
            "receipt_sha256": header.sha256,
            "receipt_path": header.path,
            "verdict": str(header.verdict),
            "rescore": str(header.rescore),
            "ranked": str(header.ranked).lower(),
            "ran_by": header.ran_by,
            "methodology": f"{header.track} {header.methodology}",
            "methodology_sha256": header.methodology_sha256,
            "log_origin": log.origin if log is not None else "",
            "log_index": str(header.index) if header.index is not None else "",
            "log_size": str(self._record.size),
            "log_root": self._record.root,
        }
        url = {"source_organization_url": self._site.site_url} if self._site.site_url else {}
        return {
            "source_name": self._site.site_name,
            "source_type": "evaluation_run",
            "source_organization_name": self._site.site_name,
            **url,
            # Who submitted a run may have made the system.
            "evaluator_relationship": "other" if header.sent_by else "third_party",
            "additional_details": {name: text for name, text in details.items() if text},
        }

    def _result(self) -> Mapping[str, Any]:
        headline, metric = self._summary.headline, self._track.metric(self._summary.headline.metric)
        low, high = self._part.SCALE
        counted = self._body.get("denominators", {}).get(headline.metric, {})
        interval = self._body.get("intervals", {}).get(headline.metric)
        details: dict[str, Any] = {"score": headline.value}
        if interval is not None:
            bounds = {"lower": interval["low"], "upper": interval["high"]}
            method = {"confidence_level": 0.95, "method": interval["method"]}
            details["uncertainty"] = {
                "confidence_interval": {**bounds, **method},
                "num_samples": counted.get("den"),
            }
        return {
            "evaluation_result_id": headline.metric,
            "evaluation_name": self._summary.target,
            "source_data": {
                "dataset_name": self._summary.target,
                "source_type": "other",
                "additional_details": {"sha256": self._summary.target_sha256},
            },
            "evaluation_timestamp": self._header.ran_at,
            "metric_config": {
                "metric_id": f"benchsite.{self._track.name}.{headline.metric}",
                "metric_name": metric.label,
                "lower_is_better": False,
                "score_type": "continuous",
                "min_score": low,
                "max_score": high,
            },
            "score_details": details,
        }


def _component(text: str) -> str:
    """Return a portable name of a folder."""
    plain = _UNSAFE.sub("-", text).strip(".-") or "unknown"
    return f"_{plain}" if _RESERVED.fullmatch(plain) else plain


def _sample_hash(given: Mapping[str, Any]) -> str:
    """Return the format's hash of a question and its references."""
    return canonical.sha256_hex(canonical.dumps({"raw": given["raw"], "reference": given["reference"]}))
