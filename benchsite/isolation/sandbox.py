"""How a measured program is shut off from its surroundings, and how everything it started is ended.

Follows specs/retrieval.md, "Isolation". Three levels, found out once by trying:

    sealed     own user, mount, process and network namespaces; sealed folders and the Python that runs benchsite are
               read-only, key folders and sockets of services are hidden; it has no privileges
    offline    only the network is cut
    open       the system permits none of this

Where a second user namespace is permitted, the program is user 1000 in it and not root: servers refuse root. Where it is
sealed, the kernel ends every process it started together with it, also one in its own session. Elsewhere
the harness makes itself the parent of what is left (PR_SET_CHILD_SUBREAPER) and ends that. Refuses nothing itself: what
a system does not permit is stated by `level`, and callers record or compensate it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import shutil
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from benchsite.isolation import loopback
from benchsite.isolation.hidden_paths import Private, hidden_paths
from benchsite.track import Grant

if TYPE_CHECKING:
    from benchsite.isolation.proxy import Proxy

__all__ = [
    "THREADS",
    "Level",
    "adopt_orphans",
    "children",
    "command",
    "descendants",
    "end_orphans",
    "environment",
    "is_root",
    "level",
    "needed",
    "network_cut",
    "peak_memory",
    "proxy",
    "resident",
]

Level = Literal["sealed", "offline", "open"]

PROBE_TIMEOUT_S: Final = 10
ROUNDS: Final = 100
THREADS: Final = 1
"""How many threads numerical libraries are told to use."""

USER: Final = 1000
"""The number of the user and group that a program is, where that is permitted."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIXED: Final = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": str(THREADS),
    "OPENBLAS_NUM_THREADS": str(THREADS),
    "MKL_NUM_THREADS": str(THREADS),
    "HF_HUB_OFFLINE": "1",
}
NOTHING_PRIVATE: Final = Private()
_USER_PACKAGES: Final = site.getusersitepackages() if site.ENABLE_USER_SITE else ""
_INSTALLATION: Final = (
    *(sys.prefix, sys.base_prefix, str(Path(__file__).parents[1])),
    *filter(os.path.isdir, [_USER_PACKAGES]),
)
"""What runs with the signing key at the next `publish`: Python, installed packages and benchsite."""
_SET_CHILD_SUBREAPER: Final = 36
_PAGES = re.compile(r"^(VmHWM|RssAnon|RssFile|RssShmem):\s+(\d+) kB$", re.MULTILINE)
_OCTAL = re.compile(r"\\([0-7]{3})")

_UNPRIVILEGED: Final = ("--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")
_SEALS: Final = """\
set -e
mount=$1
shift
while :; do
  case $1 in
    bind) "$mount" --rbind "$2" "$2" ;;
    hide)
      if [ -d "$2" ]; then "$mount" -t tmpfs -o ro,size=4k,mode=555 none "$2"
      elif [ -e "$2" ]; then "$mount" --bind /dev/null "$2"; fi ;;
    seal) "$mount" -o remount,bind,ro "$2" ;;
    in) cd -- "$2" ;;
    run) shift; break ;;
  esac
  shift 2
done
unset PWD OLDPWD SHLVL
set +e
exec 3>&2 2>/dev/null
(exec "$@" 2>&3 3>&-)
exit $?
"""
"""Runs as the first process of its namespace, reaps what is orphaned there, and ends with the program's status.

Its own stderr is closed to it at the end, because a shell reports there that a program was killed.
"""


@functools.cache
def level() -> Level:
    """What the system permits; each is tried once, with a folder that must turn out read-only."""
    with tempfile.TemporaryDirectory(prefix="benchsite-probe-") as folder:
        probe = ("sh", "-c", 'if touch "$1/x" 2>&-; then exit 1; fi; touch "$2/x"', "sh", folder)
        with tempfile.TemporaryDirectory(prefix="benchsite-probe-", dir=folder) as own:
            if _works(_sealed((*probe, own), network=False, sealed=(folder,), own=Path(own), hidden=())):
                return "sealed"
    return "offline" if _offline() is not None else "open"


def is_root() -> bool:
    """Whether a program runs as root of its namespace, or as the user of the harness if that is root."""
    return not _other_user() and (level() == "sealed" or os.geteuid() == 0)


@functools.cache
def _other_user() -> tuple[str, ...]:
    """Return the prefix that makes a program user 1000; empty where a second user namespace is not permitted."""
    unshare, setpriv = shutil.which("unshare"), shutil.which("setpriv")
    if unshare is None or setpriv is None:
        return ()
    prefix = (unshare, "-U", f"--map-user={USER}", f"--map-group={USER}", "--")
    inside = (
        unshare,
        "-r",
        "--",
        *prefix,
        setpriv,
        *_UNPRIVILEGED,
        "--",
        "sh",
        "-c",
        f'test "$(id -u)" = {USER}',
    )
    return prefix if _works(inside) else ()


def network_cut() -> bool:
    """Whether a program without a grant is started without a network."""
    return level() != "open"


def proxy(grant: Grant) -> Proxy | None:
    """Return the only way to the hosts of a grant; None where the system does not permit to close the others."""
    if not grant.limited or level() != "sealed":
        return None
    from benchsite.isolation.proxy import Proxy  # noqa: PLC0415 - imports asyncio, and few programs need it

    return Proxy(grant.hosts)


def command(
    program: Sequence[str],
    *,
    network: bool,
    sealed: Collection[str],
    own: Path,
    private: Private = NOTHING_PRIVATE,
    handover: int | None = None,
) -> list[str]:
    """The command that starts a program as far shut off as the system permits; what runs benchsite is sealed too.

    Args:
        program: the program and its arguments, its path absolute.
        network: whether it may reach the network.
        sealed: folders it must not write to, links resolved.
        own: its private folder, writable even inside a sealed one; its working folder is `own/work`.
        private: keys and answers, hidden besides the folders where keys usually are; a sealed folder may be one.
        handover: takes a socket that listens in the network namespace of a sealed program; see `loopback`.
    """
    if level() == "sealed":
        hidden = hidden_paths(private, needed(sealed, private, own))
        first = () if handover is None else loopback.command(handover)
        sealed = {*sealed, *_INSTALLATION}
        return _sealed(program, network=network, sealed=sealed, own=own, hidden=hidden, first=first)
    prefix = () if network else _offline() or ()
    return [*prefix, *program]


def needed(sealed: Collection[str], private: Private, own: Path) -> tuple[str, ...]:
    """Return the paths that stay visible wherever they are: the harness's own, and none that a program names."""
    shown = (path for path in sealed if path not in private.answers)
    return (str(own), *shown, *private.shown, sys.executable, *_INSTALLATION)


def _sealed(
    program: Sequence[str],
    *,
    network: bool,
    sealed: Collection[str],
    own: Path,
    hidden: Collection[str],
    first: Sequence[str] = (),
) -> list[str]:
    tools = {name: shutil.which(name) for name in ("setpriv", "unshare", "mount", "sh")}
    if None in tools.values():
        return ["false"]
    setpriv = str(tools["setpriv"])
    return [
        # The signal ends the namespaces where the harness itself is killed.
        *(setpriv, "--pdeathsig", "KILL", "--"),
        *(str(tools["unshare"]), "-r", "-m", *(() if network else ("-n",)), "-p", "-f"),
        *("--kill-child", "--mount-proc", "--", str(tools["sh"]), "-c", _SEALS, "sh", str(tools["mount"])),
        *_steps(sealed, own, hidden),
        *("run", *first, *_other_user(), setpriv, *_UNPRIVILEGED, "--", *program),
    ]


def _steps(sealed: Collection[str], own: Path, hidden: Collection[str]) -> Iterator[str]:
    """Arguments of `_SEALS`: the private folder gets its own mount first, so that the seals leave it out."""
    mounts = list(_mount_points())
    private = os.path.realpath(own)
    yield from ("bind", private)
    for folder in sorted(os.path.realpath(path) for path in sealed):
        yield from ("bind", folder)
        below = (path for path in mounts if path.startswith(f"{folder.rstrip('/')}/") and path != private)
        for path in (folder, *below):
            yield from ("seal", path)
    for path in hidden:
        yield from ("hide", path)
    # By its name: a working folder that was open before would still be reached through the unsealed mount.
    work = Path(private) / "work"
    yield from ("in", str(work if work.is_dir() else private))


def _mount_points() -> Iterator[str]:
    """Where something is mounted; a seal covers one mount, so those below a sealed folder are sealed too."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape").splitlines():
            yield _OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split(" ")[4])


@functools.cache
def _offline() -> tuple[str, ...] | None:
    """The prefix that only cuts the network; privileges are dropped, because root could return by setns."""
    setpriv, unshare = shutil.which("setpriv"), shutil.which("unshare")
    if setpriv is None or unshare is None:
        return None
    for options in (("-r", "-n"), ("-n",)):
        prefix = (unshare, *options, "--", *_other_user(), setpriv, *_UNPRIVILEGED, "--")
        if _works([*prefix, "true"]):
            return prefix
    return None


def _works(probe: Sequence[str]) -> bool:
    try:
        done = subprocess.run(probe, capture_output=True, timeout=PROBE_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def environment(
    granted: Collection[str], search_path: Sequence[str], *, home: str, temporary: str
) -> dict[str, str]:
    """A program's whole environment: fixed values, and what is granted and exists here."""
    passed = {
        name: os.environ[name]
        for name in granted
        if _VARIABLE.fullmatch(name) and not name.upper().startswith("BENCHSITE_") and name in os.environ
    }
    inherited = {"PATH": os.environ.get("PATH", os.defpath)}
    if search_path:
        inherited["PYTHONPATH"] = os.pathsep.join(search_path)
    return {**passed, **inherited, **_FIXED, "HOME": home, "TMPDIR": temporary}


def children(pid: int) -> list[int]:
    """The children of a process, oldest first; empty where it is gone."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in sorted(Path(f"/proc/{pid}/task").iterdir()):
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text("ascii").split())
    return found


def descendants(pid: int) -> list[int]:
    """A process and all below it, as far as parents tell."""
    found = [pid]
    for one in found:
        found += children(one)
    return found


class Resident(NamedTuple):
    """Resident memory of processes in bytes: their own pages, and with mapped files, which they may share."""

    own: int
    whole: int


def resident(processes: Collection[int]) -> Resident | None:
    """Return the memory that processes hold now; None where /proc does not say.

    Pages of mapped files are those of the process that has most of them: processes of one program share most.
    """
    pages = [{name: int(size) * 1024 for name, size in _PAGES.findall(_status(one))} for one in processes]
    if not any(pages):
        return None
    own = sum(one.get("RssAnon", 0) + one.get("RssShmem", 0) for one in pages)
    return Resident(own, own + max(one.get("RssFile", 0) for one in pages))


def peak_memory(process: int) -> int | None:
    """Return the largest resident set of one process so far in bytes (VmHWM); None where /proc does not say."""
    found = dict(_PAGES.findall(_status(process)))
    return int(found["VmHWM"]) * 1024 if "VmHWM" in found else None


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except OSError:
        return ""


def adopt_orphans() -> frozenset[int]:
    """Become the parent of what descendants leave behind; the children there are already."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return frozenset(children(os.getpid()))


def end_orphans(spared: Collection[int]) -> None:
    """End every adopted process: a child in another session that is not to be spared.

    A program is started in its own session and nothing it starts can join ours, while our own children (git) are
    in ours. Ending one makes its children ours, hence the rounds.
    """
    own = os.getsid(0)
    for _ in range(ROUNDS):
        left = [pid for pid in children(os.getpid()) if pid not in spared and _session(pid) != own]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _session(pid: int) -> int:
    """The session of a process; ours where it is gone, so that it is left alone."""
    try:
        return os.getsid(pid)
    except OSError:
        return os.getsid(0)
