"""Options of `benchsite run retrieval`, and what an entry of the suite may say."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import click
from pydantic import ConfigDict, Field, StringConstraints, field_validator

from benchsite.canonical import MAX_INTEGER
from benchsite.errors import UsageError
from benchsite.isolation.subject import Scalar
from benchsite.methodology import Methodology
from benchsite.receipt import Document
from benchsite.schema import PRINTABLE, Bounded
from benchsite.stats import MAX_RANK
from benchsite.track import PROGRAMS, Work, suite_entry
from benchsite.tracks.retrieval.record.payload import MAX_CUTS
from benchsite.tracks.retrieval.run.programs import ARGUMENTS, arguments, command_of
from benchsite.tracks.retrieval.scores import engines

DEFAULT_SEED: Final = 20260101
DEFAULT_TIMEOUT: Final = 60.0
_MAX_SEED: Final = 2**53 - 1
OPTION: Final = "^[A-Za-z_][A-Za-z0-9_-]{0,63}$"
OptionName = Annotated[str, StringConstraints(pattern=OPTION)]


class Cutoffs(click.ParamType[tuple[int, ...]]):
    """`1,5,10`: at most 20 cut-offs between 1 and 1,000."""

    name = "k,k,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The cut-offs, ascending, each once."""
        if isinstance(value, tuple):
            return value
        try:
            ks = tuple(sorted({int(part) for part in str(value).split(",")}))
        except ValueError:
            self.fail(f"{value!r} is not a list such as 1,5,10", param, ctx)
        if ks[0] < 1 or ks[-1] > MAX_RANK:
            self.fail("cut-offs must be from 1 to 1,000", param, ctx)
        if len(ks) > MAX_CUTS:
            self.fail(f"at most {MAX_CUTS} cut-offs, not {len(ks)}", param, ctx)
        return ks


class Assignment(click.ParamType[tuple[str, Scalar]]):
    """`name=value`: the value is a number, `true`, `false` or quoted text if JSON reads it so, else text."""

    name = "name=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, Scalar]:
        """The name and the value."""
        if isinstance(value, tuple):
            return value
        name, equals, text = str(value).partition("=")
        if not equals or not re.fullmatch(OPTION, name):
            self.fail(f"{value!r} is not NAME=VALUE", param, ctx)
        if name == ARGUMENTS:
            self.fail(f"{name} is the name under which the arguments of a command are recorded", param, ctx)
        found = _scalar(text)
        if isinstance(found, str) and not is_one_line(found):
            self.fail(
                f"the text of {name} must be one line of at most 200 characters without controls", param, ctx
            )
        return name, found


def assigned(pairs: Sequence[tuple[str, Scalar]]) -> dict[str, Scalar]:
    """Return the values of --option by name; raises `UsageError` for a name that occurs twice."""
    found = dict[str, Scalar]()
    for name, value in pairs:
        if name in found:
            raise UsageError(f"--option {name} occurs twice", hint="give each option once")
        found[name] = value
    return found


def is_one_line(text: str) -> bool:
    """Whether a text is empty or printable: it is the label of a row, and is shown before signing."""
    return not text or re.fullmatch(PRINTABLE, text) is not None


def _scalar(text: str) -> Scalar:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, bool | str) or (isinstance(value, int) and abs(value) <= MAX_INTEGER):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else text


class _Entry(Bounded):
    """One entry of `extra.benchsite.suite`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    track: str
    adapter: str
    fixture: str
    k: (
        Annotated[
            tuple[Annotated[int, Field(ge=1, le=MAX_RANK)], ...],
            Field(strict=False, min_length=1, max_length=MAX_CUTS),
        ]
        | None
    ) = None
    repeats: Annotated[int, Field(ge=1, le=100)] = 1
    seed: Annotated[int, Field(ge=0, le=_MAX_SEED)] = DEFAULT_SEED
    limit: Annotated[int, Field(ge=1)] | None = None
    options: Annotated[dict[OptionName, Scalar], Field(default_factory=dict, max_length=100)]
    stopwords: bool = False
    timeout: Annotated[float, Field(gt=0)] = DEFAULT_TIMEOUT
    strict: bool = False
    methodology: str = ""

    @field_validator("options")
    @classmethod
    def _recordable(cls, options: dict[str, Scalar]) -> dict[str, Scalar]:
        if not all(is_one_line(value) for value in options.values() if isinstance(value, str)):
            raise ValueError("text must be one line of at most 200 characters without controls")
        if ARGUMENTS in options:
            raise ValueError(f"{ARGUMENTS} is the name under which the arguments of a command are recorded")
        if not all(math.isfinite(value) for value in options.values() if isinstance(value, float)):
            raise ValueError("numbers must be finite")
        return options


HELP: Final = (
    "Measure adapters on datasets.\n\n"
    "Repeat --adapter and --fixture to measure every pair. "
    '--adapter "command:PROGRAM ARGS" measures any program that speaks the adapter protocol, `--adapter mcp:FILE` an MCP server.'
)


def parameters() -> Sequence[click.Parameter]:
    """Click parameters of `run retrieval`."""
    return (
        click.Option(["--adapter"], multiple=True, required=True, help="Name of an installed adapter."),
        click.Option(["--fixture", "--dataset"], multiple=True, required=True, help="Id of a dataset."),
        click.Option(["--k"], type=Cutoffs(), help="Cut-offs [default: the methodology's, 1,5,10]."),
        click.Option(["--repeats"], type=click.IntRange(1, 100), default=1, show_default=True),
        click.Option(["--seed"], type=click.IntRange(0, _MAX_SEED), default=DEFAULT_SEED, show_default=True),
        click.Option(["--limit"], type=click.IntRange(1), help="Run only the first N queries; never ranked."),
        click.Option(
            ["--option"],
            type=Assignment(),
            multiple=True,
            metavar="NAME=VALUE",
            help="An option of the adapter: text, a number, true or false. Repeatable.",
        ),
        click.Option(["--stopwords"], is_flag=True, help="The same as --option stopwords=true."),
        click.Option(
            ["--timeout"],
            type=click.FloatRange(0, min_open=True),
            default=DEFAULT_TIMEOUT,
            show_default=True,
            help="Query timeout in seconds.",
        ),
        click.Option(
            ["--strict"],
            is_flag=True,
            help="Fail if an adapter returns ids outside the query's scope.",
        ),
        click.Option(["--methodology"], default="", help="Version to score under [default: the newest]."),
    )


def works(**options: Any) -> Sequence[Work]:
    """Every pair of an adapter and a fixture."""
    adapters, fixtures = options.pop("adapter"), options.pop("fixture")
    options["options"] = assigned(options.pop("option", ()))
    return [
        _work(_Entry(track="retrieval", adapter=adapter, fixture=fixture, **options))
        for fixture in fixtures
        for adapter in adapters
    ]


def suite(entry: Mapping[str, Any], folder: str) -> Work:  # noqa: ARG001 - it names no file
    """The work of one suite entry; raises `InputError` naming the key at fault."""
    return _work(suite_entry(_Entry, entry, hint="run `benchsite run retrieval --help` for the options"))


def measures(work: Work, document: Document, methodology: Methodology) -> bool:
    """Whether a receipt is a run of this work; `strict` changes what is refused, not what is measured."""
    made = work_of(document)
    ks = work.request["ks"] or engines.parameters(methodology).ks
    asked = {**work.request, "ks": ks, "options": _recorded(work)}
    measured = {**made.request, "options": document["config"]["options"]}
    del measured["strict"]
    return (
        (work.subject == made.subject or work.subject.startswith(PROGRAMS))
        and work.target == made.target
        and work.methodology in ("", made.methodology)
        and all(asked[name] == value for name, value in measured.items())
    )


def _recorded(work: Work) -> dict[str, Any]:
    """The options that the receipt of a piece of work records."""
    given = arguments(command_of(work.subject)) if work.subject.startswith(PROGRAMS) else ""
    return {**work.request["options"], **({ARGUMENTS: given} if given else {})}


def work_of(document: Document) -> Work:
    """The work of a receipt of schema 1.0.0; raises `UsageError` for an older one, which records no settings."""
    if "config" not in document:
        raise UsageError(
            "a receipt of schema 0.0.1 cannot be reproduced: no seed and no settings recorded",
            hint="run `benchsite run retrieval` to measure the same adapter under the current methodology",
        )
    config = document["config"]
    request = {
        "ks": tuple(config["k"]),
        "seed": config["seed"],
        "limit": config["limit"],
        "repeats": config["repeats"],
        "timeout": config["timeoutSeconds"],
        "strict": False,
        "options": {name: value for name, value in config["options"].items() if name != ARGUMENTS},
    }
    fixture, version = document["fixture"]["id"], document["methodology"]["version"]
    return Work("retrieval", document["adapter"]["name"], fixture, version, request)


def _work(entry: _Entry) -> Work:
    request = {
        "ks": tuple(sorted(set(entry.k))) if entry.k else None,
        "seed": entry.seed,
        "limit": entry.limit,
        "repeats": entry.repeats,
        "timeout": entry.timeout,
        "strict": entry.strict,
        "options": {**entry.options, **({"stopwords": True} if entry.stopwords else {})},
    }
    return Work("retrieval", entry.adapter, entry.fixture, entry.methodology, request)
