from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from benchsite import methodology, yaml_document
from benchsite.errors import InputError

DATA: dict[str, Any] = {
    "track": "retrieval",
    "version": "1.2.3",
    "title": "T",
    "published": "2026-01-01",
    "summary": "S",
    "receiptSchema": "1.0.0",
    "measures": [],
    "parameters": {},
    "changes": [{"type": "added", "text": "x"}],
}
FILES = {"methodology.yaml": b"track: retrieval\nversion: 1.2.3\nparameters: {}\n", "text.md": b"# b\n"}
WHERE = "methodology/retrieval/1.2.3"


def test_the_digest_is_of_the_digests() -> None:
    """DESIGN.md: sha256 of JCS({"methodology.yaml": hex, "text.md": hex}), written out here by hand."""
    one, two = (hashlib.sha256(FILES[name]).hexdigest() for name in ("methodology.yaml", "text.md"))
    by_hand = hashlib.sha256(f'{{"methodology.yaml":"{one}","text.md":"{two}"}}'.encode()).hexdigest()
    assert methodology.digest(FILES) == by_hand
    found = methodology.parse(DATA, files=FILES, where=WHERE)
    assert found.reference == {"id": "retrieval", "version": "1.2.3", "sha256": by_hand}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"version": "1.2"}, "version"),
        ({"track": "Retrieval"}, "track"),
        ({"changes": [{"type": "fixed", "text": "x"}]}, r"changes\.0\.type"),
        ({"extra": 1}, "extra"),
        ({"published": "yesterday"}, "published"),
        ({"version": "1.2.4"}, "declares retrieval/1.2.4"),
    ],
)
def test_faults_name_folder_and_field(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        methodology.parse({**DATA, **change}, files=FILES, where=WHERE)
    assert WHERE in caught.value.message


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            b"track: retrieval\nversion: !!str 1.2.3\nparameters: {}\n",
            r"methodology\.yaml, line 2: .*plain",
        ),
        (
            b"track: retrieval\nversion: 1.2.4\nparameters: {}\n",
            'version .*"1.2.3" .*"1.2.4"',
        ),
    ],
)
def test_the_keys_that_decide_a_re_score_are_plain(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        methodology.parse(DATA, files={**FILES, "methodology.yaml": data}, where=WHERE)


def test_prose_must_be_utf8() -> None:
    with pytest.raises(InputError, match=r"text\.md .*byte 1"):
        methodology.parse(DATA, files={**FILES, "text.md": b"a\xff"}, where=WHERE)


def test_the_newest_version_is_by_number_not_by_text() -> None:
    assert methodology.newest(["1.9.0", "1.10.0", "0.99.99"]) == "1.10.0"


def test_ours_parse_and_say_what_changed(root: Path) -> None:
    found = {}
    for path in sorted((root / "methodology/retrieval").glob("*/methodology.yaml")):
        files = {name: (path.parent / name).read_bytes() for name in ("methodology.yaml", "text.md")}
        document = yaml_document.load(files["methodology.yaml"], path.name)
        made = methodology.parse(document.value, files=files, where=path.parent.as_posix())
        found[made.data.version] = made
    assert sorted(found) == ["0.0.1", "1.0.0"]
    assert {change.type for change in found["1.0.0"].data.changes} == {"added", "changed", "removed"}


def test_every_number_of_a_receipt_is_defined_by_the_methodology(root: Path) -> None:
    """1.0.0 defines each column that scoring emits, and nothing scoring does not emit."""
    from benchsite.tracks.retrieval.metrics import ABSTENTION
    from benchsite.tracks.retrieval.scores.scoring import MEASURES

    folder = root / "methodology/retrieval/1.0.0"
    files = {name: (folder / name).read_bytes() for name in ("methodology.yaml", "text.md")}
    document = yaml_document.load(files["methodology.yaml"], "m")
    made = methodology.parse(document.value, files=files, where=folder.as_posix())
    defined = {item.name: item for item in made.data.measures}
    assert set(defined) == {*(f"{measure.name}_at_k" for measure in MEASURES), ABSTENTION}
    for measure in MEASURES:
        item = defined[f"{measure.name}_at_k"]
        assert item.interval == ("wilson" if measure.share else "bootstrap")
        assert item.cut == ("every k" if measure.every_k else "largest k")


def test_the_numbers_a_board_and_a_receipt_are_bound_by_are_those_of_the_methodology(root: Path) -> None:
    from benchsite.stats import MAX_RANK
    from benchsite.tracks.retrieval.record.payload import MAX_CUTS
    from benchsite.tracks.retrieval.record.verification import HEADLINE_K

    path = root / "methodology/retrieval/1.0.0/methodology.yaml"
    parameters = yaml_document.load(path.read_bytes(), path.name).value["parameters"]
    assert (parameters["headlineK"], parameters["maxCuts"], parameters["maxK"]) == (
        HEADLINE_K,
        MAX_CUTS,
        MAX_RANK,
    )
