"""drill: rotation and compromise of the keys, rehearsed with the real keys on a copy of the record.

Follows keys/ROTATION.md. Every step makes the entries that the real command makes, then verifies the whole record and
audits its history. The copy has no remote and is removed at the end, with the new keys and with every entry that the root
key signed. Refuses to start without the three keys, because whether they can still be used is what a drill is for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchsite import temporary
from benchsite.environment import ROLES, Credentials, Role
from benchsite.errors import PrerequisiteError
from benchsite.history import Verdict
from benchsite.log import Log
from benchsite.pipeline.audit import audit
from benchsite.pipeline.publish import rotation
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey
from benchsite.words import amount

__all__ = ["Step", "drill"]

_GOOD = (Verdict.LOGGED, Verdict.WITNESSED)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the rehearsal.

    Attributes:
        name: the situation.
        command: what a maintainer types in it; empty for a check.
        passed: whether the record was as it should be afterwards.
        detail: what was found, in words.
    """

    name: str
    command: str
    passed: bool
    detail: str


def drill(
    workspace: Workspace,
    snapshot: Snapshot,
    credentials: Credentials,
    newest: Callable[[Workspace], Snapshot],
) -> Iterator[Step]:
    """Yield each step as it ends.

    Args:
        workspace: the instance.
        snapshot: its record.
        credentials: the three keys in service.
        newest: reads the record of the copy at its newest commit.

    Raises:
        PrerequisiteError: there is no log, or a key is missing or not in service.
    """
    log = snapshot.require_log()
    keys = {role: credentials.key(role, repository=workspace.root) for role in ROLES}
    for role in ROLES:
        _require_in_service(log, role, keys[role])
    with temporary.folder("benchsite-drill-") as folder:
        copy = workspace.repository.copied(folder / "copy")
        rehearsal = _Rehearsal(Workspace(copy.root), folder / "keys", keys, newest)
        copy.close()
        try:
            yield from rehearsal.steps()
        finally:
            rehearsal.workspace.repository.close()


def _require_in_service(log: Log, role: Role, key: PrivateKey) -> None:
    """Raise `PrerequisiteError` unless a key is the one that the log has in service for its role."""
    record = log.keyring.get(key.fingerprint)
    if record is None or record.role != role or record.state != "active":
        state = "isn't in the log" if record is None else f"is a {record.role} key, {record.state}"
        raise PrerequisiteError(
            f"the {role} key {key.fingerprint} {state}",
            hint="give the key in service: benchsite keys list; a lost key: keys/ROTATION.md",
        )


class _Rehearsal:
    """A copy of the record, and the keys in service there."""

    def __init__(
        self,
        workspace: Workspace,
        folder: Path,
        keys: dict[Role, PrivateKey],
        newest: Callable[[Workspace], Snapshot],
    ) -> None:
        self.workspace = workspace
        self._folder = folder
        self._keys = keys
        self._newest = newest
        self._made = 0

    def steps(self) -> Iterator[Step]:
        """Yield a check of the record as it is, then each situation."""
        before = self._verdicts()
        yield self._checked("the record as it is", "", before)
        scheduled: tuple[Role, ...] = ("receipt", "log")
        for role in scheduled:
            self._replace(role)
            yield self._checked(
                f"the {role} key is replaced on schedule", f"benchsite keys rotate {role}", before
            )
        yield from self._receipt_key_compromised(before)
        after, size = self._verdicts(), self._log.size
        self._revoke("log", "log", size)
        yield self._checked(
            "the log key is compromised",
            f"benchsite keys compromise log --trusted-below {size} --reason REASON",
            after,
        )

    def _receipt_key_compromised(self, before: Counter[Verdict]) -> Iterator[Step]:
        """Revoke the key of the newest receipt in good standing from that receipt on."""
        receipts = self._log.receipts
        history = list(self._newest(self.workspace).history())
        good = [header for header in history if header.verdict in _GOOD]
        if not good:
            yield Step(
                "the receipt key is compromised",
                "",
                passed=True,
                detail="not rehearsed: no receipt to revoke",
            )
            return
        last = max(good, key=lambda header: receipts[header.receipt_id])
        index = receipts[last.receipt_id]
        hit = [
            header.verdict
            for header in history
            if header.signer == last.signer and receipts.get(header.receipt_id, -1) >= index
        ]
        self._revoke("receipt", last.signer, index)
        expected = before.copy()
        expected.subtract(Counter(hit))
        expected[Verdict.SUSPECT] += len(hit)
        yield self._checked(
            f"the receipt key is compromised from entry {index}",
            f"benchsite keys compromise receipt --trusted-below {index} --reason REASON",
            +expected,
        )

    def _revoke(self, role: Role, key: str, below: int) -> None:
        """Report a key as compromised."""
        self._renew(
            role,
            rotation.compromise(
                self.workspace,
                self._newest(self.workspace),
                key,
                Credentials.of(**self._keys),
                below=below,
                reason="drill",
                folder=self._new_folder(),
                push=False,
            ),
        )

    def _replace(self, role: Role) -> None:
        """Rotate a key."""
        self._renew(
            role,
            rotation.rotate(
                self.workspace,
                self._newest(self.workspace),
                role,
                Credentials.of(**self._keys),
                folder=self._new_folder(),
                push=False,
            ),
        )

    def _renew(self, role: Role, done: rotation.Rotated) -> None:
        """Use the new key from now on, if one was made."""
        if done.file is not None:
            self._keys[role] = PrivateKey.from_text(done.file.read_text(encoding="ascii"), f"new {role} key")

    def _new_folder(self) -> Path:
        self._made += 1
        return self._folder / str(self._made)

    @property
    def _log(self) -> Log:
        return self._newest(self.workspace).require_log()

    def _verdicts(self) -> Counter[Verdict]:
        return Counter(header.verdict for header in self._newest(self.workspace).history())

    def _checked(self, name: str, command: str, expected: Counter[Verdict]) -> Step:
        """Verify and audit the copy."""
        found, audited = self._verdicts(), audit(self._newest(self.workspace))
        counted = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items())) or "no receipts"
        altered = (
            f"audit: {amount(len(audited.findings), 'finding')}"
            if audited.findings
            else "audit: no alteration"
        )
        detail = f"{amount(self._log.size, 'log entry', 'log entries')}; {counted}; {altered}"
        if found != expected:
            wanted = ", ".join(f"{count} {verdict}" for verdict, count in sorted(expected.items()))
            detail += f"; expected {wanted}"
        return Step(name, command, found == expected and audited.ok, detail)
