"""The `benchsite` command: groups commands by the question they answer and turns errors into exit codes.

Commands are imported only when called, so that `--help` stays fast. Signing keys leave the environment before
anything else happens. SIGTERM and SIGHUP end a command as Ctrl-C does, so that adapters are ended and temporary
folders removed.
"""

from __future__ import annotations

import errno
import importlib
import importlib.metadata
import io
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple, Never, cast

import click

from benchsite import __version__
from benchsite.cli.loading import lasting
from benchsite.errors import BenchsiteError, InputError, UsageError


class Entry(NamedTuple):
    """Where a command lives, and the line `--help` shows for it.

    `target` is `module:attribute` below `benchsite.cli`, or `track:NAME` for a command that a track of ours adds. The line
    is repeated here because importing a track takes longer than everything else `--help` does.
    """

    target: str
    summary: str


SECTIONS: Final[dict[str, dict[str, Entry]]] = {
    "Start": {
        "init": Entry(
            "start:init",
            "Create an instance: a git repository with methodologies, datasets and configuration.",
        ),
        "demo": Entry("start:demo", "Measure, publish and build a demonstration site in a minute."),
        "status": Entry("start:status", "Show the state of the instance and the next steps."),
    },
    "Measure": {
        "run": Entry("run:run", "Run the suite of mkdocs.yml, or one run named on the command line."),
        "fixture": Entry("fixture:fixture", "List, check, hash or import datasets."),
        "adapter": Entry("adapter:adapter", "List, test or create retrieval adapters."),
        "benchmark": Entry("benchmark:benchmark", "List, describe or import benchmarks of agents."),
        "system": Entry("track:agents", "List and draw systems that work on tasks."),
        "model": Entry("track:agents", "Add, download, list and serve local models."),
        "experiment": Entry(
            "track:agents", "Summarize experiments, and compare systems, from their artifacts."
        ),
        "import": Entry("imports:imports", "Import results of runs made elsewhere."),
        "trace": Entry("benchmark:trace", "Show metrics, stages and failure tags of an agent's trace."),
    },
    "Publish": {
        "drafts": Entry("drafts:drafts", "List, show, discard or copy unpublished drafts."),
        "publish": Entry("publish:publish", "Sign drafts, append them to the log and commit them."),
        "retract": Entry(
            "events:retract", "Retract a published receipt; its page stays, marked as retracted."
        ),
        "supersede": Entry("events:supersede", "Replace a receipt with a newer one."),
        "dispute": Entry("events:dispute", "Link an objection to a published receipt."),
        "withdraw-evidence": Entry(
            "events:withdraw_evidence", "Withdraw an evidence file (personal data, copyright)."
        ),
        "decline": Entry("events:decline", "Log the reason why a system is not measured."),
    },
    "Verify": {
        "verify": Entry("check:verify", "Check signature, log inclusion and scores of receipts."),
        "rescore": Entry("check:rescore", "Recompute a receipt's scores from its evidence."),
        "claims": Entry(
            "claims:claims",
            "Check the numbers of a text that link a receipt against the record.",
        ),
        "export": Entry(
            "export:export", "Write a receipt for trec_eval, or the record as CSV, Parquet or SQLite."
        ),
        "compare": Entry("compare:compare", "Compare two receipts of the same data by paired tests."),
        "explain": Entry("explain:explain", "Explain why a receipt is, or is not, on its leaderboard."),
        "grid": Entry("grid:grid", "Score stored rankings under every contested setting."),
        "resolution": Entry(
            "resolution:resolution",
            "Count the adjacent ranks of any leaderboard that a paired test separates.",
        ),
        "reproduce": Entry("reproduce:reproduce", "Re-run a published result and compare the scores."),
        "audit": Entry("audit:audit", "Check the whole git history for edited, removed or forged files."),
    },
    "Contribute": {
        "check": Entry("pull_request:check", "Run the pull-request checks."),
    },
    "Keys and log": {
        "keys": Entry("keys:keys", "Create, list, rotate and revoke signing keys."),
        "drill": Entry(
            "drill:drill", "Rehearse rotation and compromise of the keys on a copy of the record."
        ),
        "log": Entry("log:log", "Show the log, write an inclusion proof, or cosign as a witness."),
    },
    "Site and workflows": {
        "build": Entry("site:build", "Verify all receipts and the log, and write the static site."),
        "serve": Entry("site:serve", "Serve a built site on this machine."),
        "ci": Entry("ci:ci", "Pin the release of benchsite that the workflows install."),
    },
    "Methodology": {
        "methodology": Entry(
            "methodology:methodology",
            "List, check and publish methodology versions; write a blank evaluation sheet.",
        ),
        "upgrade": Entry("upgrade:upgrade", "Check that this release reads the record as earlier ones did."),
        "canonicalize": Entry("check:canonicalize", "Write JSON in its canonical form (RFC 8785)."),
    },
}


READER_GONE: Final = 128 + signal.SIGPIPE
STOPPED: Final = 128 + signal.SIGINT


class _ReaderGoneError(Exception):
    """The reader of our output closed it; a separate class, because click ends a broken pipe with 1."""


class _Ended(SystemExit):
    """A signal asked us to end; the exit code is 128 and its number."""


@contextmanager
def _broken_pipe_is_no_bug() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise _ReaderGoneError from None


class Group(click.Group):
    """A group of commands that suggests the one meant by a mistyped name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with the near misses of an unknown name."""
        import difflib  # noqa: PLC0415 - only for a mistyped command

        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            if near:
                raise UsageError(f"no such command {args[0]!r}", hint=_meant(near)) from None
            raise


class Sections(Group):
    """A click group whose commands load on demand and are listed by topic."""

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        """As click's; `--help` is printed here."""
        with _broken_pipe_is_no_bug():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: click.Context) -> Any:
        """As click's; every command runs here."""
        with _broken_pipe_is_no_bug():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command, in the order of the sections; those of other packages last."""
        return list(self._entries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command's module and return it."""
        ours = {name: entry for commands in SECTIONS.values() for name, entry in commands.items()}
        entry = ours.get(cmd_name) or self._entries().get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        if module == "track":
            return cast("click.Command", _of_tracks().command(attribute, cmd_name))
        return cast("click.Command", getattr(_imported(f"benchsite.cli.{module}"), attribute))

    def _entries(self) -> Mapping[str, Entry]:
        return {name: entry for commands in self._sections().values() for name, entry in commands.items()}

    @staticmethod
    def _sections() -> Mapping[str, Mapping[str, Entry]]:
        """Return our sections, and those of tracks of other packages."""
        if not _has_other_tracks():
            return SECTIONS
        ours = {name for commands in SECTIONS.values() for name in commands}
        added = {
            f"Track {track}": {name: Entry(f"track:{track}", line) for name, line in commands.items()}
            for track, commands in _of_tracks().others(ours).items()
        }
        return {**SECTIONS, **added}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write one block a section, without importing any command."""
        sections = self._sections()
        width = max(len(name) for commands in sections.values() for name in commands)
        for title, commands in sections.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.summary) for name, entry in commands.items()])


def _has_other_tracks() -> bool:
    """Whether a package of others registers a track; a look at the entry points, which imports nothing of ours."""
    entries = importlib.metadata.entry_points(group="benchsite.tracks")
    return any(not entry.value.startswith("benchsite.tracks.") for entry in entries)


def _of_tracks() -> Any:
    return _imported("benchsite.cli.of_tracks")


def _imported(name: str) -> ModuleType:
    """A command's module."""
    if name in sys.modules:
        return sys.modules[name]
    with lasting():
        return importlib.import_module(name)


@click.group(cls=Sections, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="benchsite")
def cli() -> None:
    """Turn benchmark runs into signed, logged, re-scorable receipts, and receipts into a site.

    Exit codes: 0 done, 1 a bug, 2 usage, 3 integrity, 4 bad input, 5 prerequisite missing, 130 Ctrl-C,
    141 SIGPIPE, 143 SIGTERM.
    """


def main(arguments: list[str] | None = None) -> None:
    """Entry point of the console script; never shows a traceback for bad input."""
    try:
        _end_cleanly_on_signals()
        from benchsite.environment import take_credentials  # noqa: PLC0415 - keys leave the environment first

        credentials = take_credentials()
        _never_fail_to_print()
        code = cli.main(args=arguments, obj=credentials, standalone_mode=False, prog_name="benchsite")
    except BaseException as error:
        told = _tell(error)
        if told is None:
            raise
        code = told
    sys.exit(code if isinstance(code, int) else 0)


def _tell(error: BaseException) -> int | None:
    """Say in a sentence what ended the command; its exit code, or None where it is a bug."""
    code: int | None = None
    match error:
        case click.exceptions.Exit():
            code = error.exit_code
        case click.UsageError() if not isinstance(error, click.exceptions.NoArgsIsHelpError):
            code = report(_refused(error))
        case click.ClickException():
            error.show()
            code = error.exit_code
        case click.Abort() | KeyboardInterrupt():
            click.echo("stopped", err=True)
            code = STOPPED
        case _Ended(code=int(number)):
            click.echo("stopped", err=True)
            code = number
        case _ReaderGoneError():
            _give_up_stdout()
            code = READER_GONE
        case BenchsiteError():
            code = report(error)
        case OSError():
            code = _tell_system_error(error)
    return code


def _refused(error: click.UsageError) -> UsageError:
    """What click refuses, in the form of our own errors: what is meant, or the command's help, is the hint."""
    near = getattr(error, "possibilities", None)  # of click's errors about unknown names
    said = " ".join((error.message if near else error.format_message()).split()).removesuffix(".")
    path = error.ctx.command_path if error.ctx is not None else "benchsite"
    return UsageError(said[:1].lower() + said[1:], hint=_meant(near) if near else f"run `{path} --help`")


def _meant(near: Sequence[str]) -> str:
    return f"did you mean {' or '.join(map(repr, near))}?"


def _tell_system_error(error: OSError) -> int | None:
    """An error of the operating system that names a file, or that printing met; any other is a bug."""
    reason = error.strerror or type(error).__name__
    if not _is_somewhere():
        return report(InputError("the working folder was removed", hint="cd to a folder that exists"))
    if error.errno == errno.ENAMETOOLONG:
        return report(InputError("file name too long", hint="check the argument"))
    if error.filename is not None:
        name = error.filename if isinstance(error.filename, int) else os.fsdecode(error.filename)
        return report(
            InputError(f"{name}: {reason}", hint="check its owner, its permissions and free disk space")
        )
    if any(frame.f_code is click.echo.__code__ for frame, _ in traceback.walk_tb(error.__traceback__)):
        _give_up_stdout()
        return report(InputError(f"cannot write to standard output: {reason}", hint="check free disk space"))
    return None


def _is_somewhere() -> bool:
    """Whether the folder that the command was started in is still there."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _give_up_stdout() -> None:
    """What stdout still holds goes nowhere, so that the interpreter's own last flush has nothing to say."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end_cleanly_on_signals() -> None:
    """Make SIGTERM and SIGHUP raise, unless somebody (`nohup`) chose otherwise; a second one is ignored."""

    def end(number: int, _frame: object) -> Never:
        # `timeout` sends it twice, and cleaning up is not to be interrupted.
        signal.signal(number, signal.SIG_IGN)
        raise _Ended(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)


def _never_fail_to_print() -> None:
    """A character that the terminal's encoding lacks is written as an escape, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def report(error: BenchsiteError) -> int:
    """Print an error as one sentence and its hint, with control characters made visible; its exit code."""
    click.secho("error: ", fg="red", bold=True, err=True, nl=False)
    click.echo(printable(error.message), err=True)
    if error.hint:
        click.secho(f"  {printable(advice(error.hint))}", fg="yellow", err=True)
    return error.exit_code


def advice(hint: str) -> str:
    """A hint as every command prints it: choices as they are, anything else after `hint:`."""
    return hint if hint.startswith("available: ") else f"hint: {hint}"


def printable(text: Any) -> str:
    """Text from a file or a subject, safe to print on a terminal: controls and bidi marks are escaped."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in str(text)
    )


if __name__ == "__main__":
    main()
