"""YAML read strictly: every value knows its line; duplicate keys, aliases and unreadable scalars are errors.

Tags that other programs put in `mkdocs.yml` (`!ENV`) load as None: they are not ours to execute. In documents that are
ours alone they are errors. Tags `!!python/...` are errors everywhere: the loader of mkdocs would run what they name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from benchsite.errors import InputError

M = TypeVar("M", bound=BaseModel)
MAX_BYTES: Final = 1024 * 1024
_MAX_DEPTH: Final = 32
_MAX_NODES: Final = 50_000
"""Values, keys, lists and mappings of a document: the largest of ours has a tenth of them, and each costs 30 µs."""
_PLAIN_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str", "seq", "map")
)
_TEXT: Final = "tag:yaml.org,2002:str"
_KINDS: Final = {
    "null": "null",
    "bool": "true or false",
    "int": "an integer of reasonable length",
    "float": "a number of reasonable length",
    "str": "text that UTF-8 can write",
    "seq": "a list",
    "map": "a mapping",
}
_PYTHON: Final = "tag:yaml.org,2002:python/"
"""What the tags begin with by which PyYAML's own loaders import and call anything."""
_NUMBERS: Final = frozenset({"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"})
_LONGEST_NUMBER: Final = 400
"""Characters of a number: enough for any float in decimals, too few for an integer that Python will not print."""

_NO_WORDS: Final[Mapping[str, str]] = MappingProxyType({})
_CORRECT: Final = "correct the value on that line, or remove the key"
Tags = Literal["ignored", "refused"]


class YamlError(InputError):
    """A document that is not YAML, or YAML of a kind that no file of ours needs."""

    next_step = "correct it there: plain YAML in UTF-8, each key once, without anchors and aliases"


class YamlDocument:
    """A parsed document, and the line each of its values stands on."""

    def __init__(self, value: Any, lines: dict[tuple[str | int, ...], int], where: str) -> None:
        self.value = value
        self.where = where
        self._lines = lines

    def line(self, path: Sequence[str | int]) -> int:
        """The 1-based line of the value at `path`, or of its nearest known parent."""
        for end in range(len(path), -1, -1):
            found = self._lines.get(tuple(path[:end]))
            if found is not None:
                return found
        return 1

    def error(self, path: Sequence[str | int], message: str, *, hint: str) -> InputError:
        """An error that names file, line and key."""
        key = ".".join(str(part) for part in path)
        return InputError(f"{self.where}, line {self.line(path)}: {key}: {message}", hint=hint)

    def check(self, model: type[M], *path: str, patterns: Mapping[str, str] = _NO_WORDS) -> M:
        """Validate the value under `path` (an absent one as `{}`) against a model, naming the line at fault.

        `patterns` says in words what a text must look like, by the pattern it must match.
        """
        value = self.value
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        try:
            return model.model_validate({} if value is None else value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise self.error((*path, *first["loc"]), _worded(first, patterns), hint=_CORRECT) from None


def _worded(fault: ErrorDetails, patterns: Mapping[str, str]) -> str:
    """Pydantic's sentence without its capital; a pattern in words where we have them, else as it stands."""
    if fault["type"] == "string_pattern_mismatch":
        pattern = str(fault.get("ctx", {}).get("pattern", ""))
        return patterns.get(pattern, f"does not match {pattern}")
    return fault["msg"][:1].lower() + fault["msg"][1:]


def load(data: bytes, where: str, *, tags: Tags = "ignored") -> YamlDocument:
    """Parse one YAML document.

    Args:
        data: the file's bytes.
        where: what the messages call it.
        tags: what to do with tags that are not YAML's own: load their values as None, or refuse them.

    Raises:
        YamlError: not UTF-8, not YAML, too large, too deep, an alias, a tag that names Python code, a key given
            twice, or a scalar that is not what its tag says.
    """
    node = _composed(data, where, tags)
    lines: dict[tuple[str | int, ...], int] = {}
    value = _value(node, (), lines, where, tags) if node is not None else {}
    return YamlDocument(value, lines, where)


@lru_cache(maxsize=8)
def _composed(data: bytes, where: str, tags: Tags) -> Node | None:
    """Return the nodes of a document: `mkdocs.yml` is the same at most commits that an audit reads."""
    with _reported(data, where):
        node: Node | None = _Composer(data.decode("utf-8"), where, tags).get_single_node()
    return node


def refuse_code(data: bytes, where: str) -> None:
    """Refuse a document that another program reads, where a tag names Python code; aliases and the rest may stand.

    Raises:
        YamlError: such a tag, or a document that is too large or not YAML.
    """
    with _reported(data, where):
        for event in yaml.parse(data.decode("utf-8"), Loader=yaml.SafeLoader):
            _refuse_code(event, where)


@contextmanager
def _reported(data: bytes, where: str) -> Iterator[None]:
    """What PyYAML says of a document, as errors of ours that name the file and the line."""
    if len(data) > MAX_BYTES:
        raise YamlError(f"{where} is larger than {MAX_BYTES:,} bytes")
    try:
        yield
    except UnicodeDecodeError as error:
        raise YamlError(f"{where} is not UTF-8 at byte {error.start}") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise YamlError(f"{where}, line {line}: not YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise YamlError(f"{where}: not YAML: {type(error).__name__}") from None
    except (ValueError, OverflowError):  # PyYAML's scanner lets int() and chr() fail
        raise YamlError(f"{where}: not YAML: invalid escape or version") from None


class _Composer(yaml.SafeLoader):
    """PyYAML's composer, which is shown every event before it makes a node of it.

    Aliases can grow a small file without bound, and no file of ours needs them, nor their anchors, nor tags.
    """

    def __init__(self, text: str, where: str, tags: Tags) -> None:
        super().__init__(text)
        self._where = where
        self._tags = tags
        self._depth = 0
        self._nodes = 0

    def get_event(self) -> yaml.Event:
        """The next event, if it may stand there."""
        event: yaml.Event = super().get_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            raise YamlError(f"{self._where}, line {_line(event)}: aliases are not allowed")
        _refuse_code(event, self._where)
        self._nodes += isinstance(event, yaml.NodeEvent)
        if self._nodes > _MAX_NODES:
            raise YamlError(f"{self._where}, line {_line(event)}: more than {_MAX_NODES:,} values")
        if self._tags == "refused" and isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            _refuse_marks(event, self._where)
        if isinstance(event, yaml.CollectionStartEvent):
            self._depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            self._depth -= 1
        if self._depth > _MAX_DEPTH:
            raise YamlError(f"{self._where}, line {_line(event)}: nested deeper than {_MAX_DEPTH}")
        return event


def _refuse_code(event: yaml.Event, where: str) -> None:
    """A tag by which a loader of Python objects would import a module or call a function."""
    tag = getattr(event, "tag", None)
    if isinstance(tag, str) and tag.startswith(_PYTHON):
        raise YamlError(
            f"{where}, line {_line(event)}: the tag {f'!!python/{tag.removeprefix(_PYTHON)}'[:60]!a} is not allowed",
            hint="remove it: mkdocs would run that code",
        )


def _refuse_marks(event: yaml.ScalarEvent | yaml.CollectionStartEvent, where: str) -> None:
    """An anchor, or a tag that says what its value is to be taken for."""
    if event.anchor is not None:
        raise YamlError(f"{where}, line {_line(event)}: anchors are not allowed")
    if event.tag is not None:
        raise YamlError(f"{where}, line {_line(event)}: the tag {str(event.tag)[:60]!a} is not allowed")


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark is not None else 1


def _value(
    node: Node, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int], where: str, tags: Tags
) -> Any:
    lines[path] = line = node.start_mark.line + 1
    if tags == "refused" and not (node.tag in _PLAIN_TAGS or node.tag.endswith(":timestamp")):
        raise YamlError(f"{where}, line {line}: the tag {node.tag[:60]!a} is not allowed")
    if isinstance(node, MappingNode):
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(_text(key_node, where))
            if key in found:
                raise YamlError(f"{where}, line {key_node.start_mark.line + 1}: {key!r} is given twice")
            found[key] = _value(value_node, (*path, key), lines, where, tags)
        return found
    if isinstance(node, SequenceNode):
        return [_value(item, (*path, place), lines, where, tags) for place, item in enumerate(node.value)]
    if isinstance(node, ScalarNode) and node.tag in _PLAIN_TAGS:
        return _scalar(node, where)
    return _text(node, where) if node.tag.endswith(":timestamp") else None


def _text(node: Node, where: str) -> Any:
    """A key, or a date, as the text it is written in."""
    return _scalar(ScalarNode(_TEXT, str(node.value), node.start_mark), where)


def _scalar(node: ScalarNode, where: str) -> Any:
    """The value of a scalar; PyYAML's constructors raise whatever int(), float() or a table look-up raises."""
    kind = node.tag.rsplit(":", 1)[-1]
    shown = ascii(node.value if len(node.value) <= 40 else f"{node.value[:40]}...")
    fault = YamlError(f"{where}, line {node.start_mark.line + 1}: {shown} is not {_KINDS[kind]}")
    if kind in ("seq", "map") or (node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER):
        raise fault
    try:
        # Most scalars are text, and a loader for each would cost more than reading the document.
        value = node.value if kind == "str" else yaml.SafeLoader("").construct_object(node)
        if isinstance(value, str):
            value.encode()  # "\ud800" is YAML, and no text that could be written anywhere
    except (yaml.YAMLError, ValueError, LookupError, OverflowError, TypeError):
        raise fault from None
    return value
