"""verify.html of this release, with the scoring that installed tracks of other packages bring along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from benchsite import plugins, resources
from benchsite.errors import ThemeError, TrackError
from benchsite.site.verifier import FACES, FONTS, Verifier, font_faces, with_tracks

__all__ = ["engine", "verifier", "verify_files"]


@dataclass(frozen=True, slots=True)
class Engine:
    """verify.html, its modules, the tracks of other packages with scoring in it, and why others have none."""

    files: Mapping[str, str]
    page: Verifier
    tracks: tuple[str, ...]
    notes: tuple[str, ...]


@lru_cache(maxsize=1)
def engine() -> Engine:
    """The page and its modules, made once."""
    folder = resources.folder("theme") / "verify"
    names = (path for path in sorted(folder.rglob("*")) if path.suffix in {".js", ".css", ".html"})
    files = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in names}
    fonts = folder.parent / "assets" / "fonts"
    files[FONTS] = font_faces({name: (fonts / name).read_bytes() for name in FACES})
    page = Verifier.of(files)
    notes: list[str] = []
    fitting: dict[str, Mapping[str, str]] = {}
    for name, track in plugins.tracks().items():
        if not track.browser:
            continue
        try:
            modules = plugins.browser_modules(track)
            page = Verifier.of(with_tracks(files, {**fitting, name: modules}))
            fitting[name] = modules
        except (ThemeError, TrackError) as error:
            notes.append(f"{error.message}: the numbers of track {name!r} are not checked in the browser")
    return Engine(with_tracks(files, fitting), page, tuple(fitting), tuple(notes))


def verify_files() -> Mapping[str, str]:
    """`theme/verify` as it came with this release, and the modules of installed tracks of other packages.

    An instance's own theme does not change the engine. Modules of a track that do not fit are left out.
    """
    return engine().files


def verifier() -> Verifier:
    """verify.html of this release."""
    return engine().page
