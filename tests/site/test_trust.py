"""What verify.html shows of its site is in the trust data, and what is empty is left out."""

from __future__ import annotations

import json
from typing import Any

from benchsite.site.frame import foot, nav_of
from benchsite.site.repository import Hosted
from benchsite.site.trust import Shown, trust
from benchsite.tracks.retrieval import TRACK as RETRIEVAL
from benchsite.tracks.rubric import TRACK


def told(shown: Shown | None) -> dict[str, Any]:
    found = trust(None, site="a", roots=(), checkpoint=b"", witnesses=(), shown=shown)
    made: dict[str, Any] = json.loads(found)
    return made


def test_the_header_of_the_site_is_that_of_the_verify_page():
    nav = told(Shown(nav=nav_of([TRACK])))["nav"]
    assert nav[0] == ["Leaderboards", "rubric/"]
    assert [path for _, path in nav[1:]] == ["systems/", "verify.html", "docs/"]
    assert told(Shown(nav=nav_of([TRACK, RETRIEVAL])))["nav"][0] == ["Leaderboards", "#leaderboards"]


def test_what_is_empty_is_left_out():
    assert told(Shown()) == told(None)
    assert told(Shown(banner="DEMO"))["banner"] == "DEMO"


def test_the_footer_of_the_site_is_that_of_the_verify_page():
    links = foot(Hosted("https://code.invalid/lab/bench"), "LICENSE", "log/feed.xml")
    assert told(Shown(links=links, version="1.2.3")) == told(None) | {
        "links": [
            ["Receipts", "receipts/"],
            ["Methodology", "methodology/"],
            ["Log", "log/"],
            ["Repository", "https://code.invalid/lab/bench"],
            ["License", "https://code.invalid/lab/bench/blob/HEAD/LICENSE"],
            ["Atom feed", "log/feed.xml"],
        ],
        "version": "1.2.3",
    }
    assert foot(None, "LICENSE", "", pages=[]) == []
