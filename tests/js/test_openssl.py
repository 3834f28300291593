"""The commands the page writes, run by a real shell with a real openssl in a folder that holds the receipt."""

from __future__ import annotations

import json
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest
from sample_record import SampleRecord, make_fixture, make_methodology

from benchsite import signing
from benchsite.receipt import Receipt, parse

MODULES = Path(__file__).parents[2] / "theme" / "verify"

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("openssl") is None,
    reason="OPENSSL COMMANDS NOT RUN: node or openssl is not installed",
)

HOSTILE = [
    "it's; touch pwned #.json",
    "$(touch pwned).json",
    "`touch pwned`",
    "-e p;touch pwned",
    'a"$IFS"b',
    "| touch pwned",
]


@pytest.fixture(scope="module")
def record() -> SampleRecord:
    record = SampleRecord(make_fixture(12), [make_methodology("1.0.0", "## 1 Score\n\nOld.")])
    record.publish("good", 0.8, label=True)
    return record


@pytest.fixture(scope="module")
def receipt(record: SampleRecord) -> Receipt:
    return parse(record.blobs[0].data)


def commands(receipt: Receipt, key: bytes | None, name: str, *, canonical: bool = True) -> str:
    """What `opensslCommands` writes for this receipt."""
    signature = receipt.signature
    assert signature is not None
    given = {
        "name": name,
        "canonical": canonical,
        "fingerprint": receipt.fingerprint,
        "signature": b64encode(signing.decode_base64url(signature["value"])).decode(),
        "publicKey": None if key is None else b64encode(key).decode(),
    }
    script = (
        'import { opensslCommands } from "./openssl.js"; import { readFileSync } from "node:fs";'
        'const given = JSON.parse(readFileSync(0, "utf8"));'
        'const bytes = (text) => (text === null ? null : new Uint8Array(Buffer.from(text, "base64")));'
        "const material = { ...given, signed: new Uint8Array(), signature: bytes(given.signature),"
        " publicKey: bytes(given.publicKey) };"
        "process.stdout.write(opensslCommands(material, given.name));"
    )
    run = subprocess.run(
        ["node", "--input-type=module", "--eval", script],
        cwd=MODULES,
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def shell(folder: Path, lines: str) -> subprocess.CompletedProcess[str]:
    """A plain POSIX shell that reads the lines as if they were pasted; its temporary folder is ours."""
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.run(
        ["sh"],
        cwd=folder,
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(folder / "tmp")},
    )


def test_a_genuine_receipt_verifies_and_the_key_is_the_one_it_names(
    record: SampleRecord, receipt: Receipt, tmp_path: Path
):
    (tmp_path / "r.json").write_bytes(receipt.file_bytes())
    run = shell(tmp_path, commands(receipt, record.signer.public, "r.json"))
    assert run.returncode == 0, run.stderr
    assert receipt.fingerprint.removeprefix("sha256:") in run.stdout
    assert "Signature Verified Successfully" in run.stdout
    (signed,) = tmp_path.glob("tmp/*/signed.bin")
    assert signed.read_bytes() == receipt.signed_bytes()


def test_one_changed_digit_fails(record: SampleRecord, receipt: Receipt, tmp_path: Path):
    data = receipt.file_bytes()
    old = receipt.document["ranAt"].encode()
    new = old[:3] + (b"7" if old[3:4] != b"7" else b"8") + old[4:]
    assert data.count(old) >= 1
    (tmp_path / "r.json").write_bytes(data.replace(old, new))
    run = shell(tmp_path, commands(receipt, record.signer.public, "r.json"))
    assert run.returncode != 0
    assert "Verified Successfully" not in run.stdout


def test_another_key_fails(receipt: Receipt, record: SampleRecord, tmp_path: Path):
    (tmp_path / "r.json").write_bytes(receipt.file_bytes())
    run = shell(tmp_path, commands(receipt, record.log_key.public, "r.json"))
    assert run.returncode != 0


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_name_and_nothing_else(
    record: SampleRecord, receipt: Receipt, tmp_path: Path, name: str
):
    (tmp_path / name).write_bytes(receipt.file_bytes())
    run = shell(tmp_path, commands(receipt, record.signer.public, name))
    assert "Signature Verified Successfully" in run.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "tmp"])


def test_a_receipt_named_like_a_part_of_the_work_is_not_overwritten(
    record: SampleRecord, receipt: Receipt, tmp_path: Path
):
    for name in ("signed.bin", "key.pem", "signature.bin"):
        (tmp_path / name).write_bytes(receipt.file_bytes())
        run = shell(tmp_path, commands(receipt, record.signer.public, name))
        assert "Signature Verified Successfully" in run.stdout
        assert (tmp_path / name).read_bytes() == receipt.file_bytes()


def test_another_layout_is_checked_on_the_saved_signed_bytes(
    record: SampleRecord, receipt: Receipt, tmp_path: Path
):
    (tmp_path / "receipt-signed.bin").write_bytes(receipt.signed_bytes())
    lines = commands(receipt, record.signer.public, "pretty.json", canonical=False)
    assert "Signature Verified Successfully" in shell(tmp_path, lines).stdout


def test_without_the_key_the_visitor_brings_it(record: SampleRecord, receipt: Receipt, tmp_path: Path):
    (tmp_path / "r.json").write_bytes(receipt.file_bytes())
    lines = commands(receipt, None, "r.json")
    assert "Verified Successfully" not in shell(tmp_path, lines).stdout
    (tmp_path / "signer.pem").write_text(signing.public_pem(record.signer.public))
    assert "Signature Verified Successfully" in shell(tmp_path, lines).stdout
