"""A build that takes over what the last one left is, byte for byte, a build in full; whatever happened in between."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
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
    of_another_version,
    putting_back,
    retracting,
    spoiling,
    spoiling_badges,
    spoiling_site,
    superseding,
    tampering,
    tree,
    with_other_numbers,
)

from benchsite.errors import IntegrityError
from benchsite.pipeline import build
from benchsite.pipeline.instance import Instance

STEPS: dict[str, Callable[[Instance, Secrets], object]] = {
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
    "cache cut short": spoiling(cut_short),
    "cache altered": spoiling(with_other_numbers),
    "cache of another version": spoiling(of_another_version),
    "stale cache": putting_back,
    "site altered": spoiling_site,
    "badges altered": spoiling_badges,
    "nothing": lambda _instance, _secrets: None,
}


@settings(
    max_examples=examples(4, full=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.sampled_from(sorted(STEPS)), min_size=3, max_size=5))
@pytest.mark.stories
def test_any_history_builds_what_a_full_build_makes(
    small_template: Path, secrets: Secrets, tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    root = tmp_path_factory.mktemp("again") / "instance"
    shutil.copytree(small_template, root, symlinks=True)
    keys = dict(secrets)
    instance = Instance(root)
    build.build(instance, root.parent / "site")
    noted(instance)
    for name in steps:
        with suppress(IntegrityError):  # nothing is published on a record that is not whole
            STEPS[name](instance, keys)
        again = build.build(instance, root.parent / "site")
    full = build.build(instance, root.parent / "full", full=True)
    assert tree(again.site) == tree(full.site)
    assert (again.broken, again.notes, again.pages) == (full.broken, full.notes, full.pages)
    instance.repository.close()
    shutil.rmtree(root.parent)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(STEPS))
def test_each_step_alone_builds_what_a_full_build_makes(small: Instance, secrets: Secrets, name: str) -> None:
    site = small.root.parent / "site"
    build.build(small, site)
    noted(small)
    STEPS[name](small, dict(secrets))
    again = build.build(small, site)
    full = build.build(small, small.root.parent / "full", full=True)
    assert tree(again.site) == tree(full.site)
