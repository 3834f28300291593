"""The image that subjects are measured in: `extra.benchsite.images` of mkdocs.yml, read and written.

    python .ci/image.py show                   the image of the installed version; nothing where none is recorded
    python .ci/image.py record v0.1.0 IMAGE    write one, as release.yml does

IMAGE is a name and a digest, `ghcr.io/owner/name@sha256:...`: a tag can be moved, a digest cannot. A recorded image
is never replaced, because receipts name it. `record` edits lines, so that comments and layout stay, and writes only
what reads back as the old configuration and one entry more.
"""  # noqa: INP001 - a script that CI runs, no part of the package

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from benchsite import __version__, yaml_document
from benchsite.errors import BenchsiteError, InputError, PrerequisiteError, UsageError
from benchsite.layout import CONFIG
from benchsite.pipeline.workspace.config import Config

TAG: Final = re.compile(r"v[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.-]{1,40})?")
IMAGE: Final = re.compile(r"[a-z0-9]+(?:[._/:-][a-z0-9]+){0,20}@sha256:[0-9a-f]{64}")
_PLACE: Final = ("extra", "benchsite", "images")


def shown(config: bytes, version: str) -> str:
    """The image recorded for a version; empty where no image is recorded at all.

    Raises:
        PrerequisiteError: images are recorded, but none for this version.
        InputError: what is recorded is no name with a digest.
    """
    images = _config(config).benchsite.images
    tag = f"v{version}"
    if images and tag not in images:
        raise PrerequisiteError(
            f"{CONFIG} records images for {', '.join(images)} and none for {tag}, which is installed",
            hint=f"python .ci/image.py record {tag} NAME@sha256:DIGEST, with the image of that release",
        )
    return _checked(tag, images[tag]) if images else ""


def recorded(config: bytes, tag: str, image: str) -> bytes:
    """The configuration with one image more.

    Raises:
        InputError: tag or image is malformed, the tag is recorded with another image, or the images stand in the
            configuration in a form that this does not edit.
    """
    _checked(tag, image)
    before = _config(config)
    known = before.benchsite.images.get(tag)
    if known == image:
        return config
    if known is not None:
        raise InputError(f"{CONFIG} already records {tag} as {known}: recorded images are never replaced")
    lines = config.decode().splitlines(keepends=True)
    _insert(lines, before, f"{tag}: {image}\n")
    edited = "".join(lines).encode()
    try:
        after = _config(edited)
        same = _without_images(after) == _without_images(before)
        fits = same and after.benchsite.images == {**before.benchsite.images, tag: image}
    except BenchsiteError:
        fits = False
    if not fits:
        raise InputError(
            f"{CONFIG}, line {before.document.line(_PLACE)}: cannot add an image here",
            hint=f"write `images:` as a block under extra.benchsite, one `{tag}: ...` a line",
        )
    return edited


def _insert(lines: list[str], config: Config, entry: str) -> None:
    """Put the entry above the recorded ones, or under an `images:` of its own on top of `extra.benchsite`."""
    here = config.document.value["extra"]["benchsite"]
    place = config.document.line(_PLACE[: 3 if here.get("images") else 2]) - 1
    indent = _indent(lines[place])
    if here.get("images"):
        lines.insert(place, indent + entry)
        return
    if "images" in here:
        del lines[config.document.line(_PLACE) - 1]
    while lines[place - 1].lstrip().startswith("#") and _indent(lines[place - 1]) == indent:
        place -= 1
    lines[place:place] = [f"{indent}images:\n", f"{indent}  {entry}"]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def _config(data: bytes) -> Config:
    return Config(yaml_document.load(data, CONFIG))


def _without_images(config: Config) -> dict[str, object]:
    extra = config.document.value["extra"]
    ours = {key: value for key, value in extra["benchsite"].items() if key != "images"}
    return {**config.document.value, "extra": {**extra, "benchsite": ours}}


def _checked(tag: str, image: str) -> str:
    if not TAG.fullmatch(tag):
        raise InputError(f"{tag!r} is not a release tag, for example v0.1.0")
    if not IMAGE.fullmatch(image):
        raise InputError(f"{image!r} is not an image name with digest, for example ghcr.io/a/b@sha256:...")
    return image


def main(arguments: list[str]) -> int:
    """Do what the first argument says; the exit code."""
    path = Path(CONFIG)
    try:
        match arguments:
            case ["show"]:
                print(shown(path.read_bytes(), __version__))  # noqa: T201 - the answer, for a shell
            case ["record", tag, image]:
                path.write_bytes(recorded(path.read_bytes(), tag, image))
            case _:
                raise UsageError("python .ci/image.py show | record TAG NAME@sha256:DIGEST")
    except BenchsiteError as error:
        print("error:", error.message, error.hint and f"\n  hint: {error.hint}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
