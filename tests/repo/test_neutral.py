"""What the machine's settings and variables can make a git of ours do."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from benchsite.repo import Repository
from benchsite.repo._neutral import command, environment
from benchsite.repo.head import resolve_head


def test_a_program_that_the_repositorys_settings_name_is_not_started(tmp_path: Path) -> None:
    """A measured system that runs as this user can write `.git/config`; publishing must not start what it names."""
    told = tmp_path / "told"
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\necho ran >> {told}\n")
    spy.chmod(0o755)
    with closing(Repository.create(tmp_path / "repo")) as repository:
        for name in ("core.fsmonitor", "gpg.program", "core.pager", "core.editor", "diff.external"):
            line = ["git", "-C", str(repository.root), "config", name, str(spy)]
            subprocess.run(line, check=True)
        for name in ("log.showSignature", "commit.gpgSign"):
            subprocess.run(["git", "-C", str(repository.root), "config", name, "true"], check=True)
        hooks = repository.root / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("reference-transaction", "post-checkout", "post-index-change"):
            (hooks / name).write_bytes(spy.read_bytes())
            (hooks / name).chmod(0o755)
        first = repository.build_commit({"a": b"1"}, parent=None, message="one")
        repository.advance(first, expected=None)
        repository.materialise(["a"], "HEAD")
        second = repository.build_commit({"a": b"2"}, parent=first, message="two")
        repository.move_to(second, expected=first)
        assert repository.state(resolve_head(repository))["dirty"] is False
        assert repository.changed_paths() == []
        assert [text.strip() for _, text in repository.commits("", second)] == ["one", "two"]
        assert repository.behind_last_change("a", rev="HEAD") == [first]
        assert repository.differing(first, second) == ["a"]
    assert not told.exists(), told.read_text()


def test_the_variables_of_this_process_stay_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    before = dict(os.environ)
    with closing(Repository.create(tmp_path / "repo")) as repository:
        made = repository.build_commit({"a": b"1"}, parent=None, message="one")
        repository.advance(made, expected=None)
        assert repository.read("a", rev="HEAD") == b"1"
    assert dict(os.environ) == before


def test_variables_that_lead_elsewhere_are_left_out_and_those_of_a_person_stay() -> None:
    given = {
        "PATH": "/bin",
        "GIT_DIR": "x",
        "GIT_INDEX_FILE": "x",
        "GIT_ICASE_PATHSPECS": "1",
        "GIT_ATTR_SOURCE": "x",
        "GIT_GRAFT_FILE": "x",
        "GIT_EXTERNAL_DIFF": "x",
        "GIT_SSH_COMMAND": "ssh -i key",
        "GIT_CONFIG_GLOBAL": "/home/me/config",
        "GIT_AUTHOR_DATE": "2026-01-01",
        "GIT_TERMINAL_PROMPT": "1",
    }
    kept = environment(given, {"GIT_INDEX_FILE": "mine"})
    assert {name: kept.get(name) for name in given} == {
        "PATH": "/bin",
        "GIT_DIR": None,
        "GIT_INDEX_FILE": "mine",
        "GIT_ICASE_PATHSPECS": None,
        "GIT_ATTR_SOURCE": None,
        "GIT_GRAFT_FILE": None,
        "GIT_EXTERNAL_DIFF": None,
        "GIT_SSH_COMMAND": "ssh -i key",
        "GIT_CONFIG_GLOBAL": "/home/me/config",
        "GIT_AUTHOR_DATE": "2026-01-01",
        "GIT_TERMINAL_PROMPT": "0",
    }
    assert kept["GIT_NO_REPLACE_OBJECTS"] == "1"


def test_settings_in_variables_do_not_win_over_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.commitGraph")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "true")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.commitgraph'='true'")
    done = subprocess.run(
        command("config", "core.commitGraph"),
        cwd=tmp_path,
        env=environment(os.environ),
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"false\n"
