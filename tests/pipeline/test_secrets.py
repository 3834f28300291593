from __future__ import annotations

import base64
import os

import pytest
from branches import Work, failing

from benchsite.pipeline import secrets
from benchsite.pipeline.secrets import keyfinder
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

STRANGER = PrivateKey.from_text(base64.b64encode(b"\x07" * 32).decode(), "a stranger")
"""A key no log knows."""
PEM = STRANGER.to_pem().encode()
EC = b"-----BEGIN EC " + b"PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY/PuoAoG\n"

# The log's receipt key in tests is the seed of 32 bytes 0x02 (conftest: secrets).
SEED = bytes([2]) * 32
LEAKED_PEM = base64.b64encode(PEM)


def test_a_key_that_a_later_commit_removes_is_still_leaked(published: Workspace) -> None:
    text = STRANGER.to_pem()
    work = Work(published)
    added = work.adds({"deploy/key.txt": text.encode()})
    work.adds({}, removes=("deploy/key.txt",))
    (item,) = work.step("private keys").items
    assert (item.where, item.code) == ("deploy/key.txt", 3)
    assert added[:12] in item.message
    assert "not enough" in item.hint
    assert "ROTATION.md" in item.hint
    assert text.splitlines()[1][:20] not in f"{item}"
    assert work.checked().exit_code == 3


def test_a_key_of_the_log_is_known_by_its_public_half(published: Workspace) -> None:
    work = Work(published)
    work.adds({"notes.txt": b"remember " + base64.b64encode(SEED)})
    (item,) = work.step("private keys").items
    assert "a private key of this log" in item.message


def test_a_large_file_is_searched_in_pieces(begun: Workspace) -> None:
    """The key straddles the first boundary between pieces of 1 MiB, far from both ends."""
    work = Work(begun)
    work.adds({"large.bin": os.urandom(2**20 - 60) + PEM + os.urandom(9 * 2**20)})
    assert failing(work.checked()) == {"private keys": [("large.bin", 3)]}


def test_a_key_before_the_branch_is_not_this_branchs(begun: Workspace) -> None:
    old = Work(begun)
    base = old.adds({"old.pem": PEM})
    old.adds({"new.txt": b"hello"})
    assert old.checked(onto=base).ok
    assert failing(old.checked())["private keys"] == [("old.pem", 3)]


def test_a_merge_that_brings_a_key_in(begun: Workspace) -> None:
    work = Work(begun)
    work.git("switch", "-qc", "side")
    work.adds({"a.txt": b"a"})
    work.git("switch", "-q", "main")
    work.adds({"b.txt": b"b"})
    work.git("merge", "-q", "--no-commit", "side")
    (begun.root / "key.pem").write_bytes(EC)
    work.git("add", "key.pem")
    work.git("commit", "-qm", "merge")
    assert failing(work.checked()) == {"private keys": [("key.pem", 3)]}


def test_names_that_are_not_utf8(begun: Workspace) -> None:
    work = Work(begun)
    path = os.fsdecode(os.fsencode(begun.root) + b"/\xff key.pem")
    with open(path, "wb") as out:  # noqa: PTH123 - a name that is no text
        out.write(EC)
    work.git("add", "-A")
    work.git("commit", "-qm", "a strange name")
    assert failing(work.checked()) == {"private keys": [("\\xff key.pem", 3)]}


@pytest.mark.parametrize(
    ("message", "secret"),
    [
        ("Add a key\n\n" + PEM.decode(), PEM.splitlines()[1].decode()),
        ("seed " + base64.b64encode(SEED).decode(), base64.b64encode(SEED).decode()),
        ("deploy: " + LEAKED_PEM.decode(), LEAKED_PEM.decode()[40:80]),
    ],
)
def test_a_key_in_a_commit_message(published: Workspace, message: str, secret: str) -> None:
    work = Work(published)
    work.git("commit", "-q", "--allow-empty", "-m", message)
    leaked = work.git("rev-parse", "HEAD")
    work.git("commit", "-q", "--allow-empty", "-m", "nothing to see")
    (item,) = work.step("private keys").items
    assert (item.where, item.code) == (f"commit {leaked[:12]}", 3)
    assert "message" in item.message
    assert secret not in f"{item}"
    assert work.checked(onto=leaked).ok, "a message before the branch is not this branch's"


def test_a_key_as_the_name_of_an_author(published: Workspace) -> None:
    work = Work(published)
    seed = base64.b64encode(SEED).decode()
    work.git("-c", f"user.name={seed}", "commit", "-q", "--allow-empty", "-m", "hello")
    (item,) = work.step("private keys").items
    assert seed not in f"{item}"


def test_a_message_too_long_to_be_looked_through(begun: Workspace) -> None:
    work = Work(begun)
    (begun.root / ".git" / "long").write_bytes(b"word " * (secrets._WHOLE // 5 + 1))
    work.git("commit", "-q", "--allow-empty", "-F", ".git/long")
    (item,) = work.step("private keys").items
    assert (item.code, "1,048,576 bytes" in item.message) == (4, True)


NAME = base64.urlsafe_b64encode(SEED).decode().rstrip("=")


@pytest.mark.parametrize(
    "path", [f"content/{NAME}", f"content/{NAME}.txt", f"{NAME}/notes.md", f"key-{NAME}=", f"a/{SEED.hex()}"]
)
def test_a_key_as_a_name(published: Workspace, path: str) -> None:
    work = Work(published)
    added = work.adds({path: b"x"})
    work.adds({}, removes=(path,))
    (item,) = work.step("private keys").items
    assert (item.where, item.code) == (f"commit {added[:12]}", 3)
    assert "name" in item.message
    assert NAME not in f"{item}"
    assert SEED.hex() not in f"{item}"


def test_a_name_that_is_a_key_is_not_shown_with_what_the_file_holds(published: Workspace) -> None:
    work = Work(published)
    work.adds({f"content/{NAME}": PEM})
    items = work.step("private keys").items
    assert [item.where.startswith("commit ") for item in items] == [True, False]
    assert NAME not in f"{items}"


def test_ordinary_work_passes_and_says_what_was_looked_at(published: Workspace) -> None:
    work = Work(published)
    work.adds({"content/a.md": b"# A page\n", "content/b.bin": os.urandom(3000)})
    assert work.step("private keys").detail == "none in 2 file versions and 1 commit message"


def test_giving_up_is_said(published: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyfinder, "MOST_CANDIDATES", 3)
    work = Work(published)
    work.adds({"content/b.txt": b"\n".join(os.urandom(32).hex().encode() for _ in range(9))})
    assert "only the first 100,000 were tried" in work.step("private keys").detail
