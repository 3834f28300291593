"""Write `older.bundle`: the history of an instance that tests/pipeline/test_older_instances.py opens with later code.

    python tests/pipeline/data/older.py

Run once for each format of receipts and methodologies, before its first public receipt; then put the ids that are printed into the
tests that name receipts of the bundle. The seeds of its keys are repeated bytes: 1 root, 2 and then 9 receipt, 3 log.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from builders import FIXTURE, small_fixture
from commands import run_in

from benchsite.signing import PrivateKey

BUNDLE = Path(__file__).with_name("older.bundle")
ORIGIN = "tests.invalid/benchsite/log"
SHEETS = "fixtures/rubric-smollm2-135m"


def seed(number: int) -> str:
    return base64.b64encode(bytes([number]) * 32).decode()


class Story:
    """An instance and what is done to it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.keys = {
            f"BENCHSITE_{role}_KEY": seed(n) for role, n in (("ROOT", 1), ("RECEIPT", 2), ("LOG", 3))
        }
        self._call = run_in(root.parent / "home", root.parent)

    def run(self, *words: str) -> str:
        """Run a command; its standard output."""
        ran = self._call(*words, cwd=self.root if self.root.is_dir() else None, **self.keys)
        if ran.code:
            raise SystemExit(f"{words}: {ran.code}\n{ran.out}{ran.err}")
        return ran.out

    def commit(self, message: str) -> None:
        """Commit the working tree."""
        who = ("-c", "user.name=tests", "-c", "user.email=tests@tests.invalid")
        for words in (("add", "-A"), (*who, "commit", "-qm", message)):
            subprocess.run(["git", "-C", str(self.root), *words], check=True)

    def measure(self, adapter: str) -> str:
        """Measure an adapter; the id of its draft."""
        words = ("--adapter", adapter, "--fixture", FIXTURE, "--seed", "7", "--no-publish", "--json")
        made = json.loads(self.run("run", "retrieval", *words))
        return str(made["runs"][0]["receiptId"])

    def publish(self) -> None:
        """Publish every draft."""
        self.run("publish", "--yes", "--no-push")


def tell(root: Path) -> dict[str, str]:
    """Do all of it; the receipts by what became of them."""
    story = Story(root)
    story.run("init", str(root), "--origin", ORIGIN)
    for folder in (root / "fixtures").iterdir():
        if folder.name != Path(SHEETS).name:
            shutil.rmtree(folder)
    if not (root / SHEETS).is_dir():
        shutil.copytree(Path(__file__).parents[3] / SHEETS, root / SHEETS)
    (root / "fixtures" / FIXTURE).mkdir()
    (root / "fixtures" / FIXTURE / "fixture.json").write_text(json.dumps(small_fixture(), indent=1))
    story.commit("a small dataset")
    story.run("keys", "init")
    ids = {adapter: story.measure(adapter) for adapter in ("sqlite-fts5", "bm25", "recency", "random")}
    sheets = sorted(str(path) for path in (root / SHEETS).glob("2.0.0-*.yaml"))
    story.run("run", "rubric", *sheets, "--no-publish")
    story.publish()
    ids["again"] = story.measure("sqlite-fts5")
    story.publish()
    story.run("retract", ids["random"], "--reason", "a wrong seed", "--yes", "--no-push")
    story.run("supersede", ids["sqlite-fts5"], ids["again"], "--yes", "--no-push")
    story.run("dispute", ids["bm25"], "--url", "https://example.org/objection", "--yes", "--no-push")
    rubric = next(
        value
        for path in (root / "results/published").glob("*/*.json")
        if (value := json.loads(path.read_bytes()))["track"] == "rubric"
    )
    ids["rubric"] = rubric["receiptId"]
    evidence = min(rubric["evidence"], key=lambda entry: entry["size"])["sha256"]
    story.run("withdraw-evidence", evidence, "--reason", "personal data", "--yes", "--no-push")
    with mock.patch.object(PrivateKey, "generate", return_value=PrivateKey.from_text(seed(9), "receipt")):
        out = str(root.parent / "new")
        story.run("keys", "rotate", "receipt", "--yes", "--no-push", "--out", out)
    story.keys["BENCHSITE_RECEIPT_KEY"] = seed(9)
    words = ("--fixture", FIXTURE, "--seed", "7", "--register", "--no-push", "--json")
    made = json.loads(story.run("run", "retrieval", "--adapter", "bm25", "--no-publish", *words))
    ids["registered"] = made["runs"][0]["receiptId"]
    story.publish()
    story.run("run", "retrieval", "--adapter", "recency", "--no-publish", *words)
    shutil.rmtree(root / ".benchsite/drafts")
    ids["submitted"] = story.measure("random")
    inbox = root / "results/inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    shutil.move(root / ".benchsite/drafts" / f"{ids['submitted']}.json", inbox)
    story.commit("by hand")
    return ids


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        instance = Path(temporary) / "older"
        for what, receipt_id in tell(instance).items():
            print(f"{what:12} {receipt_id}")
        subprocess.run(
            ["git", "-C", str(instance), "bundle", "create", "-q", str(BUNDLE), "main"], check=True
        )
