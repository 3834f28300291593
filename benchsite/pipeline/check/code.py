"""Which changed files can run code: each by name, with what runs it. A warning for the person who reviews the branch.

Owns the list of places from which CI, the signing job, a build of the site, git or a maintainer's tools start code.
Names are compared in lower case, as some file systems do. What a file does is for the reviewer to judge: nothing here
is started, and no content but that of `mkdocs.yml` is read. Refuses nothing: a change of code can be what a pull
request is for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite import yaml_document
from benchsite.errors import BenchsiteError
from benchsite.layout import CONFIG
from benchsite.pipeline import init
from benchsite.pipeline.check.case import Case
from benchsite.pipeline.report import Item, Step, shown_path, suspect, warned
from benchsite.repo import Change
from benchsite.words import amount

__all__ = ["check"]

NAME: Final = "code"
_RUNS: Final = tuple(
    (re.compile(pattern, re.DOTALL), what)
    for pattern, what in (
        (r"\.github/.*|\.ci/.*|constraints\.txt", "runs in CI, including the signing job"),
        (
            r"(pyproject\.toml|setup\.(py|cfg)|benchsite/.*|pip\.py|(site|user)customize\.py)",
            "can run where benchsite is installed or started, including the signing job",
        ),
        (r"(.*/)?\.git(attributes|modules|config)", "changes what git reads, writes or fetches"),
        (r"theme/.*", "runs when the site is built, and in readers' browsers"),
        (r"content/.*\.(m?js|html?|xhtml|svg|xml|wasm)", "is served to readers"),
        (r"adapters/.*", "runs when it is measured or checked"),
        (r".*\.(py|pyc|pyd|so|pth)", "runs when a Python program started in its folder imports it"),
        (
            r"(.*/)?(gnumakefile|makefile|.*\.(mk|sh|bash|zsh|ps1)|dockerfile|containerfile|tox\.ini|pytest\.ini)",
            "runs on the machine of a maintainer who builds or tests",
        ),
        (
            r"(.*/)?(\.(vscode|idea|devcontainer|husky)/.*|\.envrc|\.pre-commit-config\.yaml)",
            "runs on the machine of a maintainer whose editor or shell reads it",
        ),
        (r"(.*/)?(package(-lock)?\.json|\.npmrc|pip\.conf)", "decides what a package tool installs and runs"),
    )
)
"""In the order of what an attacker gains: the first that matches says what runs the file."""
_ABOVE: Final = re.compile(r"^(\.\./)+")
"""How a path outside of the instance's folder starts, if the instance is a subfolder of its repository."""
_PLAIN: Final = "100644"
_EXECUTABLE: Final = "100755"
_OTHER_MODES: Final = {
    "120000": "is a symbolic link: its target is read instead",
    "160000": "is a submodule: files of another repository",
}
_LOADS: Final = "it loads code into the build or the pages"
_STARTS: Final = "it decides which programs are measured, and what they may access"
_KEYS: Final = (
    (("hooks",), _LOADS),
    (("plugins",), _LOADS),
    (("INHERIT",), _LOADS),
    (("theme", "name"), _LOADS),
    (("theme", "custom_dir"), _LOADS),
    (("markdown_extensions",), _LOADS),
    (("extra_javascript",), _LOADS),
    (("extra", "benchsite", "suite"), _STARTS),
    (("extra", "benchsite", "grants"), _STARTS),
    (("extra", "benchsite", "images"), _STARTS),
)
"""The settings by which a site's build, its pages or a measurement run code."""
_LOOK: Final = "read it before you merge, build, measure or install from this branch"


def check(case: Case) -> Step:
    """List every file that can run code, and differs from the base or from what `init` writes."""
    written, since = _written(case)
    difference = [item for item in case.difference if not _is_written(case, item, written)]
    items = [*_files(difference), *_settings(case, difference, written)]
    return warned(
        NAME,
        items,
        f"{amount(len(items), 'change')} can run code{since}",
        f"no changed file can run code{since}",
    )


def _written(case: Case) -> tuple[Mapping[str, bytes], str]:
    """Return what `init` writes, and words for it, if there is no base to compare with.

    The bytes are those of this installation: no commit of the branch can say what `init` wrote.
    """
    if case.branch.kinship != "alone":
        return {}, ""
    written = init.initial_files(
        name=case.repository.root.name, origin="localhost/log", banner="", examples=True
    )
    return written, " besides what `benchsite init` writes"


def _is_written(case: Case, change: Change, written: Mapping[str, bytes]) -> bool:
    data = written.get(change.path)
    return data is not None and change.mode == _PLAIN and case.repository.blob(change.blob) == data


def _files(difference: Sequence[Change]) -> Iterator[Item]:
    found = ((_runner(change), change.path) for change in difference if not change.removed)
    ranked = sorted((what, path) for what, path in found if what is not None)
    for (_, what), path in ranked:
        yield suspect(shown_path(path), what, _LOOK)


def _runner(change: Change) -> tuple[int, str] | None:
    """What runs a file and how much that matters, None where nothing known does."""
    name = _ABOVE.sub("", change.path.casefold())
    for place, (pattern, what) in enumerate(_RUNS):
        if pattern.fullmatch(name):
            return place, what
    if change.mode in _OTHER_MODES:
        return len(_RUNS), _OTHER_MODES[change.mode]
    return (len(_RUNS), "is executable") if change.mode == _EXECUTABLE else None


def _settings(case: Case, difference: Sequence[Change], written: Mapping[str, bytes]) -> Iterator[Item]:
    """Settings of `mkdocs.yml` that load code and differ from the base, or from what `init` writes."""
    change = next((item for item in difference if item.path == CONFIG and item.blob), None)
    if change is None:
        return
    blobs = (case.repository.blob(blob) if blob else b"" for blob in (change.old_blob, change.blob))
    old, new = (_document(data) for data in blobs)
    if CONFIG in written:
        old = _document(written[CONFIG])
    for key, runs in _KEYS:
        value = _value(new, key)
        if value is not None and value != _value(old, key):
            shown = json.dumps(value, ensure_ascii=True)[:200]
            what = f"{'.'.join(key)} is now {shown}: {runs}"
            yield suspect(CONFIG, what, _LOOK)


def _document(data: bytes) -> Mapping[str, Any]:
    """A version of the configuration; nothing where it cannot be read, which its own step says."""
    try:
        value = yaml_document.load(data, CONFIG).value if data else {}
    except BenchsiteError:
        return {}
    return value if isinstance(value, dict) else {}


def _value(document: Mapping[str, Any], key: tuple[str, ...]) -> Any:
    value: Any = document
    for part in key:
        value = value.get(part) if isinstance(value, dict) else None
    return value
