"""The table of invisible characters: Unicode's own properties, the same in Python and in JavaScript."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from benchsite.schema import Seen
from benchsite.unseen import escaped, is_blank, is_invisible, without_invisible

EVERY = range(0x110000)
ENGINE = Path(__file__).parents[1] / "theme" / "verify"
# The properties that the table is made of, as the engine's own Unicode data has them.
ORACLE = """
import { isBlank, visible, withoutInvisible } from "./unseen.js";
const made = /[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Noncharacter_Code_Point}\\u2800]/u;
const found = { oracle: [], blank: [], escaped: [], removed: [] };
for (let point = 0; point < 0x110000; point += 1) {
  const text = String.fromCodePoint(point);
  if (made.test(text)) found.oracle.push(point);
  if (isBlank(text)) found.blank.push(point);
  if (visible(text) !== text) found.escaped.push(point);
  if (withoutInvisible(text) === "") found.removed.push(point);
}
process.stdout.write(JSON.stringify(found));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="TABLES NOT COMPARED: node is not installed")
@pytest.mark.stories
def test_both_tables_are_what_unicode_says_over_every_code_point() -> None:
    run = subprocess.run(
        ["node", "--input-type=module", "--eval", ORACLE], cwd=ENGINE, capture_output=True, check=True
    )
    found = json.loads(run.stdout)
    assert found["oracle"] == [point for point in EVERY if is_invisible(chr(point))]
    assert found["blank"] == [point for point in EVERY if is_blank(chr(point))]
    assert found["escaped"] == [point for point in EVERY if escaped(chr(point)) != chr(point)]
    assert found["removed"] == [point for point in EVERY if without_invisible(chr(point)) == ""]


def test_no_control_or_format_character_of_this_python_is_missing() -> None:
    wanted = {"Cc", "Cf", "Zl", "Zp"}
    missing = [hex(p) for p in EVERY if unicodedata.category(chr(p)) in wanted and not is_invisible(chr(p))]
    assert missing == []


@pytest.mark.parametrize(
    "character", "\u2800\ufffe\uffff\U0001bca0\U0001d173\u202e\u200b\u00ad\x1b\u3164\U000e0041"
)
def test_what_is_not_drawn_is_written_out(character: str) -> None:
    assert escaped(f"a{character}b") == f"a\\u{ord(character):04x}b"
    assert is_blank(f" {character}\u3000")
    assert without_invisible(f"a{character}b") == "ab"


def test_half_a_character_is_written_out_and_does_not_pass_for_nothing() -> None:
    assert escaped("a\ud800b") == "a\\ud800b"
    assert not is_blank("\udfff")


@pytest.mark.parametrize("character", "aé日\u0301\U0001f600·")
def test_what_is_drawn_stays(character: str) -> None:
    assert escaped(character) == character
    assert not is_blank(f"\u2800{character}")


@given(st.text())
def test_what_is_shown_holds_nothing_invisible_and_a_blank_is_all_gaps(text: str) -> None:
    shown = escaped(text)
    assert all(not is_invisible(character) or character in "\t\n" for character in shown)
    assert is_blank(text) == all(is_invisible(c) or unicodedata.category(c) == "Zs" for c in text)
    assert escaped(shown) == shown


SEEN: TypeAdapter[str] = TypeAdapter(Seen)


@pytest.mark.parametrize("name", [" ", "\u2800", "\u00a0\u200b", "\u3164", "\U000e0041", "\u3000\ufffe"])
def test_a_name_blank_to_the_eye_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="only spaces"):
        SEEN.validate_python(name)
    assert SEEN.validate_python(f"{name}Ada") == f"{name}Ada"
