"""The engines are the ones they are taken for, and each of them can be heard to fail."""

from __future__ import annotations

import pytest
from parity.engines import Engine


def test_each_engine_is_itself(engine: Engine, request: pytest.FixtureRequest):
    name = request.node.callspec.params["engine"]
    assert engine.version.lower().startswith({"chromium": "chrome"}.get(name, name))
    assert engine.one("engine") == "native"


def test_the_bundled_ed25519_answers_where_webcrypto_has_none(
    any_engine: Engine, request: pytest.FixtureRequest
):
    name = request.node.callspec.params["any_engine"]
    assert any_engine.one("engine") == ("bundled" if name.endswith("-bundled") else "native")


def test_what_is_no_answer_is_heard(engine: Engine):
    with pytest.raises(AssertionError, match="no operation nonsense"):
        engine.one("nonsense")
    with pytest.raises(AssertionError, match="TypeError"):
        engine.one("wilson", None)
