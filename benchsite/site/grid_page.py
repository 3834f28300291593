"""The page of a settings grid, as Markdown with charts, for a site's `content/` or any other reader of Markdown.

Every text of a grid's file is escaped here, and addresses are those that its form allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from benchsite.site import formats
from benchsite.site.charts.distribution import distribution
from benchsite.site.charts.intervals import Scale, interval_plot
from benchsite.words import amount, figure, sentence_case

__all__ = ["grid_page"]

_SCALE: Final = Scale(0.0, 1.0)
_SAFE: Final = {letter: f"&#{ord(letter)};" for letter in "[](){}!_\\*`#~^$|@"} | {
    letter: escape(letter, quote=False) for letter in "&<>"
}
"""What HTML or Markdown gives a meaning, as references."""
_WHERE: Final = {
    "inside": "inside",
    "above": "above every score",
    "below": "below every score",
    "not measured": "no rankings",
}


def grid_page(found: Mapping[str, Any], summary: str) -> str:
    """Return the page of a scored grid; `summary` is its first sentence."""
    title = json.dumps(found["title"], ensure_ascii=False)
    values = [one["value"] for one in found["scores"]]
    points = [(one["share"], f"{_line(one['system'])} {_value(one)}") for one in found["claims"]]
    blocks = [
        f"---\ntitle: {title}\n---\n\n# {_text(found['title'])}",
        _text(summary),
        f"<div>{distribution(_line(found['benchmark']), values, points)}</div>",
        (
            "Bars count the scores of the measured systems, one for each combination of settings. Each point is a published number. "
            "It is as its author states it and was not measured here. Numbers that a language model judged are not on this axis."
        ),
        _address(found["corrections"]),
        "## What each setting moves\n\nThe score of one system, if nothing but this setting changes:",
        _table(("setting", "values", "least", "median", "most"), _spreads(found)),
        (
            "## Published claims\n\nThe line of each row spans the scores of the measured systems under the settings of the claim. "
            "A setting that the claim does not state may have any value."
        ),
        *_own(found),
        _table(("system, stated by", "claim", "0–1", "measured", "settings"), _claims(found)),
        *_same_runs(found["sameRun"]),
        *_disputes(found["claims"]),
        *_off(found["off"]),
        "## Not scored",
        _table(
            ("combinations × systems", "reason", "systems"),
            [
                (f"{one['count']:,}", _text(one["reason"]), _text(", ".join(one["systems"]) or "all"))
                for one in found["refused"]
            ],
        ),
        "## Systems",
        "\n".join(f"- {_text(name)}" for name in found["systems"]),
        *_omitted(found["omitted"]),
    ]
    return "\n\n".join(blocks) + "\n"


def _omitted(baselines: Sequence[str]) -> Iterator[str]:
    if baselines:
        yield f"Not part of the distribution, because they rank without reading a text or return nothing: {_text(', '.join(baselines))}."


def _text(words: object) -> str:
    """Foreign text that neither HTML nor Markdown reads as markup; no reader makes a link of an address in it."""
    shown = "".join(_SAFE.get(letter, letter) for letter in formats.visible(_line(words)))
    return shown.replace("://", "&#58;//").replace("www.", "www&#46;")


def _line(words: object) -> str:
    """On one line: an empty line would end a block of HTML within Markdown."""
    return " ".join(str(words).split())


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table: cells of Markdown tables cannot have charts."""
    head = "".join(f'<th scope="col">{cell}</th>' for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _spreads(found: Mapping[str, Any]) -> list[Sequence[str]]:
    return [
        (
            one["axis"],
            # NDCG is another metric, and no rule for recall: the spread is without it.
            _text(", ".join(str(value) for value in found["axes"][one["axis"]] if value != "ndcg")),
            *(figure(one[name]) for name in ("least", "median", "most")),
        )
        for one in found["spreads"]
    ]


def _address(corrections: str) -> str:
    """Where a wrong claim is reported."""
    if not corrections:
        return "<p>Report a wrong or changed claim in the repository of this record.</p>"
    return (
        f'<p>Report a wrong or changed claim: <a href="{escape(corrections)}">{_text(corrections)}</a>.</p>'
    )


def _own(found: Mapping[str, Any]) -> Iterator[str]:
    """Which settings the methodology scores, and how many claims need others."""
    if found["claims"] and found["methodology"]:
        number = sum(not one["needs"] for one in found["claims"])
        own = "; ".join(
            f"{axis} {' or '.join(map(str, values))}" for axis, values in found["methodology"].items()
        )
        yield (
            f"The methodology of this site scores {_text(own)}. These are the settings of {number:,} of "
            f"{amount(len(found['claims']), 'claim')}. Other settings are in bold, and the row also has the scores under the methodology."
        )


def _claims(found: Mapping[str, Any]) -> list[Sequence[str]]:
    return [
        (
            _source(one),
            f"{_value(one)} {_text(one['metric'])}",
            interval_plot("", one["share"], one["low"], one["high"], _SCALE, title=_drawn(one)),
            _measured(one),
            _settings(one["settings"], one["needs"])
            + (f"<br>{_text(sentence_case(one['note']))}." if one["note"] else ""),
        )
        for one in found["claims"]
    ]


def _source(one: Mapping[str, Any]) -> str:
    """The system, who stated the claim, and when."""
    system = _text(f"{one['system']} {one['version']}".strip())
    by = f'<a rel="nofollow" href="{escape(one["source"])}">{_text(one["by"])}</a>'
    return f"{system}<br>{by}, {_text(one['date'] or 'date unknown')}"


def _drawn(one: Mapping[str, Any]) -> str:
    """The title of a row's plot."""
    measured = "no scores" if one["low"] is None else f"scores {_range(one)}"
    return f"{_line(one['system'])}: claim {figure(one['share'])}, {measured}"


def _settings(settings: Mapping[str, Any], needs: Mapping[str, Any]) -> str:
    """The settings, in bold those that the methodology doesn't score."""
    words = {axis: _text(f"{axis} {value}") for axis, value in settings.items()}
    return ", ".join(f"<strong>{words[axis]}</strong>" if axis in needs else words[axis] for axis in words)


def _measured(one: Mapping[str, Any]) -> str:
    """The measured scores under the claim's settings, and under the methodology's where those differ."""
    lines = [_WHERE[one["where"]]] if one["low"] is None else [_range(one), _WHERE[one["where"]]]
    if one["saturated"]:
        least, most = one["saturated"]
        of = f"{least}" if least == most else f"{least} to {most}"
        lines.append(f"k returns all {of} of a scope: any order scores 1.000")
    own = one["methodology"]
    if one["needs"] and own["low"] is not None:
        lines.append(f"under the methodology {_range(own)}, {_WHERE[own['where']]}")
    return "<br>".join(lines)


def _same_runs(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Claims of one run under several rules: what the rule alone moves."""
    if runs:
        yield "## One run, several rules\n\nEach row has the claims of one run. Only the rule differs, so only the rule moves the number."
        rows = [
            (
                _text(one["system"]),
                _settings({axis: one["settings"][axis] for axis in ("granularity", "k")}, {}),
                _text(", ".join(f"{rule} {figure(share)}" for rule, share in one["rules"].items())),
                figure(one["difference"]),
            )
            for one in runs
        ]
        yield _table(("system", "settings", "claims by rule", "difference"), rows)


def _range(one: Mapping[str, Any]) -> str:
    return "–" if one["low"] is None else f"{figure(one['low'])}–{figure(one['high'])}"


def _value(one: Mapping[str, Any]) -> str:
    return f"{one['value']:g}{'%' if one['unit'] == 'percent' else ''}"


def _disputes(claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each objection with its own number, at the same size as the claim's."""
    rows = [
        (
            _text(one["system"]),
            _value(one),
            "–" if said["value"] is None else _value({**one, "value": said["value"]}),
            _text(said["by"]),
            _text(said["point"]),
            _text(said["date"] or "unknown"),
            f'<a rel="nofollow" href="{escape(said["where"])}">source</a>',
        )
        for one in claims
        for said in one["disputes"]
    ]
    if rows:
        yield "## Disputed claims\n\nBoth numbers are as stated by their authors."
        yield _table(("system", "claim", "objection", "by", "point", "date", "source"), rows)


def _off(claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    rows = [
        (
            _text(one["system"]),
            f"{_value(one)} {_text(one['metric'])}",
            _text(one["reason"]),
            _text(one["date"] or "unknown"),
            f'<a rel="nofollow" href="{escape(one["source"])}">source</a>',
        )
        for one in claims
    ]
    if rows:
        yield "## Claims that no combination fits"
        yield _table(("system", "claim", "reason", "date", "source"), rows)
