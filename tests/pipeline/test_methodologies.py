"""Rules as documents: listing, checking, pinning, and edits after a pin, each with rubric documents."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import commit, retrieval_work
from publishing import git, measure

from benchsite.environment import Credentials
from benchsite.errors import BenchsiteError, InputError, IntegrityError, PrerequisiteError, UsageError
from benchsite.log import MethodologyEntry
from benchsite.methodology import version_key
from benchsite.pipeline import check as branch_check
from benchsite.pipeline.audit import audit
from benchsite.pipeline.build import build
from benchsite.pipeline.instance import Instance
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import methodologies, publish
from benchsite.pipeline.record import Record
from benchsite.pipeline.record.append import append
from benchsite.signing import PrivateKey
from benchsite.site import pages
from benchsite.site.render import Renderer
from benchsite.track import Library

VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0")
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "1.0.0": {"requiredTests": False, "disclosures": False, "averaging": False},
    "1.1.0": {},
    "1.2.0": {},
    "1.3.0": {"penalty": 10, "repeatabilityShown": True},
    "2.0.0": {"sessions": 3, "sheets": 2, "evidence": True, "intervals": True, "repeatabilityShown": True},
}
"""specs/rubric.md, "Versions": how each departs from 1.1.0."""
SHARED = {
    "universalWeight": "2/5",
    "domainWeight": "3/5",
    "lowest": 1,
    "highest": 5,
    "requiredTests": True,
    "disclosures": True,
    "averaging": True,
    "penalty": 0,
    "sessions": 1,
    "sheets": 1,
    "evidence": False,
    "intervals": False,
    "repeatabilityShown": False,
}
DATES = dict(
    zip(VERSIONS, ("2026-03-31", "2026-04-01", "2026-04-01", "2026-04-09", "2026-11-01"), strict=True)
)


def rules(version: str, *, changes: str = "changes: [{type: added, text: It.}]", **parameters: Any) -> bytes:
    """A small `methodology.yaml` of the rubric track."""
    said = {**SHARED, **PARAMETERS[version], **parameters}
    lines = [
        f"  {name}: {str(value).lower() if isinstance(value, bool) else value}"
        for name, value in said.items()
    ]
    return "\n".join(
        [
            "track: rubric",
            f"version: {version}",
            f"title: Rubric {version}",
            f'published: "{DATES[version]}"',
            "summary: Small.",
            "receiptSchema: 1.0.0",
            "measures: []",
            "parameters:",
            *lines,
            changes,
            "",
        ]
    ).encode()


def folder(version: str) -> str:
    return f"methodology/rubric/{version}"


def put(instance: Instance, version: str, data: bytes | None = None) -> None:
    """Commit a version."""
    commit(
        instance,
        {
            f"{folder(version)}/methodology.yaml": data or rules(version),
            f"{folder(version)}/text.md": f"## 1 Rules of {version}\n".encode(),
        },
    )
    instance.refresh()


def without(instance: Instance, version: str) -> None:
    """Commit that a version's files are gone."""
    names = tuple(f"{folder(version)}/{name}" for name in ("methodology.yaml", "text.md"))
    commit(instance, {}, removes=names)
    shutil.rmtree(instance.root / folder(version), ignore_errors=True)
    instance.refresh()


@pytest.fixture(scope="module")
def five_template(
    begun_template: Path, tmp_path_factory: pytest.TempPathFactory, secrets: dict[str, PrivateKey]
) -> Path:
    root = tmp_path_factory.mktemp("five") / "instance"
    shutil.copytree(begun_template, root, symlinks=True)
    begun = Instance(root)
    if (begun.root / "methodology/rubric").exists():
        ours = tuple(item.path for item in begun.repository.tree("methodology/rubric"))
        commit(begun, {}, removes=ours)
        shutil.rmtree(begun.root / "methodology/rubric", ignore_errors=True)
    for version in VERSIONS:
        put(begun, version)

    def stage(batch: Any, _returned: Any) -> None:
        for version in VERSIONS[:-1]:
            digest = begun.methodologies.read("rubric", version).sha256
            batch.new.append(MethodologyEntry(track="rubric", version=version, sha256=digest))

    append(begun, Credentials.of(**secrets), stage, push=False)
    begun.repository.close()
    return root


@pytest.fixture
def five(five_template: Path, tmp_path: Path) -> Iterator[Instance]:
    """Rubric 1.0.0 to 2.0.0 on disk, and a log that pins those up to 1.3.0."""
    root = tmp_path / "five"
    shutil.copytree(five_template, root, symlinks=True)
    instance = Instance(root)
    yield instance
    instance.repository.close()


def standings(instance: Instance) -> list[str]:
    return [
        item.standing.word for item in methodologies.listed(instance) if item.document.data.track == "rubric"
    ]


def bodies(instance: Instance) -> dict[str, str]:
    """Version to the HTML of its page."""
    log = Record.current(instance).log
    assert log is not None
    library = Library(instance.methodologies.every(), lambda _id, _sha: None, dict(log.methodologies))
    renderer = Renderer({})
    made = {page.path: page for page in pages.methodology(library)}
    return {version: renderer.body(made[f"{folder(version)}/"]) for version in VERSIONS}


def noticed(instance: Instance, word: str) -> list[str]:
    return [version for version, body in bodies(instance).items() if word in body]


def test_publishing_a_version_turns_the_notices_and_touches_no_document(
    five: Instance, credentials: Credentials
) -> None:
    assert standings(five) == ["superseded", "superseded", "superseded", "current", "proposed"]
    assert noticed(five, "Superseded.") == ["1.0.0", "1.1.0", "1.2.0"]
    assert noticed(five, "Proposed.") == ["2.0.0"]
    files = {path: path.read_bytes() for path in (five.root / "methodology").rglob("*") if path.is_file()}
    head = five.repository.head()
    appended = methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    assert appended.commit == five.repository.head()
    assert git(five.root, "diff", "--name-only", head, "HEAD").split() == [
        "results/log/checkpoint",
        "results/log/entries/000000.jsonl",
    ]
    assert {path: path.read_bytes() for path in files} == files
    assert standings(five) == ["superseded", "superseded", "superseded", "superseded", "current"]
    assert noticed(five, "Superseded.") == ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]
    assert noticed(five, "Proposed.") == []


def test_the_entry_pins_the_digest_of_the_committed_files(five: Instance, credentials: Credentials) -> None:
    methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    log = Record.at(five).log
    assert log is not None
    pinned = log.methodologies["rubric", "2.0.0"]
    assert pinned.sha256 == five.committed_methodology("rubric", "2.0.0")
    assert pinned.index == log.size - 1


def test_publishing_twice_adds_nothing(five: Instance, credentials: Credentials) -> None:
    methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    head = five.repository.head()
    assert methodologies.pinnable(five, "rubric", "2.0.0") is None
    assert methodologies.pin(five, credentials, "rubric", "2.0.0", push=False).commit is None
    assert five.repository.head() == head


def test_other_content_than_what_is_pinned_is_refused(five: Instance) -> None:
    put(five, "1.3.0", rules("1.3.0").replace(b"Small.", b"Smaller."))
    with pytest.raises(
        IntegrityError, match=r"rubric/1\.3\.0 was edited after it was published: entry [0-9]+"
    ):
        methodologies.pinnable(five, "rubric", "1.3.0")


def test_what_is_not_committed_is_not_published(five: Instance) -> None:
    path = five.root / folder("2.0.0") / "text.md"
    path.write_text("## 1 Other\n", encoding="utf-8")
    five.refresh()
    with pytest.raises(PrerequisiteError, match="not committed as it lies here"):
        methodologies.pinnable(five, "rubric", "2.0.0")


def test_a_link_in_the_place_of_a_file_is_not_published(five: Instance) -> None:
    text = five.root / folder("2.0.0") / "text.md"
    (five.root / "elsewhere.md").write_bytes(text.read_bytes())
    text.unlink()
    text.symlink_to("../../../elsewhere.md")
    git(five.root, "add", "-A")
    git(five.root, "commit", "-q", "-m", "a link")
    five.refresh()
    with pytest.raises(PrerequisiteError, match=r"text\.md is a link"):
        methodologies.pinnable(five, "rubric", "2.0.0")


def test_unknown_versions_and_tracks_are_named(five: Instance) -> None:
    with pytest.raises(UsageError, match=r"no methodology rubric 9\.9\.9"):
        methodologies.pinnable(five, "rubric", "9.9.9")
    with pytest.raises(InputError, match="methodology/poetry holds no version"):
        methodologies.pinnable(five, "poetry", "1.0.0")


def test_versions_in_order_pass(five: Instance) -> None:
    checked = methodologies.check(five)
    assert [item.data.version for item in checked.valid if item.data.track == "rubric"] == list(VERSIONS)
    assert checked.faults == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (rules("2.0.0", changes="changes: []"), "changes: there are none"),
        (
            rules("2.0.0").replace(b"2026-11-01", b"2026-04-08"),
            r"published 2026-04-08, before 1\.3\.0 of 2026-04-09",
        ),
        (rules("2.0.0", sessions=0), r"parameters\.sessions: Input should be greater than or equal to 1"),
        (rules("2.0.0", penalty='"10"'), r"parameters\.penalty: Input should be a valid integer"),
        (rules("2.0.0", bonus=1), r"parameters\.bonus: is not a field that is known here"),
        (rules("2.0.0").replace(b"  sheets: 2\n", b""), r"parameters\.sheets: is not given"),
        (rules("2.0.0").replace(b"summary: Small.", b"summary: 5"), "summary"),
        (rules("2.0.0").replace(b"track: rubric", b"track: rubric\ntrack: rubric"), "track"),
    ],
)
def test_a_faulty_proposal_is_refused_with_its_place(five: Instance, data: bytes, says: str) -> None:
    put(five, "2.0.0", data)
    checked = methodologies.check(five, [five.root / folder("2.0.0")])
    assert checked.valid == ()
    with pytest.raises(InputError, match=says):
        raise checked.faults[0]
    assert "rubric/2.0.0" in checked.faults[0].message


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        (b'published: "2026-', b'published: "2016-', r"published 2016-\S+, before 0\.0\.1 of 2026"),
    ],
)
def test_a_first_receipt_pins_no_version_that_could_not_be_published(
    begun: Instance, credentials: Credentials, was: bytes, now: bytes, says: str
) -> None:
    path = "methodology/retrieval/1.0.0/methodology.yaml"
    data = (begun.root / path).read_bytes()
    assert was in data
    (begun.root / path).write_bytes(data.replace(was, now))
    commit(begun, {path: data.replace(was, now)})
    begun.refresh()
    draft, head = measure(begun), begun.repository.head()
    with pytest.raises(InputError, match=says):
        methodologies.pinnable(begun, "retrieval", "1.0.0")
    with pytest.raises(InputError, match=says):
        publish(begun, [draft], credentials, push=False)
    assert begun.repository.head() == head


def test_nothing_is_measured_under_parameters_that_the_engine_refuses(begun: Instance) -> None:
    path = begun.root / "methodology/retrieval/1.0.0/methodology.yaml"
    data = path.read_bytes()
    assert b"headlineK: 10\n" in data
    path.write_bytes(data.replace(b"headlineK: 10\n", b"headlineK: 7\n"))
    begun.refresh()
    result = next(run.run(begun, [retrieval_work("recency")]))
    assert result.state == "failed"
    assert result.reason.startswith("methodology/retrieval/1.0.0: parameters: ")
    assert "headlineK must be one of ks" in result.reason


def test_a_version_that_no_code_computes_is_refused(five: Instance) -> None:
    data = rules("2.0.0").replace(b"version: 2.0.0", b"version: 3.0.0")
    commit(five, {f"{folder('3.0.0')}/methodology.yaml": data, f"{folder('3.0.0')}/text.md": b"x\n"})
    five.refresh()
    (fault,) = methodologies.check(five, [five.root / folder("3.0.0")]).faults
    assert "this release has no scoring engine 'rubric/3'" in fault.message


def test_a_folder_that_is_none_is_a_usage_error(five: Instance) -> None:
    with pytest.raises(UsageError, match="no folder"):
        methodologies.check(five, [five.root / folder("8.0.0")])


def edit(instance: Instance) -> None:
    put(instance, "1.2.0", rules("1.2.0").replace(b"Small.", b"Smaller."))


def edit_prose(instance: Instance) -> None:
    commit(instance, {f"{folder('1.2.0')}/text.md": b"## 1 Other rules\n"})
    instance.refresh()


def delete(instance: Instance) -> None:
    without(instance, "1.2.0")


def rename(instance: Instance) -> None:
    """The content lives on under another number."""
    data = rules("1.2.0").replace(b"version: 1.2.0", b"version: 1.2.1")
    without(instance, "1.2.0")
    commit(
        instance,
        {f"{folder('1.2.1')}/methodology.yaml": data, f"{folder('1.2.1')}/text.md": b"## 1 Rules of 1.2.0\n"},
    )
    instance.refresh()


@pytest.mark.parametrize("alter", [edit, edit_prose, delete, rename])
def test_a_pinned_version_that_was_altered_is_refused_everywhere(
    five: Instance, credentials: Credentials, tmp_path: Path, alter: Any
) -> None:
    base = five.repository.head()
    alter(five)
    checked = methodologies.check(five)
    integrity = [fault for fault in checked.faults if isinstance(fault, IntegrityError)]
    assert [folder("1.2.0") in fault.message for fault in integrity] == [True]
    result = audit(five)
    assert not result.ok
    assert {finding.path.partition("1.2.0")[0] for finding in result.findings} == {"methodology/rubric/"}
    with pytest.raises(IntegrityError, match=r"methodology/rubric/1\.2\.0 (was edited|is missing)"):
        build(five, tmp_path / "site")
    with pytest.raises(IntegrityError, match=r"methodology/rubric/1\.2\.0 (was edited|is missing)"):
        methodologies.pin(five, credentials, "rubric", "2.0.0", push=False)
    report = branch_check.check(five.root, onto=base, build=False, progress=lambda *_: None)
    steps = {step.name: step for step in report.steps}
    assert report.exit_code == IntegrityError.exit_code
    assert any("rubric/1.2.0" in item.where for item in steps["methodologies"].items)


def test_without_a_log_the_newest_on_disk_is_current(begun: Instance) -> None:
    found = [item for item in methodologies.listed(begun) if item.document.data.track == "retrieval"]
    newest = max(item.document.data.version for item in found)
    assert [
        (item.standing.word, item.standing.pin) for item in found if item.document.data.version == newest
    ] == [("current", None)]
    assert version_key(newest) == max(version_key(item.document.data.version) for item in found)


def test_no_sheet_where_programs_are_measured(five: Instance) -> None:
    with pytest.raises(UsageError, match="nor any sheet"):
        methodologies.blank_sheet(five, "retrieval", "1.0.0", "customer-service")
    with pytest.raises(UsageError, match="no track named 'poetry'"):
        methodologies.blank_sheet(five, "poetry", "1.0.0", "customer-service")


def test_the_engine_of_every_document_takes_its_parameters(root: Path, begun: Instance) -> None:
    from benchsite.methodology.engine import parameter_faults
    from benchsite.pipeline.instance.methodology_store import read_methodology

    engines = []
    for path in sorted((root / "methodology").glob("*/*")):
        found = read_methodology(path, path.relative_to(root).as_posix())
        if found.data.version != "0.0.1":
            model = begun.judges[found.data.track].engines[found.engine]
            assert (
                list(parameter_faults(found.engine, found.data.parameters, model, document=found.data)) == []
            ), path
        engines.append(found.engine)
    assert engines == ["retrieval/0", "retrieval/1", *["rubric/1"] * 4, "rubric/2"]


def test_every_kind_of_fault_is_named_in_one_run(five: Instance) -> None:
    """Fields, engine and parameters, the plain form, and the prose: none of them hides another."""
    wrong = rules("2.0.0", sessions=-1, universalWeight="9/5").replace(
        b"summary: Small.", b"summary: Small.\nengine: rubric/2\nbogus: 1"
    )
    commit(five, {f"{folder('2.0.0')}/methodology.yaml": wrong, f"{folder('2.0.0')}/text.md": b"\xff\n"})
    five.refresh()
    said = [fault.message for fault in methodologies.check(five, [five.root / folder("2.0.0")]).faults]
    assert [message.removeprefix(f"{folder('2.0.0')}: ") for message in said] == [
        "bogus: is not a field that is known here",
        "text.md is not UTF-8 at byte 0",
        "parameters.sessions: Input should be greater than or equal to 1",
    ]
    unknown = wrong.replace(b"rubric/2", b"rubric/99")
    commit(five, {f"{folder('2.0.0')}/methodology.yaml": unknown, f"{folder('2.0.0')}/text.md": b"x\n"})
    five.refresh()
    said = [fault.message for fault in methodologies.check(five, [five.root / folder("2.0.0")]).faults]
    assert [message.removeprefix(f"{folder('2.0.0')}: ") for message in said] == [
        "bogus: is not a field that is known here",
        "engine: this release has no scoring engine 'rubric/99' for rubric",
    ]


def test_what_is_demanded_is_listed(five: Instance) -> None:
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
    (fault,) = methodologies.check(five, [five.root / folder("2.0.0")]).faults
    assert "requiredTests is true, and instrument.requiredTests lists none" in fault.message
    assert "disclosures is true, and instrument.disclosures lists none" in fault.message
    with pytest.raises(InputError, match="lists none"):
        methodologies.pinnable(five, "rubric", "2.0.0")


def test_faults_are_errors_that_say_what_next(five: Instance) -> None:
    put(five, "2.0.0", rules("2.0.0", changes="changes: []", bonus=1))
    faults: tuple[BenchsiteError, ...] = methodologies.check(five).faults
    assert len(faults) == 2
    assert all(fault.hint for fault in faults)
