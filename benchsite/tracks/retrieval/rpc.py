"""The harness's side of the adapter protocol: one child process, asked in JSON-RPC 2.0 over its stdio.

Follows specs/retrieval.md, "Isolation". The child leads its own session, gets an allow-listed environment, an
empty home and working folder, and no network unless it declared the need. Every call has a deadline; a child
that misses it, dies or breaks the protocol is killed with its whole process group and the call reports a
`Fault`: what a subject does wrong is data, never an exception. Refuses frames above 64 MiB and to pass any
variable named `BENCHSITE_*`.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

__all__ = ["FRAME_LIMIT", "AdapterProcess", "Fault", "FaultKind", "Grant", "Reply", "network_cut"]

FRAME_LIMIT: Final = 64 * 1024 * 1024
STDERR_TAIL: Final = 8 * 1024
READ_SIZE: Final = 64 * 1024
STDERR_READS: Final = 64
LIVENESS_MS: Final = 100
SPIN_NS: Final = 300_000
GRACE_S: Final = 2.0
NOT_JSON: Final = -32001
METHOD_NOT_FOUND: Final = -32601
MESSAGE_LENGTH: Final = 500

FaultKind = Literal["raised", "timeout", "crashed", "protocol"]

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HIGH_WATER = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
_FIXED = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """How a call failed; `detail` is for the terminal and never enters a receipt.

    `code` and `data` are those of a JSON-RPC error answer.
    """

    kind: FaultKind
    detail: str
    data: Any = None
    code: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of one call: a result or a fault, and the time between first byte out and last byte in."""

    result: Any = None
    fault: Fault | None = None
    elapsed_ns: int = 0


@dataclass(frozen=True, slots=True)
class Grant:
    """What a child may have beyond the minimum.

    Attributes:
        network: whether it may reach the network.
        environment: names of variables passed on where they exist.
        search_path: where a Python child looks for modules first.
    """

    network: bool = False
    environment: tuple[str, ...] = ()
    search_path: tuple[str, ...] = ()


class AdapterProcess:
    """A running adapter, as a context manager. Whatever is no well-formed answer ends it: see `alive`."""

    def __init__(
        self, command: Sequence[str], *, grant: Grant, folder: Path, clock_ns: Callable[[], int]
    ) -> None:
        """Start the child.

        Args:
            command: the program and its arguments.
            grant: network and environment beyond the allow-list.
            folder: where its private home, working and temporary folders are made.
            clock_ns: a monotonic clock in nanoseconds.

        Raises:
            OSError: the program cannot be started.
        """
        self._clock_ns = clock_ns
        self._folder = Path(tempfile.mkdtemp(prefix="adapter-", dir=folder))
        self._number = 0
        self._received = bytearray()
        self._stderr = bytearray()
        self._peak_rss: int | None = None
        self.alive = False
        cut = () if grant.network else network_cut() or ()
        try:
            self._process = subprocess.Popen(
                [*cut, *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                cwd=self._made("work"),
                env=_environment(grant, home=self._made("home"), temporary=self._made("tmp")),
            )
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self.alive = True
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def last_words(self) -> str:
        """The last non-blank line of the child's stderr (of which 8 KiB are kept)."""
        if self.alive:
            self._drain_stderr()
        lines = bytes(self._stderr).decode("utf-8", "replace").split("\n")
        words = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", words)[:300]

    def call(self, method: str, params: Mapping[str, Any], *, timeout_s: float) -> Reply:
        """Ask one method and wait for its answer, at most `timeout_s` seconds."""
        if not self.alive:
            return Reply(fault=Fault("crashed", "the adapter is not running"))
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        frame = json.dumps(request, separators=(",", ":")).encode("ascii") + b"\n"
        started = self._clock_ns()
        answer = self._exchange(frame, started + int(timeout_s * 1e9), timeout_s)
        elapsed = self._clock_ns() - started
        message = answer if isinstance(answer, Fault) else self._decode(answer)
        if isinstance(message, Fault):
            self.kill()
            return Reply(fault=message, elapsed_ns=elapsed)
        if "result" in message:
            return Reply(result=message["result"], elapsed_ns=elapsed)
        return Reply(fault=_answered(message["error"]), elapsed_ns=elapsed)

    def shut_down(self) -> None:
        """Let the adapter close what it holds and end by itself, for a moment, then end it."""
        if self.alive and self.call("shutdown", {}, timeout_s=GRACE_S).fault is None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            deadline = self._clock_ns() + int(GRACE_S * 1e9)
            while not self._has_exited() and self._clock_ns() < deadline:
                self._drain_stderr()
                self._poll.poll(LIVENESS_MS // 10)
        self.kill()

    def kill(self) -> None:
        """End the whole process group, release the pipes and remove the child's folders."""
        if not self.alive:
            return
        self.peak_rss()
        self._drain_stderr()
        self.alive = False
        # The leader is still unreaped, so its number cannot have been given to another group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def peak_rss(self) -> int | None:
        """The child's largest resident set so far in bytes (VmHWM); None where /proc does not say."""
        if not self.alive:
            return self._peak_rss
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{self._process.pid}/status").read_text("ascii", "replace")
            if match := _HIGH_WATER.search(status):
                self._peak_rss = max(int(match[1]) * 1024, self._peak_rss or 0)
        return self._peak_rss

    def _exchange(self, frame: bytes, deadline: int, timeout_s: float) -> bytes | Fault:
        """Send one frame and read one frame, serving stderr meanwhile so that no pipe can fill up."""
        pending = self._send(memoryview(frame))
        if not pending:
            return self._spin() or self._receive(deadline, timeout_s, pending)
        self._poll.register(self._in, select.POLLOUT)
        try:
            return self._receive(deadline, timeout_s, pending)
        finally:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._in)

    def _send(self, pending: memoryview) -> memoryview:
        """Write what the pipe takes; a child that closed its stdin is found out by its silence."""
        try:
            while pending:
                pending = pending[os.write(self._in, pending) :]
        except BlockingIOError:
            return pending
        except BrokenPipeError:
            return pending[:0]
        return pending

    def _spin(self) -> bytes | Fault | None:
        """Look for a quick answer without sleeping: waking up costs more than most small queries take."""
        until = self._clock_ns() + SPIN_NS
        while self._clock_ns() < until:
            outcome = self._read()
            if outcome is not None:
                return outcome
            os.sched_yield()
        return None

    def _receive(self, deadline: int, timeout_s: float, pending: memoryview) -> bytes | Fault:
        while True:
            left_ms = (deadline - self._clock_ns()) // 1_000_000
            if left_ms < 0:
                return Fault("timeout", f"no answer within {timeout_s:g} s")
            events = self._poll.poll(min(left_ms + 1, LIVENESS_MS))
            if not events and self._has_exited():
                return self._exited()
            for descriptor, _ in events:
                if descriptor == self._err:
                    self._drain_stderr()
                elif descriptor == self._in:
                    pending = self._send(pending)
                    if not pending:
                        self._poll.unregister(self._in)
                else:
                    outcome = self._read()
                    if outcome is not None:
                        return outcome

    def _read(self) -> bytes | Fault | None:
        """What the child wrote: a whole frame, a fault, or None while the frame is incomplete."""
        try:
            chunk = os.read(self._out, READ_SIZE)
        except BlockingIOError:
            return None
        if not chunk:
            return self._exited()
        end = chunk.find(b"\n")
        if end < 0:
            self._received += chunk
            if len(self._received) > FRAME_LIMIT:
                return Fault("protocol", f"a frame is larger than {FRAME_LIMIT // 2**20} MiB")
            return None
        frame = bytes(self._received) + chunk[:end] if self._received else chunk[:end]
        self._received.clear()
        if end + 1 != len(chunk):
            return Fault("protocol", "more than one frame in answer to one request")
        return frame

    def _decode(self, frame: bytes) -> dict[str, Any] | Fault:
        try:
            message = json.loads(frame.decode("utf-8"))
        except (ValueError, RecursionError):
            return Fault("protocol", "a line on stdout is not JSON (is the adapter printing?)")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return Fault("protocol", "a line on stdout is not a JSON-RPC 2.0 object")
        if message.get("id") != self._number:
            return Fault("protocol", "an answer to another request")
        if "result" not in message and not isinstance(message.get("error"), dict):
            return Fault("protocol", "an answer with neither result nor error")
        return message

    def _exited(self) -> Fault:
        """The fault of a child that is gone or has closed its stdout; its exit status when there is one.

        A child's pipes close a moment before its status can be had, so that moment is given to it.
        """
        self._drain_stderr()
        status = self._has_exited()
        for _ in range(LIVENESS_MS // 10):
            if status is not None:
                break
            select.select([], [], [], 0.01)
            status = self._has_exited()
        how = f"exit status {status.si_status}" if status else "its output was closed"
        if status and status.si_code != os.CLD_EXITED:
            how = f"signal {status.si_status}"
        return Fault("crashed", f"the adapter ended ({how})")

    def _has_exited(self) -> os.waitid_result | None:
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)

    def _drain_stderr(self) -> None:
        """Keep the tail of what is there now; bounded, because a child may write faster than we read."""
        for _ in range(STDERR_READS):
            try:
                chunk = os.read(self._err, READ_SIZE)
            except BlockingIOError:
                return
            if not chunk:
                with contextlib.suppress(KeyError):
                    self._poll.unregister(self._err)
                return
            self._stderr += chunk
            del self._stderr[:-STDERR_TAIL]

    def _made(self, name: str) -> str:
        path = self._folder / name
        path.mkdir()
        return str(path)


def _answered(error: Mapping[str, Any]) -> Fault:
    """The fault in an error answer: the adapter raised, or its result could not be written as JSON."""
    code = error.get("code")
    kind: FaultKind = "protocol" if code == NOT_JSON else "raised"
    detail = str(error.get("message", ""))[:MESSAGE_LENGTH]
    return Fault(kind, detail, error.get("data"), code if isinstance(code, int) else 0)


def _environment(grant: Grant, *, home: str, temporary: str) -> dict[str, str]:
    """The child's whole environment: fixed values, and what its grant names and the parent has."""
    granted = {
        name: os.environ[name]
        for name in grant.environment
        if _VARIABLE.fullmatch(name) and not name.upper().startswith("BENCHSITE_") and name in os.environ
    }
    inherited = {"PATH": os.environ.get("PATH", os.defpath)}
    if grant.search_path:
        inherited["PYTHONPATH"] = os.pathsep.join(grant.search_path)
    return {**granted, **inherited, **_FIXED, "HOME": home, "TMPDIR": temporary}


@functools.cache
def network_cut() -> tuple[str, ...] | None:
    """The prefix that starts a program without network, None where the system permits none; probed once."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return None
    for options in (("-n",), ("-r", "-n")):
        prefix = (unshare, *options, "--")
        try:
            probe = subprocess.run([*prefix, "true"], capture_output=True, timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if probe.returncode == 0:
            return prefix
    return None
