"""Where a branch stands, here and at the remote it follows.

Owns the pin: a ref of our own that remembers the newest commit the remote's branch was seen at. It only moves forward,
so that a remote which takes back what it had shown is noticed, whatever other tools have fetched in between.
"""

from __future__ import annotations

import re
from typing import Final

from benchsite.errors import IntegrityError, PrerequisiteError
from benchsite.repo._process import Git, GitError

_UNMOVED: Final = (
    *("(failed to update ref)", "(incorrect old value provided)", "(cannot lock ref", "(failed to lock)"),
)
"""What a remote says whose branch did not move: overtaken by another push, or broken."""

_UNSIGNED: Final = re.compile(
    r"verified signature|unverified commit|must be signed|(is|are) not signed|unsigned commit", re.IGNORECASE
)
"""What remotes say of commits without a signature."""
_PINS: Final = "refs/benchsite/"


class PushRejectedError(PrerequisiteError):
    """The remote has commits this clone has not; nothing was lost, the caller begins again."""


class RewrittenError(IntegrityError):
    """The remote took back commits that it had shown before."""


class Refs:
    """The current branch of a repository and its ancestry."""

    def __init__(self, git: Git) -> None:
        self._git = git

    def _head(self) -> str | None:
        """Return the commit that HEAD names, None on a branch without commits; others ask `benchsite.repo.head`.

        Raises:
            HeadError: git cannot read that commit.
        """
        found = self._git.resolve("HEAD^{commit}")
        if found is None:
            self._git.require_unborn()
        return found

    def commit(self, rev: str) -> str:
        """Return the commit that a revision names; raises `GitError` if it names none."""
        found = self._git.resolve(f"{rev}^{{commit}}")
        if found is None:
            raise GitError("cat-file", f"fatal: {rev} names no commit of this repository")
        return found

    def branch(self) -> str:
        """The ref that a commit advances: the current branch, or HEAD itself when detached."""
        return self._git.current_branch() or "HEAD"

    def refs(self, prefix: str) -> list[tuple[str, str]]:
        """(name, commit) of every ref whose name begins with a prefix that ends in a slash, in name order."""
        out = self._git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix)
        pairs = (line.split(" ") for line in out.decode("utf-8", "replace").splitlines())
        return [(name, commit) for name, commit in pairs]

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`."""
        try:
            self._git.run("merge-base", "--is-ancestor", older, newer)
        except GitError as error:
            if error.code != 1:
                raise
            return False
        return True

    def fork_point(self, ours: str, theirs: str) -> str:
        """The newest commit both contain; the empty string where they share none."""
        return self._git.line("merge-base", ours, theirs) or ""


class Tracking(Refs):
    """The branch at the remote that the current one follows."""

    def has_remote(self) -> bool:
        """Whether any remote is configured, whatever the branch follows."""
        return bool(self._git.remotes())

    def remote_address(self, remote: str) -> str | None:
        """The address of a remote as configured, credentials in it included; None where there is none."""
        return self._git.setting(f"remote.{remote}.url")

    def committed_at(self, path: str, *, rev: str) -> int | None:
        """When the newest commit up to a revision that changed a path was made, in seconds since 1970; None where none did."""
        found = self._git.line("log", "-1", "--format=%ct", rev, "--", path)
        return int(found) if found else None

    def upstream(self) -> tuple[str, str] | None:
        """(remote, branch name there) that the current branch follows, else `origin` and its own name."""
        branch = self.branch().removeprefix("refs/heads/")
        remote = self._git.setting(f"branch.{branch}.remote")
        merge = self._git.setting(f"branch.{branch}.merge")
        if remote is not None and merge is not None:
            return remote, merge.removeprefix("refs/heads/")
        return ("origin", branch) if "origin" in self._git.remotes() and branch != "HEAD" else None

    def fetch(self) -> str | None:
        """Fetch the upstream branch and return its commit, None where it has none yet.

        Raises:
            RewrittenError: the branch no longer contains the commit it had when benchsite saw it last.
            PrerequisiteError: the remote cannot be reached.
        """
        where = self.upstream()
        if where is None:
            return None
        remote, name = where
        pin, seen = self._pin(remote, name), self._seen(remote, name)
        if seen is not None:
            self._git.run("update-ref", pin, seen)
        try:
            # Without the usual +, git refuses to move the pin to a commit that does not contain it.
            self._git.run("fetch", "--no-progress", "--no-tags", remote, f"refs/heads/{name}:{pin}")
        except GitError as error:
            if "couldn't find remote ref" in error.stderr:
                if seen is None:
                    return None
                raise self._rewritten(remote, name, "it is gone, and had") from None
            if "non-fast-forward" in error.stderr:
                raise self._rewritten(remote, name, "it no longer contains") from None
            raise PrerequisiteError(
                f"cannot fetch from {remote}: {error.reason}",
                hint="check the network and your access, or publish locally with --no-push",
            ) from None
        return self._git.resolve(pin)

    def _pin(self, remote: str, name: str) -> str:
        """Our own note of where the remote's branch was; a user's fetch moves `refs/remotes`, by force, and not this."""
        return f"{_PINS}{remote}/{name}"

    def _seen(self, remote: str, name: str) -> str | None:
        """The newest commit the remote's branch is known to have had, by our pin or by a fetch that continues it."""
        pinned = self._git.ref(self._pin(remote, name))
        tracked = self._git.ref(f"refs/remotes/{remote}/{name}")
        if pinned is not None and tracked is not None and self.is_ancestor(pinned, tracked):
            return tracked
        return pinned or tracked

    def _rewritten(self, remote: str, name: str, how: str) -> RewrittenError:
        return RewrittenError(
            f"{remote}/{name} was rewritten: {how} {self._seen(remote, name)}",
            hint="publish nothing; ask who rewrote it, and restore it from a clone that has that commit. "
            f"If it was meant: git fetch && git update-ref -d {self._pin(remote, name)}",
        )

    def behind_last_change(self, path: str, *, rev: str) -> list[str]:
        """The parents of the newest commit behind `rev` that changed a path, every side of a merge looked at."""
        out = self._git.line(
            "log", "-1", "-m", "--full-history", "--format=%P", "--no-patch", rev, "--", path
        )
        return out.split() if out else []

    def pins(self) -> list[tuple[str, str]]:
        """(remote/branch, commit) of every branch of a remote that benchsite has pushed to or fetched from."""
        return [(name.removeprefix(_PINS), commit) for name, commit in self.refs(_PINS)]

    def shared(self, commit: str) -> bool:
        """Whether a branch of any remote, as last fetched or pushed, contains a commit."""
        refs = ("--contains", commit, "refs/remotes/", _PINS)
        return bool(self._git.run("for-each-ref", "--count=1", "--format=%(refname)", *refs).strip())

    def left_remote_at(self, commit: str) -> str:
        """Return where a commit left the remote's branch, by every position of it in the reflog; empty if unknown.

        A commit that the branch had before a forced update left it there, not at what both contain today.
        """
        where = self.upstream()
        tracked = f"refs/remotes/{'/'.join(where)}" if where else ""
        return (self._git.line("merge-base", "--fork-point", tracked, commit) or "") if tracked else ""

    def lost(self, branch: str, commit: str) -> bool:
        """Whether the remote's branch, as the newest fetch left it, no longer contains a commit it was pinned at."""
        tracked = self._git.line("rev-parse", "--verify", "--quiet", f"refs/remotes/{branch}")
        return tracked is not None and not self.is_ancestor(commit, tracked)

    def public_commit(self, commit: str) -> str:
        """Return the newest commit up to this one that the remote is known to have; this one without a remote."""
        seen = self.remote_head()
        return (self.fork_point(commit, seen) if seen else "") or commit

    def remote_head(self) -> str | None:
        """The newest commit that the remote's branch is known to have had; None where none is known."""
        where = self.upstream()
        return self._seen(*where) if where else None

    def tracked(self) -> str | None:
        """The commit of `@{u}`, as last fetched; None if the branch has no upstream of its own."""
        return self._git.resolve("@{u}")

    def unpushed(self, commit: str) -> int:
        """Return how many commits up to this one the remote is not known to have; 0 without a remote."""
        where = self.upstream()
        if where is None:
            return 0
        known = (f"--remotes={where[0]}", f"--glob=refs/benchsite/{where[0]}/*")
        return int(self._git.line("rev-list", "--count", commit, "--not", *known) or 0)

    def record_branch(self) -> str | None:
        """The branch of the remote that everybody follows, where the remote has said; a record has one branch."""
        where = self.upstream()
        found = self._git.line("symbolic-ref", "--quiet", f"refs/remotes/{where[0]}/HEAD") if where else None
        return found.removeprefix(f"refs/remotes/{where[0]}/") if found and where else None

    def push(self, commit: str) -> None:
        """Push a commit of the current branch to its upstream, never by force.

        Raises:
            PushRejectedError: the remote moved on.
            PrerequisiteError: it cannot be reached.
        """
        where = self.upstream()
        if where is None:
            return
        remote, name = where
        try:
            self._git.run("push", "--quiet", "--no-verify", remote, f"{commit}:refs/heads/{name}")
        except GitError as error:
            if "[rejected]" in error.stderr or self._overtaken(error, commit):
                raise PushRejectedError(
                    f"{remote} has newer commits", hint="re-run benchsite publish"
                ) from None
            raise PrerequisiteError(
                f"cannot push to {remote}: {_refusal(error)}", hint=self._redo(error, commit)
            ) from None
        self._git.run("update-ref", self._pin(remote, name), commit)

    def _redo(self, refusal: GitError, commit: str) -> str:
        """Name what makes the remote accept the commits that it refused."""
        if not _UNSIGNED.search(refusal.stderr):
            return "the commit is on this machine; re-run benchsite publish when the remote accepts it"
        sign = "git commit --amend --no-edit -S"
        if self.unpushed(commit) > 1:
            sign = "git rebase --no-ff --gpg-sign @{u}"
        return f"sign the commit, then run benchsite publish: {sign}\n       from now on: git config commit.gpgsign true"

    def _overtaken(self, refusal: GitError, ours: str) -> bool:
        """Whether a remote that could not move its branch has another head by now: two pushes met there."""
        if not any(words in refusal.stderr for words in _UNMOVED):
            return False
        theirs = self.fetch()
        return theirs is not None and not self.is_ancestor(theirs, ours)

    def public_url(self) -> str | None:
        """Where the remote lives, for the last line of `publish`; credentials in it are never shown."""
        url = self._git.line("remote", "get-url", "origin") if "origin" in self._git.remotes() else None
        if url is None or ("//" in url and "@" in url.split("//", 1)[1].split("/", 1)[0]):
            return None
        return url


def _refusal(error: GitError) -> str:
    """The remote's own words where it has any."""
    lines = [line.strip() for line in error.stderr.splitlines()]
    cause = [line for line in lines if line.startswith("error: remote unpack failed")]
    said = cause or [line for line in lines if "[remote rejected]" in line or line.startswith("remote:")]
    return " ".join(" ".join(said).split())[:300] or error.reason
