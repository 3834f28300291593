"""What verify.html shows of its site is in the trust data, and what is empty is left out."""

from __future__ import annotations

import json
from typing import Any

from benchsite.site.frame import nav_of
from benchsite.site.trust import Shown, trust
from benchsite.tracks.rubric import TRACK


def told(shown: Shown | None) -> dict[str, Any]:
    found = trust(None, site="a", roots=(), checkpoint=b"", witnesses=(), shown=shown)
    made: dict[str, Any] = json.loads(found)
    return made


def test_the_header_of_the_site_is_that_of_the_verify_page():
    nav = told(Shown(nav=nav_of([TRACK])))["nav"]
    assert nav[0] == ["Rubric", "rubric/"]
    assert [path for _, path in nav[1:]] == ["receipts/", "methodology/", "log/", "verify.html", "docs/"]


def test_what_is_empty_is_left_out():
    assert told(Shown()) == told(None)
    assert told(Shown(banner="DEMO"))["banner"] == "DEMO"
