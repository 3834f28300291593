"""Validation stops at a bounded number of faults, in every model and at every place where faults could pile up."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importable import modules
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from benchsite.schema import MOST_FAULTS, MOST_UNKNOWN, Bounded, Form, Schema, first_fault

MODULES = dict(modules())

COLLECTIONS = {"list", "tuple", "set", "frozenset", "dict"}


def models(base: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    for model in base.__subclasses__():
        if model.__module__.startswith("benchsite."):
            yield model
        yield from models(model)


def adapters() -> Iterator[tuple[str, TypeAdapter[Any]]]:
    for module, content in MODULES.items():
        for name, value in vars(content).items():
            if isinstance(value, TypeAdapter):
                yield f"{module}.{name}", value


def unbounded(node: Any, path: str = "") -> Iterator[str]:
    """Every collection anywhere in a core schema that does not stop at its first fault."""
    if isinstance(node, dict):
        if node.get("type") in COLLECTIONS and not node.get("fail_fast"):
            yield path
        for key, part in node.items():
            if key == "fields":
                for name, field in part.items():
                    yield from unbounded(field, f"{path}.{name}")
            elif key not in ("metadata", "serialization", "default"):
                yield from unbounded(part, f"{path}.{key}")
    elif isinstance(node, (list, tuple)):
        for place, part in enumerate(node):
            yield from unbounded(part, f"{path}[{place}]")


@pytest.mark.parametrize(
    "model", sorted(set(models()), key=lambda model: (model.__module__, model.__qualname__))
)
def test_every_model_stops_at_its_first_faults(model: type[BaseModel]) -> None:
    assert issubclass(model, Bounded), "a model that reads a file is a Schema, a Form or at least Bounded"
    # JSON values that are read already cannot be at fault, so their own recursive schema needs no bound.
    found = [path for path in unbounded(model.__pydantic_core_schema__) if ".definitions[" not in path]
    assert not found


def test_every_type_adapter_stops_at_its_first_fault() -> None:
    found = [(name, list(unbounded(adapter.core_schema))) for name, adapter in adapters()]
    assert [name for name, _ in found] == [
        "benchsite.log.manifest._ROWS",
        "benchsite.tracks.agents.models.recorded._SCRIPT",
        "benchsite.tracks.agents.run.experiment.unit._SLUG",
    ]
    assert all(not paths for _, paths in found)


def test_an_unbounded_model_would_be_noticed() -> None:
    class Forgotten(BaseModel):
        rows: tuple[dict[str, int], ...]

    assert len(list(unbounded(Forgotten.__pydantic_core_schema__))) == 2


class Row(Schema):
    at: int
    on: int


class Strict(Schema):
    rows: Annotated[tuple[Row, ...], Field(strict=False, min_length=2)] = ()
    table: Annotated[dict[str, int], Field(default_factory=dict)]


class Filled(Form):
    rows: Annotated[tuple[Row, ...], Field(strict=False, min_length=2)] = ()
    table: Annotated[dict[str, int], Field(max_length=3, default_factory=dict)]
    more: Annotated[tuple[tuple[Annotated[int, Field(ge=0)], ...], ...], Field(strict=False)] = ()


def faults(model: type[BaseModel], value: object) -> list[tuple[str, tuple[Any, ...]]]:
    try:
        model.model_validate(value)
    except ValidationError as error:
        return [(fault["type"], fault["loc"]) for fault in error.errors()]
    return []


def test_a_schema_names_the_first_faulty_entry() -> None:
    assert faults(Strict, {"rows": [{"at": 1, "on": 2}, {}, {}]})[:2] == [
        ("missing", ("rows", 1, "at")),
        ("missing", ("rows", 1, "on")),
    ]
    assert faults(Strict, {"table": {"a": 1, "b": "x", "c": "y"}}) == [("int_type", ("table", "b"))]


def test_a_form_names_the_first_faulty_entries_with_their_places() -> None:
    rows = [{"at": 1}, {"at": 1, "on": 2}, {"at": "x", "on": 2}]
    assert faults(Filled, {"rows": rows}) == [
        ("missing", ("rows", 0, "on")),
        ("int_type", ("rows", 2, "at")),
    ]
    assert faults(Filled, {"rows": [{}]}) == [
        ("too_short", ("rows",)),
        ("missing", ("rows", 0, "at")),
        ("missing", ("rows", 0, "on")),
    ]
    assert faults(Filled, {"table": {"a": "x", "b": 1, "c": "y"}}) == [
        ("int_type", ("table", "a")),
        ("int_type", ("table", "c")),
    ]
    assert faults(Filled, {"table": dict.fromkeys("abcd", 1)}) == [("too_long", ("table",))]
    assert faults(Filled, {"rows": "text"}) == [("tuple_type", ("rows",))]


def test_a_form_stops_at_a_hundred_faults() -> None:
    assert MOST_FAULTS <= len(faults(Filled, {"rows": [{}] * 5000})) <= MOST_FAULTS + 2
    assert len(faults(Filled, {"table": {str(n): "x" for n in range(5000)}})) == MOST_FAULTS


@pytest.mark.parametrize("model", [Strict, Filled])
def test_of_unknown_members_the_first_are_named(model: type[BaseModel]) -> None:
    unknown = {f"u{n}": n for n in range(5000)}
    assert faults(model, unknown) == [("extra_forbidden", (f"u{n}",)) for n in range(MOST_UNKNOWN)]
    assert faults(model, {"u": 1, "rows": "x"})[0] == ("tuple_type", ("rows",))


@given(
    st.lists(
        st.one_of(st.integers(-2, 2), st.text(max_size=1), st.lists(st.integers(-2, 2), max_size=3)),
        max_size=6,
    )
)
def test_a_form_takes_and_refuses_what_the_schema_of_the_same_fields_does(rows: list[Any]) -> None:
    class Plain(Schema):
        more: Annotated[
            tuple[Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(strict=False)], ...],
            Field(strict=False),
        ] = ()

    class Written(Form):
        more: Annotated[
            tuple[Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(strict=False)], ...],
            Field(strict=False),
        ] = ()

    plain, written = faults(Plain, {"more": rows}), faults(Written, {"more": rows})
    assert bool(plain) == bool(written)
    assert plain[:1] == written[:1]


class _Row(Schema):
    rank: int


@pytest.mark.parametrize(("value", "place"), [({"rank": "x"}, "rank"), ({}, "rank"), ("x", "")])
def test_the_first_fault_is_placed(value: object, place: str) -> None:
    with pytest.raises(ValidationError) as caught:
        _Row.model_validate(value)
    found, message = first_fault(caught.value)
    assert found == place
    assert message[0].islower()
