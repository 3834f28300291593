"""Agents drafts sent by pull request: their evidence comes from a mirror, and the evaluator runs where they are published."""

from __future__ import annotations

import json
import shutil
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import tiny_workbench
from builders import commit
from commands import Run
from snapshots import opened

from benchsite import canonical
from benchsite.errors import PrerequisiteError
from benchsite.pipeline.publish import candidates
from benchsite.pipeline.snapshot import download
from benchsite.pipeline.workspace import Workspace
from benchsite.receipt import parse_draft
from benchsite.tracks.agents.scores.scoring import score

MIRROR = "https://mirror.invalid/e"


@dataclass
class Sent:
    """A draft in the inbox of a clone that has none of its evidence, and what the mirror of that clone serves."""

    root: Path
    draft: Path
    keys: dict[str, str]
    kept: dict[str, bytes]
    served: dict[str, bytes] = field(default_factory=dict)

    def digest(self, name: str) -> str:
        document = json.loads(self.draft.read_bytes())
        return next(item["sha256"] for item in document["evidence"] if item["name"] == name)

    @property
    def requests(self) -> Path:
        """The names that the mirror was asked for, one a line."""
        return self.root.parent / "requests"

    def logged(self) -> list[Path]:
        return list((self.root / "results/published").rglob("*.json"))


@pytest.fixture
def sent(benchsite: Run, begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sent:
    for name, data in tiny_workbench.published().items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / name).write_bytes(data)
    settings = begun / "mkdocs.yml"
    text = settings.read_text().replace("  benchsite:\n", f"  benchsite:\n    mirrors:\n      - {MIRROR}\n")
    commit(Workspace(begun), {"mkdocs.yml": text.encode()})
    assert benchsite("benchmark", "import", "workbench", "../data", cwd=begun).code == 0
    assert benchsite("run", "agents", "--benchmark", "workbench", "--system", "constant", cwd=begun).code == 0
    (draft,) = (begun / ".benchsite/drafts").iterdir()
    kept = {path.name: path.read_bytes() for path in (begun / ".benchsite/attachments").iterdir()}
    path = f"results/inbox/{draft.name}"
    commit(Workspace(begun), {path: draft.read_bytes()})
    draft.unlink()
    shutil.rmtree(begun / ".benchsite/attachments")
    keys = {
        f"BENCHSITE_{role.upper()}_KEY_FILE": str(tmp_path / f"kept/{role}.pem")
        for role in ("receipt", "log")
    }
    made = Sent(begun, begun / path, keys, kept)

    def answer(address: str, _most: int, _seconds: float, take: Callable[[bytes], None]) -> str:
        folder, _, name = address.rpartition("/")
        with made.requests.open("a") as out:  # a command runs in a process of its own
            out.write(f"{name}\n")
        if folder != MIRROR or name not in made.served:
            raise urllib.error.URLError("not found")
        take(made.served[name])
        return ""

    monkeypatch.setattr(download, "streamed", answer)
    return made


@pytest.mark.stories
def test_evidence_that_no_clone_can_get_is_demanded_in_one_step(benchsite: Run, sent: Sent) -> None:
    digest = sent.digest("actions.jsonl")
    checked = benchsite("check", "--no-build", cwd=sent.root)
    assert checked.code == 3
    shown = " ".join((checked.out + checked.err).split())
    assert "its evidence actions.jsonl is neither in results/evidence/ nor at a mirror" in shown
    assert f"upload .benchsite/attachments/{digest} under that name" in shown
    assert "extra.benchsite.mirrors" in shown
    assert "send the sheets" not in shown, "advice for another track"


def test_with_its_evidence_at_a_mirror_it_passes_and_is_published(benchsite: Run, sent: Sent) -> None:
    sent.served.update(sent.kept)
    checked = benchsite("check", "--no-build", cwd=sent.root)
    assert checked.code == 0, checked.out + checked.err
    assert sorted(sent.requests.read_text().split()) == sorted(sent.kept), "each is fetched once"
    sent.requests.unlink()
    ran = benchsite("publish", "--untrusted", "--yes", cwd=sent.root, **sent.keys)
    assert ran.code == 0, ran.err
    assert sorted(sent.requests.read_text().split()) == sorted(sent.kept)
    (receipt,) = sent.logged()
    document = json.loads(receipt.read_bytes())
    assert document["ranBy"]["kind"] == "submitted"
    held = [path.name for path in (sent.root / "results/evidence").rglob("*") if path.is_file()]
    assert sorted(held) == sorted(item["sha256"] for item in document["evidence"])
    assert benchsite("verify", "--all", cwd=sent.root).code == 0
    assert benchsite("audit", cwd=sent.root).code == 0


@pytest.mark.full
def test_runs_whose_traces_were_not_read_are_not_signed(sent: Sent) -> None:
    digest = sent.digest("actions.jsonl")
    sent.served[digest] = sent.kept[digest]
    with pytest.raises(PrerequisiteError, match=r"traces\.jsonl .*at hand"):
        candidates.recheck(opened(Workspace(sent.root)), parse_draft(sent.draft.read_bytes()))


@pytest.mark.stories
def test_a_clone_without_the_benchmark_says_so_and_signs_nothing(benchsite: Run, sent: Sent) -> None:
    sent.served.update(sent.kept)
    shutil.rmtree(sent.root / ".benchsite/fixtures")
    for command in (("check", "--no-build"), ("publish", "--untrusted", "--yes")):
        ran = benchsite(*command, cwd=sent.root, **sent.keys)
        shown = " ".join((ran.out + ran.err).split())
        assert "after `benchsite benchmark import workbench PATH` if the clone lacks it" in shown, shown
    assert benchsite("check", "--no-build", cwd=sent.root).code == 5
    assert sent.logged() == []


def test_success_that_the_evaluator_refutes_is_not_published(benchsite: Run, sent: Sent) -> None:
    sent.served.update(sent.kept)
    forged = json.loads(sent.draft.read_bytes())
    forged["runs"]["outcome"] = ["success"] * 7
    forged["runs"]["score"] = [1.0] * 7
    forged["runs"]["harmful"] = [False] * 7
    forged |= score(forged["tasks"], forged["runs"]).sections(seed=forged["config"]["seed"])
    commit(Workspace(sent.root), {sent.draft.relative_to(sent.root).as_posix(): canonical.dumps(forged)})
    ran = benchsite("publish", "--untrusted", "--yes", cwd=sent.root, **sent.keys)
    assert "runs.outcome[0] recorded 'success', recomputed 'failure'" in ran.out + ran.err
    assert sent.logged() == []
