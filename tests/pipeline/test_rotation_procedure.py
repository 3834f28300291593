"""keys/ROTATION.md, followed word for word: from a record in danger to a verified site."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from console import commands, execute
from publishing import git, measure
from snapshots import opened, snapshot

from benchsite import resources
from benchsite.addresses import receipt_page_path
from benchsite.environment import Credentials
from benchsite.history import SENTENCES, Verdict
from benchsite.log import Log
from benchsite.pipeline import publish
from benchsite.pipeline.publish import rotation
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey

pytestmark = pytest.mark.stories

ROOT = Path(__file__).resolve().parents[2]
TEXT = (resources.folder("keys") / "ROTATION.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## (\d|Afterwards).*?\n(.*?)(?=^## |\Z)", TEXT, re.DOTALL | re.MULTILINE))


@dataclass
class Night:
    """An instance in trouble, the maintainer's keys in files, and the folder for new ones."""

    instance: Workspace
    folder: Path

    def follow(self, part: str, **variables: str) -> None:
        files = {
            f"BENCHSITE_{role.upper()}_KEY_FILE": str(self.folder / f"{role}.pem") for role in ("root", "log")
        }
        execute(
            commands(PARTS[part]),
            f"ROTATION.md, part {part}",
            cwd=self.instance.root,
            home=self.folder / "home",
            NEW_KEYS=str(self.folder / "new"),
            **{**files, **variables},
        )

    def new_key(self, role: str) -> PrivateKey:
        (path,) = (self.folder / "new").glob(f"{role}-*.pem")
        return PrivateKey.from_text(path.read_text(), path.name)

    def page(self, receipt_id: str) -> str:
        return (self.instance.root / "site" / receipt_page_path(receipt_id) / "index.html").read_text(
            encoding="utf-8"
        )

    def log(self) -> Log:
        log = snapshot(self.instance).log
        assert log is not None
        return log

    def verdicts(self) -> list[Verdict]:
        return [header.verdict for header in snapshot(self.instance).history()]


@pytest.fixture
def night(published: Workspace, secrets: dict[str, PrivateKey], tmp_path: Path) -> Night:
    folder = tmp_path / "keys"
    folder.mkdir()
    for role, key in secrets.items():
        (folder / f"{role}.pem").write_text(key.to_pem())
    return Night(published, folder)


def test_every_part_of_the_table_is_there_and_linked() -> None:
    assert set(PARTS) == {"1", "2", "3", "4", "5", "Afterwards"}
    for anchor in re.findall(r"\]\(#([^)]*)\)", TEXT):
        headings = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
        assert anchor in {heading.lower().replace(" ", "-") for heading in headings}, anchor


def test_a_leaked_receipt_key(night: Night, secrets: dict[str, PrivateKey]) -> None:
    receipts = night.log().receipts
    index = list(receipts.values())[2]
    night.follow("1", INDEX=str(index))
    draft = measure(night.instance)
    renewed = Credentials.of(receipt=night.new_key("receipt"), log=secrets["log"])
    publish.publish(night.instance, opened(night.instance), [draft], renewed, push=False)
    night.follow("Afterwards")
    assert night.verdicts() == [Verdict.LOGGED] * 2 + [Verdict.SUSPECT] * 2 + [Verdict.LOGGED]
    for receipt_id, at in receipts.items():
        assert (SENTENCES[Verdict.SUSPECT] in night.page(receipt_id)) is (at >= index)
        assert ("valid, key compromised" in night.page(receipt_id)) is (at >= index)
    assert SENTENCES[Verdict.SUSPECT] not in night.page(draft.stem)


def test_a_leaked_log_key(night: Night, secrets: dict[str, PrivateKey]) -> None:
    before = night.log()
    night.follow("2", INDEX=str(before.size))
    renewed = Credentials.of(receipt=secrets["receipt"], log=night.new_key("log"))
    publish.publish(night.instance, opened(night.instance), [measure(night.instance)], renewed, push=False)
    (night.folder / "log.pem").write_text(night.new_key("log").to_pem())
    night.follow("Afterwards")
    log = night.log()
    assert log.origin == before.origin
    assert log.root(before.size) == before.root()
    assert night.verdicts() == [Verdict.LOGGED] * 5


@pytest.mark.full
def test_a_record_with_both_keys_replaced_verifies_by_hand(
    night: Night, secrets: dict[str, PrivateKey]
) -> None:
    """The commands of the page, on a receipt of the old key and under a checkpoint of the new one."""
    receipts = night.log().receipts
    index = list(receipts.values())[2]
    night.follow("1", INDEX=str(index))
    night.follow("2", INDEX=str(night.log().size))
    page = (ROOT / "content/docs/verify-by-hand.md").read_text(encoding="utf-8")
    on_a_clone = [
        command
        for command in commands(page)
        if not any(word in command.text for word in ("demo", "tampered", "verify --all"))
    ]
    old = f"results/published/{(name := next(iter(receipts)))[:2]}/{name}.json"
    choose = next(command for command in on_a_clone if command.text.startswith("RECEIPT="))
    choose.text = f"RECEIPT={old}"
    execute(on_a_clone, "verify-by-hand", cwd=night.instance.root, home=night.folder / "home")


@pytest.mark.full
def test_a_lost_root_key_with_a_second_one(night: Night, secrets: dict[str, PrivateKey]) -> None:
    credentials = Credentials.of(root=secrets["root"], log=secrets["log"])
    second = rotation.rotate(
        night.instance,
        opened(night.instance),
        "root",
        credentials,
        keep=True,
        folder=night.folder / "vault",
        push=False,
    )
    lost = secrets["root"].fingerprint
    night.follow("3", LOST=lost, BENCHSITE_ROOT_KEY_FILE=str(second.file))
    night.follow("Afterwards")
    states = {record.fingerprint: record.state for record in night.log().keyring}
    assert states[lost] == "retired"
    assert states[second.new] == "active"
    assert night.verdicts() == [Verdict.LOGGED] * 4


@pytest.mark.full
def test_a_lost_root_key_without_another(
    night: Night, secrets: dict[str, PrivateKey], tmp_path: Path
) -> None:
    """The old record goes on and stays verifiable; a successor log begins, and the old site's banner names it."""
    publish.publish(
        night.instance,
        opened(night.instance),
        [measure(night.instance)],
        Credentials.of(receipt=secrets["receipt"], log=secrets["log"]),
        push=False,
    )
    block = PARTS["3"].replace("<!-- not executed", "<!-- executed")
    successor = [command for command in commands(block) if "$LOST" not in command.text]
    execute(
        [*successor, *commands("\n```console\n$ benchsite audit && benchsite build\n```")],
        "ROTATION.md, the successor log",
        cwd=night.instance.root,
        home=tmp_path / "home",
        BENCHSITE_ROOT_KEY_FILE=str(night.folder / "root.pem"),
        BENCHSITE_LOG_KEY_FILE=str(night.folder / "log.pem"),
    )
    configuration = night.instance.root / "mkdocs.yml"
    banner = "This log ended; its successor is example.org/benchsite/log2"
    text = re.sub(r"(?m)^( *banner:).*$", rf"\1 {banner}", configuration.read_text(encoding="utf-8"))
    configuration.write_text(text)
    git(night.instance.root, "commit", "-qam", "Name the successor")
    night.follow("Afterwards")
    assert banner in (night.instance.root / "site" / "index.html").read_text(encoding="utf-8")
    assert night.verdicts() == [Verdict.LOGGED] * 5


@pytest.mark.full
def test_a_leaked_root_key(night: Night, secrets: dict[str, PrivateKey]) -> None:
    """The thief has put a receipt key in service already; the second root reports the leaked one, then that key."""
    credentials = Credentials.of(root=secrets["root"], log=secrets["log"])
    second = rotation.rotate(
        night.instance,
        opened(night.instance),
        "root",
        credentials,
        keep=True,
        folder=night.folder / "vault",
        push=False,
    )
    theirs = rotation.rotate(
        night.instance,
        opened(night.instance),
        "receipt",
        credentials,
        keep=True,
        folder=night.folder / "thief",
        push=False,
    )
    leaked, root_file = secrets["root"].fingerprint, str(second.file)
    night.follow("4", LEAKED=leaked, BENCHSITE_ROOT_KEY_FILE=root_file)
    at = night.log().keyring.get(theirs.new)
    assert at is not None
    report = f"$ benchsite keys compromise {theirs.new} --trusted-below {at.from_index} --reason 'never ours' --yes\n"
    execute(
        commands(f"\n```console\n{report}```"),
        "the thief's key",
        cwd=night.instance.root,
        home=night.folder / "home",
        BENCHSITE_ROOT_KEY_FILE=root_file,
        BENCHSITE_LOG_KEY_FILE=str(night.folder / "log.pem"),
    )
    night.follow("Afterwards")
    states = {record.fingerprint: record.state for record in night.log().keyring}
    assert states[leaked] == states[theirs.new] == "compromised"
    assert night.log().keyring.in_force("receipt") is not None
    assert night.verdicts() == [Verdict.LOGGED] * 4


@pytest.mark.full
def test_planned_rotation(night: Night, secrets: dict[str, PrivateKey]) -> None:
    night.follow("5")
    renewed = Credentials.of(receipt=night.new_key("receipt"), log=secrets["log"])
    publish.publish(night.instance, opened(night.instance), [measure(night.instance)], renewed, push=False)
    night.follow("Afterwards")
    roots = [record for record in night.log().keyring if record.role == "root"]
    assert [record.state for record in roots] == ["active", "active"]
    assert night.verdicts() == [Verdict.LOGGED] * 5
