"""The one door to git: bytes in and out, and a create-only append whose commit point is one ref update.

Commits are built beside the working tree (objects, a temporary index, a commit object) and become real by a
compare-and-swap of the branch; only then are their paths, and no others, written to disk. Hooks and signing
settings of the machine do not apply to them.
"""

from benchsite.repo._branch import REGULAR, Branch, Change
from benchsite.repo._disk import write_atomically
from benchsite.repo._process import GitError
from benchsite.repo._refs import PushRejectedError, RewrittenError
from benchsite.repo._repository import (
    EMPTY_TREE,
    FALLBACK_IDENTITY,
    MovedError,
    Repository,
)
from benchsite.repo._trees import TreeFile
from benchsite.repo._walk import Mention, Past, Revision

__all__ = [
    "EMPTY_TREE",
    "FALLBACK_IDENTITY",
    "REGULAR",
    "Branch",
    "Change",
    "GitError",
    "Mention",
    "MovedError",
    "Past",
    "PushRejectedError",
    "Repository",
    "Revision",
    "RewrittenError",
    "TreeFile",
    "write_atomically",
]
