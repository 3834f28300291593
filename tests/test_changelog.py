from __future__ import annotations

import re
from pathlib import Path

from benchsite.pipeline.browser import verifier


def test_the_newest_section_lists_the_engine_of_verify_html(root: Path):
    """Visitors compare their copy with it; it has to be the one that this code builds."""
    sections = re.split(r"^## ", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    listed = re.search(r"^### Engine of verify\.html\n\n`([0-9a-f]{64})`$", sections[1], flags=re.MULTILINE)
    assert listed is not None
    assert listed[1] == verifier().engine_hash, "run: make reference"
