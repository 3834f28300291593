"""The host of one system: which options its class gets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchsite.isolation.worker import INVALID_PARAMS
from benchsite.tracks.agents.run.host import host

SYSTEM = """
class Quiet:
    name, version, author = "quiet", "1", "tests"

    def __init__(self, *, retries: int = 2, loud: bool = False):
        self.retries, self.loud = retries, loud
"""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"retries": 3, "loud": True}, ""),
        ({"loud": "no"}, "loud is true or false, not 'no'"),
        ({"retries": "many"}, "retries is a number, not 'many'"),
        ({"rounds": 3}, "no option 'rounds'"),
    ],
)
def test_an_option_has_the_type_of_its_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], said: str
) -> None:
    (tmp_path / "a_quiet_system.py").write_text(SYSTEM)
    monkeypatch.syspath_prepend(tmp_path)
    params = {"options": options, "seed": 1}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    server = host("a_quiet_system:Quiet", lambda _method, _params: None)
    answer = json.loads(server.answer(json.dumps(request).encode())[1])
    if said:
        assert (answer["error"]["code"], answer["error"]["message"]) == (INVALID_PARAMS, said)
    else:
        assert answer["result"]["name"] == "quiet"
