"""A build that takes over unchanged pages has the bytes of a full build, whatever happened in between."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Final

import pytest
from examples import examples
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rebuilding import (
    Secrets,
    compromising,
    cut_short,
    disputing,
    losing,
    measured,
    new_configuration,
    new_methodology,
    new_prose,
    new_theme,
    noted,
    putting_back,
    retracting,
    spoiling,
    spoiling_badges,
    spoiling_site,
    superseding,
    tampering,
    tree,
    with_evidence,
    with_exchanged_digests,
    withdrawing,
)
from snapshots import opened

from benchsite.errors import IntegrityError
from benchsite.pipeline import build
from benchsite.pipeline.workspace import Workspace

STEPS: dict[str, Callable[[Workspace, Secrets], object]] = {
    "publish": measured,
    "supersede": superseding,
    "retract": retracting,
    "dispute": disputing,
    "key compromise": compromising,
    "methodology": new_methodology,
    "theme": new_theme,
    "configuration": new_configuration,
    "prose": new_prose,
    "tampered receipt": tampering,
    "lost receipt": losing,
    "mirrored evidence": with_evidence,
    "withdrawn evidence": withdrawing,
    "digests cut short": spoiling(cut_short),
    "digests exchanged": spoiling(with_exchanged_digests),
    "stale digests": putting_back,
    "site altered": spoiling_site,
    "badges altered": spoiling_badges,
    "nothing": lambda _instance, _secrets: None,
}


HISTORIES: Final = (
    ("publish", "digests exchanged", "retract", "theme", "nothing"),
    ("dispute", "stale digests", "key compromise", "digests cut short", "configuration"),
    ("methodology", "supersede", "mirrored evidence", "site altered", "tampered receipt"),
    ("prose", "badges altered", "withdrawn evidence", "lost receipt"),
)
"""Tried every time. A record is damaged at the end of a history only, because nothing more is published on it."""


def each_history(test: Callable[..., None]) -> Callable[..., None]:
    for steps in HISTORIES:
        test = example(steps=list(steps))(test)
    return test


def test_the_histories_take_every_step() -> None:
    assert {name for steps in HISTORIES for name in steps} == STEPS.keys()


@pytest.mark.full
@settings(
    max_examples=examples(1, full=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.sampled_from(sorted(STEPS)), min_size=3, max_size=5))
@each_history
@pytest.mark.stories
def test_any_history_builds_what_a_full_build_makes(
    small: Workspace, secrets: Secrets, tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    root = tmp_path_factory.mktemp("again") / "instance"
    shutil.copytree(small.root, root, symlinks=True)
    keys = dict(secrets)
    instance = Workspace(root)
    again = build.build(instance, opened(instance), root.parent / "site")
    noted(instance)
    for name in steps:
        is_whole = not again.broken and not again.damaged
        # Nothing is published on a damaged record.
        with nullcontext() if is_whole else suppress(IntegrityError):
            STEPS[name](instance, keys)
        again = build.build(instance, opened(instance), root.parent / "site")
        assert_as_in_full(instance, again)
    instance.repository.close()
    shutil.rmtree(root.parent)


def assert_as_in_full(instance: Workspace, again: build.Built) -> None:
    """The full build is that of a copy, whose digests the next build does not read."""
    folder = instance.root.with_name("copied")
    shutil.copytree(instance.root, folder / "instance", symlinks=True)
    copy = Workspace(folder / "instance")
    full = build.build(copy, opened(copy), folder / "site", full=True)
    copy.repository.close()
    assert tree(again.site) == tree(full.site)
    assert (again.broken, again.notes, again.pages) == (full.broken, full.notes, full.pages)
    shutil.rmtree(folder)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(STEPS))
def test_each_step_alone_builds_what_a_full_build_makes(
    small: Workspace, secrets: Secrets, name: str
) -> None:
    site = small.root.parent / "site"
    build.build(small, opened(small), site)
    noted(small)
    STEPS[name](small, dict(secrets))
    assert_as_in_full(small, build.build(small, opened(small), site))
