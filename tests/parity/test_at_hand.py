"""What a release lacks or a visitor brings: tracks, engines and methodologies, with the same steps in every engine."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from documents import MATERIALS, packaged
from parity.engines import Engine
from parity.findings import found
from parity.forged import Document, signed
from parity.test_receipts import KEY, worked

from benchsite import canonical, methodology, plugins, yaml_document
from benchsite.history import Materials, examine
from benchsite.methodology import DATA_FILE, PARAMETERS_FILE, TEXT_FILE, Methodology

PROSE = b"# Prose\n"
ABSENT = {"id": "retrieval", "version": "1.7.0", "sha256": "a" * 64}


def own(old: str = "", new: str = "", version: str = "1.7.0") -> Methodology:
    """A version of one's own: that of the packaged document, changed in one place."""
    files = packaged("retrieval", "1.0.0").files
    text = files[PARAMETERS_FILE].decode().replace('"version": "1.0.0"', f'"version": "{version}"')
    parameters = text.replace(old, new).encode() if old else (text + new).encode()
    return methodology.parse(
        yaml_document.load(files[DATA_FILE], DATA_FILE).value,
        files={DATA_FILE: files[DATA_FILE], PARAMETERS_FILE: parameters, TEXT_FILE: PROSE},
        where=f"retrieval/{version}",
    )


def under(reference: dict[str, str], **changes: Any) -> Document:
    return signed({**worked(), "methodology": reference, **changes}, KEY)


OWN = own()
ENGINE = own('"engine": "retrieval/1"', '"engine": "retrieval/9"')
CASES: dict[str, tuple[Document, tuple[Methodology, ...], str]] = {
    "a track": (under({**ABSENT, "id": "puzzles"}, track="puzzles"), (), "UNSUPPORTED"),
    "an engine": (under(ENGINE.reference), (ENGINE,), "UNSUPPORTED"),
    "a parameter": (
        under((wrong := own('"headlineK": 10', '"headlineK": 3')).reference),
        (wrong,),
        "UNSUPPORTED",
    ),
    "an item": (under((item := own("[1, 5, 10]", "[1, 5, 0]")).reference), (item,), "UNSUPPORTED"),
    "a parameter more": (
        under((more := own('"parameters": {', '"parameters": {"bonus": 1, ')).reference),
        (more,),
        "UNSUPPORTED",
    ),
    "a document": (under(ABSENT), (OWN,), "UNKNOWN SIGNER"),
    "a document of a malformed body": (under(ABSENT, adapter={}), (), "INVALID"),
    "an engine of a malformed body": (under(ENGINE.reference, adapter={}), (ENGINE,), "UNSUPPORTED"),
    "nothing": (under(OWN.reference), (OWN,), "UNKNOWN SIGNER"),
    "nothing of a wrong number": (
        under(OWN.reference, scores={**worked()["scores"], "ndcg_at_10": 0.75}),
        (OWN,),
        "UNKNOWN SIGNER",
    ),
    "the right version": (under({**OWN.reference, "version": "1.8.0"}), (OWN,), "INVALID"),
}


@pytest.mark.parametrize("lacking", CASES)
def test_what_is_lacking_is_said_and_the_rest_is_checked(engine: Engine, lacking: str) -> None:
    document, given, verdict = CASES[lacking]
    data = canonical.dumps(document)
    by_digest = {one.sha256: one for one in given}
    materials = Materials(lambda sha256: by_digest.get(sha256) or MATERIALS.methodology(sha256))
    seen = examine(data, log=None, scorers=plugins.tracks(), materials=materials, supplied_key=KEY.public)
    files = [part for one in given for part in one.files.values()]
    asked = {
        "bytes": base64.b64encode(data).decode(),
        "key": KEY.public.hex(),
        "given": [base64.b64encode(file).decode() for file in files],
    }
    expected = found(seen)
    assert expected["verdict"] == verdict
    said = engine.one("receipt", asked)
    assert said == expected
    if verdict == "UNSUPPORTED":
        assert [step[0] for step in said["steps"]] == ["parse", "canonical", "schema", "key", "signature"]
