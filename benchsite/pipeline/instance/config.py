"""The configuration: `mkdocs.yml`, ours under `extra.benchsite`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, StringConstraints

from benchsite import yaml_document
from benchsite.errors import InputError, PrerequisiteError
from benchsite.layout import CONFIG
from benchsite.log import NoteError, Witness
from benchsite.log.checkpoint import MAX_ORIGIN, ORIGIN
from benchsite.schema import FINGERPRINT, Bounded, Fingerprint

MAX_WITNESSES: Final = 64
"""With their lines a served checkpoint stays a signed note, which has at most 100."""

_PATTERNS: Final = {
    ORIGIN: "must be a URL prefix without a scheme, its host in lower-case ASCII, such as example.org/my-bench/log",
    FINGERPRINT: 'must be "sha256:" and 64 hexadecimal digits in lower case',
}
"""What a text must look like, in words, by the pattern it is held against."""

Origin = Annotated[str, StringConstraints(pattern=ORIGIN, max_length=MAX_ORIGIN)]


class BenchsiteConfig(Bounded):
    """What `extra.benchsite` may say.

    Attributes:
        origin: the log's identity, a scheme-less URL prefix; moving domain keeps it.
        suite: what `benchsite run` measures, one mapping a run.
        root_keys: fingerprints of the root keys that may open the log.
        witnesses: verifier keys (C2SP vkeys of type 04) of the outside parties whose cosignatures count.
        images: container image tag to digest, written by the release workflow.
        mirrors: where large evidence may be fetched from, by hash.
        banner: a line shown on top of every page.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    origin: Origin
    suite: Annotated[tuple[dict[str, Any], ...], Field(strict=False)] = ()
    root_keys: Annotated[tuple[Fingerprint, ...], Field(strict=False)] = ()
    witnesses: Annotated[tuple[str, ...], Field(strict=False, max_length=MAX_WITNESSES)] = ()
    images: Annotated[dict[str, str], Field(default_factory=dict)]
    mirrors: Annotated[tuple[str, ...], Field(strict=False)] = ()
    banner: str = ""
    site_size_limit_mb: Annotated[int, Field(gt=0)] = 900


class Site(Bounded):
    """The few mkdocs settings that we read too; mkdocs itself validates the rest."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    site_name: str = "benchsite"
    site_url: str = ""


class Config:
    """Both halves of `mkdocs.yml`, checked."""

    def __init__(self, document: yaml_document.YamlDocument) -> None:
        extra = document.value.get("extra") if isinstance(document.value, dict) else None
        if not isinstance(extra, dict) or "benchsite" not in extra:
            raise PrerequisiteError(
                f"{CONFIG} says nothing under extra.benchsite: this is not a benchsite instance",
                hint="`benchsite init DIR` makes one",
            )
        self.document = document
        self.site = document.check(Site)
        self.benchsite = document.check(BenchsiteConfig, "extra", "benchsite", patterns=_PATTERNS)
        self.witnesses = _witnesses(document, self.benchsite.witnesses)

    @classmethod
    def read(cls, root: Path) -> Config:
        """Read `mkdocs.yml` of an instance.

        Raises:
            PrerequisiteError: there is no such file, or it configures no instance.
            InputError: it is malformed; file, line and key in the message.
        """
        path = root / CONFIG
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise PrerequisiteError(
                f"{root} holds no {CONFIG}: it is not a benchsite instance",
                hint="`benchsite init DIR` makes one",
            ) from None
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        return cls(yaml_document.load(data, CONFIG))


def _witnesses(document: yaml_document.YamlDocument, texts: tuple[str, ...]) -> tuple[Witness, ...]:
    """The verifier keys as witnesses, each name and each key once: one party must not count as two."""
    found: list[Witness] = []
    for place, text in enumerate(texts):
        path = ("extra", "benchsite", "witnesses", place)
        try:
            witness = Witness.parse(text)
        except NoteError as error:
            hint = "`benchsite log cosign` and `benchsite log witness-key` print it"
            raise document.error(path, error.message, hint=hint) from None
        for other in found:
            if witness.name == other.name:
                raise document.error(path, f"{witness.name} is named twice")
            if witness.public_key == other.public_key:
                raise document.error(path, f"{witness.name} has the same key as {other.name}")
        found.append(witness)
    return tuple(found)
