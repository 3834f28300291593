"""What keeps a version of the rules from being published: every fault, in one run, with its place and a next step."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import commit
from documents import version_files
from rubric_versions import VERSIONS, folder, put, rules
from snapshots import opened

from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, InputError, UsageError
from benchsite.pipeline.publish import methodologies
from benchsite.pipeline.workspace import Workspace


def test_versions_in_order_pass(five: Workspace) -> None:
    checked = methodologies.check(five, opened(five))
    assert [item.data.version for item in checked.valid if item.data.track == "rubric"] == list(VERSIONS)
    assert checked.faults == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (rules("2.0.0", changes="changes: []"), "changes: empty"),
        (
            rules("2.0.0").replace(b"2026-11-01", b"2026-04-08"),
            r"2026-04-08, .*1\.3\.0 .*2026-04-09",
        ),
        (
            rules("2.0.0").replace(b"2026-11-01", b"2027-02-30"),
            "published: .*valid date",
        ),
        (rules("2.0.0", sessions=0), r"parameters\.sessions: .*equal to"),
        (rules("2.0.0", penalty='"10"'), r"parameters\.penalty: .*integer"),
        (rules("2.0.0", bonus=1), r"parameters\.bonus: .*not a field"),
        (rules("2.0.0").replace(b"  sheets: 2\n", b""), r"parameters\.sheets: .*given"),
        (rules("2.0.0").replace(b"summary: Small.", b"summary: 5"), "summary"),
        (rules("2.0.0").replace(b"title:", b"title: Twice\ntitle:"), "title"),
        (
            rules("2.0.0").replace(b"basedOn: 1.3.0", b"basedOn: 9.0.0"),
            r"basedOn: no version 9\.0\.0",
        ),
    ],
)
def test_a_faulty_proposal_is_refused_with_its_place(five: Workspace, data: bytes, says: str) -> None:
    put(five, "2.0.0", data)
    checked = methodologies.check(five, opened(five), [five.root / folder("2.0.0")])
    assert checked.valid == ()
    with pytest.raises(InputError, match=says):
        raise checked.faults[0]
    assert "rubric/2.0.0" in checked.faults[0].message


def test_a_version_that_no_code_computes_is_refused(five: Workspace) -> None:
    data = rules("2.0.0").replace(b"version: 2.0.0", b"version: 3.0.0")
    commit(five, {f"{folder('3.0.0')}/{name}": held for name, held in version_files(data).items()})
    five.refresh()
    (fault,) = methodologies.check(five, opened(five), [five.root / folder("3.0.0")]).faults
    assert "no scoring engine 'rubric/3'" in fault.message


def test_a_version_below_a_published_one_goes_backwards(five: Workspace, credentials: Credentials) -> None:
    """1.3.0 is published; 1.2.1 would be superseded before it was read."""
    data = rules("1.3.0").replace(b"version: 1.3.0", b"version: 1.2.1")
    files = version_files(data, b"## 1 Rules\n")
    commit(five, {f"{folder('1.2.1')}/{name}": held for name, held in files.items()})
    five.refresh()
    (fault,) = methodologies.check(five, opened(five), [five.root / folder("1.2.1")]).faults
    assert fault.message == "methodology/rubric/1.2.1: version 1.2.1 is not later than the published 1.3.0"
    with pytest.raises(InputError, match=r"1\.2\.1 .*later than"):
        methodologies.pin(five, credentials, "rubric", "1.2.1", push=False)


def test_a_version_that_came_with_the_release_may_be_published_late(
    begun: Workspace, credentials: Credentials
) -> None:
    methodologies.pin(begun, credentials, "rubric", "2.0.0", push=False)
    begun.refresh()
    assert methodologies.check(begun, opened(begun)).faults == ()
    methodologies.pin(begun, credentials, "rubric", "1.3.0", push=False)


def test_a_date_is_compared_with_the_latest_before_it_once(five: Workspace) -> None:
    put(five, "2.0.0", rules("2.0.0").replace(b"2026-11-01", b"2025-01-01"))
    (fault,) = methodologies.check(five, opened(five), [five.root / folder("2.0.0")]).faults
    assert fault.message == "methodology/rubric/2.0.0: published 2025-01-01, before 1.3.0 of 2026-04-09"


def test_a_folder_that_is_none_is_a_usage_error(five: Workspace) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        methodologies.check(five, opened(five), [five.root / folder("8.0.0")])


def test_the_engine_of_every_document_takes_its_parameters(root: Path, begun: Workspace) -> None:
    from benchsite.methodology.engine import parameter_faults
    from benchsite.pipeline.workspace.methodology_store import read_methodology

    engines = []
    for path in sorted((root / "methodology").glob("*/*")):
        found = read_methodology(path, path.relative_to(root).as_posix())
        if found.data.version != "0.0.1":
            model = begun.tracks[found.data.track].engines[found.engine]
            assert (
                list(parameter_faults(found.engine, found.data.parameters, model, document=found.data)) == []
            ), path
        engines.append(found.engine)
    assert engines == ["agents/1", "retrieval/0", "retrieval/1", *["rubric/1"] * 4, "rubric/2"]


def test_every_kind_of_fault_is_named_in_one_run(five: Workspace) -> None:
    """Fields, engine and parameters, the plain form, and the prose: none of them hides another."""
    wrong = rules("2.0.0", sessions=-1, universalWeight="9/5").replace(
        b"summary: Small.", b"summary: Small.\nengine: rubric/2\nbogus: 1"
    )
    files = version_files(wrong, b"\xff\n")
    commit(five, {f"{folder('2.0.0')}/{name}": held for name, held in files.items()})
    five.refresh()
    said = [
        fault.message
        for fault in methodologies.check(five, opened(five), [five.root / folder("2.0.0")]).faults
    ]
    assert [message.removeprefix(f"{folder('2.0.0')}: ") for message in said] == [
        "bogus: is not a field that is known here",
        "text.md is not UTF-8 at byte 0",
        "parameters.sessions: Input should be greater than or equal to 1",
    ]
    unknown = wrong.replace(b"rubric/2", b"rubric/99")
    commit(five, {f"{folder('2.0.0')}/{name}": held for name, held in version_files(unknown).items()})
    five.refresh()
    said = [
        fault.message
        for fault in methodologies.check(five, opened(five), [five.root / folder("2.0.0")]).faults
    ]
    assert [message.removeprefix(f"{folder('2.0.0')}: ") for message in said] == [
        "bogus: is not a field that is known here",
        "engine: no scoring engine 'rubric/99' for rubric",
    ]


def test_what_is_demanded_is_listed(five: Workspace) -> None:
    """A version that requires tests and lists none could only be used to find that out."""
    instrument = (
        b"instrument:\n  requiredTests: []\n  disclosures: []\n  dimensions:\n"
        + b"".join(b"    - {id: U%d, title: T, question: Q}\n" % number for number in range(1, 7))
        + b"  templates:\n    - {slug: one, schemaName: one, title: T,\n"
        b"       criteria: [{id: a, title: A}, {id: b, title: B}, {id: c, title: C}],\n"
        + b"       scenarios: [%s]}\n"
        % b", ".join(b"{id: D%d, title: T, task: T}" % n for n in range(1, 6))
    )
    put(five, "2.0.0", rules("2.0.0") + instrument)
    (fault,) = methodologies.check(five, opened(five), [five.root / folder("2.0.0")]).faults
    assert "requiredTests is true, and instrument.requiredTests lists none" in fault.message
    assert "disclosures is true, and instrument.disclosures lists none" in fault.message
    with pytest.raises(InputError, match="lists none"):
        methodologies.pinnable(five, opened(five), "rubric", "2.0.0")


def test_faults_are_errors_that_say_what_next(five: Workspace) -> None:
    put(five, "2.0.0", rules("2.0.0", changes="changes: []", bonus=1))
    faults: tuple[BenchsiteError, ...] = methodologies.check(five, opened(five)).faults
    assert len(faults) == 2
    assert all(fault.hint for fault in faults)
