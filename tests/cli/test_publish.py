from __future__ import annotations

import base64
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import Run
from publishing import edit, git

from benchsite import canonical

SEEDS = {
    f"BENCHSITE_{role}_KEY": base64.b64encode(bytes([place + 1]) * 32).decode()
    for place, role in enumerate(("ROOT", "RECEIPT", "LOG"))
}
RUN = ("run", "retrieval", "--adapter", "random", "--fixture", "three-notebooks-v1", "--limit", "2")


@pytest.fixture
def root(benchsite: Run, new: Path) -> Path:
    """An instance whose log has begun, and one draft in it."""
    assert benchsite("keys", "init", cwd=new, **SEEDS).code == 0
    assert benchsite(*RUN, cwd=new).code == 0
    return new


@pytest.mark.stories
def test_json_on_a_terminal_still_asks_and_keeps_stdout_for_json(root: Path, tmp_path: Path) -> None:
    for answer, code, drafts in ((b"n\n", 130, 1), (b"y\n", 0, 0)):
        terminal, stdin = pty.openpty()
        os.write(terminal, answer)
        ran = subprocess.run(
            [sys.executable, "-m", "benchsite", "publish", "--json"],
            cwd=root,
            env={**os.environ, "HOME": str(tmp_path), **SEEDS},
            stdin=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )
        os.close(stdin)
        os.close(terminal)
        assert ran.returncode == code, ran.stderr.decode()
        assert b"signing key  sha256:" in ran.stderr
        assert b"Publish this receipt permanently?" in ran.stderr
        assert len(list((root / ".benchsite/drafts").glob("*.json"))) == drafts
    assert len(json.loads(ran.stdout)["published"]) == 1


def test_a_stranger_s_draft_that_is_refused_is_told_of_and_stops_no_other(benchsite: Run, root: Path) -> None:
    (draft,) = (root / ".benchsite/drafts").glob("*.json")
    sent = root / "results/inbox" / draft.name
    sent.parent.mkdir(exist_ok=True)
    edit(draft.rename(sent), {"ranAt": "2999-01-01T00:00:00Z"})
    git(root, "add", "-A", "results/inbox")
    git(root, "commit", "-qm", "a draft")
    assert benchsite(*RUN, cwd=root).code == 0
    (own,) = (root / ".benchsite/drafts").glob("*.json")
    ran = benchsite("publish", "--yes", "--no-push", cwd=root, **SEEDS)
    assert ran.code == 0, ran.err
    assert "published 1 receipt in commit" in ran.out
    assert f"excluded  {sent.stem}: " in ran.err
    assert "ranAt is in the future: 2999-01-01T00:00:00Z" in ran.err
    assert not own.exists()
    assert sent.exists()
    # Alone it stops no workflow either, nor does what is no draft at all; to whom it is named, the exit code tells.
    (root / "results/inbox/readme.txt").write_text("hello\n")
    git(root, "add", "-A", "results/inbox")
    git(root, "commit", "-qm", "no draft")
    alone = benchsite("publish", "--yes", "--no-push", "--json", cwd=root, **SEEDS)
    assert alone.code == 0, alone.err
    said = json.loads(alone.out)
    assert said["published"] == []
    assert [item["draft"] for item in said["left"]] == [sent.stem, "results/inbox/readme.txt"]
    named = benchsite("publish", sent.stem, "--yes", "--no-push", cwd=root, **SEEDS)
    assert named.code == 3
    assert f"excluded  {sent.stem}: " in named.err


@pytest.mark.parametrize(
    ("members", "said"),
    [({"fixture": None}, "fixture"), ({"adapter": []}, "adapter")],
)
def test_a_draft_that_cannot_be_shown_is_listed_with_its_fault(
    benchsite: Run, root: Path, members: dict[str, Any], said: str
) -> None:
    """The list checks only what it shows; `publish` checks everything."""
    (draft,) = (root / ".benchsite/drafts").glob("*.json")
    document = json.loads(draft.read_bytes())
    draft.write_bytes(canonical.dumps({**document, "perQuery": []}))
    assert "refused" not in benchsite("drafts", "list", cwd=root).out
    assert benchsite("publish", "--yes", "--no-push", cwd=root, **SEEDS).code == 3
    draft.write_bytes(canonical.dumps({**document, **members}))
    listed = benchsite("drafts", "list", cwd=root)
    assert listed.code == 0
    assert "Traceback" not in listed.err
    assert f"  {draft.stem}  refused: " in listed.out
    assert said in listed.out


def test_a_published_draft_that_the_remote_lacks_is_called_published(
    benchsite: Run, root: Path, tmp_path: Path
) -> None:
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    git(root, "remote", "add", "origin", str(origin))
    assert benchsite("publish", "--yes", "--no-push", cwd=root, **SEEDS).code == 0
    (draft,) = (root / ".benchsite/drafts").glob("*.json")
    listed = benchsite("drafts", "list", cwd=root)
    assert "published in the log; the draft is kept until the remote has the commit" in listed.out
    assert "not be ranked" not in listed.out
    (row,) = json.loads(benchsite("drafts", "list", "--json", cwd=root).out)["drafts"]
    assert (row["receiptId"], row["published"]) == (draft.stem, True)
    told = benchsite("status", cwd=root).out
    assert "drafts  0\n        1 draft more: published, and kept until the remote has the commit\n" in told
    again = benchsite("publish", "--yes", "--no-push", cwd=root)
    assert "published before, and kept as drafts until the remote has the commit: 1 receipt" in again.out
    # Neither a question nor a key: nothing is signed.
    pushed = benchsite("publish", cwd=root)
    assert pushed.code == 0, pushed.err
    assert "removed 1 draft: the remote has it" in pushed.out
    assert "kept as drafts" not in pushed.out
    assert "signing key" not in pushed.out
    assert not draft.exists()
    assert git(origin, "rev-parse", "main") == git(root, "rev-parse", "HEAD")


@pytest.mark.full
def test_a_published_draft_that_the_remote_has_is_not_listed(
    benchsite: Run, root: Path, tmp_path: Path
) -> None:
    """Somebody pushed the commit with git, so that the remote has it and the draft's file is still here."""
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(origin)], check=True)
    git(root, "remote", "add", "origin", str(origin))
    assert benchsite("publish", "--yes", "--no-push", cwd=root, **SEEDS).code == 0
    git(root, "push", "-q", "-u", "origin", "main")
    (draft,) = (root / ".benchsite/drafts").glob("*.json")
    assert json.loads(benchsite("drafts", "list", "--json", cwd=root).out)["drafts"] == []
    state = json.loads(benchsite("status", "--json", cwd=root).out)
    assert (state["drafts"], state["kept"]) == ([], [])
    kept = draft.read_bytes()
    alone = benchsite("publish", "--yes", "--no-push", cwd=root)
    assert (alone.code, alone.out, draft.exists()) == (0, "removed 1 draft: the log has it\n", False)
    draft.write_bytes(kept)
    ran = benchsite("publish", "--yes", cwd=root)
    assert ran.code == 0, ran.err
    assert "removed 1 draft: the remote has it" in ran.out
    assert not draft.exists()
