from __future__ import annotations

import sys

import pytest

from benchsite import plugins, resources
from benchsite.errors import PrerequisiteError, UsageError


def test_our_own_adapters_are_registered_like_a_strangers() -> None:
    found = plugins.subjects("benchsite.retrieval.adapters")
    assert {"random", "recency", "bm25", "sqlite-fts5"} <= set(found)
    assert all(value.startswith("benchsite.tracks.retrieval.adapters.") for value in found.values())


def test_looking_a_subject_up_does_not_import_it() -> None:
    name = "benchsite.tracks.retrieval.adapters.sqlite_fts5"
    sys.modules.pop(name, None)
    assert plugins.reference("benchsite.retrieval.adapters", "sqlite-fts5").startswith(name)
    assert name not in sys.modules


def test_a_mistyped_name_is_answered_with_the_near_one() -> None:
    with pytest.raises(UsageError) as caught:
        plugins.reference("benchsite.retrieval.adapters", "sqlite-ft5")
    assert "sqlite-fts5" in caught.value.hint
    with pytest.raises(UsageError, match="no track named 'retrival'"):
        plugins.track("retrival")


def test_what_travels_with_the_package_is_found() -> None:
    for name in ("content", "theme", "methodology", "fixtures", "keys"):
        assert resources.folder(name).is_dir()
    with pytest.raises(PrerequisiteError, match="lacks its nothing"):
        resources.folder("nothing")
