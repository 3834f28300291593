"""Containment of packages of others: what they raise by mistake, and what they give back that was not promised.

A module of another package is reached through a `Guard`. An exception of any class, an exit (`os._exit` too) or a result
of another shape becomes a `TrackError` that names the track, the module and the function. What checking and scoring raise
on purpose passes, and so does the interrupt of a person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from benchsite.errors import BenchsiteError, TrackError
from benchsite.history import Rescoring, Summary, Target, UncheckedError
from benchsite.receipt import ReceiptError
from benchsite.track.page import Page
from benchsite.track.parts import Clause, Described
from benchsite.track.system import System
from benchsite.track.work import Measurement, Plan, Work

__all__ = ["Guard", "contained", "described", "protect", "protected"]

_VERDICTS: Final[tuple[type[BenchsiteError], ...]] = (ReceiptError, UncheckedError)
"""What checking and scoring raise on purpose; any other error of theirs is one of the track."""

_PROMISED: Final[Mapping[str, Any]] = {
    "verification.rescore": Rescoring,
    "verification.needs": frozenset[str],
    "verification.target": Target,
    "verification.summary": Summary,
    "provenance.differing": tuple[str, str],
    "receipt_page.receipt_page": Page,
    "board.pages": Page,
    "runner.plan": Plan,
    "runner.run": Measurement,
    "command.parameters": Sequence[Any],
    "command.works": Sequence[Work],
    "command.suite": Work,
    "command.measures": bool,
    "command.work_of": Work,
    "sheets.digests": tuple[str, ...],
    "sheets.is_sheet": bool,
    "sheets.blank": str,
    "fixtures.described": Described,
    "subjects.installed_with": Sequence[System],
    "subjects.examined": Sequence[Clause],
    "subjects.scaffold": Mapping[str, str],
}
"""What each function gives; of one that yields, what each item is (`parts`, `history.Scorer`, `Track`)."""


@contextmanager
def contained(where: str, handed_on: tuple[type[BenchsiteError], ...] = (BenchsiteError,)) -> Iterator[None]:
    """Turn what a package of others raises by mistake into a `TrackError`."""
    try:
        yield
    except (KeyboardInterrupt, GeneratorExit):  # a person, or whoever needs no more pages
        raise
    except BaseException as error:
        if isinstance(error, (*handed_on, TrackError)):
            raise
        raise TrackError(f"{where}: {described(error)}") from error


def described(error: BaseException) -> str:
    """Return class and text of an error of others, whose text may fail too."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - its own code
        text = f"{type(error).__name__} without a text"
    return text[:500]


_protection: list[Callable[[], AbstractContextManager[None]]] = []


def protect(around: Callable[[], AbstractContextManager[None]]) -> None:
    """Enter this context around each call of a package of others; this module itself touches no process."""
    _protection[:] = [around]


def protected() -> AbstractContextManager[None]:
    """Return the context for one call of a package of others."""
    return _protection[0]() if _protection else nullcontext()


class Guard:
    """A module of others; each of its functions is contained, and so is what they yield.

    Args:
        module: the module.
        part: its name in the package.
        whose: `track 'x' failed in package`, with which messages begin.
    """

    def __init__(self, module: Any, part: str, whose: str) -> None:
        self._module = module
        self._part = part
        self._whose = whose

    def __dir__(self) -> list[str]:
        return dir(self._module)

    def __getattr__(self, name: str) -> Any:
        part = f"{self._part}.{name}"
        where = f"{self._whose}.{part}"
        with contained(where):
            value = getattr(self._module, name)
        if not callable(value) or isinstance(value, type):
            return value
        handed_on = _VERDICTS if self._part == "verification" else (BenchsiteError,)
        return _guarded(value, part, where, handed_on)


def _guarded(
    function: Callable[..., Any], part: str, where: str, handed_on: tuple[type[BenchsiteError], ...]
) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        with contained(where, handed_on):
            result = _called(function, *arguments, **options)
            if part in _YIELDING:
                return _each(iter(result), part, where)
            return _promised(result, part, where)

    return call


_YIELDING: Final = frozenset({"board.pages", "provenance.differing"})


def _called(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        with protected():
            return function(*arguments, **options)
    except GeneratorExit as error:
        raise RuntimeError("GeneratorExit") from error


def _each(items: Iterator[Any], part: str, where: str) -> Iterator[Any]:
    end = object()
    while True:
        with contained(where):
            item = _called(next, items, end)
            if item is end:
                return
            found = _promised(item, part, where)
        yield found


def _promised(value: Any, part: str, where: str) -> Any:
    """The value itself, refused where it or a member of it is of another type than promised."""
    if part in _PROMISED:
        try:
            _model(part)(value=value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"][1:]))
            raise TrackError(
                f"{where} gave {type(value).__name__}{f', and its {place} is wrong' if place else ''}: {first['msg']}"
            ) from None
    return value


@cache
def _model(part: str) -> type[BaseModel]:
    config = ConfigDict(revalidate_instances="always", strict=True, arbitrary_types_allowed=True)
    return create_model("Promised", __config__=config, value=(_PROMISED[part], ...))
