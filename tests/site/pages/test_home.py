from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from benchsite.site.pages.home import home


class _NoReceipts(list[Any]):
    headers = ()


def test_leaderboards_with_a_ranked_system_come_first_and_the_rest_keep_their_order() -> None:
    leader = SimpleNamespace(header=SimpleNamespace(receipt_id="3f25"))
    ranked = {"empty-a": (), "led-b": (leader,), "empty-c": (), "led-d": (leader,)}
    boards: Any = SimpleNamespace(
        current=tuple(
            SimpleNamespace(target=name, leaders=leaders, explained="") for name, leaders in ranked.items()
        )
    )
    record: Any = _NoReceipts()
    shown = home(record, boards, site_name="site").context["boards"]
    assert [board.target for board in shown] == ["led-b", "led-d", "empty-a", "empty-c"]
