"""Journey 1 as commands: init, keys, run, publish, verify, rescore, build, status; and the mistakes on the way."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import pytest
from builders import FIXTURE, small_fixture
from commands import Run
from examples import some

pytestmark = pytest.mark.stories


@pytest.fixture
def root(new: Path) -> Path:
    """A new instance whose only fixture is the small one."""
    shutil.rmtree(new / "fixtures")
    (new / "fixtures" / FIXTURE).mkdir(parents=True)
    (new / "fixtures" / FIXTURE / "fixture.json").write_text(json.dumps(small_fixture()))
    return new


def git(root: Path, *arguments: str) -> str:
    import subprocess

    command = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@localhost", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_whole_story_with_an_empty_home_and_no_git_identity(
    benchsite: Run, root: Path, tmp_path: Path
) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "small fixture")
    kept = tmp_path / "kept"

    without = benchsite("run", "retrieval", "--adapter", "recency", "--fixture", FIXTURE, cwd=root)
    assert without.code == 0
    assert without.err.splitlines()[0] == "no keys: drafts in .benchsite/drafts"

    begun = benchsite("keys", "init", "--out", kept, cwd=root)
    assert begun.code == 0, begun.err
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in kept.iterdir()} == {
        "root.pem": "0o600",
        "receipt.pem": "0o600",
        "log.pem": "0o600",
    }
    assert "BEGIN PRIVATE KEY" not in begun.out + begun.err
    assert git(root, "log", "-1", "--format=%an <%ae>").strip() == "benchsite <benchsite@localhost>"

    keys = {f"BENCHSITE_{role}_KEY_FILE": str(kept / f"{role.lower()}.pem") for role in ("RECEIPT", "LOG")}
    status = benchsite("status", "--json", cwd=root, **keys)
    found = json.loads(status.out)
    assert len(found["drafts"]) == 1
    assert found["log"] == 3
    assert found["keys"]["receipt"] == "set, in service"
    assert any("benchsite publish" in step for step in found["next"])

    assert benchsite("publish", cwd=root, **keys).code == 5, "a pipe cannot say yes"
    assert benchsite("publish", "--json", cwd=root, **keys).code == 5, "and JSON is no yes either"
    published = benchsite("publish", "--yes", cwd=root, **keys)
    assert published.code == 0, published.err
    assert published.out.splitlines()[-1] == "not public: the commit is on this machine only"

    head = json.loads(benchsite("log", "head", "--json", cwd=root).out)
    assert set(head) == {"origin", "size", "root", "vkey"}
    assert head["size"] == 6

    verified = benchsite("verify", "--all", "--json", cwd=root)
    assert verified.code == 0
    (row,) = json.loads(verified.out)["receipts"]
    assert set(row) == {
        "path",
        "receiptId",
        "downloadedFrom",
        "log",
        "verdict",
        "rescore",
        "steps",
        "violations",
    }
    assert (row["verdict"], row["rescore"], row["violations"]) == ("LOGGED", "MATCHES", [])
    assert row["log"] == head["origin"]

    rescored = benchsite("rescore", row["receiptId"][:8], cwd=root)
    assert rescored.code == 0
    assert rescored.out.startswith("MATCHES")

    built = benchsite("build", cwd=root)
    assert built.code == 0, built.err
    assert "no links to the repository" in built.err
    assert (root / "site" / "index.html").is_file()
    assert benchsite("status", "--json", cwd=root).code == 0
    assert json.loads(benchsite("status", "--json", cwd=root).out)["dirty"] is False, (
        "the site is ignored by git"
    )


def test_two_runs_give_byte_identical_scores_and_rankings(benchsite: Run, root: Path) -> None:
    for adapter in ("random", "recency", "bm25", "sqlite-fts5"):
        seen = []
        for _ in range(2):
            ran = benchsite(
                "run", "retrieval", "--adapter", adapter, "--fixture", FIXTURE, "--json", cwd=root
            )
            assert ran.code == 0, ran.err
            (row,) = json.loads(ran.out)["runs"]
            document = json.loads((root / ".benchsite/drafts" / f"{row['receiptId']}.json").read_bytes())
            rankings = [query["retrieved"] for query in document["perQuery"]]
            seen.append(json.dumps([document["scores"], document["intervals"], rankings]))
        assert seen[0] == seen[1], adapter


def test_changed_skips_what_is_published(benchsite: Run, root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "small fixture")
    seeds = {
        f"BENCHSITE_{role}_KEY": base64.b64encode(bytes([place + 1]) * 32).decode()
        for place, role in enumerate(("ROOT", "RECEIPT", "LOG"))
    }
    assert benchsite("keys", "init", cwd=root, **seeds).code == 0
    command = ("run", "retrieval", "--adapter", "bm25", "--fixture", FIXTURE)
    assert benchsite(*command, "--publish", cwd=root, **seeds).code == 0
    again = benchsite(*command, "--changed", cwd=root, **seeds)
    assert again.code == 0
    assert again.out.startswith("skipped")
    other = benchsite(*command, "--changed", "--dry-run", "--seed", "8", cwd=root)
    assert other.out.startswith("planned")
    assert not list((root / ".benchsite/drafts").glob("*.json")), "a dry run measures nothing"


def test_one_failure_does_not_stop_a_suite(benchsite: Run, root: Path) -> None:
    broken = "command:/nowhere/adapter"
    ran = benchsite(
        "run",
        "retrieval",
        "--adapter",
        broken,
        "--adapter",
        "recency",
        "--fixture",
        FIXTURE,
        "--json",
        cwd=root,
    )
    assert [row["state"] for row in json.loads(ran.out)["runs"]] == ["failed", "measured"]
    assert ran.code == 4


def test_the_suite_names_the_line_of_a_bad_entry(benchsite: Run, root: Path) -> None:
    config = root / "mkdocs.yml"
    text = (
        config.read_text().split("    suite:")[0] + "    suite:\n      - {track: retrieval, adapter: bm25}\n"
    )
    config.write_text(text)
    ran = benchsite("run", cwd=root)
    assert ran.code == 4
    assert f"mkdocs.yml, line {text.count(chr(10))}" in ran.err
    assert "fixture: is missing" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    some(
        [
            (("nonsense",), 2, "error: no such command 'nonsense'\n  hint: run `benchsite --help`\n"),
            (("verfy",), 2, "error: no such command 'verfy'\n  hint: did you mean 'verify'?\n"),
            (("keys",), 2, "Usage: benchsite keys"),
            (
                ("verify", "--jsno", "x"),
                2,
                "error: no such option '--jsno'\n  hint: did you mean '--json'?\n",
            ),
            (("serve", "--port", "a"), 2, "error: invalid value for '--port': 'a' is not a valid integer"),
            (("supersede",), 2, "error: missing argument 'OLD'"),
            (("run", "retreival"), 2, "hint: did you mean 'retrieval'?"),
            (("keys", "lst"), 2, "hint: did you mean 'list'?"),
            (("verify",), 2, "no receipt given"),
            (("verify", "absent.json"), 4, "no such file or directory: absent.json"),
            (("run",), 5, "is not in a git repository"),
            (("build",), 5, "is not in a git repository"),
            (("publish",), 5, "is not in a git repository"),
            (("status",), 5, "is not in a git repository"),
            (("serve",), 5, "no built site: "),
            (("canonicalize", "absent.json"), 4, "cannot read"),
            (("fixture", "validate", "absent"), 2, "no file 'absent'"),
        ],
        gate=8,
    ),
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_get_a_sentence_and_the_right_code(
    benchsite: Run, arguments: tuple[str, ...], code: int, says: str
) -> None:
    ran = benchsite(*arguments)
    assert ran.code == code, ran.err
    assert says in ran.err


def test_mistakes_inside_an_instance(benchsite: Run, root: Path) -> None:
    for arguments, code, says in (
        (("run", "retrieval", "--adapter", "bm52", "--fixture", FIXTURE), 2, "did you mean 'bm25'?"),
        (("run", "retrieval", "--adapter", "bm25", "--dataset", "absent"), 2, "no dataset named 'absent'"),
        (
            ("run", "retrieval", "--adapter", "bm25", "--fixture", FIXTURE, "--k", "0"),
            2,
            "from 1 to 1,000",
        ),
        (
            ("run", "retrieval", "--adapter", "bm25", "--fixture", FIXTURE, "--k", "a"),
            2,
            "not a list such as",
        ),
        (("publish", "nope"), 4, "no draft named 'nope'"),
        (("log", "head"), 5, "log not initialized"),
        (("rescore", "ffff"), 2, "no receipt named 'ffff'"),
        (("init", root), 4, "is not an empty folder"),
        (("fixture", "import", "lokomo", "x.json"), 2, "did you mean 'locomo'?"),
        (("keys", "init", "--out", root / "secret"), 5, "inside the repository"),
    ):
        if arguments[0] == "keys":
            git(root, "add", "-A")
            git(root, "commit", "-qm", "x")
        ran = benchsite(*arguments, cwd=root)
        assert ran.code == code, (arguments, ran.err)
        assert says in ran.err, arguments


def test_malformed_keys_are_named_and_never_shown(benchsite: Run, root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    secret = "c2VjcmV0IG1hdGVyaWFsIHRoYXQgbXVzdCBub3QgbGVhaw=="  # 32 bytes are needed, this is 34
    seeds = {f"BENCHSITE_{role}_KEY": secret for role in ("ROOT", "RECEIPT", "LOG")}
    ran = benchsite("keys", "init", cwd=root, **seeds)
    assert ran.code == 4
    assert "BENCHSITE_ROOT_KEY" in ran.err
    assert secret[:8] not in ran.out + ran.err


def test_canonicalize_reads_standard_input(benchsite: Run) -> None:
    """RFC 8785 section 3.2.3 sorts by UTF-16 units; no newline is added."""
    ran = benchsite("canonicalize", data=b'{"b": 1.0, "a": "\\u00e9"}')
    assert (ran.code, ran.out) == (0, '{"a":"é","b":1}')
    bad = benchsite("canonicalize", data=b'{"a":1,"a":2}')
    assert bad.code == 4
    assert "byte" in bad.err
    assert bad.out == ""


def test_hostile_file_names_and_contents_print_escaped(benchsite: Run, tmp_path: Path) -> None:
    name = tmp_path / "evil\x1b[31m\u202e.json"
    name.write_bytes(b'{"schemaVersion":"9.\x1b[31m"}'.replace(b"\x1b", b"\\u001b"))
    ran = benchsite("verify", name)
    assert ran.code in (3, 5)
    assert "\x1b" not in ran.out + ran.err
    assert "\u202e" not in ran.out + ran.err
