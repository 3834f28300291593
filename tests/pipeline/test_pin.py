"""`ci pin`: the line that `.ci/install` reads. The hashes are computed here from the files' bytes."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from benchsite.errors import InputError, PrerequisiteError
from benchsite.pipeline import pin as pinning
from benchsite.pipeline.workspace import Workspace


def wheel(path: Path, version: str = "1.2.3", name: str = "benchsite") -> str:
    """Write a wheel with nothing but its metadata; its sha256."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(f"{name}-{version}.dist-info/METADATA", f"Name: {name}\nVersion: {version}\n")
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(held.getvalue())
    return hashlib.sha256(held.getvalue()).hexdigest()


def pinned(instance: Workspace) -> list[str]:
    lines = (instance.root / ".ci/benchsite.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_a_wheel_of_the_repository_is_named_by_its_path(begun: Workspace) -> None:
    path = begun.root / "wheels/benchsite-1.2.3-py3-none-any.whl"
    sha256 = wheel(path)
    made = pinning.pin(begun, path)
    assert made.wheel == Path("wheels/benchsite-1.2.3-py3-none-any.whl")
    address = "file://${REPOSITORY_ROOT}/wheels/benchsite-1.2.3-py3-none-any.whl"
    assert pinned(begun) == [f"benchsite @ {address} --hash=sha256:{sha256}"]


def recorded(monkeypatch: pytest.MonkeyPatch, document: object) -> None:
    """What pip recorded of the installed benchsite (PEP 610); None where it wrote no such file."""

    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return None if document is None else json.dumps(document)

    monkeypatch.setattr(metadata, "distribution", lambda _: Installed())


HASHES = {"archive_info": {"hashes": {"sha256": "ab" * 32}}}
RELEASE = "https://code.invalid/lab/benchsite/releases/download/v1.2.3/benchsite-1.2.3-py3-none-any.whl"


def test_the_installed_wheel_is_named_by_the_address_that_pip_recorded(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded(monkeypatch, {"url": RELEASE, **HASHES})
    assert pinning.pin(begun).wheel is None
    assert pinned(begun) == [f"benchsite @ {RELEASE} --hash=sha256:{'ab' * 32}"]


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"url": RELEASE},
        {"url": RELEASE, "archive_info": {"hashes": {"sha256": "ab"}}},
        {"url": "file:///home/ada/benchsite-1.2.3-py3-none-any.whl", **HASHES},
        {"url": "https://ada:s3cret@code.invalid/benchsite-1.2.3-py3-none-any.whl", **HASHES},
        {"url": "https://code.invalid/benchsite-1.2.3-py3-none-any.whl?token=s3cret", **HASHES},
        {"url": f"{RELEASE}\nevil.whl", **HASHES},
    ],
)
def test_an_installation_from_elsewhere_is_not_pinned_and_no_package_index_is_named(
    begun: Workspace, monkeypatch: pytest.MonkeyPatch, document: object
) -> None:
    before = pinned(begun)
    recorded(monkeypatch, document)
    with pytest.raises(PrerequisiteError) as caught:
        pinning.pin(begun)
    assert "benchsite ci pin wheels/FILE" in caught.value.hint
    assert "pip" not in caught.value.hint
    assert "s3cret" not in f"{caught.value} {caught.value.hint}"
    assert pinned(begun) == before


@pytest.mark.parametrize(
    "name",
    [
        "absent.whl",
        "text.whl",
        "other-1.2.3-py3-none-any.whl",
        "benchsite-1.2.3.zip",
        "../benchsite-9.9.9.whl",
    ],
)
def test_any_other_file_is_refused_and_writes_nothing(begun: Workspace, name: str) -> None:
    """The last one is a good wheel outside the repository."""
    (begun.root / "text.whl").write_text("no zip")
    wheel(begun.root / "other-1.2.3-py3-none-any.whl", name="other")
    wheel(begun.root / "benchsite-1.2.3.zip")
    wheel(begun.root / "../benchsite-9.9.9.whl", "9.9.9")
    before = pinned(begun)
    with pytest.raises(InputError):
        pinning.pin(begun, begun.root / name)
    assert pinned(begun) == before
