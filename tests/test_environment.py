from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchsite import environment
from benchsite.environment import Credentials, take_credentials
from benchsite.errors import InputError, PrerequisiteError
from benchsite.schema import UTC_SECONDS, UUID4

SEED = base64.b64encode(bytes(range(32))).decode()


def test_a_key_leaves_the_environment_and_its_block() -> None:
    """The threat table's row: nothing in os.environ, nothing in /proc/self/environ, and the key still works."""
    script = (
        "import os\n"
        "from benchsite.environment import take_credentials\n"
        "found = take_credentials()\n"
        "block = open('/proc/self/environ', 'rb').read()\n"
        f"assert {SEED.encode()!r} not in block, 'the block still shows the key'\n"
        "assert not [name for name in os.environ if name.startswith('BENCHSITE_') and 'KEY' in name]\n"
        "import subprocess, sys\n"
        "child = subprocess.run([sys.executable, '-c', 'import os; print(dict(os.environ))'], capture_output=True, text=True)\n"
        f"assert {SEED!r} not in child.stdout\n"
        "print(found.key('receipt').fingerprint)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "BENCHSITE_RECEIPT_KEY": SEED},
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    assert re.fullmatch(r"sha256:[0-9a-f]{64}\n", out.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux")
def test_the_process_becomes_undumpable() -> None:
    script = (
        "import ctypes\n"
        "from benchsite.environment import take_credentials\n"
        "take_credentials()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))\n"  # PR_GET_DUMPABLE
    )

    def dumpable(extra: dict[str, str]) -> str:
        env = {name: value for name, value in os.environ.items() if not name.startswith("BENCHSITE_")}
        out = subprocess.run(
            [sys.executable, "-c", script], env={**env, **extra}, capture_output=True, text=True, check=True
        )
        return out.stdout.strip()

    assert dumpable({"BENCHSITE_LOG_KEY": SEED}) == "0"
    assert dumpable({}) == "1"


def test_a_malformed_key_is_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY", "c2VjcmV0LWJ1dC10b28tc2hvcnQ=")
    with pytest.raises(InputError, match="BENCHSITE_RECEIPT_KEY") as caught:
        take_credentials().key("receipt")
    assert "c2VjcmV0" not in caught.value.message + caught.value.hint


def test_a_missing_key_says_what_to_set() -> None:
    with pytest.raises(PrerequisiteError, match="BENCHSITE_LOG_KEY_FILE .*not set"):
        Credentials().key("log")


def test_a_key_file_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "receipt.key"
    path.write_text(SEED + "\n")
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY_FILE", str(path))
    found = take_credentials()
    assert "BENCHSITE_RECEIPT_KEY_FILE" not in os.environ
    assert found.has("receipt")
    assert found.key("receipt").public == found.key("receipt").public


def test_a_key_file_inside_the_repository_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "inside.key").write_text(SEED)
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY_FILE", str(tmp_path / "inside.key"))
    with pytest.raises(PrerequisiteError, match="inside the repository"):
        take_credentials().key("receipt", repository=tmp_path)


def test_a_link_into_the_repository_is_refused_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    repository.mkdir()
    (repository / "inside.key").write_text(SEED)
    link = tmp_path / "outside.key"
    link.symlink_to(repository / "inside.key")
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY_FILE", str(link))
    with pytest.raises(PrerequisiteError, match="inside the repository"):
        take_credentials().key("receipt", repository=repository)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"x" * 20_000])
def test_hostile_key_files_give_an_input_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "k").write_bytes(content)
    monkeypatch.setenv("BENCHSITE_LOG_KEY_FILE", str(tmp_path / "k"))
    with pytest.raises(InputError):
        take_credentials().key("log")


def test_credentials_do_not_print_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHSITE_RECEIPT_KEY", SEED)
    found = take_credentials()
    assert SEED not in repr(found)
    found.key("receipt")
    assert SEED not in repr(found)


def test_times_and_ids_have_the_shapes_receipts_demand() -> None:
    assert re.fullmatch(UTC_SECONDS, environment.now())
    assert re.fullmatch(UUID4, environment.new_id())


def test_the_description_has_the_fields_of_the_schema() -> None:
    found = environment.describe({"commit": None, "dirty": None, "tag": None})
    assert set(found) == {
        "python",
        "platform",
        "cpu",
        "cores",
        "loadAverage",
        "runner",
        "containerImage",
        "git",
        "packages",
    }
    assert found["cores"] >= 1
    assert re.fullmatch("[0-9a-f]{64}", found["packages"])


def test_a_workflow_is_named_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert environment.ran_by("Ada") == {"kind": "maintainer", "name": "Ada"}
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKFLOW_REF", "o/r/.github/workflows/publish.yml@refs/heads/main")
    assert environment.ran_by("Ada")["kind"] == "workflow"
