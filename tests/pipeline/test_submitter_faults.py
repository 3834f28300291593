"""A submitter's data that make our code raise: that draft is refused by name, and every other draft goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from branches import Work
from builders import commit
from commands import run_in
from examples import some
from publishing import edit, measure
from snapshots import opened

from benchsite.environment import Credentials
from benchsite.errors import InputError
from benchsite.layout import INBOX
from benchsite.pipeline import publish
from benchsite.pipeline.publish import candidates
from benchsite.pipeline.status import status
from benchsite.pipeline.workspace import Workspace
from benchsite.track import Track


class Unprintable(Exception):  # noqa: N818 - an exception whose own text cannot be made
    def __str__(self) -> str:
        raise ValueError


FAULTS = [
    TypeError("unhashable type: 'list'"),
    RecursionError("maximum recursion depth exceeded"),
    MemoryError(),
    KeyError("field\x1b[31m\nok"),
    Unprintable(),
]
STEPS = ("check", "rescore", "summary", "target", "hold_against")

Break = Callable[[str, Exception], None]


@pytest.fixture
def name(begun: Workspace) -> str:
    """The id of a draft that was submitted, and merged."""
    path = measure(begun, "bm25")
    data = path.read_bytes()
    path.unlink()
    commit(begun, {f"{INBOX}/{path.name}": data})
    return path.stem


@pytest.fixture
def broken(name: str, monkeypatch: pytest.MonkeyPatch) -> Break:
    """Let one step of the track raise for the submitted draft, and for no other."""

    def at(step: str, fault: Exception) -> None:
        real = getattr(Track, step)

        def double(track: Track, subject: Any, *rest: Any, **more: Any) -> Any:
            if getattr(subject, "document", subject)["receiptId"] == name:
                raise fault
            return real(track, subject, *rest, **more)

        monkeypatch.setattr(Track, step, double)

    return at


@pytest.mark.parametrize("fault", some(FAULTS, gate=1), ids=lambda fault: type(fault).__name__)
def test_the_draft_is_left_out_with_the_type_of_the_fault(
    begun: Workspace, credentials: Credentials, name: str, broken: Break, fault: Exception
) -> None:
    broken("rescore", fault)
    own = measure(begun)
    outcome = publish.publish(
        begun, opened(begun), candidates.named(begun, opened(begun), []), credentials, push=False
    )
    assert outcome.receipts == (own.stem,)
    assert list(outcome.left) == [name]
    message = outcome.left[name].message
    assert message.startswith(f"draft {name} cannot be checked: its data cause {type(fault).__name__}")
    assert message.isprintable()


@pytest.mark.parametrize("step", some(STEPS, gate=1))
def test_wherever_it_is_raised_the_others_go_on(
    begun: Workspace, credentials: Credentials, name: str, broken: Break, step: str
) -> None:
    broken(step, TypeError("x"))
    own = measure(begun)
    outcome = publish.publish(
        begun, opened(begun), candidates.named(begun, opened(begun), []), credentials, push=False
    )
    assert (outcome.receipts, list(outcome.left)) == ((own.stem,), [name])
    assert begun.repository.read(f"{INBOX}/{name}.json", rev="HEAD") is not None


def test_what_fails_inside_the_lock_only_stops_no_other(
    begun: Workspace, credentials: Credentials, name: str, broken: Break
) -> None:
    own = measure(begun)
    collected = candidates.collect(begun, opened(begun), candidates.named(begun, opened(begun), []))
    assert collected.left == {}
    broken("target", TypeError("x"))
    outcome = publish.publish_collected(begun, collected, credentials, push=False)
    assert (outcome.receipts, list(outcome.left)) == ((own.stem,), [name])


def test_a_maintainer_s_own_draft_shows_the_bug(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = measure(begun)
    fault = TypeError("x")

    def double(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(Track, "rescore", double)
    with pytest.raises(TypeError):
        publish.publish(begun, opened(begun), [own], credentials, push=False)


def test_a_measuring_job_s_draft_is_refused_by_name(
    begun: Workspace, credentials: Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = measure(begun)
    fault = RecursionError("x")

    def double(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(Track, "rescore", double)
    with pytest.raises(InputError, match=f"draft {made.stem} .*RecursionError"):
        publish.publish(begun, opened(begun), [made], credentials, push=False, untrusted=True)


@pytest.mark.parametrize("step", ["rescore", "summary"])
def test_a_reviewer_reads_a_sentence(
    begun: Workspace, name: str, broken: Break, tmp_path: Path, step: str
) -> None:
    benchsite = run_in(tmp_path / "home", begun.root)
    own = measure(begun)
    broken(step, TypeError("unhashable type: 'list'"))
    words = f"draft {name} cannot be checked: its data cause TypeError: unhashable type: 'list'"
    listed = benchsite("drafts", "list")
    assert (listed.code, "Traceback" in listed.err) == (0, False)
    refused = f"  {name}  refused: {words}" in listed.out
    assert refused is (step == "summary")  # nothing is scored for a list
    assert f"  {own.stem}  " in listed.out
    shown = benchsite("drafts", "show", name)
    assert (shown.code, shown.err.splitlines()[0]) == (4, f"error: {words}")
    assert status(Workspace(begun.root), opened(Workspace(begun.root)), Credentials()).drafts == (
        own.stem,
        f"{INBOX}/{name}.json",
    )


@pytest.mark.parametrize("step", some(STEPS, gate=1))
def test_check_names_the_file(begun: Workspace, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = measure(begun, "bm25")
    data = path.read_bytes()
    path.unlink()
    work = Work(begun)
    work.adds({f"{INBOX}/{path.name}": data})
    real = getattr(Track, step)

    def double(track: Track, subject: Any, *rest: Any, **more: Any) -> Any:
        if getattr(subject, "document", subject)["receiptId"] == path.stem:
            raise RecursionError("maximum recursion depth exceeded")
        return real(track, subject, *rest, **more)

    monkeypatch.setattr(Track, step, double)
    found = work.step("drafts")
    assert found.state == "fail"
    (item,) = found.items
    assert (item.where, item.message) == (
        f"{INBOX}/{path.name}",
        "the draft cannot be checked: its data cause RecursionError: maximum recursion depth exceeded",
    )


def test_a_date_before_the_methodology_or_the_newest_receipt_is_pointed_out(
    published: Workspace,
) -> None:
    """A clock three years slow: the draft would be signed without a word."""
    draft = edit(measure(published, "bm25"), {"ranAt": "2023-11-25T10:00:00Z"})
    (candidate,) = candidates.collect(published, opened(published), [draft]).candidates
    first, second = candidate.about.doubts
    assert first == (
        "check the clock: it ran 2023-11-25T10:00:00Z, before the date of retrieval 1.0.0, 2026-11-21"
    )
    assert second.startswith(
        "check the clock: it ran 2023-11-25T10:00:00Z, before the newest receipt of the log, "
    )
    (punctual,) = candidates.collect(published, opened(published), [measure(published, "bm25")]).candidates
    assert punctual.about.doubts == ()
