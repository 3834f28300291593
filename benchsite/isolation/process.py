"""One measured program as a child process, called in JSON-RPC 2.0 over its standard streams.

Follows specs/retrieval.md, "Isolation". The child is started as far shut off as the system permits (`sandbox`), with
an allow-listed environment, an empty home and working folder, and what its grant says. Every call has a deadline; a child
that misses it, dies, outgrows its memory or breaks the protocol is killed with all it started, and the call reports a
`Fault`: what a subject does wrong is data, never an exception. Refuses answers above 8 MiB, which cost the reader some
200 MB, and to pass any variable named `BENCHSITE_*`.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from benchsite import temporary
from benchsite.errors import PrerequisiteError
from benchsite.isolation import requests, sandbox, stderr
from benchsite.isolation.hidden_paths import Private
from benchsite.isolation.reply import Fault, FaultKind, Reply, fault_of
from benchsite.isolation.requests import Serve
from benchsite.track import Grant

__all__ = ["FRAME_LIMIT", "METHOD_NOT_FOUND", "ChildProcess", "Fault", "FaultKind", "Reply"]

FRAME_LIMIT: Final = 8 * 1024 * 1024
MEGABYTE: Final = 1_000_000
SHELL_SIGNAL: Final = 128
STDERR_TAIL: Final = 8 * 1024
READ_SIZE: Final = 64 * 1024
STDERR_READS: Final = 64
LIVENESS_MS: Final = 100
SPIN_NS: Final = 300_000
GRACE_S: Final = 2.0
METHOD_NOT_FOUND: Final = -32601
_LEADERS: set[int] = set()
"""Programs that run now; what is left of one must not be searched for among them."""


class ChildProcess:
    """A running program, as a context manager. Whatever is no well-formed answer ends it: see `alive`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        grant: Grant,
        folder: Path,
        clock_ns: Callable[[], int],
        search_path: Sequence[str] = (),
        sealed: Collection[str] = (),
        private: Private = sandbox.NOTHING_PRIVATE,
        noun: str = "program",
    ) -> None:
        """Start the child.

        Args:
            command: the program and its arguments.
            grant: network, environment beyond the allow-list, and how much memory it and what it starts may hold.
            folder: where its private home, working and temporary folders are made.
            clock_ns: a monotonic clock in nanoseconds.
            search_path: where a Python child looks for modules first.
            sealed: folders that are read-only for it, where the system permits to make them so.
            private: keys and expected answers, hidden from it where the system permits.
            noun: what messages call the program.

        Raises:
            OSError: the program cannot be started.
            PrerequisiteError: not all sockets of services can be hidden from it.
        """
        self._clock_ns = clock_ns
        self._noun = noun
        self._folder = Path(tempfile.mkdtemp(prefix="subject-", dir=folder))
        self._number = 0
        self._received = bytearray()
        self._stderr = bytearray()
        self._peak_memory: int | None = None
        self._memory_mb = grant.memory_mb
        self._memory_seen = 0
        self.alive = False
        self._proxy = sandbox.proxy(grant)
        handover = self._proxy.handover.fileno() if self._proxy else None
        work = self._made("work")
        self._spared = frozenset() if sandbox.level() == "sealed" else sandbox.adopt_orphans()
        try:
            self._process = subprocess.Popen(
                sandbox.command(
                    command,
                    network=grant.network,
                    sealed=sealed,
                    own=self._folder,
                    private=private,
                    handover=handover,
                ),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                cwd=work,
                pass_fds=() if handover is None else (handover,),
                env=sandbox.environment(
                    grant.environment, search_path, home=self._made("home"), temporary=self._made("tmp")
                )
                | (self._proxy.variables if self._proxy else {}),
            )
        except (OSError, PrerequisiteError):
            self._release()
            raise
        if self._proxy is not None:
            self._proxy.start()
        _LEADERS.add(self._process.pid)
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
        """The line of the child's stderr (of which 8 KiB are kept) that says most."""
        return stderr.reason(self._tail())

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last ten relevant lines of it."""
        return stderr.relevant(self._tail())

    def _tail(self) -> bytes:
        if self.alive:
            self._drain_stderr()
        return bytes(self._stderr)

    def call(
        self, method: str, params: Mapping[str, Any], *, timeout_s: float, serve: Serve | None = None
    ) -> Reply:
        """Ask one method and wait for its answer, at most `timeout_s` seconds; `serve` answers requests meanwhile."""
        if not self.alive:
            return Reply(fault=Fault("crashed", f"the {self._noun} is not running"))
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        frame = json.dumps(request, separators=(",", ":")).encode("ascii") + b"\n"
        started = self._clock_ns()
        deadline = started + int(timeout_s * 1e9)
        answer = self._exchange(frame, deadline, timeout_s, spins=serve is None)
        while serve is not None and isinstance(answer, bytes):
            if (response := requests.answer(answer, serve)) is None:
                break
            answer = self._exchange(response, deadline, timeout_s, spins=False)
        elapsed = self._clock_ns() - started
        message = self._outgrown() or (answer if isinstance(answer, Fault) else self._decode(answer))
        if isinstance(message, Fault):
            self.kill()
            return Reply(fault=message, elapsed_ns=elapsed)
        if "result" in message:
            return Reply(result=message["result"], elapsed_ns=elapsed)
        return Reply(fault=fault_of(message["error"]), elapsed_ns=elapsed)

    def shut_down(self) -> None:
        """Let the program close what it holds and end by itself, for a moment, then end it."""
        if self.alive and self.call("shutdown", {}, timeout_s=GRACE_S).fault is None:
            if self._process.stdin is not None:
                self._process.stdin.close()
            deadline = self._clock_ns() + int(GRACE_S * 1e9)
            while not self._has_exited() and self._clock_ns() < deadline:
                self._drain_stderr()
                self._poll.poll(LIVENESS_MS // 10)
        self.kill()

    def kill(self) -> None:
        """End the child with all it started, release the pipes and remove the child's folders."""
        if not self.alive:
            return
        self._look_at_memory()
        self._drain_stderr()
        self.alive = False
        self._end()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        self._release()

    def peak_memory(self) -> int | None:
        """The most resident memory of the child's processes together so far, in bytes; None where /proc does not say.

        Looked at when a call ends and every 100 ms while one waits; of its first process, whatever the moment.
        """
        self._look_at_memory()
        return self._peak_memory

    def _look_at_memory(self) -> int:
        """Return the bytes that the child's processes hold for themselves, and keep the peak."""
        if not self.alive:
            return 0
        processes = self._measured()
        now = sandbox.resident(processes)
        peak = sandbox.peak_memory(processes[0]) if processes else None
        self._peak_memory = max(
            filter(None, (self._peak_memory, peak, now.whole if now else None)), default=None
        )
        return now.own if now else 0

    def _measured(self) -> list[int]:
        """The processes of the measured program, its first one first: a namespace's first process is ours."""
        pids = sandbox.descendants(self._process.pid)
        if sandbox.level() == "sealed":
            return pids[2:]
        return pids

    def _end(self) -> None:
        """End every process of the child, and return when they are gone."""
        firsts = sandbox.children(self._process.pid) if sandbox.level() == "sealed" else []
        # The end of a namespace's first process ends all others before it can be waited for.
        for first in firsts:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGKILL)
        if firsts:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE_S)
        # The leader is still unreaped or its group empty, so its number cannot have been given to another group.
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        _LEADERS.discard(self._process.pid)
        if sandbox.level() != "sealed":
            sandbox.end_orphans(self._spared | _LEADERS)

    def _release(self) -> None:
        if self._proxy is not None:
            self._proxy.close()
        temporary.discard(self._folder)

    def _outgrown(self) -> Fault | None:
        """The fault of a child that holds more memory than it may, looked at every 100 ms."""
        now = self._clock_ns()
        if now - self._memory_seen < LIVENESS_MS * 1_000_000:
            return None
        self._memory_seen = now
        if self._look_at_memory() <= self._memory_mb * MEGABYTE:
            return None
        return Fault("crashed", f"the {self._noun} uses more than {self._memory_mb} MB of memory")

    def _exchange(self, frame: bytes, deadline: int, timeout_s: float, *, spins: bool) -> bytes | Fault:
        """Send one frame and read one frame, serving stderr meanwhile so that no pipe can fill up."""
        pending = self._send(memoryview(frame))
        if not pending:
            return (self._spin() if spins else None) or self._receive(deadline, timeout_s, pending)
        self._poll.register(self._in, select.POLLOUT)
        try:
            return self._receive(deadline, timeout_s, pending)
        finally:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._in)

    def _send(self, pending: memoryview) -> memoryview:
        """Write what the pipe takes; a child that closed its stdin is detected by its missing response."""
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
                return Fault("timeout", f"no response within {timeout_s:g} s")
            events = self._poll.poll(min(left_ms + 1, LIVENESS_MS))
            if (fault := self._outgrown()) is not None:
                return fault
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
        # What a library prints often arrives with the answer; `_decode` tells that it isn't JSON.
        if end + 1 != len(chunk) and not isinstance(self._parsed(frame), Fault):
            return Fault("protocol", "more than one frame for one request")
        return frame

    def _decode(self, frame: bytes) -> dict[str, Any] | Fault:
        message = self._parsed(frame)
        if isinstance(message, Fault):
            return message
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return Fault("protocol", "a line on stdout is not a JSON-RPC 2.0 object")
        if message.get("id") != self._number:
            return Fault("protocol", "a response to another request")
        if "result" not in message and not isinstance(message.get("error"), dict):
            return Fault("protocol", "a response with neither result nor error")
        return message

    def _parsed(self, frame: bytes) -> Any:
        try:
            return json.loads(frame.decode("utf-8"))
        except (ValueError, RecursionError):
            return Fault("protocol", f"a line on stdout is not JSON (is the {self._noun} printing?)")

    def _exited(self) -> Fault:
        """The fault of a child that is gone or has closed its stdout; its exit code when there is one.

        A child's pipes close a moment before its status can be had, so that moment is given to it.
        """
        self._drain_stderr()
        status = self._has_exited()
        for _ in range(LIVENESS_MS // 10):
            if status is not None:
                break
            select.select([], [], [], 0.01)
            status = self._has_exited()
        return Fault("crashed", f"the {self._noun} ended ({_ending(status)})")

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


def _ending(status: os.waitid_result | None) -> str:
    """How a process ended, in words; a shell in between states a signal as 128 and its number."""
    if status is None:
        return "its output was closed"
    if status.si_code != os.CLD_EXITED:
        return f"signal {status.si_status}"
    if sandbox.level() == "sealed" and status.si_status > SHELL_SIGNAL:
        return f"signal {status.si_status - SHELL_SIGNAL}"
    return f"exit code {status.si_status}"
