from __future__ import annotations

import pytest

from benchsite.errors import PrerequisiteError
from benchsite.isolation import sandbox
from benchsite.isolation.grants import NotGrantedError, negotiated
from benchsite.track import NOTHING, Grant

ASKED = Grant(hosts=("a.example",), environment=("KEY",))


@pytest.fixture(autouse=True)
def level(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(sandbox, "level", lambda: getattr(request, "param", "sealed"))


def test_a_program_gets_what_it_asks_for_and_no_more() -> None:
    granted = Grant(hosts=("b.example", "a.example"), environment=("KEY", "OTHER"))
    assert negotiated("adapter", "x", ASKED, granted) == ASKED
    assert negotiated("adapter", "x", NOTHING, granted) == NOTHING


def test_a_grant_of_every_host_is_not_limited_to_those_that_a_program_names() -> None:
    """It is how a program is measured that cannot use a proxy."""
    assert negotiated("adapter", "x", ASKED, Grant(network=True, environment=("KEY",))) == Grant(
        network=True, environment=("KEY",)
    )


def test_what_was_not_granted_is_refused() -> None:
    with pytest.raises(NotGrantedError, match="network access to a.example and KEY"):
        negotiated("adapter", "x", ASKED, Grant(hosts=("b.example",)))


@pytest.mark.parametrize("level", ["offline", "open"], indirect=True)
def test_a_limit_that_the_system_cannot_keep_is_refused() -> None:
    granted = Grant(hosts=("a.example",), environment=("KEY",))
    with pytest.raises(PrerequisiteError) as caught:
        negotiated("adapter", "my x", ASKED, granted)
    assert caught.value.message == (
        "adapter my x: network access cannot be limited to a.example: this system permits no namespaces"
    )
    assert "--allow-network" in caught.value.hint
    assert 'grants: {"my x": {network: true}}' in caught.value.hint
    everywhere = granted.extended(Grant(network=True))
    assert negotiated("adapter", "my x", ASKED, everywhere).network
