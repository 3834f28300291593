"""The kind `arithmetic-tools`: packaged tasks and a calculator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.tracks.agents.benchmarks.arithmetic_tools.calculator import CALCULATOR
from benchsite.tracks.agents.benchmarks.packaged import Function, kind

__all__ = ["KIND"]


def _functions(data: Mapping[str, Any], where: str) -> Sequence[Function]:
    if data:
        raise InputError(f"benchmark {where}: data: a calculator needs none", hint='write: "data": {}')
    return (CALCULATOR,)


KIND: Final = kind(_functions)
