from __future__ import annotations

import pytest

from benchsite.site.repository import Hosted, hosted, web_address


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/lab/bench.git", "https://github.com/lab/bench"),
        ("https://github.com/lab/bench/", "https://github.com/lab/bench"),
        ("git@github.com:lab/bench.git", "https://github.com/lab/bench"),
        ("ssh://git@github.com:2222/lab/bench.git", "https://github.com/lab/bench"),
        ("git+ssh://git@code.invalid/~lab/bench", "https://code.invalid/~lab/bench"),
        ("git://code.invalid/lab/bench.git", "https://code.invalid/lab/bench"),
        ("http://localhost:3000/lab/bench", "http://localhost:3000/lab/bench"),
        ("https://gitlab.invalid/group/sub/bench.git", "https://gitlab.invalid/group/sub/bench"),
        ("HTTPS://github.com/lab/bench", ""),
        ("/srv/git/bench.git", ""),
        ("../bench", ""),
        ("file:///srv/git/bench.git", ""),
        ("C:/work/bench", ""),
        ("https://github.com", ""),
        ("https://github.com/", ""),
        ("https://github.com/../../etc", ""),
        ('https://github.com/lab/"onload=x', ""),
        ("javascript:alert(1)//x.y", ""),
        ("https://github.com/lab/\u202ehcneb", ""),
        ("https://github.com/" + "a" * 10_000, ""),
        ("", ""),
    ],
)
def test_a_remote_becomes_the_page_that_a_browser_opens(remote: str, address: str):
    assert web_address(remote) == address


@pytest.mark.parametrize(
    "remote",
    [
        "https://user:s3cret@github.com/lab/bench.git",
        "https://s3cret@github.com/lab/bench.git",
        "https://user:p%40s3cret@github.com/lab/bench",
        "https://user:a@s3cret@github.com/lab/bench",
        "https://user:a/s3cret@github.com/lab/bench",
        "ssh://user:s3cret@github.com/lab/bench",
        "https://github.com/lab/bench?token=s3cret",
        "https://github.com/lab/bench#s3cret",
        "s3cret@github.com:lab/bench.git",
    ],
)
def test_credentials_are_never_shown(remote: str):
    shown = web_address(remote)
    assert "s3cret" not in shown
    assert shown in ("", "https://github.com/lab/bench")


@pytest.mark.parametrize(
    ("url", "file", "edit"),
    [
        ("https://github.com/a/b", "/blob/HEAD/x%20y.md", "/edit/HEAD/x%20y.md"),
        ("https://gitlab.com/a/b", "/-/blob/HEAD/x%20y.md", "/-/edit/HEAD/x%20y.md"),
        ("https://codeberg.org/a/b", "/src/commit/HEAD/x%20y.md", "/src/commit/HEAD/x%20y.md"),
    ],
)
def test_a_file_is_addressed_as_its_host_does(url: str, file: str, edit: str):
    here = Hosted(url)
    assert (here.file("x y.md"), here.edit("x y.md")) == (url + file, url + edit)


@pytest.mark.parametrize(
    ("url", "issues"),
    [
        ("https://github.com/a/b", "https://github.com/a/b/issues"),
        ("https://gitlab.com/a/b", "https://gitlab.com/a/b/-/issues"),
        ("https://codeberg.org/a/b", "https://codeberg.org/a/b/issues"),
    ],
)
def test_issues_are_addressed_as_the_host_does(url: str, issues: str):
    assert Hosted(url).issues == issues


def test_the_setting_comes_before_the_remote_and_without_either_nothing_is_linked():
    set_here = hosted("https://code.invalid/a/b", "git@github.com:lab/bench.git")
    assert set_here == Hosted("https://code.invalid/a/b")
    assert hosted("", "git@github.com:lab/bench.git") == Hosted("https://github.com/lab/bench")
    assert hosted("", "/srv/bench.git") is None
    assert hosted("", None) is None
