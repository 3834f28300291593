"""Threat "an adapter looks for keys": a run by the real command line, with every key planted in its environment."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import FIXTURE
from publishers import BENCHSITE, finished, start

from benchsite.environment import PURPOSES
from benchsite.isolation import sandbox
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

LOOKS = Path(__file__).parent / "looks_for_keys.py"
MARK = "a-word-that-is-no-secret"


def planted() -> tuple[dict[str, str], list[bytes]]:
    """Variables with a key each, in both forms that are accepted, and every spelling of those keys."""
    variables, secrets = {}, []
    for place, purpose in enumerate(PURPOSES):
        key = PrivateKey.generate()
        body = "".join(key.to_pem().splitlines()[1:-1])
        # RFC 8410: the seed is the last 32 bytes of the PKCS #8 document.
        seed = base64.b64decode(body)[-32:]
        text = base64.b64encode(seed).decode()
        variables[f"BENCHSITE_{purpose.upper()}_KEY"] = key.to_pem() if place % 2 else text
        secrets += [body.encode(), text.rstrip("=").encode(), seed, seed.hex().encode()]
    return variables, secrets


def files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux")
@pytest.mark.stories
def test_an_adapter_looks_for_keys(begun: Workspace, tmp_path: Path) -> None:
    """It reads its environment, that of every process of the harness, their open files and what they wrote."""
    variables, secrets = planted()
    temporary, home, report = tmp_path / "temporary", tmp_path / "home", tmp_path / "report.json"
    temporary.mkdir()
    home.mkdir()
    subject = f"command:{sys.executable} {LOOKS} {report} {begun.root} {temporary} {home}"
    process = start(
        begun.root,
        (*BENCHSITE, "run", "retrieval", "--adapter", subject, "--fixture", FIXTURE),
        roles=(),
        variables={**variables, "MARK": MARK, "TMPDIR": str(temporary), "HOME": str(home)},
    )
    code, said = finished(process)
    assert code == 0, said
    report_text = json.loads(report.read_text(encoding="utf-8"))
    harness = report_text.pop("harness")
    kept = {name: bytes.fromhex(data) for name, data in report_text.items()}
    # What shows that the search works: where the block can be read, the variable beside the keys is in it.
    block = kept[f"environ {harness}"]
    if sandbox.level() == "sealed":
        assert harness == "1", "it sees no process outside its namespace"
        assert not any(MARK.encode() in data for data in kept.values())
    else:
        assert harness == str(process.pid), "it must have found the process that was given the keys"
        assert MARK.encode() in block or block.startswith(b"refused")
    assert any(name.startswith("file ") and name.endswith("mkdocs.yml") for name in kept)
    if os.geteuid() != 0 and sandbox.level() != "sealed":
        assert kept[f"memory {harness}"].startswith(b"refused")
    written = {f"after {path}": path.read_bytes() for path in files(begun.root, temporary, home)}
    assert any("drafts" in name for name in written)
    for name, data in {**kept, **written, "said": said.encode()}.items():
        for secret in secrets:
            assert secret not in data, f"a planted key is in: {name}"
