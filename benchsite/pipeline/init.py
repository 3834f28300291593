"""init: a new instance, a git repository with the rules, data and configuration that came with benchsite.

Its workflows are benchsite's own, byte for byte: `.ci/benchsite.txt` tells the two kinds of repository apart. Which
wheel of benchsite they install is for the maintainer to say there, by hash: a wheel cannot know its own.
"""

from __future__ import annotations

import os
import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from benchsite import resources, yaml_document
from benchsite.errors import InputError, PrerequisiteError
from benchsite.layout import CONFIG
from benchsite.log.checkpoint import MAX_ORIGIN, ORIGIN
from benchsite.pipeline.subfolder import placed
from benchsite.pipeline.workspace.config import ORIGIN_FORM, Config
from benchsite.repo import Repository
from benchsite.words import shown_path

_CONFIG: Final = Template(
    """\
site_name: $name
site_url: ""
theme:
  name: material
markdown_extensions:
  - admonition
  - attr_list
  - tables
  - toc:
      permalink: true
extra:
  benchsite:
    # The log's identity: a URL prefix without a scheme. It never changes, whatever domain the site moves to.
    origin: $origin
    root_keys: []
    banner: "$banner"
    suite:
$suite"""
)
_README: Final = Template(
    """\
# $name

Benchmark results as signed, logged receipts, made with benchsite.

| path | content |
| --- | --- |
| `mkdocs.yml` | configuration: origin of the log, suite, site |
| `methodology/` | scoring rules, one folder per version |
| `fixtures/` | datasets, benchmarks and evaluation sheets |
| `results/` | receipts and log; only `benchsite publish` writes there |
| `keys/` | public keys, and how to replace a key |

```console
$$ benchsite status      # state and next steps
$$ benchsite run         # measure the suite
$$ benchsite publish     # sign, log and commit the drafts
$$ benchsite verify --all
$$ benchsite build       # write the site
```

`LICENSE` applies to the files that came with benchsite. Each dataset names its own license.
"""
)
_ATTRIBUTES: Final = "results/** -text\nkeys/** -text\nfixtures/** -text\nmethodology/** -text\n"
_IGNORE: Final = "/.benchsite/\n/site/\n__pycache__/\n"
_COPIED: Final = ("methodology", "fixtures")
WORKFLOWS: Final = (
    ".github/workflows/pages.yml",
    ".github/workflows/publish.yml",
    ".github/workflows/pull-request.yml",
    ".ci/Containerfile",
    ".ci/image.py",
    ".ci/install",
    ".ci/measure",
    ".ci/preview.py",
    ".ci/requirements.txt",
    "constraints.txt",
)
"""The files by which an instance on GitHub measures, publishes and shows itself."""
_WHEEL: Final = (
    b"# Run `benchsite ci pin`: it writes here which benchsite the workflows install, by its hash.\n"
)
_FOLDER: Final = re.compile(r"([A-Za-z0-9_][A-Za-z0-9._-]*/)+")
_OPTIONS: Final = {"site_name": "--name", "extra.benchsite.origin": "--origin"}
"""The option that a value of the new configuration comes from."""
_PLACEHOLDERS: Final = ("results/published/.gitkeep", "results/log/.gitkeep")
DATASETS: Final = ("three-notebooks-v1",)
"""The datasets that the suite of a new instance measures. The others are copied too, for `run` and the maintainer's suite."""
SUITE: Final = (
    ("sqlite-fts5", True),
    ("sqlite-fts5", False),
    ("bm25", False),
    ("recency", False),
    ("random", False),
)


@dataclass(frozen=True, slots=True)
class Made:
    """A new instance, the commit that it begins with, and the repository's top if it is a subfolder.

    `workflows` are the workflow files, named from the top.
    """

    root: Path
    commit: str
    files: int
    workflows: tuple[str, ...] = ()


class Host(NamedTuple):
    """The repository that an instance becomes a subfolder of, with paths relative to that folder, and its newest commit."""

    repository: Repository
    commit: str | None


def init(
    folder: Path,
    *,
    name: str,
    origin: str,
    banner: str = "",
    examples: bool = False,
    host: Host | None = None,
) -> Made:
    """Make a new instance.

    Args:
        folder: absent or empty.
        name: the site's name.
        origin: the log's identity.
        banner: a line for the top of every page.
        examples: with the evaluation sheets that came with benchsite.
        host: the repository that it becomes a subfolder of; by default a new one.

    Raises:
        InputError: the folder is not empty or cannot be written, or the name or origin is malformed.
        PrerequisiteError: git is missing.
    """
    _require_empty(folder)
    if len(origin) > MAX_ORIGIN or re.fullmatch(ORIGIN, origin) is None:
        raise InputError(
            f"--origin {origin[:MAX_ORIGIN]!r} must be {ORIGIN_FORM}", hint="choose another with --origin"
        )
    writes = initial_files(name=name, origin=origin, banner=banner, examples=examples)
    try:
        Config(yaml_document.load(writes[CONFIG], CONFIG))  # what we are about to write is what we accept
    except InputError as error:
        raise _of_option(error) from None
    if host is None:
        try:
            host = Host(Repository.create(folder), None)
        except OSError as error:
            raise InputError(f"cannot make {folder}: {error.strerror}", hint="choose another") from None
    repository, parent = host
    workflows: tuple[str, ...] = ()
    if repository.below:
        writes = placed(writes, repository.below)
        workflows = tuple(path for path in writes if path.startswith("../"))
        _require_absent(repository, workflows)
    commit = repository.build_commit(writes, parent=parent, message=f"init: {name}\n")
    repository.advance(commit, expected=parent)
    repository.materialise(writes, commit)
    repository.close()
    return Made(repository.root, commit, len(writes), tuple(path.replace("../", "") for path in workflows))


def within(folder: Path) -> Repository:
    """The repository that a new instance becomes a subfolder of, with paths relative to it; raises as `init`."""
    _require_empty(folder)
    try:
        found = Repository.within(folder)
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror}", hint="choose another") from None
    if not _FOLDER.fullmatch(found.below):
        with suppress(OSError):
            found.root.rmdir()
        raise InputError(
            f"the workflows cannot name this folder: {shown_path(found.below)}",
            hint="choose a folder whose names are letters, digits and . _ - only",
        )
    return found


def _require_empty(folder: Path) -> None:
    """Raise `InputError` unless a folder is absent or empty."""
    try:
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise InputError(f"cannot make {folder}: {error.strerror}", hint="choose another") from None
    if taken:
        raise InputError(f"{folder} is not an empty folder", hint="choose a new one")


def _require_absent(repository: Repository, paths: tuple[str, ...]) -> None:
    """Raise `InputError` if a workflow of the repository has the name of one that is about to be written."""
    for path in paths:
        if os.path.lexists(repository.root / path):
            raise InputError(
                f"the repository has this file already: {path.replace('../', '')}",
                hint="choose another folder name",
            )


def _of_option(error: InputError) -> InputError:
    """Return an error about the configuration as one about the option that its value came from."""
    said = re.fullmatch(rf"{re.escape(CONFIG)}, line \d+: ([\w.]+): (.*)", error.message, re.DOTALL)
    option = _OPTIONS.get(said[1]) if said else None
    if said is None or option is None:
        return error
    return InputError(f"{option}: {said[2]}", hint=f"choose another with {option}")


def default_origin(folder: str) -> str:
    """The origin of an instance that was given none: the folder's name in ASCII, accents dropped."""
    plain = unicodedata.normalize("NFKD", folder.lower()).encode("ascii", "ignore").decode()
    slug = re.sub("[^a-z0-9]+", "-", plain).strip("-")[:80]
    return f"localhost/{slug or 'site'}/log"


def initial_files(*, name: str, origin: str, banner: str, examples: bool) -> dict[str, bytes]:
    """Return the files of the first commit of an instance; arguments as for `init`."""
    writes: dict[str, bytes] = {".gitignore": _IGNORE.encode(), ".gitattributes": _ATTRIBUTES.encode()}
    for top in _COPIED:
        writes |= {f"{top}/{place}": data for place, data in resources.files(top)}
    fixtures = sorted(path.split("/")[1] for path in writes if path.endswith("/fixture.json"))
    if not examples:  # a folder without a dataset holds an evaluation
        ours = tuple(f"fixtures/{fixture}/" for fixture in fixtures)
        writes = {
            path: data
            for path, data in writes.items()
            if not path.startswith("fixtures/") or path.startswith(ours)
        }
    writes |= {
        "LICENSE": resources.file("LICENSE"),
        "README.md": _README.substitute(name=_heading(name)).encode(),
    }
    writes["keys/ROTATION.md"] = (resources.folder("keys") / "ROTATION.md").read_bytes()
    writes |= {path: resources.file(path) for path in WORKFLOWS}
    writes[".ci/benchsite.txt"] = _WHEEL
    for placeholder in _PLACEHOLDERS:
        writes[placeholder] = b""
    for missing in sorted(set(DATASETS) - set(fixtures)):
        raise PrerequisiteError(f"this installation has no dataset {missing}", hint="reinstall benchsite")
    suite = "".join(_run(adapter, fixture, stopwords=stop) for fixture in DATASETS for adapter, stop in SUITE)
    config = _CONFIG.substitute(name=_quoted(name), origin=origin, banner=banner, suite=suite)
    writes[CONFIG] = config.encode()
    return writes


def _run(adapter: str, fixture: str, *, stopwords: bool) -> str:
    options = ", stopwords: true" if stopwords else ""
    return f"      - {{track: retrieval, adapter: {adapter}, fixture: {fixture}{options}}}\n"


def _heading(text: str) -> str:
    """A name as plain text of a Markdown heading."""
    return re.sub(r"([\\`*_{}\[\]<>#|!&])", r"\\\1", text)


def _quoted(text: str) -> str:
    if any(not char.isprintable() for char in text):
        raise InputError("--name must be one printable line", hint="choose another with --name")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
