"""Foreign JSON values made fit to keep: API keys and absolute paths replaced, numbers and names in range.

Found by their form: API keys of the usual providers, GitHub, GitLab, Hugging Face, AWS, Google, Slack, npm, PyPI and Stripe tokens,
JSON Web Tokens (RFC 7519), bearer tokens, basic credentials (RFC 7617), private keys in PEM, credentials and signatures in URLs, and
values of names such as `OPENAI_API_KEY=`, `x-api-key:`, `aws_secret_access_key =` and `password:`. A path below a home, a mounted
disk or a scratch folder keeps its last component. Other absolute paths stay: they are those of a task's own container.
A key of no known form is not found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from benchsite import canonical
from benchsite.tracks.agents.importers.marks import Marks
from benchsite.tracks.agents.redaction import REDACTED

__all__ = ["PATH", "Scrubber", "fitted", "truncated"]

PATH: Final = "[path]"
LONGEST_NAME: Final = 200
_PROTO: Final = "[__proto__]"

_KEYS: Final = re.compile(
    r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"
    r"|(?<![A-Za-z0-9])(?:gh[opsur]_|github_pat_|hf_|glpat-|AIza|gsk_|xai-|r8_)[A-Za-z0-9_-]{20,}"
    r"|(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])"
    r"|(?<![A-Za-z0-9])xox[abposr]-[A-Za-z0-9-]{10,}"
    r"|(?<![A-Za-z0-9])(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}|[prs]k_live_[A-Za-z0-9]{10,})"
    r"|(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{10,}"
    r"|(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
)
_NAMED: Final = re.compile(
    r"(?P<name>(?<![A-Za-z])[Bb]earer[ ]+|(?i:authorization)\\{0,3}[\"']?[ ]?[=:][ ]?\\{0,3}[\"']?Basic[ ]+"
    r"|(?<![A-Z0-9_])[A-Z][A-Z0-9_]{0,60}(?:KEY|SECRET|TOKEN|PASSWORD|PASSWD)\\{0,3}[\"']?[ ]?[=:][ ]?\\{0,3}[\"']?)"
    r"[A-Za-z0-9._~+/=-]{8,}"
)
_API_KEY: Final = re.compile(
    r"(?P<name>(?i:api[-_]?key|(?:access|account|private)[-_]?key|(?:auth|access|refresh|session)[-_]?token|secret|passw(?:or)?d)"
    r"\\{0,3}[\"']?[ ]?[=:][ ]?\\{0,3}[\"']?|[?&]sig=)"
    r"(?=[A-Za-z._~+/=%-]{0,200}[0-9])[A-Za-z0-9._~+/=%-]{12,}"
)
"""The value has a digit: code such as `api_key=settings.api_key` stays."""
_CREDENTIALS: Final = re.compile(r"://[^\s/:@\"'<>]{0,100}:[^\s/@\"'<>]{1,200}@")
_FOLDERS: Final = "home|Users|root|mnt|media|scratch|Volumes|private|var/folders|srv|tmp|data|work"
_REST: Final = r"[^\s\"'<>|*?`:;,()\[\]{}\\]"
_PATHS: Final = re.compile(
    rf"(?<![\w./~-])(?:file://)?/(?P<top>{_FOLDERS})/(?P<rest>{_REST}+)"
    # After an option's letter, an escaped end of line, or the slashes of a URL without a host.
    r"|(?:(?<=[\s\"'=,(\[]-[A-Za-z])|(?<=^-[A-Za-z])|(?<=\\[nrt])|(?<=[^:]/)|(?<=-isystem))"
    rf"/(?:home|Users)/(?P<below>{_REST}+)"
    rf"|(?<=://)(?<!http://)(?<!https://)[^\s/\"'<>]{{1,100}}/(?:home|Users)/(?P<remote>{_REST}+)"
    r"|(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,2}|/(?!/))(?P<windows>[^\s\"'<>|*?`:;,()\[\]{}]+)"
)
# A text without any of these has no match; looking for them first saves most of the time on long transcripts.
_KEY_MARKS: Final = (
    *(
        "sk-",
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "ghr_",
        "github_pat_",
        "hf_",
        "glpat-",
        "AIza",
        "gsk_",
        "xai-",
        "r8_",
    ),
    *("AKIA", "ASIA", "xox", "eyJ", "-----BEGIN ", "npm_", "pypi-", "k_live_", "hooks.slack.com/"),
)
_NAME_MARKS: Final = (
    *("earer ", "KEY", "SECRET", "TOKEN", "PASSW", "Basic ", "ecret", "assw", "sig="),
    *(
        f"{of}{gap}{what}"
        for of in ("ccess", "ccount", "rivate")
        for gap in ("", "-", "_")
        for what in ("key", "Key")
    ),
    *(
        f"{of}{gap}{what}"
        for of in ("uth", "ccess", "efresh", "ession")
        for gap in ("", "-", "_")
        for what in ("token", "Token")
    ),
    *(f"{api}{key}" for api in ("pi", "pi-", "pi_", "PI", "PI-", "PI_") for key in ("key", "Key")),
)
_PATH_MARKS: Final = (*(f"/{folder}/" for folder in _FOLDERS.split("|")), ":\\", ":/")
_OWNED: Final = frozenset({"home", "Users"})
"""Folders whose entries are named after persons."""


class Scrubber:
    """Replaces keys and paths in JSON values, and counts both."""

    def __init__(self) -> None:
        self.keys = 0
        self.paths = 0

    def scrubbed(self, value: Any) -> Any:
        """Return a JSON value without them, and without lone surrogates, in the names of members too."""
        text = "\n".join(_texts(value))
        try:
            data, is_utf8 = text.encode("utf-8"), True
        except UnicodeEncodeError:
            data, is_utf8 = text.encode("utf-8", "replace"), False
        found = frozenset(_MARKS.within(data))
        paths = [mark for mark in _PATH_MARKS if mark in text] if _TOP.search(text) or found & _DRIVES else ()
        keys, names = ([mark for mark in listed if mark in found] for listed in (_KEY_MARKS, _NAME_MARKS))
        marks = _Marks(keys, names, paths)
        if not any(marks) and not (_URL in found and "@" in text) and is_utf8:
            return value  # as nearly every value is
        return self._scrubbed(value, marks)

    def _scrubbed(self, value: Any, marks: _Marks) -> Any:
        if isinstance(value, str):
            return self._text(value, marks)
        if isinstance(value, Mapping):
            return {self._text(name, marks): self._member(name, item, marks) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._scrubbed(item, marks) for item in value]
        return value

    def _member(self, name: str, value: Any, marks: _Marks) -> Any:
        """The value of a member, replaced if its name and the value are those of a credential."""
        if isinstance(value, str) and _has(name, marks.names):
            line = f"{name}={value}"
            for form in (_NAMED, _API_KEY):
                found = form.search(line)
                if found is not None and found.end("name") == len(name) + 1:
                    self.keys += 1
                    return REDACTED
        return self._scrubbed(value, marks)

    def name(self, text: str) -> str:
        """Return a text as a name: printable, 1 to 200 characters; a changed one ends in 8 digits of its SHA-256."""
        plain = re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", self.scrubbed(text)).strip()
        if plain == text and 1 <= len(text) <= LONGEST_NAME:
            return text
        digits = canonical.sha256_hex(text.encode("utf-8", "replace"))[:8]
        return f"{plain[: LONGEST_NAME - 9]}-{digits}" if plain else digits

    def _text(self, text: str, marks: _Marks) -> str:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
        if "://" in text and "@" in text:
            text, credentials = _CREDENTIALS.subn(f"://{REDACTED}@", text)
            self.keys += credentials
        if _has(text, marks.keys):
            text, keys = _KEYS.subn(REDACTED, text)
            self.keys += keys
        if _has(text, marks.names):
            text, named = _NAMED.subn(lambda found: f"{found['name']}{REDACTED}", text)
            text, api_keys = _API_KEY.subn(lambda found: f"{found['name']}{REDACTED}", text)
            self.keys += named + api_keys
        if _has(text, marks.paths):
            text, paths = _PATHS.subn(_shortened, text)
            self.paths += paths
        return text


class _Marks(NamedTuple):
    """The marks that occur in a value, so that its texts are searched for no others."""

    keys: Sequence[str]
    names: Sequence[str]
    paths: Sequence[str]


_URL: Final = "://"
_DRIVES: Final = frozenset({":\\", ":/"})
_MARKS: Final = Marks((*_KEY_MARKS, *_NAME_MARKS, _URL, *_DRIVES))
_TOP: Final = re.compile(f"/(?:{_FOLDERS})/")


def truncated(text: str, most: int, end: str = "") -> str:
    """Return a text of at most so many characters. Keys are replaced before: of a key on the cut, a part would stay."""
    return text if len(text) <= most else Scrubber().scrubbed(text)[: most - len(end)] + end


def fitted(value: Any) -> Any:
    """Return a JSON value that canonical JSON can state: a number beyond 2^53 as text, NaN and infinity as null."""
    if isinstance(value, Mapping):
        return {_PROTO if name == "__proto__" else name: fitted(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [fitted(item) for item in value]
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value + 0 if abs(value) <= canonical.MAX_INTEGER else str(value)  # -0.0 + 0 is 0.0


def _texts(value: Any) -> Iterator[str]:
    """Every text of a JSON value, names of members included."""
    held = [value]
    while held:
        one = held.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            yield from one
            held += one.values()
        elif isinstance(one, list | tuple):
            held += one


def _has(text: str, marks: Sequence[str]) -> bool:
    return any(mark in text for mark in marks)


def _shortened(found: re.Match[str]) -> str:
    """A path without its folders; the name of a person's home is none of its components."""
    if found["windows"] is not None:
        parts = [part for part in re.split(r"[\\/]+", found["windows"]) if part]
        owned = parts[:1] == ["Users"]
        parts = parts[2:] if owned else parts
    else:
        rest = found["rest"] or found["below"] or found["remote"]
        parts = [part for part in rest.split("/") if part]
        parts = parts[1:] if found["top"] is None or found["top"] in _OWNED else parts
    return f"{PATH}/{parts[-1]}" if parts else PATH
