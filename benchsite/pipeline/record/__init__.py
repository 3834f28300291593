"""Readers that resolve HEAD themselves; each caller is on its way to a `Snapshot` of its own."""

from __future__ import annotations

import base64
from collections import OrderedDict
from functools import cached_property
from typing import Any, Final, Self

from benchsite.log import Log
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.snapshot import Snapshot

__all__ = ["Record", "log_head", "require_log"]

_KEPT: Final = 4
"""Commits of one instance whose records are kept: its head, the remote's, what both share, and one more."""


class Record(Snapshot):
    """The record of a commit that was named at the place of reading."""

    instance: Instance

    @property
    def rev(self) -> str:
        """The commit, or HEAD where nothing was committed."""
        return self.commit or "HEAD"

    @property
    def opened(self) -> Log | None:
        """As `log_alone`."""
        return self.log_alone

    @classmethod
    def at(cls, instance: Instance, rev: str = "HEAD") -> Self:
        """The record of a commit, the kept one where this process has opened it before."""
        commit = instance.repository.commit(rev)
        kept: OrderedDict[tuple[str | None, str], Any] = instance.opened
        key = (commit, instance.config.benchsite.model_dump_json())
        record: Self | None = kept.get(key)
        if record is None:
            record = cls(instance.repository, commit, config=instance.config, downloads=instance.fetched)
            record.instance = instance
            kept[key] = record
        kept.move_to_end(key)
        if len(kept) > _KEPT:
            kept.popitem(last=False)
        return record

    @classmethod
    def current(cls, instance: Instance) -> Self:
        """The record at HEAD, for readers; raises as `Snapshot.open`."""
        record = cls.at(instance)
        record._grown  # noqa: B018, SLF001 - checked once for a commit; raises
        return record

    @cached_property
    def _grown(self) -> None:
        self.require_grown()


def require_log(instance: Instance) -> Log:
    """The log at HEAD; `PrerequisiteError` where it was never begun, otherwise as `Record.current`."""
    return Record.current(instance).require_log()


def log_head(instance: Instance, *, at_least: int = 0) -> dict[str, Any] | None:
    """The `logHead` member of a receipt composed now.

    A head that no remote has yet may still be discarded for another, and a receipt composed after it would belong to no
    log; so the newest public head is named, unless it has fewer than `at_least` entries.
    """
    log = Record.at(instance, instance.repository.public_head() or "HEAD").log
    if log is None or log.size < at_least:
        log = Record.at(instance).log
    if log is None:
        return None
    return {"origin": log.origin, "size": log.size, "root": base64.b64encode(log.root()).decode()}
