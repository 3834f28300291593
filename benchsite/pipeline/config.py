"""The configuration: `mkdocs.yml`, ours under `extra.benchsite`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchsite.errors import InputError, PrerequisiteError
from benchsite.log.checkpoint import MAX_ORIGIN, ORIGIN
from benchsite.pipeline import yaml_document
from benchsite.schema import Fingerprint

FILE: Final = "mkdocs.yml"

Origin = Annotated[str, StringConstraints(pattern=ORIGIN, max_length=MAX_ORIGIN)]


class BenchsiteConfig(BaseModel):
    """What `extra.benchsite` may say.

    Attributes:
        origin: the log's identity, a scheme-less URL prefix; moving domain keeps it.
        suite: what `benchsite run` measures, one mapping a run.
        root_keys: fingerprints of the root keys that may open the log.
        images: container image tag to digest, written by the release workflow.
        mirrors: where large evidence may be fetched from, by hash.
        banner: a line shown on top of every page.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    origin: Origin
    suite: Annotated[tuple[dict[str, Any], ...], Field(strict=False)] = ()
    root_keys: Annotated[tuple[Fingerprint, ...], Field(strict=False)] = ()
    witnesses: Annotated[tuple[str, ...], Field(strict=False)] = ()
    images: dict[str, str] = {}
    mirrors: Annotated[tuple[str, ...], Field(strict=False)] = ()
    banner: str = ""
    site_size_limit_mb: Annotated[int, Field(gt=0)] = 900


class Site(BaseModel):
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
                f"{FILE} says nothing under extra.benchsite: this is not a benchsite instance",
                hint="`benchsite init DIR` makes one",
            )
        self.document = document
        self.site = document.check(Site)
        self.benchsite = document.check(BenchsiteConfig, "extra", "benchsite")

    @classmethod
    def read(cls, root: Path) -> Config:
        """Read `mkdocs.yml` of an instance.

        Raises:
            PrerequisiteError: there is no such file, or it configures no instance.
            InputError: it is malformed; file, line and key in the message.
        """
        path = root / FILE
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise PrerequisiteError(
                f"{root} holds no {FILE}: it is not a benchsite instance",
                hint="`benchsite init DIR` makes one",
            ) from None
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        return cls(yaml_document.load(data, FILE))
