"""The search page: its script looks up mkdocs' index of prose, `/api/v1/index.json` and the definitions of methodologies.

`search/methodologies.json` has the form of mkdocs' index: a passage a version, and one for each metric it defines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape
from typing import Final

from benchsite import canonical
from benchsite.addresses import methodology_path
from benchsite.track import Library, Page

PATH: Final = "search/"
_LEADERBOARD: Final = re.compile(r"[^/]+/[^/]+/")


def search(library: Library, pages: Collection[str]) -> Iterator[Page]:
    """The page, and what it finds of methodologies.

    Args:
        pages: the paths of the tracks' pages: a dataset without a leaderboard there is not found as one.
    """
    yield Page(
        path=PATH,
        title="Search",
        description="Search the documentation, methodologies, leaderboards, systems and receipts of this site.",
        template="site/search.html.j2",
        context={"leaderboards": sorted(path for path in pages if _LEADERBOARD.fullmatch(path))},
    )
    yield Page(path=f"{PATH}methodologies.json", data=canonical.dumps({"docs": list(_passages(library))}))


def _passages(library: Library) -> Iterator[dict[str, canonical.Json]]:
    """Location, title and text as HTML, as mkdocs' index has them."""
    for document in library.methodologies:
        data = document.data
        path = methodology_path(data.track, data.version)
        yield _passage(path, data.title, data.summary)
        for measure in data.measures:
            yield _passage(
                path, f"{measure.label} ({data.track} {data.version})", f"{measure.name}: {measure.words}"
            )


def _passage(location: str, title: str, text: str) -> dict[str, canonical.Json]:
    return {"location": location, "title": escape(title), "text": escape(text)}
