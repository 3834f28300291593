"""A version of one's own begins as a copy: `benchsite methodology new`."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import commit
from snapshots import opened

from benchsite.environment import Credentials
from benchsite.errors import UsageError
from benchsite.methodology import FILES
from benchsite.pipeline.publish import methodologies
from benchsite.pipeline.publish.new_methodology import create
from benchsite.pipeline.workspace import Workspace


def test_a_copy_states_its_engine_and_waits_for_its_changes(begun: Workspace) -> None:
    folder = create(begun, opened(begun), "rubric", "2.1.0")
    assert folder == "methodology/rubric/2.1.0"
    begun.refresh()
    (fault,) = methodologies.check(begun, opened(begun), [begun.root / folder]).faults
    assert fault.message == "methodology/rubric/2.1.0: changes: empty"
    made, model = (begun.methodologies.read("rubric", version).data for version in ("2.1.0", "2.0.0"))
    assert (made.engine, made.based_on) == ("rubric/2", "2.0.0")
    assert made.title == "Rubric methodology 2.1.0"
    kept = {"measures", "parameters", "instrument", "references", "topics", "summary", "receipt_schema"}
    assert all(getattr(made, name) == getattr(model, name) for name in kept)


def test_with_its_changes_listed_it_can_be_published_and_is_in_force(
    begun: Workspace, credentials: Credentials
) -> None:
    folder = begun.root / create(begun, opened(begun), "retrieval", "1.1.0")
    path = folder / "methodology.yaml"
    text = path.read_text()
    path.write_text(text.replace("changes: []", "changes:\n  - type: changed\n    text: A stricter level."))
    path = folder / "parameters.json"
    path.write_text(path.read_text().replace('"level": 0.05', '"level": 0.01'))
    files = {f"methodology/retrieval/1.1.0/{name}": (folder / name).read_bytes() for name in FILES}
    commit(begun, files)
    instance = Workspace(begun.root)
    assert methodologies.check(instance, opened(instance), [folder]).faults == ()
    methodologies.pin(instance, credentials, "retrieval", "1.1.0", push=False)
    listed = {
        (item.document.data.track, item.document.data.version): item.status.word
        for item in methodologies.listed(Workspace(begun.root), opened(Workspace(begun.root)))
    }
    assert listed["retrieval", "1.1.0"] == "current"


@pytest.mark.parametrize(
    ("track", "version", "says"),
    [
        ("rubric", "2.0.0", r"2\.0\.0 exists"),
        ("rubric", "2", "'2' .*a version"),
        ("rubric", "../../x", "not a version"),
        ("poetry", "1.0.0", "from: methodology/poetry"),
    ],
)
def test_a_number_that_is_taken_or_goes_backwards_is_refused(
    begun: Workspace, track: str, version: str, says: str
) -> None:
    before = sorted(Path(begun.root).rglob("methodology/**/*"))
    with pytest.raises(UsageError, match=says):
        create(begun, opened(begun), track, version)
    assert sorted(Path(begun.root).rglob("methodology/**/*")) == before
