"""verify.html: the modules of `theme/verify` bundled into one file that works from a disk and without a network.

Owns the bundling, the policy and the engine hash (specs/verify.md). The page is the skeleton with three holes: styles
with the site's fonts, the script, and the trust data. The **engine hash** is the SHA-256 of the file with its trust data and mirrors taken
out: one number a release with the tracks that came with it, and another with each set of tracks of other packages.
The policy names script and styles by their hashes: nothing else runs, whatever a receipt says.

The modules of another package's track are in the page as text (`<script type="text/plain">`) and run only in a Worker
that is started for a receipt of that track. A module that does not parse, throws or never ends harms no other track.

Bundling is concatenation in order of dependency, each module a function that returns its exports; comments that stand
alone on their lines are dropped, except license notices (`/*!`). Refuses, as ThemeError naming the module, what
this does not cover: other forms of import and export, and text that a classic script or HTML would read differently.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from typing import Final

from benchsite.errors import ThemeError
from benchsite.site.cards import card

ENTRY: Final = "page.js"
TRACKS: Final = "tracks.js"
SERVICE: Final = "service.js"
SKELETON: Final = "verify.html"
FONTS: Final = "fonts.css"
STYLES: Final = (FONTS, "result.css", "verify.css")
FACES: Final[Mapping[str, tuple[str, int]]] = {
    "ibm-plex-sans-latin-400-normal.woff2": ("IBM Plex Sans", 400),
    "source-serif-4-latin-600-normal.woff2": ("Source Serif 4", 600),
}
"""The fonts of the site's text and headings: file, family and weight."""

_IMPORT: Final = re.compile(
    r'^import \{(?P<names>[^}]*)\} from "\./(?P<module>[a-z0-9/-]+\.js)";\n', re.MULTILINE
)
_EXPORT: Final = re.compile(
    r"^export (?P<what>(?:async )?function\*?|class|const) (?P<name>[A-Za-z_$][\w$]*)(?P<after>.*)",
    re.MULTILINE,
)
_LIST: Final = re.compile(r"^export \{(?P<names>[^}]*)\};?[ \t]*\n?", re.MULTILINE)
# What would change its meaning in one classic script, or end the element that holds it.
_FORBIDDEN: Final = re.compile(
    r"^\s*(?:import|export)\b.*|\bimport\s*\(|\bimport\.meta\b|<!--|^\s*-->|</?script|\\$",
    re.MULTILINE | re.IGNORECASE,
)
_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*(?!!)(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?: as [A-Za-z_$][\w$]*)?")
_PREVIEWED: Final = '<meta property="og:type" content="website">\n'
_CONNECT: Final = "connect-src 'self'"
_MIRROR: Final = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?")
_RESCORE: Final = re.compile(r"rescore-([a-z0-9-]+)\.js")
_WORKER: Final = re.compile(r"worker-([a-z0-9-]+)\.js")
_HOLES: Final = {
    "policy": "<!--POLICY-->",
    "style": "<style>/*STYLE*/</style>",
    "script": "<script>/*ENGINE*/</script>",
    "trust": '<script type="application/json" id="trust"></script>',
}


@dataclass(frozen=True, slots=True)
class Verifier:
    """The page without trust data: what a release ships."""

    page: str

    @classmethod
    def of(cls, files: Mapping[str, str]) -> Verifier:
        """Put the page together.

        Args:
            files: name below `theme/verify/` to text: the modules, the skeleton, the styles.

        Raises:
            ThemeError: the folder is incomplete, or a module does not fit the bundle.
        """
        style = "".join(_needed(files, name) for name in STYLES)
        script = bundle(files)
        if "</style" in style.lower():
            raise ThemeError("theme/verify: a style would end its own element")
        policy = (
            "default-src 'none'; "
            f"script-src '{_source(script)}'; style-src '{_source(style)}'; "
            f"img-src data:; font-src data:; {_CONNECT}; worker-src blob:; base-uri 'none'; form-action 'none'"
        )
        page = _needed(files, SKELETON)
        for hole, text in (
            ("policy", f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
            ("style", f"<style>{style}</style>"),
            ("script", f"{_others(files)}<script>{script}</script>"),
            ("trust", _HOLES["trust"]),
        ):
            if page.count(_HOLES[hole]) != 1:
                raise ThemeError(f"theme/verify/{SKELETON} must hold {_HOLES[hole]} exactly once")
            page = page.replace(_HOLES[hole], text)
        return cls(page)

    @property
    def engine_hash(self) -> str:
        """SHA-256, in hex, of the page with its trust data empty."""
        return sha256(self.page.encode()).hexdigest()

    def with_trust(self, trust: bytes, root: str = "") -> bytes:
        """The page as a site serves it; with its address and picture for link previews where the site's address is known.

        `root` is that address, ending in a slash; empty where it is unknown.

        Of the JSON, `<` and all that is not ASCII is escaped: no text in it can end its element or reorder the page.
        """
        opening, closing = _HOLES["trust"].split("><")
        value = json.loads(trust)
        data = json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
        sources = "".join(f" {_mirror(address)}" for address in value.get("mirrors", ()))
        page = self.page.replace(_CONNECT, _CONNECT + sources, 1)
        page = page.replace(_PREVIEWED, _PREVIEWED + _preview(root), 1)
        return page.replace(_HOLES["trust"], f"{opening}>{data}<{closing}").encode()


def _preview(root: str) -> str:
    """Where the page is and its picture, a line each: the recipe of the engine hash removes whole lines of this shape."""
    if not root:
        return ""
    picture, about = card("verify.html")
    said = {"url": f"{root}verify.html", "image": f"{root}{picture}", "image:alt": about}
    return "".join(
        f'<meta property="og:{name}" content="{escape(" ".join(value.split()))}">\n'
        for name, value in said.items()
    )


def font_faces(fonts: Mapping[str, bytes]) -> str:
    """The style sheet that carries the fonts in itself, so that a saved page has them too."""
    return "".join(
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; '
        f'src: url("data:font/woff2;base64,{b64encode(fonts[name]).decode()}") format("woff2"); }}\n'
        for name, (family, weight) in FACES.items()
    )


def with_tracks(files: Mapping[str, str], others: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The modules with those of other packages' tracks, a Worker's entry for each, and the list of all these tracks.

    Args:
        files: name below `theme/verify/` to text.
        others: track name to its modules, by file name.

    Raises:
        ThemeError: a track has no `rescore-<name>.js`, or a module with a name that is not its own.
    """
    joined = {**files, **{f"worker-{track}.js": _worker(track) for track in others}}
    for track, modules in others.items():
        if f"rescore-{track}.js" not in modules:
            raise ThemeError(f"track {track!r}: rescore-{track}.js is missing")
        for name, text in modules.items():
            if not name.endswith(f"-{track}.js") or name in joined:
                raise ThemeError(f"track {track!r}: name of module {name} is taken by this release")
            joined[name] = text
    return {**joined, TRACKS: tracks_module(files, others)}


def tracks_module(files: Iterable[str], others: Iterable[str] = ()) -> str:
    """`tracks.js` for the modules of ours that there are, and the names of tracks of other packages."""
    names = sorted(found[1] for name in files if (found := _RESCORE.fullmatch(name)))
    imports = "".join(f'import {{ {_constant(name)} }} from "./rescore-{name}.js";\n' for name in names)
    entries = "".join(f'  ["{name}", {_constant(name)}],\n' for name in names)
    return (
        "// The tracks that can be re-scored here, by the name a receipt gives. Written from the modules that there are.\n\n"
        f'{imports}\n/** @typedef {{import("./types.js").Track}} Track */\n\n'
        "/** @type {Map<string, Track>} a Worker of another package's track adds that track */\n"
        f"export const TRACKS = new Map([\n{entries}]);\n\n"
        "/** @type {ReadonlySet<string>} tracks of other packages: each is scored in its own Worker */\n"
        f"export const OTHERS = new Set({json.dumps(sorted(others))});\n"
    )


def _constant(track: str) -> str:
    return track.replace("-", "_").upper()


def _worker(track: str) -> str:
    """The entry of the Worker that scores receipts of one track of another package."""
    return (
        'import { serve } from "./service.js";\nimport { TRACKS } from "./tracks.js";\n'
        f'import {{ {_constant(track)} }} from "./rescore-{track}.js";\n\n'
        f'TRACKS.set("{track}", {_constant(track)});\nserve(self);\n'
    )


def bundle(files: Mapping[str, str]) -> str:
    """One classic script: as a page's script it starts the page, as a Worker's it serves requests."""
    start = (
        f'if (typeof document === "undefined") {_variable(SERVICE)}.serve(self);\n'
        f"else {_variable(ENTRY)}.start(document.currentScript.textContent);\n"
    )
    return '"use strict";\n' + _joined(files, _order(files)) + start


def _others(files: Mapping[str, str]) -> str:
    """What follows the script in the Worker of each track of another package, as an element that does not run."""
    blocks = ""
    for name in sorted(files):
        if found := _WORKER.fullmatch(name):
            rest = _order(files, name)[len(_order(files)) :]
            blocks += f'<script type="text/plain" data-track="{found[1]}">\n{_joined(files, rest)}</script>\n'
    return blocks


def _order(files: Mapping[str, str], *more: str) -> list[str]:
    """The modules of the script, and after them those of further entries; each after what it imports."""
    order: list[str] = []
    for entry in (SERVICE, ENTRY, *more):
        _visit(files, entry, order, ())
    if len({_variable(name) for name in order}) < len(order):
        raise ThemeError("theme/verify: two modules' names differ in punctuation only")
    return order


def _joined(files: Mapping[str, str], names: Iterable[str]) -> str:
    return "".join(_wrapped(name, files[name], files) for name in names)


def _visit(files: Mapping[str, str], name: str, order: list[str], above: tuple[str, ...]) -> None:
    """Depth first, so that what a module imports comes before it."""
    if name in order:
        return
    if name in above:
        raise ThemeError(f"theme/verify: {' imports '.join((*above, name))}")
    for found in _IMPORT.finditer(_needed(files, name)):
        _visit(files, _resolved(name, found["module"]), order, (*above, name))
    order.append(name)


def _wrapped(name: str, source: str, files: Mapping[str, str]) -> str:
    """A module as a function called once, its imports destructured, its exports returned."""
    imports: list[str] = []

    def taken(found: re.Match[str]) -> str:
        module = _resolved(name, found["module"])
        names = _names(name, found["names"])
        if unknown := set(names) - set(_exports(module, files[module])):
            raise ThemeError(f"theme/verify/{name}: {module} does not export {', '.join(sorted(unknown))}")
        imports.append(f"const {{ {', '.join(names)} }} = {_variable(module)};\n")
        return ""

    exports = _exports(name, source)
    body = _EXPORT.sub(r"\g<what> \g<name>\g<after>", _IMPORT.sub(taken, source))
    body = _COMMENT.sub("", _LIST.sub("", body))
    if (wrong := _FORBIDDEN.search(body)) is not None:
        raise ThemeError(f"theme/verify/{name}: the bundle does not cover {wrong[0].strip()!r}")
    if any(line.count("`") % 2 for line in body.split("\n")):
        raise ThemeError(f"theme/verify/{name}: a template literal spans lines")
    names = ", ".join(outer if outer == inner else f"{outer}: {inner}" for outer, inner in exports.items())
    returned = f"return {{ {names} }};\n" if names else ""
    return f"const {_variable(name)} = (() => {{\n{''.join(imports)}{body.strip()}\n{returned}}})();\n"


def _exports(name: str, source: str) -> dict[str, str]:
    """What a module exports: outer name to inner."""
    exports: dict[str, str] = {}
    for found in _EXPORT.finditer(source):
        if found["what"] == "const" and not re.match(r"\s*=", found["after"]):
            raise ThemeError(f"theme/verify/{name}: the bundle does not cover {found[0]!r}")
        exports[found["name"]] = found["name"]
    for found in _LIST.finditer(source):
        for item in _names(name, found["names"]):
            inner, _, outer = item.partition(" as ")
            exports[outer or inner] = inner
    return exports


def _names(module: str, text: str) -> list[str]:
    names = [item.strip() for item in text.split(",") if item.strip()]
    if any(not _NAME.fullmatch(item) for item in names):
        raise ThemeError(f"theme/verify/{module}: the bundle does not cover {{{text}}}")
    return names


def _resolved(importer: str, module: str) -> str:
    folder = importer.rpartition("/")[0]
    return f"{folder}/{module}" if folder else module


def _variable(name: str) -> str:
    return "module_" + re.sub(r"[^a-z0-9]", "_", name.removesuffix(".js"))


def _mirror(address: str) -> str:
    """An address as a source of the policy: everything below it."""
    if not _MIRROR.fullmatch(address):
        raise ThemeError(
            f"mirror address not allowed in the page's policy: {address!r}",
            hint="name it as https://host/path, of letters, digits and . _ ~ - alone",
        )
    return f"{address.rstrip('/')}/"


def _needed(files: Mapping[str, str], name: str) -> str:
    if name not in files:
        raise ThemeError(f"theme/verify/{name} is missing")
    return files[name]


def _source(text: str) -> str:
    """A CSP hash source of an inline element's text."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
