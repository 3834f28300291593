"""Which tests are nearest to a changed file, read from who imports or names it; nothing runs here.

A test that changed is nearest, then one with the name of a changed module, then one that uses the changed file itself:
imports it, or names it where it is no module (a template, a vector, a page). If no test does, the tests of its users
follow, and so on. What checks a whole kind of files, as the word list does, is last.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from tests.console import commands

SCRIPTS = "tests/js/test_theme_scripts.py"
SCRIPT = f"{SCRIPTS}::test_modules_do_what_they_say[{{}}]"
PAGE = "tests/test_docs.py::test_a_page_does_what_it_says[{}]"
WORDS = "tests/test_word_list.py::test_visible_text_speaks_the_fields_words[{}]"
SENTENCES = "tests/test_sentences.py::test_no_sentence_is_too_long"
DOCUMENTATION = (SENTENCES, WORDS.format("documentation"))
PROSE = {
    "README.md": DOCUMENTATION,
    "CONTRIBUTING.md": DOCUMENTATION,
    "SECURITY.md": DOCUMENTATION,
    "content/*.md": DOCUMENTATION,
    "methodology/*/text.md": (SENTENCES, WORDS.format("methodologies")),
}
"""The tests of sentences. `*` matches slashes too."""
KINDS = {
    "theme/*.js": (f"{SCRIPTS}::test_no_module_writes_markup", WORDS.format("theme")),
    "theme/*.html": (WORDS.format("theme"),),
    "*.html.j2": (WORDS.format("program"),),
}
"""Checks of a whole kind of files, which are no tests of what one of them does."""
KNOWN_TO_ALL = 8
"""A name that more tests than this mention (README.md, fixture.json) says nothing about them."""
KIND = 3
"""The rank of the checks of a kind."""
FARTHEST = 3
"""Users of users of users; farther away is `make test`."""


@dataclass(frozen=True)
class Near:
    """Test files and node ids, nearest first, and the changed files that have none."""

    tests: list[str]
    without: list[str]


def near(names: list[str], root: Path) -> Near:
    """The tests nearest to these paths."""
    tree = _Tree(root)
    found = {name: list(tree.ranked(name)) for name in names}
    turns = ((rank, turn, test) for ranks in found.values() for turn, (rank, test) in enumerate(ranks))
    ranked = sorted(
        turns, key=lambda one: one[:2]
    )  # of a file with a hundred users and one with one, both come early
    without = [name for name, ranks in found.items() if all(rank >= KIND for rank, _ in ranks)]
    return Near(list(dict.fromkeys(test for *_, test in ranked)), without)


class _Tree:
    """The text of every file that may import or name another one."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts = {
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
            for folder, kinds in (("benchsite", ("py", "j2")), ("tests", ("py", "js")), ("theme", ("js",)))
            for kind in kinds
            for path in sorted((root / folder).rglob(f"*.{kind}"))
            if "node_modules" not in path.parts
        }

    def ranked(self, name: str) -> Iterator[tuple[int, str]]:
        """Tests of a file with their rank, 0 for the file itself."""
        if test := _as_test(name):
            yield 0, test
            return
        front, seen = [name], {name}
        for _ in range(FARTHEST):
            found = [(1, test) for one in front for test in self._called(one)]
            users = [user for one in front for user in self._users(one) if user not in seen]
            found += [(2, test) for user in users if (test := _as_test(user))]
            yield from found
            if found:
                break
            front = list(dict.fromkeys(users))
            seen |= {*front}
        yield from self._of_kind(name)

    def _called(self, name: str) -> Iterator[str]:
        """Test files with the name of a module of the program: those at the mirrored path, or else any."""
        path = PurePosixPath(name)
        if path.parts[0] != "benchsite" or path.suffix != ".py":
            return
        stem = path.parent.name if path.name == "__init__.py" else path.stem.lstrip("_")
        mirrored = "/".join(("tests", *path.parent.parts[1:], ""))
        called = [one for one in self._texts if PurePosixPath(one).name == f"test_{stem}.py"]
        yield from [one for one in called if one.startswith(mirrored)] or called

    def _users(self, name: str) -> list[str]:
        """Files that import a module, or name another file."""
        if name.endswith("conftest.py"):
            folder = posixpath.dirname(name) + "/"
            return [one for one in self._texts if one.startswith(folder) and folder != "tests/"]
        if name.startswith(("benchsite/", "tests/")) and name.endswith(".py"):
            return self._naming(_imported(name), "py")
        if name.endswith(".js"):
            return [*self._importing(name), *self._naming(_quoted(name), "py", most=KNOWN_TO_ALL)]
        if name.endswith(".j2"):
            package = posixpath.basename(posixpath.dirname(posixpath.dirname(name)))
            return self._naming(rf'"{package}/{re.escape(posixpath.basename(name))}"', "")
        return [
            one for one in self._naming(_quoted(name), "py", most=KNOWN_TO_ALL) if one.startswith("tests/")
        ]

    def _naming(self, pattern: str, kind: str, most: int | None = None) -> list[str]:
        wanted = re.compile(pattern, re.MULTILINE)
        found = [name for name, text in self._texts.items() if name.endswith(kind) and wanted.search(text)]
        return found if most is None or len(found) <= most else []

    def _importing(self, script: str) -> list[str]:
        """Scripts that import this one, by its path."""
        return [
            name
            for name, text in self._texts.items()
            if name.endswith(".js")
            and any(
                posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) == script
                for path in re.findall(r'"(\.\.?/[^"]+\.js)"', text)
            )
        ]

    def _of_kind(self, name: str) -> Iterator[tuple[int, str]]:
        for rank, kinds in ((2, PROSE), (KIND, KINDS)):
            for pattern, tests in kinds.items():
                if fnmatch(name, pattern):
                    yield from ((rank, test) for test in tests)
        executed = name == "README.md" or (fnmatch(name, "content/*.md") and not name.endswith("/cli.md"))
        if executed and commands((self._root / name).read_text(encoding="utf-8")):
            yield 4, PAGE.format(name)
        if name.endswith(".j2"):
            folder = f"tests/{posixpath.dirname(posixpath.dirname(name)).removeprefix('benchsite/')}/"
            yield from (
                (2, test) for one in self._texts if one.startswith(folder) and (test := _as_test(one))
            )


def _as_test(name: str) -> str | None:
    """What pytest calls a test file; None for any other file."""
    if not name.startswith("tests/"):
        return None
    base = posixpath.basename(name)
    if base.endswith(".test.js"):
        return SCRIPT.format(base)
    return name if fnmatch(base, "test_*.py") else None


def _imported(name: str) -> str:
    """How a file of Python imports this module. Tests also import what is beside them, by the end of its path."""
    parts = name.removesuffix(".py").removesuffix("/__init__").split("/")
    starts = range(len(parts)) if parts[0] == "tests" else range(1)
    patterns = []
    for start in starts:
        *parents, last = parts[start:]
        whole = re.escape(".".join(parts[start:]))
        patterns.append(rf"^\s*(from|import) {whole}\b(?!\.)")
        if parents:
            parent = re.escape(".".join(parents))
            patterns.append(rf"^\s*from {parent} import (\([^)]*|[^(\n]*)\b{re.escape(last)}\b")
    return "|".join(patterns)


def _quoted(name: str) -> str:
    """The name of a file in quotes, alone or at the end of a path."""
    return rf'"([^"\n]*/)?{re.escape(posixpath.basename(name))}"'
