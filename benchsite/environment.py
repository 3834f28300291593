"""The one reader of clock, uuid, platform, container image and credentials.

Signing keys come in by environment (`BENCHSITE_RECEIPT_KEY`, `_LOG_KEY`, `_ROOT_KEY`, `_WITNESS_KEY`, or the same
names with `_FILE`). They are taken before anything else is loaded: the values are overwritten in the process's own
environment block (unsetting alone would leave them in `/proc/<pid>/environ`), unset, and the process is made
undumpable. Child processes therefore inherit nothing, and nothing can be read from the parent's `/proc`.
A key file readable by the same user, or this process's memory read by root, is outside this guarantee.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib.metadata
import os
import platform
import re
import sys
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from benchsite import canonical
from benchsite.errors import InputError, PrerequisiteError
from benchsite.signing import PrivateKey

Role = Literal["root", "receipt", "log"]
ROLES: Final[tuple[Role, ...]] = ("root", "receipt", "log")
Purpose = Literal["root", "receipt", "log", "witness"]
"""What a key may be given for: a role in this log, or watching it from outside."""

PURPOSES: Final[tuple[Purpose, ...]] = (*ROLES, "witness")
_MAKES: Final[dict[str, str]] = {"witness": "run `benchsite log witness-key` to create one"}
_PR_SET_DUMPABLE: Final = 4
_KEY_FILES: Final[set[str]] = set()
_LARGEST_KEY_FILE: Final = 16 * 1024
_CREDENTIAL: Final = re.compile(
    r"(?:^|_)(?:\w*KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_|$)", re.IGNORECASE
)
_SHORTEST_SECRET: Final = 12
_KEY_FILE: Final = "name a PEM file, as `benchsite keys init` writes them"


def now() -> str:
    """This moment as RFC 3339 UTC with seconds and `Z`; `SOURCE_DATE_EPOCH` is deliberately not honoured."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_id() -> str:
    """A fresh uuid4."""
    return str(uuid.uuid4())


perf_counter_ns = time.perf_counter_ns


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_ci() -> bool:
    """Whether this is a job of a CI system, by the variable that all of them set."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


def load_average() -> float | None:
    """The one-minute load average, None where the system has none."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


@dataclass(slots=True)
class Credentials:
    """The signing keys of this process, by purpose, as they were given; opened when first needed."""

    _texts: dict[Purpose, tuple[str, str]] = field(default_factory=dict, repr=False)
    _files: dict[Purpose, tuple[str, Path]] = field(default_factory=dict, repr=False)
    _keys: dict[Purpose, PrivateKey] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, **keys: PrivateKey) -> Credentials:
        """Credentials held in memory only, for demonstrations and tests."""
        made = cls()
        for role in PURPOSES:
            if role in keys:
                made._keys[role] = keys[role]
        return made

    def has(self, role: Purpose) -> bool:
        """Whether a key for the role was given; it may still turn out to be malformed."""
        return role in self._keys or role in self._texts or role in self._files

    def key(self, role: Purpose, *, repository: Path | None = None) -> PrivateKey:
        """The key of a role.

        Raises:
            PrerequisiteError: none was given, or its file lies inside the repository.
            InputError: it is neither PEM PKCS#8 Ed25519 nor a base64 32-byte seed.
        """
        if role in self._keys:
            return self._keys[role]
        name = f"BENCHSITE_{role.upper()}_KEY"
        if role in self._texts:
            source, text = self._texts[role]
        elif role in self._files:
            source, path = self._files[role]
            text = _read_key_file(source, path, repository)
        else:
            raise PrerequisiteError(
                f"no {role} key: {name} and {name}_FILE are not set",
                hint=_MAKES.get(
                    role,
                    f"export {name}_FILE=PATH; `benchsite keys init` creates keys for a new log; lost keys: keys/ROTATION.md",
                ),
            )
        key = self._keys[role] = PrivateKey.from_text(text, source)
        self._texts.pop(role, None)
        return key

    def forget(self) -> None:
        """Let go of every key: for a command that needs none and runs a repository's own templates and hooks."""
        self._texts.clear()
        self._files.clear()
        self._keys.clear()


def take_credentials() -> Credentials:
    """Take every signing key out of the environment, block included; safe to call more than once."""
    found = Credentials()
    for role in PURPOSES:
        name = f"BENCHSITE_{role.upper()}_KEY"
        text = os.environ.get(name)
        if text is not None:
            _erase(name)
            os.environ.pop(name, None)
            if text.strip():
                found._texts[role] = (name, text)  # noqa: SLF001 - its own constructor
        path = os.environ.pop(f"{name}_FILE", None)
        if path:
            _KEY_FILES.add(os.path.abspath(path))  # noqa: PTH100 - hidden by its name, whatever it links to
        if path and role not in found._texts:  # noqa: SLF001
            found._files[role] = (f"{name}_FILE", Path(path))  # noqa: SLF001
    if any(found.has(role) for role in PURPOSES):
        _make_undumpable()
    return found


def secrets() -> tuple[str, ...]:
    """Return the values of credential variables, the longest first: no file and no message may have them.

    Their names tell them: a part is key, token, secret, password or credential. A value of less than twelve characters is a
    setting rather than a secret, and may be a word that a run says.
    """
    found = {
        value.strip()
        for name, value in os.environ.items()
        if _CREDENTIAL.search(name) and len(value.strip()) >= _SHORTEST_SECRET
    }
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def key_files() -> tuple[str, ...]:
    """Return the paths of the key files that this process was given."""
    return tuple(sorted(_KEY_FILES))


def _erase(name: str) -> None:
    """Overwrite the value where the process was given it, so that `/proc/<pid>/environ` no longer shows it."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.getenv.restype = ctypes.c_void_p
        address = libc.getenv(name.encode())
        if address:
            ctypes.memset(address, 0x30, len(ctypes.string_at(address)))


def _make_undumpable() -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _read_key_file(source: str, path: Path, repository: Path | None) -> str:
    """Read a key file, refusing one that lies in the repository, where it could be committed."""
    try:
        real = path.resolve(strict=True)
        if repository is not None and real.is_relative_to(repository.resolve()):
            raise PrerequisiteError(
                f"{source} names {path}, inside the repository {repository}",
                hint="move the key outside; if it was ever committed, it is compromised: keys/ROTATION.md",
            )
        if real.stat().st_size > _LARGEST_KEY_FILE:
            raise InputError(f"{source} names {path}, which is too large to be a key", hint=_KEY_FILE)
        return real.read_text(encoding="utf-8")
    except OSError as error:
        raise PrerequisiteError(
            f"{source} names {path}, which cannot be read: {error.strerror}",
            hint="check the path and its mode",
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{source} names {path}, which is not a text file", hint=_KEY_FILE) from None


def _cpu_model() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or None
    for line in lines:
        label, _, value = line.partition(":")
        if label.strip() in ("model name", "Model", "cpu model"):
            return " ".join(value.split())[:200] or None
    return None


@cache
def _installed() -> tuple[str, ...]:
    """The sorted `name==version` of everything installed when this process first asked."""
    found = {
        f"{(item.metadata['Name'] or '').lower().replace('_', '-')}=={item.version}"
        for item in importlib.metadata.distributions()
    }
    return tuple(sorted(found))


def _packages() -> str:
    """SHA-256 of the JCS of `_installed`."""
    return canonical.digest(list(_installed()))


def runs_on() -> tuple[str, ...]:
    """Return `python==VERSION`, and `name==version` of everything installed."""
    return f"python=={platform.python_version()}", *_installed()


def _runner() -> str | None:
    if os.environ.get("GITHUB_ACTIONS") == "true":
        parts = ("github-actions", os.environ.get("RUNNER_OS", ""), os.environ.get("RUNNER_ARCH", ""))
        return "/".join(part for part in parts if part)
    return None


def ran_by(maintainer: str) -> dict[str, str]:
    """Who runs this: the workflow where one does, else the maintainer by the name git knows."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        name = os.environ.get("GITHUB_WORKFLOW_REF") or os.environ.get("GITHUB_REPOSITORY") or "unnamed"
        return {"kind": "workflow", "name": name[:200]}
    return {"kind": "maintainer", "name": maintainer[:200]}


def describe(git: Mapping[str, Any]) -> dict[str, Any]:
    """The `environment` member of a receipt; unknown is None, never invented.

    Args:
        git: `{commit, dirty, tag}` of the instance repository.
    """
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system().lower()}/{platform.machine()}",
        "cpu": _cpu_model(),
        "cores": cores(),
        "loadAverage": load_average(),
        "runner": _runner(),
        "containerImage": os.environ.get("BENCHSITE_IMAGE") or None,
        "git": dict(git),
        "packages": _packages(),
    }
