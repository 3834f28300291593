"""Which committed files can be sheets."""

from __future__ import annotations

from branches import Work
from snapshots import snapshot

from benchsite.pipeline.measure import sheets
from benchsite.pipeline.workspace import Workspace


def test_every_regular_yaml_file_below_fixtures_is_listed(published: Workspace) -> None:
    work = Work(published)
    wanted = ("fixtures/a/b/c/deep.yml", "fixtures/a/one.yaml", "fixtures/a/two.yml", "fixtures/top.yaml")
    others = ("fixtures/a/one.yaml.txt", "fixtures/a/yaml", "fixtures-2/a/one.yaml", "one.yaml")
    work.adds(dict.fromkeys((*wanted, *others), b"x: 1\n"))
    work.links("fixtures/a/link.yaml", "one.yaml")
    (published.root / "fixtures/a/uncommitted.yaml").write_text("x: 1\n")
    assert [item.path for item in sheets.committed(snapshot(published))] == list(wanted)
    assert [item.path for item in sheets.committed(snapshot(published), "fixtures/a/b")] == [wanted[0]]
