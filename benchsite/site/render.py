"""Jinja2: a page's template and context to its HTML body. The sole importer of jinja2.

Everything is escaped unless a template of ours marks it safe, an unknown name is an error, and invisible or
reordering characters in foreign text come out as visible escapes whatever a template forgets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from importlib.resources import files
from itertools import chain
from keyword import iskeyword
from traceback import walk_tb
from typing import Any, Final

import jinja2
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

from benchsite.addresses import methodology_path, methodology_track_path, receipt_page_path, subject_path
from benchsite.board.pages import OUTCOMES
from benchsite.errors import ThemeError
from benchsite.history import RESCORE_SENTENCES, SENTENCES
from benchsite.site import badge, charts, checklist, citation, formats, marks
from benchsite.site.pages.log import place
from benchsite.site.repository import Hosted
from benchsite.track import Page, Track

__all__ = ["Renderer", "failed_at", "relative_root", "site_root"]

SITE_PREFIX: Final = "site"


class Renderer:
    """Templates of the site and of each track, compiled once.

    A template is named `<track>/<file>` or `site/<file>`.

    Args:
        tracks: the installed tracks; one that has a folder `templates/` may use templates of its own.
        site_url: where the site will be, or empty where that is unknown.
        repository: where its repository is on the web, None where that is unknown.
        images: container image digests that releases announced, by tag.
    """

    def __init__(
        self,
        tracks: Mapping[str, Track],
        *,
        site_url: str = "",
        repository: Hosted | None = None,
        images: Mapping[str, str] | None = None,
    ) -> None:
        folders = {SITE_PREFIX: "benchsite.site", **{name: track.package for name, track in tracks.items()}}
        self._packages = folders
        loaders = {
            name: jinja2.PackageLoader(package, "templates")
            for name, package in sorted(folders.items())
            if (files(package) / "templates").is_dir()
        }
        self._environment = _Environment(
            loader=jinja2.PrefixLoader(loaders),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=_inert,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
        )
        self._environment.filters.update(formats.FILTERS)
        self._environment.globals.update(
            {name: _markup(drawn) for name, drawn in charts.CHARTS.items()},
            chart=partial(_chart, tracks),
            scale=charts.Scale.around,
            balanced=charts.Scale.balanced,
            verdicts=marks.VERDICTS,
            states=marks.STATES,
            sentences=SENTENCES,
            rescore_sentences=RESCORE_SENTENCES,
            cells=_cells,
            rows=_rows,
            mark=_mark,
            receipt_path=receipt_page_path,
            subject_path=subject_path,
            methodology_path=methodology_path,
            methodology_track_path=methodology_track_path,
            checks=marks.checks,
            checklist=partial(checklist.checklist, images=dict(images or {})),
            passing=checklist.passing,
            metric=lambda track, key: tracks[track].metric(key),
            outcomes=OUTCOMES,
            site_url=site_root(site_url),
            repository=repository,
            log_entry=place,
            citation=partial(citation.bibtex, site_url=site_root(site_url)),
            board_citation=partial(citation.board_bibtex, site_url=site_root(site_url)),
            badge=partial(badge.markdown, site_url=site_root(site_url)),
            subject_markdown=partial(badge.subject_markdown, site_url=site_root(site_url)),
            titles={name: track.title for name, track in tracks.items()},
        )

    def compile(self, tracks: Collection[str]) -> None:
        """Compile the templates of the site and of these tracks; what is wrong with one is said of the page that needs it."""
        for name in self._environment.list_templates():
            if name.partition("/")[0] in (SITE_PREFIX, *tracks):
                with suppress(jinja2.TemplateError):
                    self._environment.get_template(name)

    def body(self, page: Page) -> str:
        """The page's HTML body.

        Raises:
            ThemeError: the template is missing or fails; template and line in the message.
        """
        root = relative_root(page.path)
        try:
            template = self._environment.get_template(page.template)
            return template.render(page.context, url=_Links(root), page_path=page.path, title=page.title)
        except jinja2.TemplateError as error:
            where = getattr(error, "name", None) or page.template
            line = getattr(error, "lineno", None)
            at = f"{where}:{line}" if line else where
            raise self._failed(page, f"{at}: {error}") from error
        except Exception as error:  # a template computes, and may be of another package
            said = f"{type(error).__name__}: {error}"
            raise self._failed(page, f"{page.template}: {said}") from error

    def _failed(self, page: Page, why: str) -> ThemeError:
        """Return the error of a page whose template fails: it is packaged, so no theme can mend it."""
        package = self._packages.get(page.template.partition("/")[0], "benchsite").partition(".")[0]
        return ThemeError(
            f"page /{page.path}: template {why}", hint=f"report it to the maintainers of {package}"
        )


def failed_at(error: BaseException) -> tuple[str, int] | None:
    """The file and line of the template that raised an error; line 0 where there is no such template, None for other errors."""
    if isinstance(error, jinja2.TemplateSyntaxError):
        return error.filename or error.name or "", error.lineno
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if "__jinja_exception__" in frame.f_globals  # by which jinja2 knows the frames that it puts in
    ]
    if isinstance(error, jinja2.TemplateNotFound):
        places.insert(0, (str(error.name or ""), 0))
    return places[-1] if places else None


class _Links:
    """`url("retrieval/x/")`: a site path as a link relative to the page that has it."""

    __slots__ = ("_root",)

    def __init__(self, root: str) -> None:
        self._root = root

    def __call__(self, path: str) -> str:
        return f"{self._root}{path}" or "./"


def relative_root(path: str) -> str:
    """The way from a page back to the site's root: `../../` for `retrieval/x/`, empty for the root itself."""
    return "../" * path.count("/")


def site_root(site_url: str) -> str:
    """The site's address ending in one `/`, so that a path can follow; empty where it is unknown."""
    return f"{site_url.rstrip('/')}/" if site_url else ""


class _Generator(CodeGenerator):
    """Compiles `{{ value }}` to one call, `_inert(value)`, which escapes; the engine would add `escape` around it.

    A page prints two hundred values, and most of them are remembered as escaped. A call in a template is a plain call:
    no function here asks for the context that the engine would hand to it.
    """

    def _output_child_pre(self, node: Any, frame: Any, finalize: Any) -> None:  # noqa: ARG002 - jinja2's
        self.write("environment.finalize(")

    def _output_child_post(self, node: Any, frame: Any, finalize: Any) -> None:  # noqa: ARG002 - jinja2's
        self.write(")")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: FBT001, FBT002, N802 - jinja2's
        """Write the function and its arguments; anything but plain arguments is left to the engine."""
        if (
            forward_caller
            or node.dyn_args
            or node.dyn_kwargs
            or any(iskeyword(one.key) for one in node.kwargs)
        ):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


class _Environment(jinja2.Environment):
    """Templates that share one set of names: no chain of mappings is copied for each page."""

    code_generator_class = _Generator

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:  # noqa: ARG002 - jinja2's
        """The environment's own names; no template is given others."""
        return self.globals


def _inert(value: Any) -> Markup:
    """What a template prints: escaped text with nothing invisible in it; what is markup stays as it is."""
    if type(value) is str:
        return _safe(value)
    return value if type(value) is Markup else escape(value)


@lru_cache(maxsize=2_048)
def _safe(text: str) -> Markup:
    """Escaped once and remembered: the same few words and figures are in ten thousand pages."""
    return escape(formats.visible(text))


def _cells(texts: Sequence[str], classes: Sequence[str]) -> Markup:
    """Table cells of plain text, each with its class or none; several times faster than a loop in a template."""
    opened = _opened(tuple(classes))
    body = _joined(texts, [opened[0], *(f"</td>{start}" for start in opened[1:])])
    return Markup(f"{body}</td>")  # noqa: S704 - every text is escaped there


def _rows(records: Iterable[Any], classes: Sequence[str]) -> Markup:
    """Table rows of records that have `cells`."""
    opened = _opened(tuple(classes))
    first, *others = opened
    between = [f"</td></tr>\n<tr>{first}", *(f"</td>{start}" for start in others)]
    rows = [record.cells for record in records]
    if not rows:
        return Markup()
    if wrong := [row for row in rows if len(row) != len(between)]:
        raise ValueError(f"a row of {len(wrong[0])} cells, and {len(between)} classes")
    body = _joined([*chain.from_iterable(rows)], between * len(rows)).removeprefix("</td></tr>\n")
    return Markup(f"{body}</td></tr>\n")  # noqa: S704 - every text is escaped there


def _joined(texts: Sequence[str], before: Sequence[str]) -> str:
    """Each text, escaped, with the markup that comes before it."""
    return "".join(chain.from_iterable(zip(before, map(_safe, texts), strict=True)))


@lru_cache(maxsize=64)
def _mark(mark: marks.Mark) -> Markup:
    """A glyph and a word in the color of their tone; the glyph is not read aloud."""
    return Markup('<span class="state {}"><span aria-hidden="true">{}</span> {}</span>').format(
        mark.tone, mark.glyph, mark.word
    )


@lru_cache(maxsize=64)
def _opened(classes: tuple[str, ...]) -> tuple[str, ...]:
    """The opening tags of cells; class names are ours."""
    return tuple(f'<td class="{name}">' if name else "<td>" for name in classes)


def _chart(tracks: Mapping[str, Track], name: str, *args: Any, **options: Any) -> Markup:
    """Draw a chart that a track brings: `chart("sums.errors", ...)`."""
    track, _, own = name.partition(".")
    return Markup(tracks[track].charts[own](*args, **options))  # noqa: S704 - as its templates' own markup


def _markup(function: Any) -> Any:
    def call(*args: Any, **options: Any) -> Markup:
        return Markup(function(*args, **options))  # noqa: S704 - charts escape every text they are given

    return call
