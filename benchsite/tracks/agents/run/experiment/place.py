"""Where an experiment is kept and how it is carried out: what changes no score, except how many runs go on at once.

Owns the part `experiment` of a request. An experiment of the command line has a folder below `artifacts/full_experiment`, as in
the seed; a run of the suite has one that is removed after its draft was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from benchsite import temporary
from benchsite.errors import UsageError
from benchsite.executors import cluster
from benchsite.schema import Bounded
from benchsite.track import RunContext, Work
from benchsite.tracks.agents.models.named import Source
from benchsite.tracks.agents.run.experiment.record import MARK, unwritable

__all__ = ["ROOT", "Experiment", "asked", "concurrency", "experiment_folder", "hidden", "prices_sha256"]

ROOT: Final = "artifacts/full_experiment"
MOST_WORKERS: Final = 256
SCHEDULER: Final = r"^((tcp|tls)://[^\s/@]+:[0-9]{1,5})?$"
NAME: Final = r"^([A-Za-z0-9][A-Za-z0-9._-]{0,99})?$"


class Experiment(Bounded):
    """Where the artifacts of an experiment are, and how its units are carried out.

    Attributes:
        root: the folder of experiments; empty for a run whose artifacts are not kept.
        name: of the experiment's folder; empty for a new one, named by the time.
        scheduler: the address of a Dask scheduler; empty for a local cluster.
        resume: take the newest experiment below `root`.
        retries: further attempts of a run that the provider of a model ended.
        max_cost: US dollars after which no further run starts.
        require_live: refuse a model that is simulated.
        prices, record, replay: files, as `models.named.Source` has them.
        packed: leave the files of runs to `experiment export`; descriptors and summaries are written.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    root: str = ""
    name: Annotated[str, Field(pattern=NAME)] = ""
    resume: bool = False
    executor: Literal["inline", "processes", "dask"] = "processes"
    scheduler: Annotated[str, Field(pattern=SCHEDULER)] = ""
    workers: Annotated[int, Field(ge=1, le=MOST_WORKERS)] | None = None
    retries: Annotated[int, Field(ge=0, le=100)] = 2
    max_cost: Annotated[float, Field(gt=0, strict=False)] | None = None
    require_live: bool = False
    packed: bool = False
    prices: str = ""
    record: str = ""
    replay: str = ""


class Offered(Experiment):
    """The same in a piece of work, with what its system may leave.

    Attributes:
        options: of systems, which a system that does not take them leaves.
        models: by role, which a system without that role leaves.
    """

    options: dict[str, str | int | float | bool] = Field(default_factory=dict)
    models: dict[str, Any] = Field(default_factory=dict)


def asked(work: Work) -> Offered:
    """Return how a request is carried out; the suite's and a reproduction's keep no artifacts."""
    return Offered.model_validate(dict(work.request.get("experiment", {})))


def concurrency(work: Work, context: RunContext) -> int:
    """Return how many runs go on at the same time: the processors of this machine, unless the request says so.

    Raises:
        PrerequisiteError: the scheduler doesn't answer or has no worker.
    """
    how = asked(work)
    if how.executor == "dask" and how.scheduler and how.workers is None:
        return _size(how.scheduler)
    asks = "ask" in work.request.get("policies", {}).values()  # a person answers one run at a time
    return 1 if asks or how.executor == "inline" else how.workers or context.cores


@cache
def _size(scheduler: str) -> int:
    """The workers of a scheduler when this command first asked, so that planning and running agree."""
    return cluster.size(scheduler)


def prices_sha256(work: Work) -> str | None:
    """Return the digest of the price table; None without one."""
    table = Source(prices=asked(work).prices).table()
    return None if table is None else table.sha256


@contextmanager
def experiment_folder(work: Work, context: RunContext) -> Iterator[Path]:
    """Yield the folder of the experiment, made if absent; remove a temporary one.

    Raises:
        UsageError: there is no experiment to resume.
        PrerequisiteError: the folder cannot be made.
    """
    how = asked(work)
    if how.root:
        yield made(Path(how.root).absolute() / (how.name or _name(how, context)))
    elif context.traces:
        yield made(Path(context.traces))
    else:
        with temporary.folder("benchsite-experiment-") as folder:
            yield folder


def made(folder: Path) -> Path:
    """Return a folder that is there; raises `PrerequisiteError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from None
    return folder


def _name(how: Experiment, context: RunContext) -> str:
    """The name of a new experiment, that of its command; or of the newest one."""
    if not how.resume:
        return (context.command or context.now()).replace(":", "").replace("-", "", 2)
    known = _experiments(Path(how.root))
    if not known:
        raise UsageError(f"no experiment to resume: {how.root}", hint="remove --resume to start one")
    return known[-1].name


def _experiments(root: Path) -> Sequence[Path]:
    """The experiments below a folder, in the order in which they were begun."""
    found = sorted(root.glob(f"*/{MARK}"), key=lambda path: path.stat().st_mtime_ns)
    return [path.parent for path in found]


def hidden(context: RunContext, folder: Path) -> RunContext:
    """Return a context in which a system can neither read nor write this experiment, nor read those beside it.

    What an evaluator says of earlier runs tells expected answers.
    """
    beside = (str(path.absolute()) for path in _experiments(folder.parent))
    return replace(
        context,
        answers=(*context.answers, str(folder), *beside),
        sealed=(*context.sealed, str(folder)),
    )
