"""`python -m tests.bench [NAME ...]`: run measurements, print them, and keep them with `--record`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from tests.bench import history, measurement
from tests.bench.measurement import DEFAULT, TINY, Measured
from tests.bench.report import table


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure the gates.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="all where none is named")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument(
        "--size", action="append", type=_count, help="instead of the default one; may be repeated"
    )
    sizes.add_argument("--tiny", action="store_true", help="the smallest size, one round: does it run?")
    parser.add_argument("--rounds", type=_count, help="instead of the default number")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output, no tables")
    parser.add_argument("--record", action="store_true", help=f"append a line to {history.FILE.name}")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run the measurements; 1 where one failed, 2 for a wrong command line, a history that cannot be read, or `--record` beside uncommitted changes."""
    asked, lines = _asked(arguments)
    found: list[Measured] = []
    failed: list[str] = []
    for name, one in _runs(asked):
        if one is None:
            failed.append(name)
            continue
        found.append(one)
        if not asked.json:
            print(*table(one, lines, history.machine()), "", sep="\n", flush=True)
    line = history.line_of(found)
    if asked.json:
        print(json.dumps({**asdict(line), "measurements": [asdict(one) for one in found], "failed": failed}))
    if asked.record and found:
        history.append(line)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _asked(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[history.Line]]:
    """The command line and the history; what stops a run stops it here, before anything is measured."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    unknown = sorted({*asked.names} - {*measurement.known()})
    if unknown:
        parser.error(f"no measurement named {', '.join(unknown)}; known: {', '.join(measurement.known())}")
    if asked.tiny and asked.record:
        parser.error("--tiny measures nothing worth recording")
    if asked.record and (changes := history.uncommitted()):
        parser.error(
            f"--record needs a commit, and files are not committed: {', '.join(changes)}; "
            "hint: commit or stash them (git stash -u), or measure without --record"
        )
    try:
        lines = history.read()
    except history.HistoryError as error:
        parser.error(str(error))
    return asked, lines


def _runs(asked: argparse.Namespace) -> Iterator[tuple[str, Measured | None]]:
    rounds = asked.rounds or (1 if asked.tiny else DEFAULT)
    for name in asked.names or measurement.known():
        for size in asked.size or [TINY if asked.tiny else DEFAULT]:
            yield name, measurement.run(name, size, rounds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
