"""The file of a settings grid: contested settings with their values, the datasets, and published claims (TOML).

Follows specs/retrieval.md, "Importers" and "Metrics", and the names of the settings that public claims are stated with. Refuses
unknown settings and values, more combinations than `MOST`, claims without a value, and dates that the calendar doesn't have; a
faulty claim is named with its line.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    StringConstraints,
    ValidationError,
    field_validator,
)

from benchsite.dates import is_in_calendar
from benchsite.errors import InputError
from benchsite.schema import Form, Seen, Slug, worded
from benchsite.stats import MAX_RANK
from benchsite.words import quoted

__all__ = ["AXES", "MOST", "UNKNOWN", "Claim", "Dataset", "Dispute", "Grid", "Setting", "Settings", "read"]

MOST: Final = 10_000
"""Combinations of one grid."""
UNKNOWN: Final = "unknown"

Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,60}$")]
Web: TypeAlias = Annotated[str, StringConstraints(pattern=r"^https?://[^\s\"'<>]{1,400}$")]
Cut: TypeAlias = Annotated[int, Field(ge=1, le=MAX_RANK)]
Setting: TypeAlias = tuple[str | int, ...]
"""A value of each axis, in the order of `AXES`."""
_CLAIM: Final = re.compile(r"\s*\[\[\s*claims\s*\]\]\s*(?:#.*)?$")
_DOTS: Final = 200
_DATE: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}")


def _checked_date(text: str) -> str:
    if text and not (_DATE.fullmatch(text) and is_in_calendar(f"{text}-01-01"[:10] + "T00:00:00Z")):
        raise ValueError("is not a date: write 2026-11-25, 2026-11 or 2026, or leave it empty")
    return text


Day: TypeAlias = Annotated[str, AfterValidator(_checked_date)]
"""A day, a month or a year; empty if unknown."""


def _checked_number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("is not a number: write 61.5, without quotes")  # noqa: TRY004 - what pydantic reports
    return value


Number: TypeAlias = Annotated[
    Decimal, BeforeValidator(_checked_number), Field(strict=False), PlainSerializer(float)
]
"""As it is stated: the decimals are its precision."""


class Settings(Form):
    """The axes: every combination of their values is scored.

    Attributes:
        granularity: what an item of a ranking is, and what k counts.
        k: cut-offs.
        questions: names of question sets.
        rule: any, fraction or all of the evidence within k, or nDCG.
        empty: what a question without evidence counts.
        errata: names of sets of labels.
        captions, timestamps: whether the text of an item has them.
    """

    granularity: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)]
    k: Annotated[tuple[Cut, ...], Field(strict=False, min_length=1)]
    questions: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)]
    rule: Annotated[tuple[Literal["any", "fraction", "all", "ndcg"], ...], Field(strict=False, min_length=1)]
    empty: Annotated[tuple[Literal["excluded", "1", "0"], ...], Field(strict=False, min_length=1)]
    errata: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)] = ("none",)
    captions: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)] = ("off",)
    timestamps: Annotated[tuple[Name, ...], Field(strict=False, min_length=1)] = ("on",)

    @field_validator("*")
    @classmethod
    def _once(cls, values: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(values)) < len(values):
            raise ValueError("a value is listed twice")
        return values


AXES: Final = tuple(Settings.model_fields)
"""The settings, in the order that pages list them."""
OF_DATASETS: Final = ("granularity", "captions", "timestamps")


class Dataset(Form):
    """Where rankings and labels of some settings come from.

    Attributes:
        rankings: ids of the datasets whose receipts count; they share items, query texts and query ids. Of two that
            answer for a system, the first counts.
        labels: id of the dataset with the labels, by the value of `errata`.
        group: member of an item's metadata that joins items into what k counts; empty where k counts items.
    """

    rankings: Annotated[tuple[Slug, ...], Field(strict=False, min_length=1)]
    granularity: Name
    captions: Name = "off"
    timestamps: Name = "on"
    labels: dict[Name, Slug]
    group: str = ""


class Dispute(Form):
    """An objection to a claim, with the number that it gives, if any."""

    by: Seen
    where: Web
    point: Seen
    value: Number | None = None
    date: Day = ""


class Claim(Form):
    """A published number.

    Attributes:
        kind: retrieval, or judged by a language model: no setting of rankings gives a judged number.
        settings: axis to value; an absent one or `unknown` is not stated.
        unplaced: why no setting fits; empty for a claim that settings place.
        run: shared by claims of one run under several rules or cut-offs.
    """

    id: Slug
    system: Seen
    version: str = ""
    metric: Seen
    value: Number
    unit: Literal["percent", "fraction"]
    date: Day
    source: Web
    by: Seen
    kind: Literal["retrieval", "judged"] = "retrieval"
    settings: dict[str, str | int] = Field(default_factory=dict)
    unplaced: str = ""
    note: str = ""
    run: Slug | Literal[""] = ""
    disputes: Annotated[tuple[Dispute, ...], Field(strict=False)] = ()

    @property
    def share(self) -> float:
        """The value as a share of 1."""
        return float(self.value / 100 if self.unit == "percent" else self.value)

    @property
    def precision(self) -> float:
        """Half a unit of the last stated decimal, as a share of 1: 66.7% stands for 66.65% to 66.75%."""
        exponent = self.value.as_tuple().exponent
        half = 0.5 * 10.0 ** min(0, exponent if isinstance(exponent, int) else 0)
        return half / 100 if self.unit == "percent" else half


class Grid(Form):
    """A whole grid.

    Attributes:
        corrections: where a wrong claim is reported; empty for the issues of the instance's repository.
        questions: categories of each question set.
        methodology: the values of each axis that the track's methodology scores; any value of an axis that it lacks.
    """

    title: Seen
    benchmark: Seen
    corrections: Web | Literal[""] = ""
    settings: Settings
    methodology: dict[str, Annotated[tuple[str | int, ...], Field(strict=False)]] = Field(
        default_factory=dict
    )
    questions: dict[Name, Annotated[tuple[Name, ...], Field(strict=False, min_length=1)]]
    datasets: Annotated[tuple[Dataset, ...], Field(strict=False, min_length=1)]
    claims: Annotated[tuple[Claim, ...], Field(strict=False)] = ()

    @property
    def values(self) -> Mapping[str, Sequence[str | int]]:
        """The values of each axis."""
        return {axis: getattr(self.settings, axis) for axis in AXES}

    @property
    def rankings(self) -> frozenset[str]:
        """Ids of the datasets whose receipts count."""
        return frozenset(name for one in self.datasets for name in one.rankings)

    @property
    def size(self) -> int:
        """The number of combinations."""
        return math.prod(len(values) for values in self.values.values())

    @property
    def combinations(self) -> Iterator[Setting]:
        """Every combination."""
        return product(*self.values.values())

    def dataset(self, setting: Mapping[str, str | int]) -> Dataset | None:
        """The dataset of a combination; None if none is declared."""
        return next(
            (
                one
                for one in self.datasets
                if all(getattr(one, axis) == setting[axis] for axis in OF_DATASETS)
            ),
            None,
        )


def read(data: bytes, where: str) -> Grid:
    """Read and check the file of a grid.

    Raises:
        InputError: not TOML, not this form, too many combinations, or a faulty claim; it names the place.
    """
    try:
        text = data.decode()
        _require_short(text, where)
        document = tomllib.loads(text, parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"grid {where}: {error}", hint="correct the file; it is TOML in UTF-8") from None
    except (InvalidOperation, ValueError):  # more digits than Python reads
        raise InputError(f"grid {where}: a number is too long", hint="correct the file") from None
    except RecursionError:
        raise InputError(f"grid {where}: nested too deeply", hint="correct the file") from None
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _CLAIM.match(line)]
    try:
        grid = Grid.model_validate(document)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        raise _fault(where, _place(fault["loc"], lines), worded(fault)) from None
    if grid.size > MOST:
        raise InputError(
            f"grid {where}: {grid.size:,} combinations, the limit is {MOST:,}",
            hint="declare fewer values in [settings]",
        )
    _require_known(grid, where, lines)
    return grid


def _require_short(text: str, where: str) -> None:
    """Refuse a line that `tomllib` would take minutes for: dotted keys cost the square of their length."""
    long = next((number for number, line in enumerate(text.splitlines(), 1) if line.count(".") > _DOTS), None)
    if long is not None:
        raise InputError(f"grid {where}: line {long} has more than {_DOTS} dots", hint="correct the file")


def _fault(where: str, place: str, what: str) -> InputError:
    return InputError(f"grid {where}: {place}: {what}", hint="correct the file: docs/settle-a-dispute")


def _place(path: Sequence[str | int], lines: Sequence[int]) -> str:
    """`claims[3] (line 41): value` for a path into the document."""
    shown = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    if len(path) > 1 and path[0] == "claims" and isinstance(path[1], int) and path[1] < len(lines):
        head = f"claims[{path[1]}]"
        return f"{head} (line {lines[path[1]]}){shown.removeprefix(head).replace('.', ': ', 1)}"
    return shown or "the file"


def _require_known(grid: Grid, where: str, lines: Sequence[int]) -> None:
    """Raise `InputError` for question sets, labels and settings that are not declared."""
    for name in grid.settings.questions:
        if name not in grid.questions:
            raise _fault(where, "settings.questions", f"{name!r} has no entry in [questions]")
    _require_axes(grid.methodology, where, "methodology")
    for axis, values in grid.methodology.items():
        other = next((value for value in values if value not in grid.values[axis]), None)
        if other is not None:
            raise _fault(where, f"methodology.{axis}", f"{other!r} is not among its values in [settings]")
    for place, dataset in enumerate(grid.datasets):
        missing = [name for name in grid.settings.errata if name not in dataset.labels]
        if missing:
            raise _fault(where, f"datasets[{place}].labels", f"no labels for errata {missing[0]!r}")
    names = set[str]()
    for place, claim in enumerate(grid.claims):
        if claim.id in names:
            raise _fault(where, _place(("claims", place, "id"), lines), f"{claim.id!r} is used twice")
        names.add(claim.id)
        _require_axes(claim.settings, where, _place(("claims", place, "settings"), lines))
        if not 0 <= claim.share <= 1:
            what = f"{float(claim.value):g} is not a {claim.unit} between 0 and {100 if claim.unit == 'percent' else 1}"
            raise _fault(where, _place(("claims", place, "value"), lines), what)


def _require_axes(names: Iterable[str], where: str, place: str) -> None:
    wrong = next((axis for axis in names if axis not in AXES), None)
    if wrong is not None:
        raise _fault(where, place, f"{quoted(wrong)} is not a setting; available: {', '.join(AXES)}")
