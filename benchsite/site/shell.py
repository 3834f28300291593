"""The frame of every page: mkdocs with our theme, run once. The sole importer of mkdocs.

Prose passes through Markdown; generated pages enter as virtual files whose bodies are already HTML and bypass
Markdown, the navigation and the search index. One extra page at receipt depth is rendered, split and
never written: ten thousand receipts are then a string join each (specs/site.md, "Architecture"). So is one page in each
folder with very many pages.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from benchsite.errors import BenchsiteError, InputError
from benchsite.site import cards, complaints, formats, frame
from benchsite.site.frame import GROUPS, PROSE, NavItem, RenderedPage, SiteConfig, nav_of
from benchsite.site.prose import scrolling_boxes
from benchsite.site.render import failed_at, relative_root, site_root
from benchsite.site.wrapping import ANY, SHELL_PATH, TOKENS, Shell, parent

__all__ = ["NavItem", "RenderedPage", "Shell", "SiteConfig", "build_shell", "nav_of", "parent"]

_MOST_INHERITED: Final = 10
_DOCS: Final = "docs/"
_FINDINGS: Final = "findings/"


def build_shell(config: SiteConfig, ready: Callable[[Shell], None] = lambda _: None) -> Shell:
    """Write prose and generated pages into `site_dir` and return the frame for receipts and for `config.folders`.

    Args:
        config: what the frame needs to know.
        ready: is given the frame as soon as it is there, before the first page is written.

    Raises:
        InputError: `mkdocs.yml` or a page of prose is malformed; file and line in the message.
        ThemeError: the theme is malformed.
        OSError: a page cannot be written.
    """
    messages = complaints.Messages()
    loggers = [logging.getLogger("mkdocs"), logging.getLogger("material")]
    for logger in loggers:
        logger.addHandler(messages)
        logger.propagate = False
    try:
        settings = _load(config)
        plugin = _Frame()
        plugin.site = config
        plugin.ready = ready
        settings.plugins["benchsite"] = plugin
        settings.plugins.on_startup(command="build", dirty=False)
        build(settings)
        settings.plugins.on_shutdown()
    except MkDocsException as error:
        raise complaints.input_error(config, messages, str(error)) from error
    except BenchsiteError:
        raise
    except Exception as error:
        place = failed_at(error)
        if place is None:
            raise
        raise complaints.template_error(config, messages, error, *place) from error
    finally:
        for logger in loggers:
            logger.removeHandler(messages)
            logger.propagate = True
    if messages.lines:
        raise complaints.input_error(config, messages, "")
    return plugin.shell()


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
    """Feeds generated pages to mkdocs and catches the shell pages before they are written."""

    site: SiteConfig
    ready: Callable[[Shell], None]

    def __init__(self) -> None:
        super().__init__()
        self.shells: dict[str, str] = {}
        self.prose: dict[str, str] = {}
        self._generated: dict[str, RenderedPage] = {}
        self._groups: list[tuple[str, list[MkDocsPage]]] = []
        self._findings: list[MkDocsPage] = []

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        theme = str(self.site.theme_dir)
        for file in list(files):
            if file.src_dir is not None and file.src_dir not in (theme, config.docs_dir):
                files.remove(file)  # the stock theme's scripts, styles and icons
        tokens = (TOKENS["title"], TOKENS["description"], TOKENS["body"].encode())
        places = (SHELL_PATH, *(f"{folder}{ANY}" for folder in self.site.folders))
        self.shells = dict.fromkeys(places, "")
        prose = {_url(file): file.src_uri for file in files.documentation_pages()}
        pages = (*self.site.pages, *(RenderedPage(path, *tokens) for path in places))
        complaints.refuse_taken(prose, (page.path for page in pages))
        for page in pages:
            source = f"{page.path}index.md"
            self._generated[source] = page
            files.append(File.generated(config, source, content="", inclusion=InclusionLevel.NOT_IN_NAV))
        # The frame comes first, so that its caller goes on while mkdocs renders everything else.
        for file in [one for one in files if one.url not in self.shells]:
            files.remove(file)
            files.append(file)
        self.prose = {
            _url(file): file.src_uri for file in files.documentation_pages() if file.url not in self.shells
        }
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, **_: Any) -> Navigation:
        if config.nav is None:
            self._groups, self._findings = _grouped(nav.items)
        else:
            self._groups = _given(nav.items)
        return nav

    def on_page_markdown(self, markdown: str, *, page: MkDocsPage, **_: Any) -> str:
        ours = self._generated.get(page.file.src_uri)
        if ours is not None:
            page.title = formats.plain_name(ours.title)
            page.meta = {"description": formats.plain_name(ours.description), "search": {"exclude": True}}
        return markdown

    def on_page_content(self, html: str, *, page: MkDocsPage, **_: Any) -> str:
        ours = self._generated.get(page.file.src_uri)
        if ours is not None:
            return ""  # its body is given when its turn comes
        frame = self.site.frames.get(_url(page.file), PROSE)
        return frame.replace(PROSE, scrolling_boxes(html))

    def on_page_context(self, context: TemplateContext, *, page: MkDocsPage, **_: Any) -> TemplateContext:
        cast("dict[str, Any]", context)["benchsite"] = self._frame(page)
        ours = self._generated.get(page.file.src_uri)
        if ours is not None:
            page.content = ours.body.decode()
        return context

    def on_env(self, env: Any, **_: Any) -> Any:
        env.globals["benchsite"] = self._frame(None)
        return env

    def on_post_page(self, output: str, *, page: MkDocsPage, **_: Any) -> str:
        page.content = ""
        if page.file.url in self.shells:
            self.shells[page.file.url] = output
            if all(self.shells.values()):
                self.ready(self.shell())
            return ""
        return output

    def shell(self) -> Shell:
        """The frame, once every page of it has been rendered."""
        folders = {folder: Shell.of(self.shells[f"{folder}{ANY}"]) for folder in self.site.folders}
        return replace(
            Shell.of(self.shells[SHELL_PATH]),
            prose=dict(sorted(self.prose.items())),
            folders=folders,
            pictured=self.site.pictured,
        )

    def _frame(self, page: MkDocsPage | None) -> Mapping[str, Any]:
        path = "" if page is None else _url(page.file)
        ours = None if page is None else self._generated.get(page.file.src_uri)
        picture, about = cards.card(path, self.site.pictured)
        announced = frame.feeds(self.site, path)
        return {
            **frame.links(self.site, "" if page is None else page.file.src_uri),
            "generated": ours is not None,
            "title": "" if ours is None else formats.plain_name(ours.title),
            "site": frame.name(self.site),
            "banner": self.site.banner,
            "path": TOKENS["path"] if path in self.shells else path,
            "mirrors": self.site.mirrors if path in self.shells and path != SHELL_PATH else (),
            "canonical": "" if ours is None else ours.canonical,
            "root": relative_root(path) or "./",
            "url": site_root(self.site.site_url),
            "home": path == "" and page is not None,
            "docs": path == _DOCS,
            **self._section(page),
            "around": self._around(page),
            "feeds": [*announced, *_beside(path, announced)] if path in self.shells else announced,
            "foot": frame.foot(
                self.site.repository,
                self.site.license,
                announced[0][1] if announced else "",
                [item for item in frame.PAGES if item.path in self.prose],
            ),
            "search": "search/" if "search/" in self.prose else "",
            "card": TOKENS["card"] if path in self.shells else picture,
            "card_alt": TOKENS["said"] if path in self.shells else about,
            "nav": self._entries(self.site.nav, path),
        }

    def _entries(self, items: Sequence[NavItem], path: str) -> list[Mapping[str, Any]]:
        """The entries of the header whose pages exist, as a page at this path shows them."""
        return [
            {
                "title": item.title,
                "path": target,
                "current": any(path.startswith(one.path) for one in item.items or (item,)),
                "items": self._entries(item.items, path),
            }
            for item in items
            if (target := self._target(item.path)) is not None
        ]

    def _around(self, page: MkDocsPage | None) -> tuple[MkDocsPage | None, MkDocsPage | None]:
        """The pages before and after one of the documentation, in reading order."""
        pages = self._findings if page in self._findings else self._documentation()
        if page is None or page not in pages:
            return None, None
        at = pages.index(page)
        return (pages[at - 1] if at else None), (pages[at + 1] if at + 1 < len(pages) else None)

    def _documentation(self) -> list[MkDocsPage]:
        """The pages of the documentation in reading order."""
        return [page for _, pages in self._groups for page in pages]

    def _section(self, page: MkDocsPage | None) -> Mapping[str, Any]:
        """Title, first page and groups of the prose that a page belongs to: findings, else the documentation."""
        if page in self._findings:
            first, *others = self._findings
            return {"section": "Findings", "section_home": _url(first.file), "groups": [("", others)]}
        groups = [group for group in self._groups if group[1]]
        home = _DOCS if _DOCS in self.prose else ""
        return {"section": "Documentation", "section_home": home, "groups": groups}

    def _target(self, path: str) -> str | None:
        """The page a header entry leads to: its own, else the first one below it, else none; a file is assumed to exist."""
        if path.endswith(".html") or path.startswith("#"):
            return path
        if path in self.prose:
            return path
        return next(
            (known for page in self._documentation() if (known := _url(page.file)).startswith(path)), None
        )


def _beside(path: str, announced: Sequence[object]) -> list[tuple[str, str]]:
    """The feed of each page of a system, on a site with feeds: in the frame, with its tokens."""
    is_system = path.startswith(frame.SYSTEMS) and bool(announced)
    return [(TOKENS["title"], f"{TOKENS['path']}feed.xml")] if is_system else []


def _url(file: File) -> str:
    return file.url.removeprefix("./")


def _grouped(items: list[Any]) -> tuple[list[tuple[str, list[MkDocsPage]]], list[MkDocsPage]]:
    """The documentation in its groups, each in order, and the findings, their list first.

    Prose elsewhere is the first group, without a title. A page whose front matter says `moved` is in none.
    """
    pages = [page for page in _pages_of(items) if "moved" not in _meta(page.file)]
    places = [(frame.place(_meta(page.file), page.file.src_uri), page) for page in pages]
    places.sort(key=lambda one: one[0])
    docs = [one for one in places if _url(one[1].file).startswith(_DOCS) and _url(one[1].file) != _DOCS]
    others = [page for _, page in places if not _url(page.file).startswith((_DOCS, _FINDINGS))]
    findings = [page for _, page in places if _url(page.file).startswith(_FINDINGS)]
    groups = [
        ("", others),
        *((title, [page for (at, _), page in docs if at == n]) for n, title in enumerate(GROUPS)),
    ]
    return groups, sorted(findings, key=lambda page: _url(page.file) != _FINDINGS)


def _given(items: list[Any]) -> list[tuple[str, list[MkDocsPage]]]:
    """The `nav` of an instance: its sections as groups, in the order given."""
    loose = [item for item in items if item.is_page]
    return [
        ("", loose),
        *((item.title, _pages_of(item.children)) for item in items if item.is_section),
    ]


def _pages_of(items: list[Any]) -> list[MkDocsPage]:
    """The pages among the entries, in reading order."""
    found: list[MkDocsPage] = []
    for item in items:
        found += [item] if item.is_page else _pages_of(item.children or [])
    return found


def _meta(file: File) -> Mapping[str, Any]:
    """The front matter of a page."""
    try:
        return get_data(file.content_string)[1]
    except (OSError, UnicodeDecodeError):
        return {}  # mkdocs reads the file next and reports what is wrong with it
