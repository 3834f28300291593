from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from benchsite import methodology, yaml_document
from benchsite.errors import InputError
from benchsite.methodology import DocumentError

DATA: dict[str, Any] = {
    "title": "T",
    "published": "2026-01-01",
    "summary": "S",
    "receiptSchema": "1.0.0",
    "measures": [],
    "changes": [{"type": "added", "text": "x"}],
}
MEMBERS: dict[str, Any] = {
    "track": "retrieval",
    "version": "1.2.3",
    "engine": "retrieval/1",
    "parameters": {"ks": [1, 5]},
}
FILES = {
    "methodology.yaml": b"title: T\n",
    "parameters.json": json.dumps(MEMBERS).encode(),
    "text.md": b"# b\n",
}
WHERE = "methodology/retrieval/1.2.3"


def test_the_digest_is_of_the_digests() -> None:
    """DESIGN.md: SHA-256 of JCS({file name: hex}) over the three files, written out here by hand."""
    names = ("methodology.yaml", "parameters.json", "text.md")
    by_name = {name: hashlib.sha256(FILES[name]).hexdigest() for name in names}
    members = ",".join(f'"{name}":"{by_name[name]}"' for name in names)
    by_hand = hashlib.sha256(f"{{{members}}}".encode()).hexdigest()
    assert methodology.digest(FILES) == by_hand
    found = methodology.parse(DATA, files=FILES, where=WHERE)
    assert found.reference == {"id": "retrieval", "version": "1.2.3", "sha256": by_hand}
    assert (found.engine, found.data.parameters) == ("retrieval/1", {"ks": [1, 5]})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"changes": [{"type": "fixed", "text": "x"}]}, r"changes\.0\.type"),
        ({"extra": 1}, "extra"),
        ({"published": "yesterday"}, "published"),
        ({"version": "1.2.3"}, r"version: belongs in parameters\.json"),
        ({"parameters": {}}, r"parameters: belongs in parameters\.json"),
    ],
)
def test_faults_name_folder_and_field(change: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        methodology.parse({**DATA, **change}, files=FILES, where=WHERE)
    assert WHERE in caught.value.message


PARAMETERS_FAULTS = {
    "version": (json.dumps({**MEMBERS, "version": "1.2"}), "version: "),
    "track": (json.dumps({**MEMBERS, "track": "Retrieval"}), "track: "),
    "engine": (json.dumps({**MEMBERS, "engine": "retrieval"}), "engine: "),
    "no engine": (json.dumps({key: MEMBERS[key] for key in ("track", "version", "parameters")}), "engine: "),
    "a list of parameters": (json.dumps({**MEMBERS, "parameters": []}), "parameters: "),
    "another member": (json.dumps({**MEMBERS, "title": "T"}), "title: "),
    "another folder's version": (json.dumps({**MEMBERS, "version": "1.2.4"}), "declares retrieval/1.2.4"),
    "a member twice": ('{"track": "a", "track": "b"}', "JSON: "),
    "negative zero": ('{"parameters": {"penalty": -0}}', "JSON: negative zero"),
    "a comment": ("// no\n{}", "JSON: "),
    "no JSON object": ("[]", "parameters.json: "),
}


@pytest.mark.parametrize("name", PARAMETERS_FAULTS)
def test_a_malformed_parameters_file_is_refused_and_never_pinned_by_its_reading(name: str) -> None:
    text, says = PARAMETERS_FAULTS[name]
    files = {**FILES, "parameters.json": text.encode()}
    with pytest.raises(DocumentError) as caught:
        methodology.parse(DATA, files=files, where=WHERE)
    assert says in caught.value.message
    assert (methodology.pinned(files) is None) is (name != "another folder's version")


def test_faults_of_both_files_are_listed_in_one_run() -> None:
    files = {**FILES, "parameters.json": b"{", "text.md": b"\xff"}
    with pytest.raises(DocumentError) as caught:
        methodology.parse({**DATA, "extra": 1}, files=files, where=WHERE)
    said = [error.message for error in caught.value.each()]
    assert [message.removeprefix(WHERE)[:20] for message in said] == [
        ": extra: is not a fi",
        "/parameters.json: JS",
        ": text.md is not UTF",
    ]


def test_prose_must_be_utf8() -> None:
    with pytest.raises(InputError, match=r"text\.md .*byte 1"):
        methodology.parse(DATA, files={**FILES, "text.md": b"a\xff"}, where=WHERE)


def test_the_newest_version_is_by_number_not_by_text() -> None:
    assert methodology.newest(["1.9.0", "1.10.0", "0.99.99"]) == "1.10.0"


def test_ours_parse_and_say_what_changed(root: Path) -> None:
    found = {}
    for path in sorted((root / "methodology/retrieval").glob("*/methodology.yaml")):
        files = {name: (path.parent / name).read_bytes() for name in methodology.FILES}
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
    files = {name: (folder / name).read_bytes() for name in methodology.FILES}
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

    path = root / "methodology/retrieval/1.0.0/parameters.json"
    parameters = json.loads(path.read_bytes())["parameters"]
    assert (parameters["headlineK"], parameters["maxCuts"], parameters["maxK"]) == (
        HEADLINE_K,
        MAX_CUTS,
        MAX_RANK,
    )
