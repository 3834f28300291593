"""The shapes of receipts and log entries for the browser, written from the models that Python checks them by.

Owns the translation of a pydantic model into the combinators of `theme/verify/shape.js`, which name the same field of
the same fault: declared fields in their order, then unknown ones. What a model says in Python code is a named form:
`_ascending` of a track is `ascending` in its `forms-<track>.js`, one of the core is in `forms.js`. A form takes the
check of the value below it and gives the check of both.

Refused, naming the model: what `shape.js` has no word for, and patterns that JavaScript would read in another way.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter

from benchsite import schema as formats
from benchsite.errors import UsageError

_SHAPE: Final = "shape.js"
_FORMS: Final = "forms.js"
_SCHEMAS: Final = "schemas.js"
_WIDTH: Final = 120
_NUMBERS: Final = 2**53 - 1
_ONLY_PYTHON: Final = frozenset({"_few_unknown", "_first_faults"})
"""Functions that guard against reports without end, of which JavaScript makes none."""

# What JavaScript reads in another way: classes that differ in Unicode, groups that are not plain, sets within sets.
_DIFFERENT: Final = re.compile(r"\\[dDwWsSbBAzpP]|\(\?|&&|--|~~|\[:")
_SET: Final = re.compile(r"\\.|\[(?:\\.|[^\]])*\]")
_ESCAPE: Final = re.compile(r"\\(.)|/")
_FORMATS: Final = (
    *("Slug", "Semver", "Uuid4", "Sha256Hex", "UtcSeconds", "Fingerprint", "Base64Url64", "Base64Hash"),
    *("GitCommit", "Text", "Seen"),
)


def constant(name: str) -> str:
    """`LOG_HEAD` for `LogHead`, as JavaScript names a constant."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip("_")).upper()


def literal(pattern: str) -> str:
    """A pattern of pydantic as a regular expression of JavaScript."""
    if _DIFFERENT.search(pattern) or "." in _SET.sub("", pattern):
        raise UsageError(
            f"pattern {pattern!r} would mean something else in JavaScript",
            hint="write the characters out: [0-9] in place of \\d, [^\\n] in place of a dot",
        )
    return f"/{_ESCAPE.sub(_escape, pattern)}/u"


def _escape(found: re.Match[str]) -> str:
    """JavaScript's way to write it: a slash is escaped, and with the flag `u` nothing that needs no escape."""
    if found[0] == "/":
        return r"\/"
    return found[1] if found[1] in "&#!~'\" %,;:=@<>`" else found[0]


class Shapes:
    """One module being written: what it imports, and a constant for each model, after those it is made of."""

    def __init__(self, track: str = "", package: str = "") -> None:
        self._track = track
        self._package = package
        self._imports: defaultdict[str, set[str]] = defaultdict(set)
        self._names: dict[type[BaseModel], str] = {}
        self._exported: dict[type[BaseModel], str] = {}
        self._lines: list[str] = []
        self._refs: dict[str, Any] = {}
        self._has_formats = True
        self._formats: dict[str, str] = {}

    def formats(self, *, here: bool = False) -> None:
        """Know the strings that benchsite.schema names: define them here, or take them from where they are defined."""
        for name in _FORMATS:
            node = TypeAdapter(getattr(formats, name)).core_schema
            if here:
                self._lines.append(f"export const {constant(name)} = {self._check(node, name)};")
            self._formats[_key(node)] = constant(name)
        self._has_formats = here
        if here:
            self._lines[-1] += "\n"

    def export(self, name: str, model: type[BaseModel]) -> None:
        """Export one model's check."""
        self._exported[model] = name
        self._of(model)

    def export_map(self, name: str, models: Mapping[str, type[BaseModel]]) -> None:
        """Export the checks of several models by a word."""
        entries = "".join(f"  [{json.dumps(key)}, {self._of(model)}],\n" for key, model in models.items())
        self._lines.append(f"export const {name} = new Map([\n{entries}]);\n")

    def export_fields(self, name: str, model: type[BaseModel]) -> None:
        """Export the names of one model's members."""
        names = [json.dumps(field.alias) for field in model.model_fields.values()]
        self._lines.append(f"export const {name} = new Set([\n{_folded(names)}]);\n")

    def text(self, head: str) -> str:
        """The module."""
        taken = "".join(_import(sorted(names), module) for module, names in sorted(self._imports.items()))
        return f"// {head}\n\n{taken}\n" + "\n".join(self._lines)

    def _word(self, name: str) -> str:
        self._imports[_SHAPE].add(name)
        return name

    def _of(self, model: type[BaseModel]) -> str:
        return self._check(model.__pydantic_core_schema__, model.__name__)

    def _check(self, node: Any, where: str) -> str:
        """The expression that checks what one node of a core schema accepts."""
        known = self._formats.get(_key(node))
        if known is not None:
            if not self._has_formats:
                self._imports[_SCHEMAS].add(known)
            return known
        write: Callable[[Any, str], str] | None = getattr(self, "_" + node["type"].replace("-", "_"), None)
        if write is None:
            raise UsageError(
                f"{where}: shape.js has no word for a {node['type']}",
                hint="use text, numbers, true and false, null, lists, dictionaries, literals and models",
            )
        return write(node, where)

    def _str(self, node: Any, _: str) -> str:
        pattern = [literal(node["pattern"])] if "pattern" in node else []
        bounds = _bounds({"min": node.get("min_length"), "max": node.get("max_length")})
        return (
            f"{self._word('text')}({', '.join([*(pattern or (['undefined'] if bounds else [])), *bounds])})"
        )

    def _int(self, node: Any, _: str) -> str:
        least = node["gt"] + 1 if "gt" in node else node.get("ge", -_NUMBERS)
        most = node["lt"] - 1 if "lt" in node else node.get("le", _NUMBERS)
        ends = [least, most] if most < _NUMBERS else [least] if least > -_NUMBERS else []
        return f"{self._word('integer')}({', '.join(map(str, ends))})"

    def _float(self, node: Any, _: str) -> str:
        ends = {
            "min": node.get("ge"),
            "above": node.get("gt"),
            "max": node.get("le"),
            "below": node.get("lt"),
        }
        return f"{self._word('number')}({', '.join(_bounds(ends))})"

    def _bool(self, _node: Any, _: str) -> str:
        return self._word("BOOLEAN")

    def _none(self, _node: Any, _: str) -> str:
        return f"{self._word('only')}(null)"

    def _any(self, _node: Any, _: str) -> str:
        return self._word("ANY")

    def _literal(self, node: Any, _: str) -> str:
        return f"{self._word('only')}({', '.join(json.dumps(one) for one in node['expected'])})"

    def _nullable(self, node: Any, where: str) -> str:
        return f"{self._word('nullable')}({self._check(node['schema'], where)})"

    def _union(self, node: Any, where: str) -> str:
        """Pydantic names the first kind that it tried, by its own word for it."""
        kinds = [choice["type"] for choice in node["choices"]]
        if not {*kinds} <= {"str", "int", "float", "bool"} or any(len(one) > 1 for one in node["choices"]):
            raise UsageError(
                f"{where}: shape.js has no word for a union of {', '.join(kinds)}",
                hint="give the field one kind of value, or null",
            )
        checks = ", ".join(self._check(choice, where) for choice in node["choices"])
        return f"{self._word('either')}({json.dumps(kinds[0])}, {checks})"

    def _tuple(self, node: Any, where: str) -> str:
        (item,) = node["items_schema"]
        return self._list({**node, "items_schema": item}, where)

    def _list(self, node: Any, where: str) -> str:
        ends = {"min": node.get("min_length"), "max": node.get("max_length")}
        return self._call("list", [self._check(node["items_schema"], where), *_bounds(ends)])

    def _dict(self, node: Any, where: str) -> str:
        ends = {"min": node.get("min_length"), "max": node.get("max_length")}
        name = self._check(node.get("keys_schema", {"type": "str"}), where)
        return self._call("record", [name, self._check(node["values_schema"], where), *_bounds(ends)])

    def _call(self, name: str, arguments: list[str]) -> str:
        return f"{self._word(name)}({', '.join(arguments)})"

    def _function(self, node: Any, where: str) -> str:
        """What is checked by code: the form of that name round what is checked below it."""
        function = node["function"]["function"]
        inner = self._check(node["schema"], where)
        if function.__name__ in _ONLY_PYTHON or _is_boolean(node["schema"]):
            return inner
        own = self._package and function.__module__.startswith(self._package)
        if not function.__name__.isidentifier():
            raise UsageError(
                f"{where}: a check in code needs a name, for its form in the browser",
                hint="write it as a function, not as a lambda",
            )
        head, *rest = function.__name__.strip("_").split("_")
        form = head + "".join(word.title() for word in rest)
        self._imports[f"forms-{self._track}.js" if own else _FORMS].add(form)
        return f"{form}({inner})"

    _function_after = _function
    _function_before = _function
    _function_wrap = _function

    def _definitions(self, node: Any, where: str) -> str:
        self._refs.update({one["ref"]: one for one in node["definitions"]})
        return self._check(node["schema"], where)

    def _definition_ref(self, node: Any, where: str) -> str:
        return self._check(self._refs[node["schema_ref"]], where)

    def _model(self, node: Any, _: str) -> str:
        model = node["cls"]
        if model not in self._names:
            inner = self._check(node["schema"], model.__name__)
            name = self._exported.get(model, constant(model.__name__))
            while name in self._names.values():
                name += "_"
            self._names[model] = name
            prefix = "export " if model in self._exported else ""
            self._lines.append(f"{prefix}const {name} = {inner};\n")
        return self._names[model]

    def _model_fields(self, node: Any, where: str) -> str:
        members = [self._member(name, field["schema"], f"{where}.{name}") for name, field in _declared(node)]
        return f"{self._word('object')}({{\n{''.join(members)}}})"

    def _member(self, name: str, node: Any, where: str) -> str:
        has_default = node["type"] == "default"
        key = f'"{name}?"' if has_default else name
        return f"  {key}: {self._check(node['schema'] if has_default else node, where)},\n"


def _import(names: list[str], module: str) -> str:
    line = f'import {{ {", ".join(names)} }} from "./{module}";\n'
    return line if len(line) <= _WIDTH else f'import {{\n{_folded(names)}}} from "./{module}";\n'


def _folded(words: list[str]) -> str:
    """Words with commas, in indented lines."""
    return "".join(f"  {line}\n" for line in textwrap.wrap(", ".join(words) + ",", _WIDTH - 2))


def _key(node: Any) -> str:
    """Equal for nodes that check the same."""
    return repr({name: value for name, value in node.items() if name not in ("metadata", "ref")})


def _is_boolean(node: Any) -> bool:
    """Whether code stands round `Literal[True]` or `Literal[False]`, which for Python equal 1 and 0."""
    return node["type"] == "literal" and all(type(one) is bool for one in node["expected"])


def _declared(node: Any) -> Iterator[tuple[str, Any]]:
    for name, field in node["fields"].items():
        yield field.get("validation_alias", name), field


def _bounds(ends: Mapping[str, int | float | None]) -> list[str]:
    """The bounds that there are, as one argument."""
    given = [f"{name}: {json.dumps(value)}" for name, value in ends.items() if value is not None]
    return [f"{{ {', '.join(given)} }}"] if given else []
