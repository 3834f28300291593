"""An instance with what benchsite has never seen: a third track's receipts, and a rubric version and template of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from publishing import git

PACKAGE = Path(__file__).parent
OWN = "methodology/rubric/2.1.0"
CRITERIA = ("clarity", "patience", "correctness")
COMPOSITE = 70.0
"""1/2 × U + 1/2 × D by the version's own weights: every universal score is 4 of 5, every criterion 3 of 5."""


class Site(NamedTuple):
    """An instance, and the environments in which commands are run with and without the track's package."""

    root: Path
    with_it: Mapping[str, str]
    without: Mapping[str, str]

    def ran(self, *arguments: str, lacking: bool = False, code: int = 0) -> str:
        """What a command says; its exit code is as expected, and it has no traceback."""
        run = subprocess.run(
            [sys.executable, "-m", "benchsite", *arguments],
            cwd=self.root,
            env=dict(self.without if lacking else self.with_it),
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == code, (arguments, run.stdout, run.stderr)
        assert "Traceback" not in run.stderr
        return run.stdout + run.stderr


def installed(folder: Path) -> Path:
    """The package as pip would have it: its modules and the entry points that its `pyproject.toml` declares."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    shutil.copytree(
        PACKAGE / "benchsite_sums", folder / "benchsite_sums", ignore=shutil.ignore_patterns("__pycache__")
    )
    info = folder / "benchsite_sums-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: benchsite-sums\nVersion: 0.1.0\n")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


def begin(folder: Path) -> Site:
    """An instance with a log, the track's methodology and fixture, and two published receipts of it."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("BENCHSITE_")}
    packages = installed(folder / "packages")
    made = Site(folder / "site", {**plain, "PYTHONPATH": str(packages)}, plain)
    made.root.mkdir()
    made.ran("init", ".")
    for name in ("methodology", "fixtures"):
        shutil.copytree(PACKAGE / name, made.root / name, dirs_exist_ok=True)
    git(made.root, "add", "-A")
    git(made.root, "commit", "-qm", "begin")
    said = made.ran("keys", "init", "--out", str(folder / "keys"))
    lines = [line.removeprefix("  export ") for line in said.splitlines() if line.startswith("  export ")]
    made = made._replace(with_it={**made.with_it, **dict(line.split("=", 1) for line in lines)})
    made.ran("run", "sums", "--system", "exact", "--system", "forgetful", "--fixture", "sums-v1")
    made.ran("publish", "--yes")
    return made


def write_version(site: Site) -> None:
    """A rubric version with one more template and other weights: a document, and no line of code."""
    site.ran("methodology", "new", "rubric", "2.1.0", "--from", "1.3.0")
    for name, old, new in (
        ("parameters.json", '"universalWeight": "2/5"', '"universalWeight": "1/2"'),
        ("parameters.json", '"domainWeight": "3/5"', '"domainWeight": "1/2"'),
        ("parameters.json", '"penalty": 10', '"penalty": 0'),
        (
            "methodology.yaml",
            "changes: []",
            "changes:\n  - type: added\n    text: A template for tutors, and equal weights.",
        ),
        ("methodology.yaml", "\n  templates:\n", f"\n  templates:\n{_template()}"),
    ):
        path = site.root / OWN / name
        text = path.read_text()
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new))
    site.ran("methodology", "check", OWN)
    git(site.root, "add", OWN)
    git(site.root, "commit", "-qm", "rubric 2.1.0")
    site.ran("methodology", "publish", "rubric", "2.1.0", "--yes")


def _template() -> str:
    criteria = "".join(f"        - id: {name}\n          title: {name.title()}\n" for name in CRITERIA)
    scenarios = "".join(
        f"        - id: D{number}\n          title: S\n          task: Explain.\n" for number in range(1, 6)
    )
    head = "    - slug: tutoring\n      schemaName: tutoring_v1\n      title: Tutoring\n"
    return f"{head}      criteria:\n{criteria}      scenarios:\n{scenarios}"


def evaluate(site: Site) -> None:
    """A sheet of the new template, filled in, scored and published."""
    assert "tutoring" in site.ran("methodology", "new-sheet", "2.1.0", "tutoring")
    given = ", ".join(f"{name}: {{score: 3, note: so}}" for name in CRITERIA)
    tests = [
        f"  {name}: {{outcome: pass, note: did well, evidence: []}}"
        for name in ("standardisedTask", "hallucination", "invalidInput")
    ]
    sheet = [
        "methodology: 2.1.0",
        "template: tutoring",
        'agent: {name: Tutor, version: "1", vendor: Acme}',
        "evaluator: {name: Ada, kind: human, pass: 1, conflictOfInterest: none, consentToPublish: true}",
        "session: {n: 1, date: 2026-01-20}",
        "disclosures: {repeatabilityTested: false, multiStep: single-message}",
        "requiredTests:",
        *tests,
        "universal:",
        *(f"  U{place}: {{score: 4, note: so, evidence: []}}" for place in range(1, 7)),
        "domain:",
        *(f"  D{place}: {{criteria: {{{given}}}, evidence: []}}" for place in range(1, 6)),
    ]
    (site.root / "fixtures/tutor").mkdir()
    (site.root / "fixtures/tutor/ada.yaml").write_text("\n".join(sheet) + "\n")
    git(site.root, "add", "fixtures")
    git(site.root, "commit", "-qm", "a sheet")
    site.ran("run", "rubric", "fixtures/tutor/ada.yaml")
    site.ran("publish", "--yes")
