"""keys init: three key pairs, the log's first entries, and the public halves in git.

Private keys come from the environment where all three are given there; otherwise they are made and written to a
folder outside the repository, readable by their owner only. Entry 0 of the log is the self-signed root key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchsite.environment import ROLES, Credentials, Role
from benchsite.errors import InputError, PrerequisiteError
from benchsite.layout import CONFIG, RECORD
from benchsite.log import Log, encode_entry, make_key_event
from benchsite.pipeline.record.append import unbegun
from benchsite.pipeline.record.commit import TRAILER, commit_record, locked, recover, require_branch
from benchsite.pipeline.record.new_entries import record_files
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.workspace import Workspace
from benchsite.pipeline.workspace.scratch import require_uncommitted
from benchsite.signing import KeyRecord, PrivateKey

_EMPTY_ROOTS: Final = re.compile(r"^(?P<indent> *)root_keys:[ ]*(\[[ ]*\])?[ ]*(#.*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NewLog:
    """A log that was just created.

    Attributes:
        fingerprints: role to fingerprint.
        files: role to the file its private key was written to; empty where the environment gave the keys.
        commit: the commit that holds the first entries.
    """

    fingerprints: dict[Role, str]
    files: dict[Role, Path]
    commit: str


def init(workspace: Workspace, credentials: Credentials, *, folder: Path | None) -> NewLog:
    """Begin the log of an instance.

    Args:
        workspace: where; it must have no log yet.
        credentials: keys from the environment: all three roles or none.
        folder: where to write new private keys; outside the repository.

    Raises:
        PrerequisiteError: a log exists, some but not all keys are given, the folder lies in the repository,
            or the record or `mkdocs.yml` has uncommitted changes.
        InputError: a key file exists already, or `mkdocs.yml` has no empty `root_keys` to fill in.
    """
    with locked(workspace):
        before = unbegun(workspace)
        require_uncommitted(workspace.repository, before.commit)
        recover(workspace, before.commit)
        require_branch(workspace)
        if before.log is not None:
            raise PrerequisiteError(
                "this instance already has a log", hint="run `benchsite keys list` to list its keys"
            )
        changed = workspace.repository.changed_paths(*RECORD, CONFIG)
        if changed:
            raise PrerequisiteError(f"{changed[0]} has uncommitted changes", hint="commit it first")
        given = [role for role in ROLES if credentials.has(role)]
        if given and len(given) != len(ROLES):
            lacking = ", ".join(role for role in ROLES if role not in given)
            raise PrerequisiteError(
                f"missing keys in the environment: {lacking}",
                hint="set all three to existing keys, or unset all of them to create new keys",
            )
        keys = (
            {role: credentials.key(role, repository=workspace.root) for role in ROLES}
            if given
            else {role: PrivateKey.generate() for role in ROLES}
        )
        configured = _with_root(workspace, keys["root"].fingerprint)
        files = {} if given else _write_all(workspace, keys, folder)
        try:
            commit = create_log(workspace, keys, configured, parent=before.commit)
        except BaseException:
            if unbegun(workspace).commit == before.commit:  # leave no orphaned keys behind
                for path in files.values():
                    path.unlink(missing_ok=True)
            raise
        return NewLog({role: keys[role].fingerprint for role in ROLES}, files, commit)


def create_log(
    workspace: Workspace,
    keys: Mapping[Role, PrivateKey],
    configured: Mapping[str, bytes],
    *,
    parent: str | None,
) -> str:
    """Commit the first entries of a log, the keys themselves, with a configuration that names their root."""
    origin = workspace.config.benchsite.origin
    entries = [
        encode_entry(
            make_key_event(
                "key-add", root=keys["root"], origin=origin, seq=seq, role=role, public_key=keys[role].public
            )
        )
        for seq, role in enumerate(ROLES)
    ]
    log = Log.of(entries, origin=origin, roots=(keys["root"].fingerprint,))
    writes = {**configured, **record_files(log, keys["log"], since=0, keys=True, sizes=())}
    message = f"keys: create the log {origin}\n\n{TRAILER}: {log.size}\n"
    return commit_record(workspace, writes, (), parent=parent, message=message)


def _with_root(workspace: Workspace, fingerprint: str) -> dict[str, bytes]:
    """`mkdocs.yml` with the root key filled in, or nothing where it names that key already."""
    configured = workspace.config.benchsite.root_keys
    if configured == (fingerprint,):
        return {}
    if configured:
        raise InputError(
            f"{CONFIG}: extra.benchsite.root_keys names another key", hint=f"set it to [] or to {fingerprint}"
        )
    text = (workspace.root / CONFIG).read_bytes().decode("utf-8")
    found = list(_EMPTY_ROOTS.finditer(text))
    if len(found) != 1:
        raise InputError(
            f"{CONFIG} has no single line `root_keys: []` to fill in",
            hint=f'write under extra.benchsite: root_keys: ["{fingerprint}"], commit, and re-run this command',
        )
    line = f'{found[0]["indent"]}root_keys: ["{fingerprint}"]'
    return {CONFIG: (text[: found[0].start()] + line + text[found[0].end() :]).encode()}


def _write_all(
    workspace: Workspace, keys: Mapping[Role, PrivateKey], folder: Path | None
) -> dict[Role, Path]:
    paths = write_private(workspace, {str(role): key for role, key in keys.items()}, folder)
    return {role: paths[role] for role in keys}


def usual_folder(workspace: Workspace) -> Path:
    """Where private keys are written unless a folder is named: `~/.config/benchsite/<origin>`."""
    return Path.home() / ".config" / "benchsite" / workspace.config.benchsite.origin.replace("/", "_")


def write_private(
    workspace: Workspace, keys: Mapping[str, PrivateKey], folder: Path | None
) -> dict[str, Path]:
    """Write private keys, each to `<name>.pem`, readable by their owner only; name to file.

    Args:
        workspace: the repository, which must not contain the folder.
        keys: file name without `.pem` to key.
        folder: where; `~/.config/benchsite/<origin>` by default.

    Raises:
        PrerequisiteError: the folder lies inside the repository.
        InputError: a file exists already or cannot be written.
    """
    base = folder or usual_folder(workspace)
    real = base.resolve()
    if real.is_relative_to(workspace.root.resolve()):
        raise PrerequisiteError(
            f"{base} is inside the repository: private keys must be kept outside",
            hint="choose a folder outside with --out",
        )
    paths = {name: real / f"{name}.pem" for name in keys}
    made: list[Path] = []
    try:
        real.mkdir(parents=True, exist_ok=True, mode=0o700)
        for path in paths.values():
            if path.exists():
                raise InputError(f"{path} exists already", hint="choose an empty folder with --out")
        for name, path in paths.items():
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            made.append(path)
            with os.fdopen(handle, "w", encoding="ascii") as out:
                out.write(keys[name].to_pem())
                out.flush()
                os.fsync(out.fileno())
    except OSError as error:
        for path in made:
            path.unlink(missing_ok=True)
        raise InputError(
            f"cannot write keys to {base}: {error.strerror}", hint="choose another folder with --out"
        ) from None
    return paths


def records(snapshot: Snapshot) -> tuple[KeyRecord, ...]:
    """Every key of the log, in the order they were added; empty before `keys init`."""
    log = snapshot.log
    return tuple(log.keyring) if log is not None else ()
