"""Workflows of an instance that is a subfolder of another repository: the same jobs, started in that folder.

GitHub reads workflows at the top of a repository only. Each file of an instance is copied there under the folder's name, and
differs from the one of a repository of its own in the folder of its commands and paths, its names, and what starts it: a change
in the folder.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["placed"]

_FOLDER: Final = ".github/workflows/"
_EDITS: Final = (
    (r"(?m)^name: (.+)$", r"name: {slug}-\1"),
    (r"(?m)^(    branches: \[main\]\n)", r"\1    paths: ['{place}**']\n"),
    (r"(?m)^(  pull_request:\n)", r"\1    paths: ['{place}**']\n"),
    (r"(?m)^(    shell: .+\n)", r"\1    working-directory: {place}\n"),
    (r"(?m)^(( +)group: )", r"\1{slug}-"),
    (r"(?m)^( {{10}}path: )(?!\{{)", r"\1{place}"),
    (r"(uses: \./\.github/workflows/)", r"\1{slug}-"),
)
"""What differs, as patterns and replacements, in every file that has it."""


def placed(files: dict[str, bytes], below: str) -> dict[str, bytes]:
    """Return the files with the workflows among them moved to the top of the repository.

    Args:
        files: path in the instance to content.
        below: the instance's folder as git names it, ended by a slash.
    """
    top = "../" * below.count("/")
    found = {}
    for path, data in files.items():
        if path.startswith(_FOLDER):
            name = path.removeprefix(_FOLDER)
            found[f"{top}{_FOLDER}{_slug(below)}-{name}"] = _edited(data.decode(), below).encode()
        else:
            found[path] = data
    return found


def _slug(below: str) -> str:
    return below.strip("/").replace("/", "-")


def _edited(text: str, below: str) -> str:
    for pattern, replacement in _EDITS:
        text = re.sub(pattern.format(), replacement.format(place=below, slug=_slug(below)), text)
    return text
