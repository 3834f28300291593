"""The frame of every page: mkdocs with our theme, run once. The sole importer of mkdocs.

Prose passes through Markdown; generated pages enter as virtual files whose bodies are already HTML and bypass
Markdown, the navigation and the search index. One extra page at receipt depth is rendered, taken apart and
never written: ten thousand receipts are then a string join each (specs/site.md, "Architecture").
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final, cast

os.environ["NO_MKDOCS_2_WARNING"] = "1"  # material prints advertising on import otherwise

from mkdocs.commands.build import build
from mkdocs.config.base import Config, load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as MkDocsPage
from mkdocs.utils.meta import get_data
from mkdocs.utils.templates import TemplateContext
from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from benchsite import yaml_document
from benchsite.errors import InputError, ThemeError
from benchsite.site import formats
from benchsite.site.prose import scrolling_boxes
from benchsite.site.render import relative_root, site_root
from benchsite.track import Track

__all__ = ["NavItem", "RenderedPage", "Shell", "SiteConfig", "build_shell", "nav_of"]

SHELL_PATH: Final = "receipts/00/00000000/"
_TOKENS: Final = {name: f"benchsite-{name}-0f1e2d" for name in ("title", "description", "path", "body")}
_SPLIT: Final = re.compile("|".join(_TOKENS.values()))
_MOST_INHERITED: Final = 10
_LINK: Final = re.compile(r"Doc file '(?P<file>[^']+)' contains an? .*?link '(?P<link>[^']*)'")


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page whose body is ready; `path` is empty for the front page and ends in `/` for every other."""

    path: str
    title: str
    description: str
    body: str


@dataclass(frozen=True, slots=True)
class NavItem:
    """One entry of the header; it is current on every page below its path."""

    title: str
    path: str


def nav_of(tracks: Iterable[Track]) -> tuple[NavItem, ...]:
    """The header: the leaderboards of the installed tracks, then what every site has."""
    return (
        *(NavItem(track.title, f"{track.name}/") for track in tracks),
        NavItem("Receipts", "receipts/"),
        NavItem("Methodology", "methodology/"),
        NavItem("Log", "log/"),
        NavItem("Verify", "verify.html"),
        NavItem("Docs", "docs/"),
    )


@dataclass(frozen=True, slots=True)
class SiteConfig:
    """What the frame needs to know.

    Attributes:
        docs_dir: hand-written prose.
        site_dir: emptied, then written.
        mkdocs_yml: the instance's configuration; its theme, docs_dir and site_dir are replaced by ours.
        banner: a line above every page, or empty.
        pages: generated pages, receipts not among them.
        nav: the header, left to right; an entry whose page does not exist is left out.
    """

    docs_dir: Path
    theme_dir: Path
    site_dir: Path
    mkdocs_yml: Path
    site_name: str
    site_url: str = ""
    banner: str = ""
    pages: Sequence[RenderedPage] = ()
    nav: Sequence[NavItem] = nav_of(())


@dataclass(frozen=True, slots=True)
class Shell:
    """A page at receipt depth, taken apart; `prose` lists the site paths mkdocs wrote."""

    parts: tuple[str, ...]
    holes: tuple[str, ...]
    prose: tuple[str, ...]

    @classmethod
    def of(cls, html: str, prose: Sequence[str] = ()) -> Shell:
        """Take a rendered shell page apart at its tokens."""
        names = {token: name for name, token in _TOKENS.items()}
        holes = tuple(names[token] for token in _SPLIT.findall(html))
        if holes.count("body") != 1:
            raise ThemeError("theme: main.html must print page.content exactly once")
        return cls(tuple(_SPLIT.split(html)), holes, tuple(prose))

    def wrap(self, page: RenderedPage) -> str:
        """The whole document of a receipt's page.

        Raises:
            ValueError: the page does not lie at receipt depth, so its links would not fit.
        """
        if page.path.count("/") != SHELL_PATH.count("/"):
            raise ValueError(f"/{page.path} does not lie as deep as /{SHELL_PATH}")
        filling = {
            "title": escape(formats.plain_name(page.title)),
            "description": escape(formats.plain_name(page.description)),
            "path": escape(page.path),
            "body": page.body,
        }
        out = [self.parts[0]]
        for hole, part in zip(self.holes, self.parts[1:], strict=True):
            out += (filling[hole], part)
        return "".join(out)


def build_shell(config: SiteConfig) -> Shell:
    """Write prose and generated pages into `site_dir` and return the frame for receipts.

    Raises:
        InputError: `mkdocs.yml` or a page of prose is at fault; file and line in the message.
        ThemeError: the theme is at fault.
    """
    messages = _Messages()
    loggers = [logging.getLogger("mkdocs"), logging.getLogger("material")]
    for logger in loggers:
        logger.addHandler(messages)
        logger.propagate = False
    try:
        settings = _load(config)
        plugin = _Frame()
        plugin.site = config
        settings.plugins["benchsite"] = plugin
        settings.plugins.on_startup(command="build", dirty=False)
        build(settings)
        settings.plugins.on_shutdown()
    except MkDocsException as error:
        raise _input_error(config, messages, str(error)) from error
    finally:
        for logger in loggers:
            logger.removeHandler(messages)
            logger.propagate = True
    if messages.lines:
        raise _input_error(config, messages, "")
    return Shell.of(plugin.shell, sorted(plugin.prose))


def _load(config: SiteConfig) -> MkDocsConfig:
    _refuse_code(config.mkdocs_yml)
    settings: MkDocsConfig = load_config(
        config_file=str(config.mkdocs_yml),
        docs_dir=str(config.docs_dir),
        site_dir=str(config.site_dir),
        site_name=config.site_name,
        site_url=config.site_url,
        theme={"name": "material", "custom_dir": str(config.theme_dir)},
        use_directory_urls=True,
    )
    # Ours lists every page with its receipts; mkdocs' own would carry the day of the build.
    settings.theme.static_templates.discard("sitemap.xml")
    # Cells aligned by attribute: a style attribute would break the Content-Security-Policy.
    settings.mdx_configs.setdefault("tables", {})["use_align_attribute"] = True
    return settings


def _refuse_code(path: Path) -> None:
    """Refuse tags that name Python code, in `mkdocs.yml` and what it inherits: mkdocs' own loader would run it."""
    loader = get_yaml_loader(config=MkDocsConfig())
    for _ in range(_MOST_INHERITED):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read {path.name}: {error.strerror}", hint="correct INHERIT") from None
        yaml_document.refuse_code(data, path.name)
        parent = yaml_load(data.decode(), loader).get("INHERIT")  # from memory, so that no other file is read
        if not isinstance(parent, str):
            return
        path = path.parent / parent
    raise InputError(
        f"{path.name}: INHERIT leads through more than {_MOST_INHERITED} files", hint="use fewer"
    )


class _NoOptions(Config):  # type: ignore[no-untyped-call]  # mkdocs types its classes in part
    """The plug-in below takes none from `mkdocs.yml`."""


class _Frame(BasePlugin[_NoOptions]):  # type: ignore[no-untyped-call]  # mkdocs types its classes in part
    """Feeds generated pages to mkdocs and catches the shell page before it is written."""

    site: SiteConfig
    shell: str = ""

    def __init__(self) -> None:
        super().__init__()
        self.prose: list[str] = []
        self._generated: dict[str, RenderedPage] = {}
        self._order: list[str] = []

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        theme = str(self.site.theme_dir)
        for file in list(files):
            if file.src_dir is not None and file.src_dir not in (theme, config.docs_dir):
                files.remove(file)  # the stock theme's scripts, styles and icons
        frame = RenderedPage(SHELL_PATH, _TOKENS["title"], _TOKENS["description"], _TOKENS["body"])
        for page in (*self.site.pages, frame):
            source = f"{page.path}index.md"
            self._generated[source] = page
            if (old := files.get_file_from_path(source)) is not None:
                raise InputError(
                    f"{self.site.docs_dir.name}/{source} stands where a generated page belongs",
                    hint=f"move {old.src_uri}",
                )
            files.append(File.generated(config, source, content="", inclusion=InclusionLevel.NOT_IN_NAV))
        self.prose = [
            file.url.removeprefix("./")
            for file in files.documentation_pages()
            if file.src_uri != _SHELL_SOURCE
        ]
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, **_: Any) -> Navigation:
        if config.nav is None:
            nav.items = _put_in_order(nav.items)
        self._order = [page.file.url.removeprefix("./") for page in _pages_of(nav.items)]
        return nav

    def on_page_markdown(self, markdown: str, *, page: MkDocsPage, **_: Any) -> str:
        ours = self._generated.get(page.file.src_uri)
        if ours is not None:
            page.title = formats.plain_name(ours.title)
            page.meta = {"description": formats.plain_name(ours.description), "search": {"exclude": True}}
        return markdown

    def on_page_content(self, html: str, *, page: MkDocsPage, **_: Any) -> str:
        ours = self._generated.get(page.file.src_uri)
        return scrolling_boxes(html) if ours is None else ours.body

    def on_page_context(self, context: TemplateContext, *, page: MkDocsPage, **_: Any) -> TemplateContext:
        cast("dict[str, Any]", context)["benchsite"] = self._frame(page)
        return context

    def on_env(self, env: Any, **_: Any) -> Any:
        env.globals["benchsite"] = self._frame(None)
        return env

    def on_post_page(self, output: str, *, page: MkDocsPage, **_: Any) -> str:
        if page.file.src_uri == _SHELL_SOURCE:
            self.shell = output
            return ""
        return output

    def _frame(self, page: MkDocsPage | None) -> Mapping[str, Any]:
        path = "" if page is None else page.file.url.removeprefix("./")
        shell = path == SHELL_PATH
        root = relative_root(path)
        ours = None if page is None else self._generated.get(page.file.src_uri)
        return {
            "generated": ours is not None,
            "title": "" if ours is None else formats.plain_name(ours.title),
            "banner": self.site.banner,
            "path": _TOKENS["path"] if shell else path,
            "root": root or "./",
            "url": site_root(self.site.site_url),
            "home": path == "" and page is not None,
            "nav": [
                {"title": item.title, "path": target, "current": path.startswith(item.path)}
                for item in self.site.nav
                if (target := self._target(item.path)) is not None
            ],
        }

    def _target(self, path: str) -> str | None:
        """The page a header entry leads to: its own, else the first one below it, else none; a file is taken on trust."""
        if path.endswith(".html"):
            return path
        if path in self.prose:
            return path
        return next((known for known in self._order if known.startswith(path)), None)


def _put_in_order(items: list[Any]) -> list[Any]:
    """Entries of the side bar, sections within included, by the `order` that pages give themselves.

    A page's own front matter says it, so that an instance needs no `nav` for the prose that came with benchsite.
    Pages that say nothing come after, as mkdocs has them.
    """
    for item in items:
        if item.is_section:
            item.children = _put_in_order(item.children)
    return sorted(items, key=lambda item: _order(item.file) if item.is_page else math.inf)


def _pages_of(items: list[Any]) -> list[MkDocsPage]:
    """The pages among the entries, in reading order."""
    found: list[MkDocsPage] = []
    for item in items:
        found += [item] if item.is_page else _pages_of(item.children or [])
    return found


def _order(file: File) -> float:
    try:
        _, meta = get_data(file.content_string)
    except (OSError, UnicodeDecodeError):
        return math.inf  # mkdocs reads the file next and says what is wrong with it
    order = meta.get("order", math.inf)
    if isinstance(order, bool) or not isinstance(order, int | float):
        raise InputError(
            f"content/{file.src_uri}: `order` is {order!r} and must be a number",
            hint="write `order: 3`, or leave it out",
        )
    return float(order)


_SHELL_SOURCE: Final = f"{SHELL_PATH}index.md"


class _Messages(logging.Handler):
    """Keeps what mkdocs would have printed at WARNING and above; all of it is an error here."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def _input_error(config: SiteConfig, messages: _Messages, cause: str) -> InputError:
    """One message from everything mkdocs complained about, each broken link with its line."""
    lines = [_located(config, line) for line in messages.lines] or [cause or "mkdocs failed without a word"]
    if not messages.lines and cause:
        lines = [f"{config.mkdocs_yml.name}: {cause}"]
    return InputError("\n".join(dict.fromkeys(lines)), hint="correct the prose, then build again")


def _located(config: SiteConfig, message: str) -> str:
    found = _LINK.search(message)
    if found is None:
        return f"{config.mkdocs_yml.name}: {message}" if "onfig" in message else message
    path = config.docs_dir / found["file"]
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return message
    number = next((n for n, line in enumerate(text.splitlines(), 1) if found["link"] in line), 1)
    return f"{config.docs_dir.name}/{found['file']}:{number}: the link {found['link']!r} leads nowhere"
