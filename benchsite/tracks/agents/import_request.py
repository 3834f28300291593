"""What every import of results asks the runner for: the request of its `Work`, with names that are fit to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import click

from benchsite.tracks.agents.importers.foreign_text import Scrubber
from benchsite.tracks.agents.run.settings import DEFAULT_SEED

__all__ = ["import_request", "model_option", "one_model", "references", "source_option"]

MOST_REFERENCES: Final = 20


def import_request(
    read: Callable[..., Any],
    *,
    repeats: int,
    system: Mapping[str, Any],
    source: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the request of an import.

    Args:
        read: called with the benchmark, a progress and the secrets; returns the finished runs and notes.
        repeats: runs of each task.
        system: name, version, kind and models, and its sizes if they are known.
        source: kind, configuration and files, as the receipt states them.
        options: of the system.
    """
    return {
        "runs_per_task": repeats,
        "limit": None,
        "seed": DEFAULT_SEED,
        "options": dict(options or {}),
        "system": {"sizes": {}, "prompts": None, **system},
        "source": source,
        "read": read,
    }


def one_model(name: str | None) -> dict[str, Any]:
    """Return the models of a system that names one, or none; keys and paths in the name are replaced."""
    return {"default": {"requested": None, "responded": Scrubber().name(name) if name else None}}


def references(texts: Iterable[str]) -> dict[str, Sequence[str]]:
    """Return the member `references` of a source, without keys and paths; nothing for none. Of many, the first 20 are kept."""
    kept = Scrubber().scrubbed([*texts])[:MOST_REFERENCES]
    return {"references": kept} if kept else {}


def model_option(default: str = "not stated") -> click.Option:
    """Return `--model`; `default` says in words what holds without it."""
    return click.Option(["--model"], help=f"Name of its model [default: {default}].")


def source_option(such: str = "") -> click.Option:
    """Return `--source`, which may be repeated; `such` names an example."""
    return click.Option(
        ["--source"], multiple=True, metavar="TEXT", help=f"Where the runs are from{such}. Repeatable."
    )
