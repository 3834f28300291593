"""The mapping file of an MCP server: how its tools reset, store and find, and where its answers have ids (specs/retrieval.md).

Texts may have placeholders: `{work}` a private folder, `{here}` the folder of the mapping, and in arguments of tools `{id}`,
`{content}`, `{timestamp}`, `{query}`, `{k}` and `{ids}`. A text that is one placeholder alone takes its value with its type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.schema import Bounded, Slug, Text, first_fault

__all__ = ["Ask", "MappingFile", "filled", "read_mapping"]

Ask = Literal["verbatim", "each-word"]
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")


class _Part(Bounded):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


def _pattern(value: str | None) -> str | None:
    try:
        re.compile(value or "")
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from None
    return value


class Tool(_Part):
    """A call of a tool."""

    tool: Text
    arguments: dict[str, Any] = Field(default_factory=dict)


class Ingest(Tool):
    """How items are stored.

    Attributes:
        batch: items of one call.
        each: the argument that is a list with `arguments` of each item; None for one call an item.
    """

    batch: Annotated[int, Field(ge=1, le=10_000)] = 1
    each: Text | None = None


class Query(Tool):
    """How a question is asked, and where its hits are.

    Attributes:
        ask: the whole question, or a call for each of its words.
        hits: the way to a list of hits or to a text, from the result of the call: names separated by dots, and `json` after ` | `
            where a text is to be parsed, as in `structuredContent.result | json | results`. `text` is the text of the result.
        pattern: a regular expression for hits in a text, with a group named as `id` says, and perhaps those of `score` and `content`.
        id, score, content: the members of a hit; without `score` the order counts.
        id_pattern: finds the id in that member, by its first group.
    """

    ask: Ask = "verbatim"
    hits: Text = "text"
    pattern: str | None = None
    id: Text = "id"
    id_pattern: str | None = None
    score: Text | None = None
    content: Text | None = None

    @field_validator("pattern", "id_pattern")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return _pattern(value)

    @model_validator(mode="after")
    def _finds(self) -> Self:
        if self.pattern is None and self.hits == "text":
            raise ValueError("`hits` is a text: `pattern` is missing, which finds hits in it")
        if self.pattern is not None and self.id not in re.compile(self.pattern).groupindex:
            raise ValueError(f"`pattern` has no group named {self.id}: write (?P<{self.id}>…) around an id")
        return self


class Failure(_Part):
    """What means failure, besides `isError`: a text that matches `text`. One that matches `unless` is never a failure."""

    text: str | None = None
    unless: str | None = None

    @field_validator("text", "unless")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        return _pattern(value)


class MappingFile(_Part):
    """A mapping.

    Attributes:
        command: starts the server, which speaks over standard input and output.
        environment: its variables, besides those of the adapter.
        files: files and folders of the server, relative to the mapping, which the receipt's digest covers.
        timeout_seconds: of one call.
        reset: `restart` with a new folder, or a tool.
    """

    name: Slug
    version: Text
    author: Text = "benchsite"
    backend: Annotated[str, Field(pattern="^([a-z0-9][a-z0-9-]{0,79})?$")] = ""
    command: Annotated[tuple[str, ...], Field(strict=False, min_length=1)]
    environment: dict[str, str] = Field(default_factory=dict)
    files: Annotated[tuple[str, ...], Field(strict=False)] = ()
    timeout_seconds: Annotated[float, Field(gt=0, le=3600, strict=False)] = 30.0
    reset: Literal["restart"] | Tool = "restart"
    ingest: Ingest
    query: Query
    failed_if: Failure = Failure()

    @model_validator(mode="after")
    def _fills(self) -> Self:
        folders = {"work", "here"}
        places: list[tuple[str, Any, set[str]]] = [
            ("command", self.command, folders),
            ("environment", self.environment, folders),
            ("ingest.arguments", self.ingest.arguments, {"id", "content", "timestamp"}),
            ("query.arguments", self.query.arguments, {"query", "k"}),
        ]
        if not isinstance(self.reset, str):
            places.append(("reset.arguments", self.reset.arguments, {"ids"}))
        for place, value, known in places:
            if unknown := sorted(_placeholders(value) - known):
                raise ValueError(
                    f"{place}: unknown placeholder {{{unknown[0]}}}; known: {', '.join(sorted(known))}"
                )
        return self

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools that it calls."""
        reset = () if isinstance(self.reset, str) else (self.reset.tool,)
        return (*reset, self.ingest.tool, self.query.tool)


def read_mapping(path: Path) -> MappingFile:
    """Read a mapping file.

    Raises:
        InputError: it cannot be read, or a member is missing, unknown or wrong; the file and the member are named.
    """
    hint = "see the page 'Measure an MCP server'"
    try:
        return MappingFile.model_validate(canonical.loads(path.read_bytes()))
    except OSError as error:
        raise InputError(
            f"mapping {path.name}: {(error.strerror or 'cannot be read').lower()}", hint="--adapter mcp:FILE"
        ) from None
    except canonical.JsonError as error:
        raise InputError(f"mapping {path.name}: {error.message}", hint=error.hint) from None
    except ValidationError as error:
        place, fault = first_fault(error)
        raise InputError(f"mapping {path.name}: {place or 'file'}: {fault}", hint=hint) from None


def _placeholders(value: Any) -> set[str]:
    """The placeholders in the texts of a JSON value; names of members are never filled."""
    if isinstance(value, str):
        return set(_PLACEHOLDER.findall(value))
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return set[str]().union(*map(_placeholders, parts))


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """Return a JSON value with its placeholders filled; one that is not known stays."""
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        if alone is not None and alone[1] in known:
            return known[alone[1]]
        return _PLACEHOLDER.sub(lambda found: str(known[found[1]]) if found[1] in known else found[0], value)
    if isinstance(value, Mapping):
        return {key: filled(item, known) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [filled(item, known) for item in value]
    return value
