"""Weights and mapping files of a measured program: named, hashed, and part of its digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchsite.canonical import sha256_hex
from benchsite.errors import InputError
from benchsite.isolation import source


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_assets_are_named_and_hashed_and_are_files(tmp_path: Path) -> None:
    write(tmp_path, {"w/model.bin": "weights", "w/deep/vocabulary.txt": "words", "map.json": "{}"})
    found = source.assets({"model": f"{tmp_path}/w", "mapping": f"{tmp_path}/map.json"})
    assert found == (
        ("mapping", sha256_hex(b"{}"), 2),
        ("model/deep/vocabulary.txt", sha256_hex(b"words"), 5),
        ("model/model.bin", sha256_hex(b"weights"), 7),
    )
    for path in ("/dev/zero", f"{tmp_path}/absent"):
        with pytest.raises(InputError, match="asset weights: not a file"):
            source.assets({"weights": path})


def test_an_asset_changes_the_digest(tmp_path: Path) -> None:
    write(tmp_path, {"mine.py": "", "model.bin": "one"})
    found = source.of_reference("mine:A", [str(tmp_path)])
    assert found is not None
    first = found.sha256((), source.assets({"model": f"{tmp_path}/model.bin"}))
    write(tmp_path, {"model.bin": "two"})
    assert found.sha256((), source.assets({"model": f"{tmp_path}/model.bin"})) != first
