from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from benchsite.errors import InputError
from benchsite.yaml_document import load, refuse_code


def test_values_know_their_lines() -> None:
    found = load(b"a: 1\nb:\n  - x\n  - {c: true}\n", "f.yml")
    assert found.value == {"a": 1, "b": ["x", {"c": True}]}
    assert found.line(("a",)) == 1
    assert found.line(("b", 1, "c")) == 4


def test_the_line_of_a_missing_value_is_its_parents() -> None:
    assert load(b"a: 1\nb:\n  c: 2\n", "f.yml").line(("b", "absent")) == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"a: 1\nb: 2\na: 3\n", "line 3: 'a' .*twice"),
        (b"a: &x [1]\nb: *x\n", "line 2: aliases"),
        (b"a: [1\nb: 2\n", "line 2: not YAML"),
        (b"\xff\xfe", "UTF-8 .*byte 0"),
        (b"[" * 40, "deeper than 32"),
        (b"a: " + b"x" * (1 << 20), "1,048,576 bytes"),
    ],
)
def test_bad_documents_name_file_and_line(text: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        load(text, "f.yml")


@pytest.mark.parametrize(
    ("scalar", "complaint"),
    [
        ("!!int abc", "'abc' .*integer"),
        ("!!int 0b_", "'0b_' .*integer"),
        ("!!int ''", "'' .*integer"),
        ("!!bool maybe", "'maybe' .*true"),
        ("!!float x", "'x' .*number"),
        ("9" * 5000, "'9{40}...' .*integer .*length"),
        ("0x" + "f" * 5000, "integer .*length"),
        ("!!float " + "1:" * 5000 + "1", "number .*length"),
        ("!!map text", "'text' .*mapping"),
        ("!!seq text", "'text' .*list"),
        (r'"\ud800"', "'.ud800' .*UTF-8"),
        (r'!!timestamp "\ud800"', "UTF-8"),
        (r'{"\ud800": 1}', "UTF-8"),
    ],
    ids=lambda value: value[:24],
)
def test_scalars_that_are_not_what_they_claim_name_file_and_line(scalar: str, complaint: str) -> None:
    with pytest.raises(InputError, match=rf"f\.yml, line 2: .*{complaint}"):
        load(f"a: 1\nb: {scalar}\n".encode(), "f.yml")


@pytest.mark.parametrize("text", [rb'a: "\UFFFFFFFF"', b"%YAML " + b"1" * 5000 + b".1\n--- a\n"])
def test_what_the_scanner_cannot_read_is_an_input_error(text: bytes) -> None:
    with pytest.raises(InputError, match=r"^f\.yml.*: not YAML"):
        load(text, "f.yml")


def test_tags_of_other_programs_are_not_executed() -> None:
    text = b"a: !mine os.system\nb: !ENV HOME\nc: !other [ls]\n"
    assert load(text, "f.yml").value == {"a": None, "b": None, "c": ["ls"]}


@pytest.mark.parametrize(
    "text",
    [
        b"a: 1\nb: !!python/name:os.system\n",
        b"a: 1\nb: !!python/object/apply:os.system [ls]\n",
        b"a: 1\nb: {c: [!!python/module:os x]}\n",
        b"a: 1\n!!python/name:os.system : x\n",
        b"a: 1\nb: !<tag:yaml.org,2002:python/name:os.system> x\n",
        b"a: 1\nb: !!pyth%6Fn/name:os.system x\n",
        b"%TAG !x! tag:yaml.org,2002:python/\n---\nb: !x!name:os.system x\n".replace(b"---\n", b"--- \n", 1),
    ],
)
def test_tags_that_name_python_code_are_refused_everywhere(text: bytes) -> None:
    for read in (load, refuse_code):
        with pytest.raises(InputError, match=r"^f\.yml, line [23]: .*'!!python/") as caught:
            read(text, "f.yml")
        assert "mkdocs would run" in caught.value.hint


def test_only_code_is_refused_in_a_document_of_another_program() -> None:
    refuse_code(b"a: &x 1\nb: *x\nb: !ENV HOME\nc: !relative x\n", "f.yml")
    with pytest.raises(InputError, match=r"^f\.yml .*UTF-8"):
        refuse_code("a: !!python/name:os.system".encode("utf-16"), "f.yml")
    with pytest.raises(InputError, match=r"^f\.yml, line 2: not YAML"):
        refuse_code(b"a: [\n", "f.yml")


def test_dates_stay_text() -> None:
    assert load(b"d: 2026-11-21\n", "f.yml").value == {"d": "2026-11-21"}


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    n: int


@pytest.mark.parametrize("text", [b"a:\n  b: !ENV X\n", b"a:\n  b: !mine/name:os.system\n"])
def test_foreign_tags_are_nothing_or_errors(text: bytes) -> None:
    assert load(text, "f.yml").value == {"a": {"b": None}}
    with pytest.raises(InputError, match=r"f\.yml, line 2: .*'!(ENV|mine/)"):
        load(text, "f.yml", tags="refused")


@pytest.mark.parametrize(
    ("text", "value", "complaint"),
    [
        (b"a:\n  b: &x 1\n", {"a": {"b": 1}}, "anchors"),
        (b"a:\n  &x b: 1\n", {"a": {"b": 1}}, "anchors"),
        (b"a:\n  b: &x [1]\n", {"a": {"b": [1]}}, "anchors"),
        (b"a:\n  b: !!int '4'\n", {"a": {"b": 4}}, "'tag:yaml.org,2002:int'"),
        (b"a:\n  b: !!seq [4]\n", {"a": {"b": [4]}}, "'tag:yaml.org,2002:seq'"),
        (b"a:\n  b: ! x\n", {"a": {"b": "x"}}, "'!'"),
    ],
)
def test_anchors_and_written_tags_are_errors_where_tags_are(
    text: bytes, value: object, complaint: str
) -> None:
    assert load(text, "f.yml").value == value
    with pytest.raises(InputError, match=rf"^f\.yml, line 2: .*{complaint}"):
        load(text, "f.yml", tags="refused")


def test_plain_values_pass_where_tags_are_refused() -> None:
    value = {"a": [1, 2.5, True, None, "x"], "d": "2026-11-21"}
    assert load(b"a: [1, 2.5, yes, ~, x]\nd: 2026-11-21\n", "f.yml", tags="refused").value == value


def test_schema_faults_name_the_line_and_key() -> None:
    with pytest.raises(InputError, match=r"f\.yml, line 3: extra\.n: "):
        load(b"top: 1\nextra:\n  n: text\n", "f.yml").check(_Model, "extra")


class _Patterned(BaseModel):
    code: str = Field("7", pattern="^[0-9]$")
    size: str = Field("AB", pattern="^[A-Z]{2}$")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b"code: ab", "line 1: code: .*digit"),
        (b"size: ab", r"line 1: size: .*\^\[A-Z\]\{2\}\$$"),
        (b"code: 5", "line 1: code: .*string"),
    ],
)
def test_patterns_are_said_in_words_where_we_have_them(text: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        load(text, "f.yml").check(_Patterned, patterns={"^[0-9]$": "must be one digit"})


json_like = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text("abc é\n:#'\"-", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("abcdef", min_size=1, max_size=4), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=4), json_like, max_size=4))
def test_whatever_yaml_dumps_is_read_back(value: object) -> None:
    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            return True

    text = yaml.dump(value, Dumper=Plain, allow_unicode=True).encode()
    assert load(text, "f.yml").value == value


_tags = st.sampled_from(["", "!!int ", "!!float ", "!!bool ", "!!null ", "!!str ", "!!map ", "!!seq ", "!x "])
_scalars = st.text("0123456789abxXoO_:.-+eE#'\"\\uUdDnft \n", max_size=12) | st.text(max_size=6)


@given(st.lists(st.tuples(_tags, _scalars), min_size=1, max_size=4))
def test_any_tagged_scalars_load_or_give_an_input_error(found: list[tuple[str, str]]) -> None:
    text = "".join(f"- {tag}{scalar}\n" for tag, scalar in found)
    try:
        load(text.encode(errors="replace"), "f.yml")
    except InputError as error:
        assert "f.yml" in error.message


@given(st.binary(max_size=200))
def test_any_bytes_load_or_give_an_input_error(data: bytes) -> None:
    try:
        load(data, "f.yml")
    except InputError as error:
        assert "f.yml" in error.message


@pytest.mark.full
@pytest.mark.stories
def test_a_document_of_very_many_values_is_refused_before_it_is_read_whole():
    """A file below the limit of bytes took a quarter of a minute."""
    most = "- a\n" * 49_999  # with the list itself 50,000
    assert len(load(most.encode(), "x.yaml").value) == 49_999
    with pytest.raises(InputError, match=r"x\.yaml, line 50000: .*50,000"):
        load((most + "- a\n" * 100_000).encode(), "x.yaml")
