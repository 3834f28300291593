"""Opening the log of a commit, and what is kept so that the next command need not read all of it: `log.txt`.

Follows specs/log.md, "Caches". Kept are full segments alone, keyed by their blob ids (`benchsite.log.kept`); what came
after them is read from git. A log that a cache opened is the one that git holds, as far as `benchsite.log.log` says; where
a cache does not fit, or opens nothing, the log is opened without it, whose error is the one that is raised.

Not used, neither read nor written: for a short log, in CI, under `--full`, where a commit brings scratch, in verification
and `audit`, and by what signs (`Instance.reads_whole`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from benchsite.errors import BenchsiteError
from benchsite.layout import LOG_CACHE
from benchsite.log import Kept, Log, decode_segments, open_kept, open_log
from benchsite.pipeline.instance import Instance, caches
from benchsite.pipeline.instance.scratch import is_committed

_FILE: Final = LOG_CACHE.rpartition("/")[2]
_WORTH: Final = 16
"""Full segments that are read faster than a cache is written: with fewer new ones the cache stays as it is."""
_LARGEST: Final = 1024 * 1024 * 1024


def open_cached(instance: Instance, blob_ids: Sequence[str], note: bytes) -> Log:
    """The log that these segments, number 0 first, and this signed checkpoint make up; raises as `open_log`."""
    settings, blob = instance.config.benchsite, instance.repository.blob
    origin, roots = settings.origin, settings.root_keys
    full = blob_ids[:-1]  # whether the last one is, only reading it would show
    cached = len(full) >= _WORTH and not instance.reads_whole and not is_committed(instance.repository)
    if cached:
        with suppress(BenchsiteError, OSError, ValueError):
            with caches.opened(instance.root, _FILE, largest=_LARGEST) as source:
                kept = Kept.decode(source.read())
            count = kept.matching(full)
            if len(full) - count < _WORTH:
                later = decode_segments(map(blob, blob_ids[count:]))
                return open_kept(
                    kept,
                    count,
                    lambda number: blob(blob_ids[number]),
                    later,
                    note,
                    origin=origin,
                    roots=roots,
                )
    log = open_log(map(blob, blob_ids), note, origin=origin, roots=roots)
    if cached:
        with caches.replacing(instance.root, _FILE) as new, suppress(OSError):
            if new.out is not None:
                new.out.write(log.kept(full).encode())
                new.out.flush()
                new.take_place()
    return log
