"""What every git of ours runs under: no setting or variable that starts a program of another, or shows another history.

Settings given here win over every configuration file and over those that variables hold. Variables that would lead git
to another repository, index or set of objects are left out; those by which a person reaches a remote (`GIT_SSH_COMMAND`,
`GIT_ASKPASS`, `GIT_CONFIG_GLOBAL`) and names an author stay. So do `core.sshCommand`, `credential.helper`,
`remote.*.uploadpack` and `receivepack`, and `filter.*` of the configuration: fetch and push need them, and who can write them runs as this user already.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Mapping
from typing import Final

from benchsite.errors import PrerequisiteError

SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=",  # a program that git starts to ask what changed; versions before 2.36 take any word for one
    "core.commitGraph=false",  # it says of each commit which parents it has, and git believes it unread
    "log.showSignature=false",  # would start gpg.program
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
)
_STAY: Final = re.compile(
    r"GIT_(CONFIG(_.*)?|SSH.*|ASKPASS|AUTHOR_.*|COMMITTER_.*|TRACE.*|CURL_VERBOSE|SSL_.*|HTTP_.*|PROXY_.*"
    r"|ALLOW_PROTOCOL|EXEC_PATH|PYTHON_.*)"
)
_FIXED: Final = {
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",  # a reading git takes no lock, so that one that is killed leaves none
    "GIT_NO_REPLACE_OBJECTS": "1",
}


def program() -> str:
    """The git that is run."""
    return shutil.which(os.environ.get("GIT_PYTHON_GIT_EXECUTABLE") or "git") or "git"


def command(*arguments: str) -> list[str]:
    """A command line of git under these settings."""
    return [program(), *(part for setting in SETTINGS for part in ("-c", setting)), *arguments]


def environment(given: Mapping[str, str], more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables git is started with: those given, but what would steer it elsewhere; then ours, then `more`."""
    kept = {
        name: value for name, value in given.items() if not name.startswith("GIT_") or _STAY.fullmatch(name)
    }
    return {**kept, **_FIXED, **(more or {})}


def refuse_killed(name: str, code: int) -> None:
    """Raise `PrerequisiteError` where this is the exit code of a git that a signal ended: it has not answered."""
    if code < 0:
        raise PrerequisiteError(
            f"git {name} was killed (signal {-code}) before it answered",
            hint="free memory, then re-run the command" if code == -signal.SIGKILL else "re-run the command",
        )
