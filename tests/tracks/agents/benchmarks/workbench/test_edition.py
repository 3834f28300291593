"""Both editions of WorkBench are read and named; errors name the cause and the commit that fits."""

from __future__ import annotations

import gzip
import zlib

import pytest
import tiny_workbench
from agents_receipts import context, document, resolved, work
from tiny_workbench import TASKS, table

from benchsite import canonical
from benchsite.errors import InputError
from benchsite.tracks.agents import results as published_results
from benchsite.tracks.agents.benchmarks.workbench import csv_rows, results
from benchsite.tracks.agents.benchmarks.workbench.benchmark import WorkBench, read
from benchsite.tracks.agents.benchmarks.workbench.importer import convert
from benchsite.tracks.agents.run import runner

HEAD = ("task", "outcome")
CHECKOUT = "git -C WorkBench checkout 42f1b6d"


def tasks_file(domain: str, version: str = "v1", *, folder: str = "tasks_and_outcomes") -> str:
    return f"{folder}/{version}/{domain}_tasks_and_outcomes.csv"


def later(*versions: str, folder: str = "tasks_and_outcomes") -> dict[str, bytes]:
    """The tiny benchmark in the layout of June 2026; in a version after the first one every query ends in its name."""
    files = {name: data for name, data in tiny_workbench.published().items() if "queries" not in name}
    for version in versions or ("v1",):
        end = "" if version == "v1" else f" ({version})"
        for domain, tasks in TASKS.items():
            asked = [(f"{query}{end}", repr(outcome)) for query, outcome in tasks]
            files[tasks_file(domain, version, folder=folder)] = table([HEAD, *asked])
    return files


def benchmark(files: dict[str, bytes] | None = None) -> WorkBench:
    return read(canonical.dumps(convert(files or later())), "workbench")


def later_results(suffix: str = ".csv") -> dict[str, bytes]:
    """The results of the tiny benchmark as of June 2026, each with its `_meta.json`."""
    files = {}
    for name, data in tiny_workbench.results("gpt-9_all").items():
        plain = data.replace(b"query,", b"task,", 1)
        files[name.replace(".csv", suffix)] = gzip.compress(plain) if suffix.endswith(".gz") else plain
        files[name.replace(".csv", "_meta.json")] = b"{}"
    return files


@pytest.mark.parametrize("folder", ["tasks_and_outcomes", "processed/tasks_and_outcomes"])
def test_the_later_layout_gives_the_same_tasks_and_names_its_edition(folder: str) -> None:
    found = benchmark(later(folder=folder))
    earlier = tiny_workbench.benchmark()
    assert [(task.id, task.query, task.needs_action) for task in found.tasks] == [
        (task.id, task.query, task.needs_action) for task in earlier.tasks
    ]
    assert found.edition == "June 2026, tasks v1"
    assert found.facts()["data"] == "data in the layout of June 2026, tasks v1"
    assert found.sha256 != earlier.sha256
    assert (earlier.edition, earlier.facts()["data"]) == ("", "altered data")
    actions = found.dataset.by_id["calendar-001"].actions
    assert found.grade("calendar-001", actions, None, "").success is True


def test_of_several_versions_the_newest_is_read_by_its_number() -> None:
    found = benchmark(later("v1", "v2-clean", "v10-2026"))
    assert found.edition == "June 2026, tasks v10-2026"
    assert found.tasks[0].query.endswith("(v10-2026)")
    assert len(found.tasks) == 7


def test_the_receipt_names_the_edition() -> None:
    data = canonical.dumps(convert(later()))
    asked = resolved("null")
    made = runner.run(work("null"), type(asked)(asked.rules, asked.references, data), context())
    assert document(made)["benchmark"]["edition"] == "June 2026, tasks v1"
    assert "edition" not in document(runner.run(work("null"), asked, context()))["benchmark"], (
        "altered data have none"
    )


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_results_of_the_later_layout_are_graded_with_its_tasks(suffix: str) -> None:
    files = later_results(suffix)
    found = results.read(benchmark().dataset, files, "gpt-9_all")
    assert [row.actions for row in found.rows] == [task.actions for task in benchmark().dataset.tasks]
    path = found.files[0].path
    assert path.endswith(suffix)
    assert found.files[0].sha256 == canonical.sha256_hex(files[path]), "of the file as it was published"
    imported = published_results.formats["workbench-results"].work(
        files, configuration="gpt-9_all", system=None, model=None, allow_missing=False
    )
    assert [one["name"] for one in imported.request["source"]["files"]] == [one.path for one in found.files]


@pytest.mark.parametrize(
    ("files", "data", "found", "wanted"),
    [
        (later_results(), tiny_workbench.data(), "June 2026", "July 2024"),
        (tiny_workbench.results("gpt-9_all"), canonical.dumps(convert(later())), "July 2024", "June 2026"),
    ],
)
def test_results_and_tasks_must_be_of_one_edition(
    files: dict[str, bytes], data: bytes, found: str, wanted: str
) -> None:
    with pytest.raises(InputError) as caught:
        results.read(read(data, "workbench").dataset, files, "gpt-9_all")
    said = f"results of the edition of {found}, but the imported tasks are of {wanted}"
    assert caught.value.message == f"analytics/gpt-9_all_2024-03-21_10-00-00.csv: {said}"
    assert caught.value.hint.endswith(CHECKOUT)


def test_two_editions_in_one_folder_are_refused() -> None:
    with pytest.raises(InputError, match="tasks of two editions, July 2024 and June 2026") as caught:
        convert({**tiny_workbench.published(), **later()})
    assert CHECKOUT in caught.value.hint


def test_no_tasks_at_all_names_both_layouts() -> None:
    files = {name: data for name, data in later().items() if "outcomes" not in name}
    with pytest.raises(InputError, match="6 files are missing") as caught:
        convert(files)
    assert "commit 42f1b6d" in caught.value.hint
    assert "tasks_and_outcomes/VERSION" in caught.value.hint


def without(domain: str) -> dict[str, bytes]:
    return {name: data for name, data in later().items() if name != tasks_file(domain)}


def changed(domain: str, data: bytes) -> dict[str, bytes]:
    return {**later(), tasks_file(domain): data}


TWICE = [("Delete it", "[]"), ("Delete it", "[]")]
CALENDAR = "tasks_and_outcomes/v1/calendar_tasks_and_outcomes.csv"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (without("email"), "WorkBench of June 2026, tasks v1: no file for email"),
        (without("processed/nothing") | {"tasks_and_outcomes/v2/email_tasks_and_outcomes.csv": b"task,outcome\n"}, "tasks v2: no file for analytics, calendar, "),
        (changed("calendar", table([HEAD, *TWICE])), f"{CALENDAR}: row 3: the query of row 2 once more"),
        (changed("calendar", table([(*HEAD, "domains"), ("a", "[]", "[]")])), f"{CALENDAR}: row 1: unknown columns: 'domains'"),
        (changed("calendar", table([("task",), ("a",)])), f"{CALENDAR}: row 1: missing columns: outcome"),
        (changed("calendar", table([HEAD, ("a", "[]")])[:-4]), f"{CALENDAR}: row 2"),
        (changed("calendar", b'task,outcome\r\n"half of a'), f"{CALENDAR}: row 2, column 1: a quotation mark"),
        (changed("calendar", table([HEAD])), f"{CALENDAR}: row 1: no row below the header"),
        (changed("calendar", table([HEAD, ("a", "exec('x')")])), f"{CALENDAR}: row 2, column 2: "),
        (changed("calendar", table([HEAD, ("a", "__import__")])), f"{CALENDAR}: row 2, column 2: "),
        (changed("calendar", b"\xff\xfe"), f"{CALENDAR}: line 1: not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_later_layout_is_named_with_its_place(
    files: dict[str, bytes], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        convert(files)
    assert said in caught.value.message


@pytest.mark.parametrize(
    "name",
    [
        "tasks_and_outcomes/../calendar_tasks_and_outcomes.csv",
        "tasks_and_outcomes/v1/../../calendar_tasks_and_outcomes.csv",
        "../tasks_and_outcomes/v9/calendar_tasks_and_outcomes.csv",
        "tasks_and_outcomes/v9/x/calendar_tasks_and_outcomes.csv",
        "tasks_and_outcomes/v9..-/calendar_tasks_and_outcomes.csv",
        "tasks_and_outcomes/v99999999/calendar_tasks_and_outcomes.csv",
    ],
)
def test_other_paths_are_no_version(name: str) -> None:
    assert benchmark({**later(), name: b"task,outcome\r\nother,[]\r\n"}).edition == "June 2026, tasks v1"


def test_a_result_twice_plain_and_packed_is_refused() -> None:
    with pytest.raises(InputError, match="more than one file for a domain"):
        results.read(benchmark().dataset, {**later_results(), **later_results(".csv.gz")}, "gpt-9_all")


BOMB = zlib.compressobj(wbits=31)
HUGE = b"".join([*(BOMB.compress(bytes(2**20)) for _ in range(65)), BOMB.flush()])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"task,outcome\r\n", "not a gzip file, or damaged"),
        (gzip.compress(b"task,function_calls")[:-3], "the gzip data are cut short"),
        (gzip.compress(b"task") + b"more", "more follows the end of the gzip data"),
        (b"", "the gzip data are cut short"),
        (HUGE, "larger than 64 MiB when unpacked"),
    ],
    ids=["no gzip", "cut short", "bytes behind", "empty", "a bomb"],
)
def test_a_gzip_file_is_bounded_and_whole(data: bytes, said: str) -> None:
    assert csv_rows.MAX_BYTES == 64 * 2**20
    path = "analytics/gpt-9_all_2024-03-21_10-00-00.csv.gz"
    with pytest.raises(InputError) as caught:
        results.read(benchmark().dataset, {**later_results(".csv.gz"), path: data}, "gpt-9_all")
    assert caught.value.message == f"{path}: {said}"
