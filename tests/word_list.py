"""The words of the house style: what no visible text says, and what it says instead (STYLE.md, chapter "Words").

`found` lists the places of a file with such a word. Visible are the string constants of Python and JavaScript, and what
is neither code nor markup of templates, Markdown, YAML and shell files; of templates also attributes that are read and
strings of expressions. Docstrings are not, save those of commands: the test reads them as `--help` prints them.
`texts_of` reads a page as a browser shows it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, NamedTuple

ACTOR: Final = "name the actor: submitter, maintainer, reader, evaluator, you"


def _noun(word: str) -> str:
    """A word that is also a name in code and of commands: found where it follows a word and nothing of a name follows."""
    return rf"(?<=[\w,;)]\s)(?<!benchsite\s)(?-i:{word})(?=[\s,;?!)]|\.\W|\.?$)"


WORDS: Final = {
    r"(some|any|no)body": ACTOR,
    r"whoever": ACTOR,
    r"strangers?": "untrusted source, submitter",
    r"keepers?": "maintainer",
    r"for ever": "permanently",
    r"again|anew|afresh": "re-score, re-run, reproduce, retry",
    r"stands?": "is",
    r"apart": "separately",
    r"public list": "the log",
    r"right turns?": "relevant turn",
    r"floors?": "baseline",
    r"exit status": "exit code",
    r"lies? in": "is in",
    r"held against": "compare with",
    r"of (its|their|your|our) own": "its own",
    r"mend\w*": "fix",
    r"(in no|(day|date|time) (in|of) the) calendar": "is not a valid date",
    r"other hands|stolen|leaked": "compromised",
    r"licen[c]e\w*": "license",
    r"data sets?": "dataset",
    r"throw-away": "throwaway",
    r"judge?ments?": "rating, re-score",
    r"announce\w*": "pre-register",
    r"cannot (tell|be told)": "tied (p = ...)",
    r"silent|silence": "abstain",
    r"silently": "without a message",
    r"disown\w*": "revoke",
    _noun("boards?"): "leaderboard",
    _noun("fixtures?"): "dataset",
    r"(an?|the|these|each|every|its|of|by|per|other|headline) measures?": "metric; as a verb it is right",
    r"begun?|begins?": "create, start",
    r"vanish\w*": "withdraw, remove",
    r"countersign\w*": "cosign",
    r"vouch(e[sd]|ing)?": "confirm",
    r"in the way": "problem",
    r"left out": "excluded",
    r"when it was (added|logged)": "log entries have no date",
    r"pip (install|download)( -\S+)* benchsite|pypi\.org": "a wheel: benchsite is on no package index",
    r"(colour|behaviour|favour|honour|labelled|normalis|initialis|recognis|summaris|randomis|organis|serialis|standardis(?!edTask\b)|neighbour|centre|catalogue|programme)\w*": "American spelling",
}
_SPACED: Final = (f"({word})".replace(" ", r"\s+") for word in WORDS)
_FINDER: Final = re.compile(rf"\b({'|'.join(_SPACED)})\b|\d %|^\s*try: ", re.IGNORECASE)
_CODE: Final = re.compile(
    r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<!--.*?-->|<[^>]*>|`[^`]*`|\]\([^)]*\)", re.DOTALL
)
_READ: Final = (
    "aria-description",
    "aria-label",
    "alt",
    "content",
    "data-label",
    "label",
    "placeholder",
    "title",
)
_ATTRIBUTE: Final = re.compile(rf'\b(?:{"|".join(_READ)})="([^"]*)"')
_EXPRESSION: Final = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
_QUOTED: Final = re.compile(r""""([^"\n]* [^"\n]*)"|'([^'\n]* [^'\n]*)'""")
_STRING: Final = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", re.DOTALL
)
_BLOCK: Final = re.MULTILINE | re.DOTALL
SUFFIXES: Final = frozenset({".py", ".js", ".mjs", ".j2", ".html", ".md", ".yml", ".yaml", ".toml", ""})


class Place(NamedTuple):
    """A forbidden word and where it is."""

    path: str
    line: int
    word: str
    text: str


def found(path: Path, name: str) -> Iterator[Place]:
    """The forbidden words of one file; `name` is its path as the repository has it."""
    source = path.read_text(encoding="utf-8")
    for line, text in _texts(path.suffix, source):
        yield from in_text(text, name, line)


def in_text(text: str, name: str, line: int = 0) -> Iterator[Place]:
    """The forbidden words of one text."""
    for match in _FINDER.finditer(text):
        if match[0] == "BEGIN":  # of PEM and of SQL
            continue
        around = text[max(0, match.start() - 40) : match.end() + 40]
        row = line + text.count("\n", 0, match.start())
        yield Place(name, row, " ".join(match[0].split()), " ".join(around.split()))


def texts_of(html: str) -> list[str]:
    """What a browser shows of a page: its text and the attributes that are read, without code and scripts."""
    page = _Page()
    page.feed(html)
    return page.texts


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._unread: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style", "code", "pre"):
            self._unread.append(tag)
        self.texts += [value for key, value in attrs if key in _READ and value]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._unread:
            self._unread.remove(tag)

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.texts.append(data)


def files(folder: Path) -> Iterator[Path]:
    """The files of a folder, or the one file, that can hold visible text."""
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        if path.is_file() and path.suffix in SUFFIXES and not {"vendor", "__pycache__"} & set(path.parts):
            yield path


def _texts(suffix: str, source: str) -> Iterator[tuple[int, str]]:
    if suffix == ".py":
        return _of_python(source)
    return _of_script(source) if suffix in (".js", ".mjs") else _of_prose(source, markdown=suffix == ".md")


def _of_python(source: str) -> Iterator[tuple[int, str]]:
    """String constants; no docstrings, and no dotted names of plug-in methods or of `__all__`."""
    tree = ast.parse(source)
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.Assign) and any(
            isinstance(to, ast.Name) and to.id == "__all__" for to in node.targets
        ):
            skipped |= {id(item) for item in ast.walk(node.value)}
    for node in ast.walk(tree):
        visible = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped
        if visible and not re.fullmatch(r"\w+(\.\w+)+", node.value):
            yield node.lineno, node.value


def _of_script(source: str) -> Iterator[tuple[int, str]]:
    """String constants of each kind of quotation mark; no comments."""
    for match in _STRING.finditer(source):
        yield _line(source, match), match[1] or match[2] or match[3] or ""


def _of_prose(source: str, *, markdown: bool) -> Iterator[tuple[int, str]]:
    if markdown:
        source = re.sub(r"^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), source, flags=_BLOCK)
    else:
        for match in _ATTRIBUTE.finditer(source):
            yield _line(source, match), _CODE.sub(" ", match[1])
        for expression in _EXPRESSION.finditer(source):
            for match in _QUOTED.finditer(expression[0]):
                yield _line(source, expression), match[1] or match[2]
    yield 1, _CODE.sub(lambda code: " " + "\n" * code[0].count("\n"), source)


def _line(source: str, match: re.Match[str]) -> int:
    return source.count("\n", 0, match.start()) + 1
