"""A leaderboard as a table to paste: Markdown (GitHub Flavored Markdown, tables) and LaTeX with booktabs rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchsite.board.board import Board
from benchsite.board.rows import Row
from benchsite.board.view import View, listed
from benchsite.markup import latex, markdown
from benchsite.track import Page

__all__ = ["tables"]


def tables(made: Board, shown: View, stem: str) -> Iterator[Page]:
    """Yield the two files of a leaderboard's page.

    Args:
        made: the leaderboard.
        shown: what its page shows.
        stem: path of the files, without the extension.
    """
    head, *body = _cells(made, shown)
    title = f"{made.title}, {made.about.rules} {made.methodology}"
    lines = [
        f"**{markdown(title)}**. {markdown(made.lede)}",
        "",
        _bar([markdown(text) for text in head]),
        _bar([":--" if text in _WORDS else "--:" for text in head]),
        *(_bar([markdown(text) for text in line]) for line in body),
    ]
    yield Page(path=f"{stem}.md", data="\n".join((*lines, "")).encode())
    aligned = "".join("l" if text in _WORDS else "r" for text in head)
    rows = [" & ".join(map(latex, line)) + r" \\" for line in body]
    text = [
        "% \\usepackage{booktabs}",
        "\\begin{tabular}{" + aligned + "}",
        r"\toprule",
        " & ".join(map(latex, head)) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        f"% {latex(title)}. Path {made.frozen_path}",
        "",
    ]
    yield Page(path=f"{stem}.tex", data="\n".join(text).encode())


_WORDS = {"System", "Rank", "Test"}


def _cells(made: Board, shown: View) -> Iterator[Sequence[str]]:
    about = made.about
    metric = about.metric
    own = [(place, column) for place, column in shown.columns if not column.folded]
    compared = [f"Δ {about.reference_name}", "adjusted p"] if shown.test else []
    yield ["Rank", "System", metric.label, "95% CI", *compared, *(column.heading for _, column in own)]
    for row in listed(made):
        interval = "–" if row.low is None else f"[{metric.figure(row.low)}, {metric.figure(row.high)}]"
        against = ["–", "–"]
        if row.to_baseline is not None:
            against = [
                metric.difference(row.to_baseline.delta),
                row.to_baseline.cells[1].removeprefix("p ").removeprefix("= "),
            ]
        yield [
            row.rank or "–",
            _name(about.name(row), row),
            metric.figure(row.value),
            interval,
            *(against if shown.test else []),
            *(row.cells[place][0] for place, _ in own),
        ]


def _name(name: str, row: Row) -> str:
    """Name, version and configuration: two rows may share the first."""
    said = [row.subject.version, row.subject.label]
    return f"{name} ({', '.join(part for part in said if part)})" if any(said) else name


def _bar(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
