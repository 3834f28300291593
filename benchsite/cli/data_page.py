"""The tables of `content/docs/api.md` that follow from the data dictionary, each between `<!-- table: NAME -->` and `<!-- end -->`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from benchsite import plugins
from benchsite.board.dictionary import dictionary

PAGE: Final = "content/docs/api.md"
_OWN: Final = ("retrieval", "agents", "rubric")
_TABLE: Final = re.compile(r"(?<=<!-- table: )([\w.]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def data_page() -> str:
    """The page of this checkout with its tables as the dictionary has them."""
    tracks = [plugins.track(name) for name in _OWN]
    tables = dictionary(tracks, [track.part("board").LEADERBOARD for track in tracks])

    def written(found: re.Match[str]) -> str:
        name, close = found.groups()
        return f"{name}{close}\n{_table(tables[name])}\n"

    return _TABLE.sub(written, Path(PAGE).read_text(encoding="utf-8"))


def _table(columns: list[dict[str, Any]]) -> str:
    lines = ["| column | type | description |", "|---|---|---|"]
    for one in columns:
        kind = one["type"] if one["required"] else f"{one['type']} or null"
        lines.append(f"| `{one['column']}` | {kind} | {one['description'].removesuffix('.')} |")
    return "\n".join(lines) + "\n"
