"""The engines, started when first asked for and kept for the session; `engine` is each of them in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from parity.engines import Engine, Served, serving, start

NATIVE = ("node", "chromium", "firefox")
BUNDLED = tuple(f"{name}-bundled" for name in NATIVE)
BASIC = {"test_engines", "test_json", "test_numbers", "test_signatures", "test_vectors"}
"""Where engines differ: the gate tries these in both browsers. What is built on them it tries in Node.js only."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that take `engine` run in each; those that take `any_engine` also in each without its own Ed25519."""
    for argument, names in (("engine", NATIVE), ("any_engine", (*NATIVE, *BUNDLED))):
        if argument in metafunc.fixturenames:
            basic = metafunc.module.__name__.rpartition(".")[2] in BASIC
            marked = [pytest.param(name, marks=_marks(name, basic=basic)) for name in names]
            metafunc.parametrize(argument, marked, indirect=True)


def _marks(name: str, *, basic: bool) -> list[pytest.MarkDecorator]:
    if name.startswith("node"):
        return []
    return [pytest.mark.browser] if basic else [pytest.mark.browser, pytest.mark.full]


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def engines(served: Served) -> Iterator[Callable[[str], Engine]]:
    started: dict[str, Engine] = {}

    def named(name: str) -> Engine:
        if name not in started:
            started[name] = start(name, served)
        return started[name]

    yield named
    for one in started.values():
        one.close()


@pytest.fixture
def engine(request: pytest.FixtureRequest, engines: Callable[[str], Engine]) -> Engine:
    return engines(request.param)


@pytest.fixture
def any_engine(request: pytest.FixtureRequest, engines: Callable[[str], Engine]) -> Engine:
    return engines(request.param)
