"""Tree objects: the parser against its inverse, and against what `git ls-tree` says of a real repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite.repo import GitError, Repository
from benchsite.repo._trees import Node, decode_tree, encode_tree

names = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=20).filter(
    lambda name: name not in (".", "..") and name.casefold() != ".git"
)
modes = st.sampled_from(("40000", "100644", "100755", "120000", "160000"))


@pytest.mark.full
@given(
    st.sampled_from((20, 32)).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.lists(st.builds(Node, modes, names, st.binary(min_size=size, max_size=size).map(bytes.hex))),
        )
    )
)
def test_a_tree_object_is_read_as_it_was_written(case: tuple[int, list[Node]]):
    size, nodes = case
    assert decode_tree(encode_tree(nodes), id_bytes=size) == tuple(nodes)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_tree_are_refused_or_read_alike_again(data: bytes):
    try:
        nodes = decode_tree(data, id_bytes=20)
    except ValueError:
        return
    assert decode_tree(encode_tree(nodes), id_bytes=20) == nodes


@pytest.mark.parametrize("name", ["", ".", "..", ".git", ".GIT", "a/b"])
def test_a_name_that_leaves_its_folder_is_refused(name: str):
    with pytest.raises(ValueError, match="of its folder"):
        decode_tree(b"100644 " + name.encode() + b"\0" + bytes(20), id_bytes=20)


def git(root: Path, *arguments: str, data: bytes | None = None) -> str:
    done = subprocess.run(["git", "-C", root, *arguments], input=data, capture_output=True, check=True)
    return done.stdout.decode()


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_listings_agree_with_git(tmp_path: Path, form: str):
    git(tmp_path, "init", "-q", "-b", "main", f"--object-format={form}")
    for path in ("a.txt", "a/b/c", "a/b.txt", "a0/x", "äö/€", "deep/er/and/deeper"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    (tmp_path / "link").symlink_to("a.txt")
    git(tmp_path, "add", "-A")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
    if form == "sha256":  # GitPython reads no such repository; the parser does
        nodes = subprocess.run(
            ["git", "-C", tmp_path, "cat-file", "tree", "HEAD^{tree}"], capture_output=True, check=True
        ).stdout
        listed = git(tmp_path, "ls-tree", "-z", "HEAD").split("\0")[:-1]
        assert [f"{node.name}" for node in decode_tree(nodes, id_bytes=32)] == [
            line.partition("\t")[2] for line in listed
        ]
        return
    repository = Repository.open(tmp_path)
    for prefixes in (
        (),
        ("a",),
        ("a/",),
        ("a/b",),
        ("a.txt",),
        ("a.txt/",),
        ("gone",),
        ("a0", "a", "äö"),
        ("a", "a/b"),
    ):
        out = git(tmp_path, "--literal-pathspecs", "ls-tree", "-r", "-z", "HEAD", "--", *prefixes)
        wanted = {line.partition("\t")[2]: line.split("\t")[0].split(" ") for line in out.split("\0") if line}
        found = {
            item.path: [item.mode, "blob", item.blob_id] for item in repository.tree(*prefixes, rev="HEAD")
        }
        assert found == wanted
    assert repository.read("a/b/c", rev="HEAD") == b"a/b/c"
    assert repository.read("link", rev="HEAD") is None
    assert repository.read("a", rev="HEAD") is None
    with pytest.raises(GitError, match="Not a valid object name nowhere"):
        repository.tree(rev="nowhere")
    repository.close()
