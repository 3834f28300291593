"""A template is compiled once in a process of tests, however many builds ask for it: a fourth of a build goes there."""

from __future__ import annotations

from collections.abc import Hashable
from types import CodeType
from typing import Any

import jinja2


def remember_templates() -> None:
    """Give a template's code back wherever its text and all that compiling looks at are the same."""
    compiled = jinja2.Environment.compile
    held: dict[Hashable, CodeType] = {}

    def once(
        self: jinja2.Environment,
        source: Any,
        name: str | None = None,
        filename: str | None = None,
        **more: Any,
    ) -> Any:
        if more or not isinstance(source, str):
            return compiled(self, source, name, filename, **more)
        looked_at = (self.autoescape, self.finalize, self.undefined, self.trim_blocks, self.lstrip_blocks)
        plugins = (frozenset(self.filters.items()), frozenset(self.tests.items()), frozenset(self.extensions))
        key = (source, name, filename, type(self), *looked_at, *plugins)
        if key not in held:
            held[key] = compiled(self, source, name, filename)
        return held[key]

    jinja2.Environment.compile = once  # type: ignore[assignment,method-assign]
