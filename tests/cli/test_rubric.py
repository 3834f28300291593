"""`benchsite run rubric` as an evaluator meets it: what is scored, and every way a sheet can be wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import rubric_sheets
from commands import Run

from benchsite.pipeline.init import init

PLAIN = rubric_sheets.text()


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("rubric") / "site"
    init(root, name="site", origin="example.org/site")
    return root


@pytest.fixture
def root(instance: Path) -> Path:
    """An instance without drafts."""
    for draft in drafts(instance):
        draft.unlink()
    return instance


def drafts(root: Path) -> list[Path]:
    return sorted((root / ".benchsite/drafts").glob("*.json"))


def write(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return [folder / f"{name}.yaml" for name in texts]


def drafted(root: Path) -> dict[str, Any]:
    [draft] = drafts(root)
    found: dict[str, Any] = json.loads(draft.read_bytes())
    return found


@pytest.mark.parametrize(
    ("version", "composite"), [("1.0.0", 80), ("1.1.0", 80), ("1.2.0", 80), ("1.3.0", 70)]
)
def test_one_sheet_of_each_early_version(
    benchsite: Run, root: Path, tmp_path: Path, version: str, composite: int
) -> None:
    """Fours everywhere are 4/5 of U and of D: 80; 1.3.0 takes off 10 where repeatability was not tested."""
    ran = benchsite("run", "rubric", *write(tmp_path, a=rubric_sheets.text(version)), cwd=root)
    assert ran.code == 0, ran.err
    assert f"measured  Helper on customer-service: composite_score {composite}.00  ->  " in ran.out
    assert "superseded" not in ran.err
    assert f"publishing this pins {version} and puts it in force here" in ran.err
    assert "benchsite methodology publish rubric 2.0.0 puts the newer one in force" in ran.err
    assert "refuses this draft until the log pins its version" in ran.err
    document = drafted(root)
    assert document["scores"]["composite_score"] == composite
    assert document["methodology"]["version"] == version


def test_three_sessions_of_two_passes_under_2_0_0(benchsite: Run, root: Path, tmp_path: Path) -> None:
    """Sessions of fours, threes and fives: 80, 60 and 100, each scored alike in both passes; their mean is 80."""
    (tmp_path / "t").mkdir()
    for session in (1, 2, 3):
        (tmp_path / f"t/{session}.md").write_text(f"as it said in session {session}\n")
    texts = {
        f"s{session}p{number}": rubric_sheets.text(
            "2.0.0", score=score, session=session, number=number
        ).replace("{excerpt:", f"{{file: t/{session}.md, excerpt:")
        for session, score in ((1, 4), (2, 3), (3, 5))
        for number in (1, 2)
    }
    paths = write(tmp_path, **texts)
    ran = benchsite("run", "rubric", *paths, cwd=root)
    assert ran.code == 0, ran.err
    assert "composite_score 80.00" in ran.out
    assert "superseded" not in ran.err
    assert "intra-rater agreement of 2 passes of one evaluator over 63 scores" in ran.err
    assert "alpha 1.00" in ran.err
    document = drafted(root)
    assert [(item["session"], item["pass"]) for item in document["sheets"]] == [
        (session, number) for session in (1, 2, 3) for number in (1, 2)
    ]
    assert [item["name"] for item in document["evidence"]] == ["t/1.md", "t/2.md", "t/3.md"]
    [kept] = (root / ".benchsite").rglob(document["evidence"][0]["sha256"])
    assert kept.read_bytes() == b"as it said in session 1\n"
    checked = benchsite("rescore", *drafts(root), cwd=root)
    assert (checked.code, checked.out.split()[0]) == (0, "MATCHES")
    few = benchsite("run", "rubric", *paths[:4], cwd=root)
    assert few.code == 4
    assert "rubric 2.0.0 requires 3 sessions or more, and this receipt has 2" in few.err
    assert len(drafts(root)) == 1


def test_two_evaluators_and_a_look_ahead(benchsite: Run, root: Path, tmp_path: Path) -> None:
    paths = write(tmp_path, ada=PLAIN, zoe=rubric_sheets.text(evaluator="Zoe", score=3))
    planned = benchsite("run", "rubric", *paths, "--dry-run", cwd=root)
    assert planned.code == 0, planned.err
    # 80 and 60 have the mean 70; 1.3.0 takes off 10.
    assert (
        "planned   Helper on customer-service: composite 60.00 under rubric 1.3.0, from 2 sheets"
        in planned.out
    )
    assert "2 evaluators" in planned.out
    assert drafts(root) == []
    ran = benchsite("run", "rubric", *paths, "--json", cwd=root)
    [row] = json.loads(ran.out)["runs"]
    assert (row["state"], row["headline"]) == ("measured", "composite_score 60.00")
    assert any(note.startswith("inter-rater agreement of 2 evaluators over 21") for note in row["notes"])


def test_what_is_published_is_not_recorded_again(benchsite: Run, tmp_path: Path) -> None:
    """The same sheets are skipped, others are not; and rules that the log does not pin yet are announced as such."""
    root = tmp_path / "site"
    init(root, name="site", origin="example.org/site")
    assert benchsite("keys", "init", "--out", tmp_path / "keys", cwd=root).code == 0
    keys = {
        f"BENCHSITE_{name.upper()}_KEY_FILE": str(tmp_path / f"keys/{name}.pem")
        for name in ("receipt", "log")
    }
    (tmp_path / "t.md").write_text("It declined.\n")
    one, other = write(tmp_path, a=with_file("t.md"), b=PLAIN)
    ran = benchsite("run", "rubric", one, "--publish", "--no-push", cwd=root, **keys)
    assert ran.code == 0, ran.err
    [kept] = (root / "results/evidence").glob("*/*")
    assert kept.read_bytes() == b"It declined.\n"
    config = root / "mkdocs.yml"
    suite = f"    suite:\n      - {{track: rubric, sheets: [{json.dumps(str(one))}]}}\n"
    config.write_text(re.sub(r"(?ms)^    suite:\n(      .*?\n)+", suite, config.read_text()))
    again = benchsite("run", "--changed", cwd=root)
    assert "skipped   Helper on customer-service: published already" in again.out
    announced = benchsite("run", "--register", "--no-push", "--no-publish", cwd=root, **keys)
    assert announced.code == 2
    assert "failed    Helper on customer-service: a run of rubric cannot be pre-registered" in announced.err
    later = write(
        tmp_path,
        **{
            f"s{session}p{number}": rubric_sheets.text("2.0.0", session=session, number=number)
            for session in (1, 2, 3)
            for number in (1, 2)
        },
    )
    assert drafts(root) == []
    new = benchsite("run", "rubric", other, "--changed", cwd=root)
    assert "measured  Helper" in new.out
    proposed = benchsite("run", "rubric", *later, cwd=root)
    assert (
        "rubric 2.0.0 is not in force here yet: publishing this pins it, and supersedes 1.3.0" in proposed.err
    )


def test_scores_that_are_known_cannot_be_announced(benchsite: Run, root: Path, tmp_path: Path) -> None:
    ran = benchsite("run", "rubric", *write(tmp_path, a=PLAIN), "--register", cwd=root)
    assert ran.code == 2
    assert "its sheets already hold the scores" in ran.err
    assert drafts(root) == []


def one_line(beginning: str, old: str, new: str, text: str = PLAIN) -> str:
    lines = text.splitlines(keepends=True)
    place = rubric_sheets.line_of(text, beginning) - 1
    assert old in lines[place]
    lines[place] = lines[place].replace(old, new, 1)
    return "".join(lines)


def without(beginning: str, version: str) -> str:
    lines = rubric_sheets.text(version).splitlines(keepends=True)
    return "".join(line for line in lines if not line.strip().startswith(beginning))


def with_file(name: str) -> str:
    return one_line("U4", "evidence: []", f"evidence: [{{file: {name}}}]")


U4 = rubric_sheets.line_of(PLAIN, "U4")
SCORE = rf"line {U4}: universal\.U4\.score: "
RULE = "must be a whole number from 1 to 5, and is "
FILE = rf"line {U4}: universal\.U4\.evidence\.0\.file: "

# What the sheet says, and what is said of it: line, place and rule.
FAULTY: dict[str, tuple[str, str]] = {
    "zero": (one_line("U4", "score: 4", "score: 0"), SCORE + RULE + "0"),
    "six": (one_line("U4", "score: 4", "score: 6"), SCORE + RULE + "6"),
    "half": (one_line("U4", "score: 4", "score: 3.5"), SCORE + RULE + r"3\.5"),
    "text": (one_line("U4", "score: 4", 'score: "4"'), SCORE + RULE + 'the text "4"'),
    "nan": (one_line("U4", "score: 4", "score: .nan"), SCORE + RULE + r"\.nan"),
    "null": (one_line("U4", "score: 4", "score: null"), SCORE + "is empty: rubric 1.3.0 scores in"),
    "injection": (
        without("invalidInput", "1.1.0"),
        r"line 17: requiredTests\.invalidInput: is missing: rubric 1\.1\.0 requires it in every sheet",
    ),
    "template": (
        one_line("template", "customer-service", "astrology"),
        r"line 2: template: template astrology is not one of rubric 1\.3\.0",
    ),
    "later": (
        one_line("template", "customer-service", "sales", rubric_sheets.text("1.1.0")),
        r"line 2: template: template sales is not one of rubric 1\.1\.0",
    ),
    "missing": (with_file("nowhere.md"), FILE + "there is no nowhere.md beside the sheet"),
    "huge": (with_file("huge.txt"), FILE + "huge.txt has more than 5,000,000 bytes"),
    "binary": (with_file("picture.png"), FILE + "picture.png is not a text file in UTF-8"),
    "outside": (with_file("../outside.txt"), FILE + "path escapes the sheet's folder"),
    "link": (with_file("link.txt"), FILE + "path escapes the sheet's folder"),
    "absolute": (with_file("/etc/hostname"), FILE + "/etc/hostname is an absolute path"),
    "unknown": (one_line("agent", "vendor", "colour: red, vendor"), r"line 3: agent\.colour: is not a key"),
}


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with files that no sheet may name."""
    folder = tmp_path / "sheets"
    folder.mkdir()
    (folder / "huge.txt").write_bytes(b"x" * 5_000_001)
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "outside.txt").write_text("x")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


def test_a_suite_of_faulty_sheets_tells_every_fault_and_leaves_no_draft(
    benchsite: Run, root: Path, beside: Path
) -> None:
    """One process for all of them; one failure does not stop a suite."""
    paths = write(beside, **{name: text for name, (text, _) in FAULTY.items()})
    config = root / "mkdocs.yml"
    before = config.read_text()
    entries = "".join(f"      - {{track: rubric, sheets: [{json.dumps(str(path))}]}}\n" for path in paths)
    config.write_text(re.sub(r"(?ms)^    suite:\n(      .*?\n)+", f"    suite:\n{entries}", before))
    try:
        ran = benchsite("run", cwd=root)
    finally:
        config.write_text(before)
    assert ran.code == 4, ran.out
    for name, (_, says) in FAULTY.items():
        assert re.search(rf"failed .*{name}\.yaml, {says}.*\n          hint: .", ran.err), name
    assert drafts(root) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("methodology: &v 1.3.0\n", "line 1: anchors are not allowed"),
        (PLAIN + "more: *v\n", f"line {len(PLAIN.splitlines()) + 1}: aliases are not allowed"),
        (PLAIN.replace("n: 1", "n: !!int '1'"), "line 11: the tag 'tag:yaml.org,2002:int' is not allowed"),
        (PLAIN + "template: sales\n", f"line {len(PLAIN.splitlines()) + 1}: 'template' is given twice"),
        (PLAIN + "#" * 10_000_000, "is larger than 1,048,576 bytes"),
        (PLAIN.replace("1.3.0", "1.4.0"), "line 1: methodology: no methodology rubric 1.4.0"),
    ],
    ids=["anchor", "alias", "tag", "twice", "10 MB", "version"],
)
def test_what_cannot_be_read_as_a_sheet_is_told_with_its_line(
    benchsite: Run, root: Path, tmp_path: Path, text: str, says: str
) -> None:
    ran = benchsite("run", "rubric", *write(tmp_path, a=text), cwd=root)
    assert ran.code == 4
    assert re.search(rf"(error: |failed ).*a\.yaml.*{re.escape(says)}", ran.err), ran.err
    assert "  hint: " in ran.err
    assert drafts(root) == []


def test_sheets_that_disagree_are_both_named(benchsite: Run, root: Path, tmp_path: Path) -> None:
    other = rubric_sheets.text(number=2).replace('"2.1"', '"2.2"')
    ran = benchsite("run", "rubric", *write(tmp_path, a=PLAIN, b=other), cwd=root)
    assert ran.code == 4
    assert re.search(
        r'b\.yaml, line 3: agent\.version: is the text "2\.2", but the text "2\.1" in .*a\.yaml, line 3',
        ran.err,
    )
    assert drafts(root) == []
