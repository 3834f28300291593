r"""The files of a commit, read from git's tree objects through the one long-lived reader: no process for a question.

Follows git's own format: `<octal mode> <name>\0<binary id>`, once for each entry of a folder. Trees are named by the
hash of their content, so what was read once stays true. Refuses names that would leave the folder they are in.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from benchsite.repo._process import Git, GitError

FOLDER: Final = "40000"
"""The mode of a folder."""
_SYMLINK: Final = "120000"
_KEPT: Final = 2_048
"""Trees kept in memory: a record of 10,000 receipts has about 300."""


class TreeFile(NamedTuple):
    """A file of a commit's tree."""

    path: str
    blob_id: str
    mode: str

    @property
    def is_symlink(self) -> bool:
        """Whether git holds a symbolic link under this path."""
        return self.mode == _SYMLINK


class Node(NamedTuple):
    """One entry of a tree object: a folder's, or a file's, whose id is a blob's (a commit's for a submodule)."""

    mode: str
    name: str
    object_id: str


def encode_tree(nodes: Iterable[Node]) -> bytes:
    """A tree object of nodes in the order given; the inverse of `decode_tree`."""
    return b"".join(
        f"{node.mode} {node.name}".encode("utf-8", "surrogateescape") + b"\0" + bytes.fromhex(node.object_id)
        for node in nodes
    )


def decode_tree(data: bytes, *, id_bytes: int) -> tuple[Node, ...]:
    """The entries of a tree object.

    Args:
        data: the object's content.
        id_bytes: 20 in a repository of SHA-1, 32 in one of SHA-256.

    Raises:
        ValueError: it is no tree object, or an entry is not a name within its folder.
    """
    nodes, at = [], 0
    while at < len(data):
        end = data.index(b"\0", at)
        mode, _, name = data[at:end].decode("utf-8", "surrogateescape").partition(" ")
        object_id = data[end + 1 : end + 1 + id_bytes]
        if not mode.isdecimal() or len(object_id) != id_bytes:
            raise ValueError("not a tree object")
        if name in ("", ".", "..") or "/" in name or name.casefold() == ".git":
            raise ValueError(f"a tree names {name!r}, which is no file of its folder")
        nodes.append(Node(mode.lstrip("0"), name, object_id.hex()))  # git reads padded modes too
        at = end + 1 + id_bytes
    return tuple(nodes)


class Trees:
    """The trees of one repository; a bounded number is kept."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._kept: OrderedDict[str, tuple[Node, ...]] = OrderedDict()

    def names(self, tree_id: str) -> list[str]:
        """The names in a tree, folders among them."""
        return [node.name for node in self._nodes(tree_id)]

    def find(self, tree_id: str, path: str) -> Node | None:
        """The file or folder at a path below a tree."""
        node = Node(FOLDER, "", tree_id)
        for name in path.strip("/").split("/"):
            inside = self._nodes(node.object_id) if node.mode == FOLDER else ()
            found = next((item for item in inside if item.name == name), None)
            if found is None:
                return None
            node = found
        return node

    def files(self, tree_id: str, path: str = "") -> Iterator[TreeFile]:
        """Every file at a path below a tree, or in a folder of this path, in git's order; `.` is the tree itself."""
        if path.strip("/") in ("", "."):
            yield from self._below(tree_id, "")
            return
        node = self.find(tree_id, path)
        if node is None:
            return
        if node.mode == FOLDER:
            yield from self._below(node.object_id, f"{path.strip('/')}/")
        elif not path.endswith("/"):
            yield TreeFile(path, node.object_id, node.mode)

    def _below(self, tree_id: str, prefix: str) -> Iterator[TreeFile]:
        # Not recursive: a commit may nest folders deeper than Python calls.
        waiting = [(prefix, node) for node in reversed(self._nodes(tree_id))]
        while waiting:
            above, node = waiting.pop()
            if node.mode == FOLDER:
                inside = f"{above}{node.name}/"
                nodes = self._nodes(node.object_id)
                self._keep([item.object_id for item in nodes if item.mode == FOLDER])
                waiting += [(inside, item) for item in reversed(nodes)]
            else:
                yield TreeFile(f"{above}{node.name}", node.object_id, node.mode)

    def _nodes(self, tree_id: str) -> tuple[Node, ...]:
        if tree_id not in self._kept:
            self._keep([tree_id])
        self._kept.move_to_end(tree_id)
        return self._kept[tree_id]

    def _keep(self, tree_ids: Sequence[str]) -> None:
        """Read the trees that are not kept yet, as many as are kept; together they take git a third of the time."""
        missing = [tree_id for tree_id in tree_ids if tree_id not in self._kept][:_KEPT]
        for tree_id, data in zip(missing, self._git.objects(missing), strict=True):
            try:
                self._kept[tree_id] = decode_tree(data, id_bytes=len(tree_id) // 2)
            except ValueError as error:
                raise GitError("cat-file", f"tree {tree_id}: {error}") from None
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
