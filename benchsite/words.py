"""Numbers as English prose says them, sentences with names to fill in, and names of files as one line of text.

Owns the one list of number words. Figures in tables are `benchsite.site.formats`' business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_NUMBERS: Final = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)

_LEVEL: Final = 0.05
"""Of significance, by the field's convention."""


def number_word(value: int) -> str:
    """`eleven` up to twelve, `no` for 0, figures with commas between thousands otherwise."""
    return _NUMBERS[value] if 0 <= value < len(_NUMBERS) else f"{value:,}"


def filled(text: str, /, **values: int | str) -> str:
    """A sentence with its names in braces filled in; JavaScript fills the same sentences in `theme/verify/filled.js`."""
    return text.format(**values)


def message(messages: Mapping[str, str], name: str, /, **values: int | str) -> str:
    """The message of this name with its names in braces filled in."""
    return filled(messages[name], **values)


def quoted(text: str, most: int = 80) -> str:
    """The beginning of foreign text in one line: ASCII in quotes, as `quoted` of `theme/verify/json.js` writes it."""
    return ascii(text[:most])


def figure(value: float | None, digits: int = 3) -> str:
    """A measure with its fixed number of decimals; a dash where it is blank."""
    return "–" if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """A share as `42.6%`; a dash where it is blank."""
    return "–" if value is None else f"{100 * value:.1f}%"


def whole(value: int | None) -> str:
    """A whole number with commas between thousands; a dash where it is unknown."""
    return "–" if value is None else f"{value:,}"


def sentence_case(text: str) -> str:
    """The text with its first letter large, as a sentence starts."""
    return f"{text[:1].upper()}{text[1:]}"


def counted(value: int, noun: str) -> str:
    """`one system`, `no systems`, `13 systems`."""
    return f"{number_word(value)} {noun}{'' if value == 1 else 's'}"


def amount(value: int, noun: str, plural: str = "") -> str:
    """`1 query`, `1,540 queries`: figures, for tables and commands."""
    return f"{value:,} {noun if value == 1 else plural or f'{noun}s'}"


def rounded(value: int) -> str:
    """Three digits and zeros: `224,000`."""
    return f"{round(value, min(0, 3 - len(str(value)))):,}"


def options_words(options: Mapping[str, object]) -> list[str]:
    """The options of a system in words, by name: `k1 1.2`, `stemming`, `no stemming`."""
    return [
        name if value is True else f"no {name}" if value is False else f"{name} {value}"
        for name, value in sorted(options.items())
    ]


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def points(value: float) -> str:
    """A difference of two shares in percentage points: `+24.6 pt`."""
    rounded = round(100 * value, 1) + 0.0  # of -0.0 too the sign is a plus
    return f"{rounded:+.1f} pt".replace("-", "−")


def difference(value: float, digits: int = 3) -> str:
    """`+0.043`, `−0.043`: so many decimals with a sign; `0.000` has none."""
    shown = f"{value:+.{digits}f}".replace("-", "−")
    return shown if shown.strip("+−0.") else shown[1:]


def p_value(p: float) -> str:
    """`p = 0.058`; `p < 0.001` below that; as many decimals as show on which side of 0.05 it is."""
    if p < 0.001:
        return "p < 0.001"
    digits = 3
    while p != _LEVEL and round(p, digits) == _LEVEL and digits < 17:
        digits += 1
    return f"p = {p:.{digits}f}"


def ci(low: float | None, high: float | None, digits: int = 3) -> str:
    """`[0.489, 0.621]`; a dash without an interval."""
    return "–" if low is None or high is None else f"[{low:.{digits}f}, {high:.{digits}f}]"


def share(num: int, den: int) -> str:
    """`75.6% (93/123)`."""
    return f"{percent(num / den)} ({num:,}/{den:,})" if den else "–"


def rank(first: int | None, last: int | None) -> str:
    """`1`, or `2–4` for a tie over these ranks; empty without one."""
    if first is None:
        return ""
    return str(first) if first == last else f"{first}–{last}"


def rank_words(first: int | None, last: int | None) -> str:
    """`1st`, or `2nd to 4th`."""
    if first is None or last is None:
        return "not ranked"
    return ordinal(first) if first == last else f"{ordinal(first)} to {ordinal(last)}"


def shortened(text: str, longest: int) -> str:
    """A text of at most so many characters, the last of them … where it was cut."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def one_line(text: str, longest: int) -> str:
    """Return a text as one printable line of at most so many characters; a line break in it could forge a line of ours."""
    return shortened(
        "".join(
            char if char.isprintable() else char.encode("unicode_escape").decode()
            for char in text[: longest + 1]
        ),
        longest,
    )


def shown_path(path: str) -> str:
    """A path from git, which may hold any bytes, as one printable line of at most 200 characters.

    A line break or a control character in a name could otherwise write lines that look like ours.
    """
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text[:200]
    )
