"""demo: the whole story once, in a folder of its own, with keys that live in memory only."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchsite import canonical, plugins
from benchsite.addresses import receipt_page_path
from benchsite.environment import ROLES, Credentials
from benchsite.errors import InputError, IntegrityError
from benchsite.history import History
from benchsite.layout import receipt_path
from benchsite.pipeline import build, init, publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import keys
from benchsite.pipeline.snapshot import Snapshot
from benchsite.pipeline.status import named
from benchsite.pipeline.workspace import Workspace
from benchsite.progress import Progress
from benchsite.repo import write_atomically
from benchsite.signing import PrivateKey
from benchsite.track import Work

ORIGIN: Final = "demo.invalid/benchsite/log"
BANNER: Final = "Demo data, signed with throwaway keys. Do not cite."
_RESTART: Final = "remove the folder, then run `benchsite demo`"
TAMPERED: Final = "tampered.json"
"""Beside the site, which the next build replaces; git is told to pass over it."""
EVALUATION: Final = "fixtures/rubric-smollm2-135m"
"""Sheets of a real evaluation, one receipt a methodology version; their names begin with it."""
EXPERIMENT: Final = (
    {"system": "null"},
    {"system": "sas"},
    {"system": "sas-majority", "options": {"budget": 3000}},
    {"system": "only-voting", "options": {"agents": 3}},
)
"""Systems of a small experiment with a simulated model, which needs the libraries of `benchsite[agents]`."""
_SHARED: Final = {"track": "agents", "benchmark": "table-ops", "task_limit": 6}


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What was made.

    Attributes:
        root: the instance, a git repository.
        site: the built site.
        board: the leaderboard's page, relative to the site.
        report: the newest evaluation's page.
        receipt: the leading receipt's page.
        tampered: a copy of that receipt with one number changed.
        experiment: the page of an experiment with a simulated model; empty without the libraries of `benchsite[agents]`.
        receipts: how many were published.
    """

    root: Path
    site: Path
    board: str
    report: str
    receipt: str
    tampered: Path
    experiment: str
    receipts: int


def demo(folder: Path, say: Callable[[str], None], progress: Progress) -> Demonstration:
    """Make an instance, measure the suite, publish and build.

    Args:
        folder: absent or empty.
        say: called with one line a step.
        progress: called with (done, total, label) while anything goes on.

    Raises:
        InputError: the folder is not empty.
        IntegrityError: a run failed, so the demonstration would not be whole.
    """
    if os.path.isdir(folder) and os.listdir(folder):  # noqa: PTH112, PTH208 - Path's raise where a name is too long
        raise InputError(
            f"{folder} is not an empty folder", hint="remove it, or choose another with --output"
        )
    made = init.init(folder, name="benchsite demo", origin=ORIGIN, banner=BANNER, examples=True)
    workspace = Workspace(made.root)
    credentials = Credentials.of(**{role: PrivateKey.generate() for role in ROLES})
    created = keys.init(workspace, credentials, folder=None)
    workspace = Workspace(made.root)
    begun = Snapshot(workspace.repository, created.commit)
    say("created an instance with a new log and throwaway keys")
    paths = []
    for result in run.run(
        workspace,
        begun,
        [*run.suite(workspace), *_evaluations(made.root), *_experiment()],
        progress=progress,
    ):
        if result.draft is None:
            raise IntegrityError(
                f"demo run failed: {named(result.work)}: {result.reason}",
                hint=result.error.hint if result.error is not None else _RESTART,
            )
        paths.append(result.draft)
        say(f"measured {named(result.work)}: {result.headline}")
    outcome = publish.publish(workspace, begun, paths, credentials, push=False, progress=progress)
    say(f"signed and logged {len(outcome.receipts)} receipts in one commit")
    snapshot = outcome.appended.snapshot
    beside = snapshot.evidence.attached
    built = build.build(workspace, snapshot, made.root / "site", beside=beside, progress=progress)
    say(f"built {built.pages} pages")
    history = snapshot.history()
    leader = _leader(history)
    tampered = _tamper(snapshot, leader, made.root / TAMPERED)
    header = history.get(leader)
    target = header.summary.target if header is not None and header.summary is not None else ""
    return Demonstration(
        made.root,
        built.site,
        f"retrieval/{target}/index.html",
        _page(history.of("rubric")[-1].receipt_id),
        _page(leader),
        tampered,
        next((page.relative_to(built.site).as_posix() for page in _experiments(built.site)), ""),
        len(outcome.receipts),
    )


def _page(receipt_id: str) -> str:
    return f"{receipt_page_path(receipt_id)}index.html"


def _evaluations(root: Path) -> Iterator[Work]:
    """The sheets that came with benchsite, as `run rubric` reads them."""
    sheets: dict[str, list[Path]] = {}
    for path in sorted((root / EVALUATION).glob("*-session-*.yaml")):
        sheets.setdefault(path.name.partition("-")[0], []).append(path)
    for paths in sheets.values():
        yield from plugins.track("rubric").command.works(sheets=paths)


def _experiment() -> Iterator[Work]:
    """Runs of agents with a simulated model; none without the library of the multi-agent systems."""
    if importlib.util.find_spec("langgraph") is None:
        return
    command = plugins.track("agents").command
    for entry in EXPERIMENT:
        models = {} if entry["system"] == "null" else {"models": {"default": "simulated"}}
        yield command.suite({**_SHARED, **entry, **models}, "")


def _experiments(site: Path) -> list[Path]:
    return sorted((site / "agents" / "experiments").glob("*/index.html"))


def _leader(history: History) -> str:
    """The retrieval receipt with the highest headline number."""
    ranked = [header for header in history.of("retrieval") if header.summary is not None]
    best = max(ranked, key=lambda header: (header.summary.headline.value or 0.0) if header.summary else 0.0)
    return best.receipt_id


def _tamper(snapshot: Snapshot, receipt_id: str, path: Path) -> Path:
    """A copy of a receipt whose best number was raised a little, as a cheat would."""
    data = snapshot.read(receipt_path(receipt_id))
    document = json.loads(data or b"{}")
    metric = next(name for name in sorted(document["scores"]) if name.startswith("ndcg_at_10"))
    document["scores"][metric] = round(min(1.0, document["scores"][metric] + 0.1), 3)
    with (snapshot.repository.root / ".git/info/exclude").open("a") as ignored:
        ignored.write(f"/{path.name}\n")
    write_atomically(path, canonical.dumps(document))
    return path
