"""The shapes that JavaScript checks by, written from pydantic's models: the same first fault, and refusals by name."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from click.testing import CliRunner
from pydantic import AfterValidator, BaseModel, Field, ValidationError

from benchsite.cli.generated import FILES
from benchsite.cli.reference import main
from benchsite.cli.shapes import Shapes, literal
from benchsite.errors import UsageError
from benchsite.receipt import ReceiptError, _field_error
from benchsite.schema import Schema, Seen, Sha256Hex


@pytest.mark.parametrize("name", FILES)
def test_every_generated_file_is_what_the_program_says(root: Path, name: str) -> None:
    assert (root / name).read_text(encoding="utf-8") == FILES[name](), "run: make reference"


class Inner(Schema):
    share: Annotated[float, Field(ge=0, lt=1)]
    note: Annotated[str, Field(min_length=1, max_length=3)] | None = None


class Outer(Schema):
    word: Literal["on", "off"]
    name: Seen
    whole: Annotated[int, Field(gt=0, le=5)]
    inner_parts: Annotated[tuple[Inner, ...], Field(strict=False, min_length=1, max_length=2)]
    by_name: Annotated[dict[Annotated[str, Field(pattern="^[a-z/]+$")], Inner], Field(max_length=2)]
    options: dict[str, str | int | float | bool | None]
    always: Literal[1]
    nothing: None


GOOD: dict[str, Any] = {
    "word": "on",
    "name": "a",
    "whole": 5,
    "innerParts": [{"share": 0}],
    "byName": {"a/b": {"share": 0.5, "note": "abc"}},
    "options": {"a": 1, "b": "c", "c": None, "d": 0.5, "e": True},
    "always": 1,
    "nothing": None,
}
CASES = [
    GOOD,
    {},
    [],
    {**GOOD, "zeta": 1, "word": "of"},
    {**GOOD, "zeta": 1},
    {**GOOD, "name": "\u2800"},
    *({**GOOD, "whole": value} for value in (0, 6, 1.5, "1", True, None)),
    *({**GOOD, "innerParts": value} for value in ([], {}, [{"share": 0}] * 3, [{"share": 0}, {"share": 1}])),
    *(
        {**GOOD, "innerParts": [{"share": 0, "note": value}]}
        for value in ("", "abcd", "\U0001f600" * 3, None, 1)
    ),
    *(
        {**GOOD, "byName": value}
        for value in ({"A": {"share": 0}}, {"a": {}}, {key: {"share": 0} for key in "abc"})
    ),
    *({**GOOD, "options": value} for value in ({"a": [1]}, {"a": {}}, [])),
    *({**GOOD, "always": value} for value in (2, "1", None)),
    *({**GOOD, "nothing": value} for value in (0, "", False)),
]


def field_of(model: type[BaseModel], document: Any) -> str | None:
    try:
        model.model_validate(document)
    except ValidationError as error:
        fault: ReceiptError = _field_error(error, prefix="")
        return fault.field
    return None


@pytest.mark.skipif(shutil.which("node") is None, reason="SHAPES NOT COMPARED: node is not installed")
def test_a_written_shape_names_the_fault_that_pydantic_names(root: Path, tmp_path: Path) -> None:
    shapes = Shapes("sample", __name__)
    shapes.formats()
    shapes.export("PAYLOAD", Outer)
    for path in (root / "theme" / "verify").glob("*.js"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "shapes-sample.js").write_text(shapes.text("A sample."))
    ask = """
        import { demand } from "./shape.js";
        import { PAYLOAD } from "./shapes-sample.js";
        const fields = JSON.parse(process.argv[1]).map((value) => {
          try { demand(PAYLOAD, value); return null; } catch (error) { return error.field; }
        });
        process.stdout.write(JSON.stringify(fields));
    """
    run = subprocess.run(
        ["node", "--input-type=module", "--eval", ask, json.dumps(CASES)],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert json.loads(run.stdout) == [field_of(Outer, document) for document in CASES]


class Union(Schema):
    either: Inner | int


class Coded(Schema):
    size: Annotated[int, AfterValidator(lambda value: value)]


def _evenly_split(value: Any) -> Any:
    return value


class Named(Schema):
    parts: Annotated[list[Sha256Hex], AfterValidator(_evenly_split)]


def test_what_has_no_word_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"Union\.either: .*model, int"):
        Shapes().export("UNION", Union)
    with pytest.raises(UsageError, match=r"Coded\.size"):
        Shapes("sample", __name__).export("CODED", Coded)


def test_what_a_model_says_in_code_is_a_form_of_its_track() -> None:
    shapes = Shapes("sample", __name__)
    shapes.formats()
    shapes.export("PAYLOAD", Named)
    text = shapes.text("A sample.")
    assert 'import { evenlySplit } from "./forms-sample.js";' in text
    assert "parts: evenlySplit(list(SHA256_HEX))," in text


@pytest.mark.parametrize(
    ("pattern", "written"),
    [("^a/b$", r"/^a\/b$/u"), (r"^[\[\]&]$", r"/^[\[\]&]$/u"), (r"^\x00\-\.$", r"/^\x00\-\.$/u")],
)
def test_patterns_are_written_as_javascript_reads_them(pattern: str, written: str) -> None:
    assert literal(pattern) == written


@pytest.mark.parametrize(
    "pattern", [r"^\d+$", r"^\w$", "^.$", "^(?:a)$", "^[a&&b]$", "^[[:alpha:]]$", r"\bword"]
)
def test_patterns_that_javascript_reads_in_another_way_are_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="else in JavaScript"):
        literal(pattern)


def test_the_shapes_of_a_track_can_be_printed() -> None:
    run = CliRunner().invoke(main, ["shapes", "rubric"])
    assert run.exit_code == 0
    assert run.output == FILES["theme/verify/shapes-rubric.js"]()
    assert CliRunner().invoke(main, ["shapes", "rubrik"]).exit_code == 1
    assert CliRunner().invoke(main, []).exit_code == 2


def test_a_stale_file_is_named(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (
        *FILES,
        "content/docs/cli.md",
        "content/docs/receipt-schema.md",
        "content/docs/api.md",
        "CHANGELOG.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
    assert CliRunner().invoke(main, ["--check"]).exit_code == 0
    (tmp_path / "theme/verify/tables.js").write_text("")
    run = CliRunner().invoke(main, ["--check"])
    assert run.exit_code == 3
    assert "not what the program says: theme/verify/tables.js\n" in run.output
    assert CliRunner().invoke(main, ["--write"]).exit_code == 0
    assert CliRunner().invoke(main, ["--check"]).exit_code == 0
