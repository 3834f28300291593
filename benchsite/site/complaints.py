"""What mkdocs and templates complain about, as errors that name the file and the line."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from benchsite.errors import BenchsiteError, InputError, ThemeError
from benchsite.site.frame import SiteConfig

_LINK: Final = re.compile(r"Doc file '(?P<file>[^']+)' contains an? .*?link '(?P<link>[^']*)'")


def refuse_taken(prose: Mapping[str, str], generated: Iterable[str]) -> None:
    """Raise `InputError` where a file of prose, by the path of its page, would be in the place of a generated page."""
    for path in sorted(prose.keys() & set(generated)):
        raise InputError(f"content/{prose[path]} has the path of a generated page", hint="move it")


class Messages(logging.Handler):
    """Keeps what mkdocs would have printed at WARNING and above; all of it is an error here."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line."""
        self.lines.append(record.getMessage())


def input_error(config: SiteConfig, messages: Messages, cause: str) -> InputError:
    """One message from everything mkdocs complained about, each broken link with its line."""
    settings = config.mkdocs_yml.name
    lines = [_located(config, line) for line in messages.lines]
    if not lines:
        lines = [f"{settings}: {cause}" if cause else "mkdocs failed without a message"]
    listed = any(not line.startswith(f"{settings}:") for line in lines)
    return InputError(
        "\n".join(dict.fromkeys(lines)),
        hint="fix the Markdown files listed above, then rebuild"
        if listed
        else f"correct {settings}, then rebuild",
    )


def template_error(
    config: SiteConfig, messages: Messages, error: Exception, file: str, line: int
) -> BenchsiteError:
    """A template computes, and may be the instance's own; one that is not there is a page's to ask for."""
    if not line:
        return input_error(config, messages, f"no template {file}")
    path = Path(file)
    name = path.relative_to(config.theme_dir) if path.is_relative_to(config.theme_dir) else path.name
    return ThemeError(f"theme: {name}, line {line}: {type(error).__name__}: {error}")


def _located(config: SiteConfig, message: str) -> str:
    found = _LINK.search(message)
    if found is None:
        return f"{config.mkdocs_yml.name}: {message}" if "onfig" in message else message
    path = config.docs_dir / found["file"]
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return message
    number = next((n for n, line in enumerate(text.splitlines(), 1) if found["link"] in line), 1)
    return f"{config.docs_dir.name}/{found['file']}:{number}: broken link {found['link']!r}"
