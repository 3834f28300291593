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
from benchsite.schema import FINGERPRINT, SLUG, Bounded, Fingerprint, Seen, Slug
from benchsite.site.repository import web_address
from benchsite.track import NOTHING, Grant

MAX_WITNESSES: Final = 64
_ONE: Final = "remove one of the two: each witness has one name and one key"
"""With their lines a served checkpoint stays a signed note, which has at most 100."""

MAX_TITLE: Final = 120
"""Characters of a subject's title."""

MAX_TRACKS: Final = 50
"""Names of a subject, one a track."""

VARIABLE: Final = "^[A-Za-z_][A-Za-z0-9_]{0,99}$"
HOST: Final = r"^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?$"
MIRROR: Final = r"^https://[a-z0-9.-]{1,200}(:[0-9]{1,5})?(/[A-Za-z0-9._~-]{1,200}){0,20}/?$"
OURS: Final = "BENCHSITE_"
"""The prefix of the variables that hold our keys; no grant names one."""

ORIGIN_FORM: Final = (
    "a URL prefix without a scheme, its host in lower-case ASCII, such as example.org/my-bench/log"
)
_PATTERNS: Final = {
    VARIABLE: "must be the name of an environment variable: letters, digits and underscores",
    HOST: "must be the name of a host in lower case, such as api.example.com, with or without a port",
    ORIGIN: f"must be {ORIGIN_FORM}",
    MIRROR: "must be an address such as https://host/path, of letters, digits and . _ ~ - alone",
    SLUG: "must be 1 to 80 of a-z, 0-9 and -, not starting with -",
    FINGERPRINT: 'must be "sha256:" and 64 hexadecimal digits in lower case',
}
"""What a text must look like, in words, by its pattern."""

Host = Annotated[str, StringConstraints(pattern=HOST)]
Variable = Annotated[str, StringConstraints(pattern=VARIABLE)]
Mirror = Annotated[str, StringConstraints(pattern=MIRROR)]
Origin = Annotated[str, StringConstraints(pattern=ORIGIN, max_length=MAX_ORIGIN)]


class GrantConfig(Bounded):
    """What one measured program may have, which it cannot give itself.

    Attributes:
        network: whether it may reach every host of the network.
        hosts: names of the hosts that it may reach, and no others.
        env: names of the environment variables that are passed on.
        memory_mb: how many megabytes it and what it starts may hold together.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    network: bool = NOTHING.network
    hosts: Annotated[tuple[Host, ...], Field(strict=False, max_length=100)] = NOTHING.hosts
    env: Annotated[tuple[Variable, ...], Field(strict=False)] = NOTHING.environment
    memory_mb: Annotated[int, Field(gt=0)] = NOTHING.memory_mb


class SubjectConfig(Bounded):
    """A subject that several tracks measure.

    Attributes:
        title: its name on its page.
        names: what receipts call it, by track.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    title: Annotated[Seen, Field(max_length=MAX_TITLE)]
    names: Annotated[dict[Slug, Seen], Field(min_length=1, max_length=MAX_TRACKS)]


class BenchsiteConfig(Bounded):
    """What `extra.benchsite` may say.

    Attributes:
        origin: the log's identity, a scheme-less URL prefix; moving domain keeps it.
        suite: what `benchsite run` measures, one mapping a run.
        grants: what a measured program may have, by its name in the suite or on the command line.
        subjects: which names of several tracks are one system, by the id in the path of its page.
        root_keys: fingerprints of the root keys that may open the log.
        witnesses: verifier keys (C2SP vkeys of type 04) of the outside parties whose cosignatures count.
        images: container image tag to digest, written by the release workflow.
        mirrors: where large evidence may be fetched from, by hash.
        banner: a line shown on top of every page.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    origin: Origin
    suite: Annotated[tuple[dict[str, Any], ...], Field(strict=False)] = ()
    grants: Annotated[dict[str, GrantConfig], Field(default_factory=dict)]
    subjects: Annotated[dict[Slug, SubjectConfig], Field(default_factory=dict)]
    root_keys: Annotated[tuple[Fingerprint, ...], Field(strict=False)] = ()
    witnesses: Annotated[tuple[str, ...], Field(strict=False, max_length=MAX_WITNESSES)] = ()
    images: Annotated[dict[str, str], Field(default_factory=dict)]
    mirrors: Annotated[tuple[Mirror, ...], Field(strict=False, max_length=20)] = ()
    banner: str = ""
    site_size_limit_mb: Annotated[int, Field(gt=0)] = 900


MAX_SITE_NAME: Final = 120
"""Characters: each page, feed and title has the name in full."""


class Site(Bounded):
    """The few mkdocs settings that we read too; mkdocs itself validates the rest."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    site_name: Annotated[str, Field(max_length=MAX_SITE_NAME)] = "benchsite"
    site_url: str = ""
    repo_url: str = ""


class Config:
    """Both halves of `mkdocs.yml`, checked."""

    def __init__(self, document: yaml_document.YamlDocument) -> None:
        extra = document.value.get("extra") if isinstance(document.value, dict) else None
        if not isinstance(extra, dict) or "benchsite" not in extra:
            raise PrerequisiteError(
                f"not a benchsite instance: {CONFIG} has no extra.benchsite",
                hint="run `benchsite init DIR` to create one",
            )
        self.document = document
        self.site = document.check(Site)
        self.benchsite = document.check(BenchsiteConfig, "extra", "benchsite", patterns=_PATTERNS)
        self.witnesses = _witnesses(document, self.benchsite.witnesses)
        _check_subjects(document, self.benchsite.subjects)
        _check_grants(document, self.benchsite.grants)
        _check_repository(document, self.site.repo_url)

    def grant(self, subject: str) -> Grant:
        """What the maintainer grants a measured program; nothing where it is not named."""
        found = self.benchsite.grants.get(subject)
        if found is None:
            return NOTHING
        return Grant(found.network, found.hosts, found.env, found.memory_mb)

    @classmethod
    def read(cls, root: Path) -> Config:
        """Read `mkdocs.yml` of an instance.

        Raises:
            PrerequisiteError: there is no such file, or it configures no instance.
            InputError: it is malformed; file, line and key in the message.
        """
        path = root / CONFIG
        try:
            if path.exists() and not path.is_file():
                raise InputError(f"{path} is not a regular file", hint="replace it with a file")
            data = path.read_bytes()
        except FileNotFoundError:
            raise PrerequisiteError(
                f"not a benchsite instance: {root} has no {CONFIG}",
                hint="run `benchsite init DIR` to create one",
            ) from None
        except OSError as error:
            raise InputError(
                f"cannot read {path}: {error.strerror}", hint="check its owner and permissions"
            ) from None
        return cls(yaml_document.load(data, CONFIG))


def _check_grants(document: yaml_document.YamlDocument, grants: dict[str, GrantConfig]) -> None:
    for subject, grant in grants.items():
        for place, name in enumerate(grant.env):
            if name.upper().startswith(OURS):
                path = ("extra", "benchsite", "grants", subject, "env", place)
                message = f"{name} is a variable of benchsite and never passed to a measured program"
                raise document.error(path, message, hint="remove it")


def _check_subjects(document: yaml_document.YamlDocument, subjects: dict[str, SubjectConfig]) -> None:
    """Raise if two subjects have the same name on a track."""
    owners: dict[tuple[str, str], str] = {}
    for key, subject in subjects.items():
        for track, name in subject.names.items():
            owner = owners.setdefault((track, name), key)
            if owner != key:
                path = ("extra", "benchsite", "subjects", key, "names", track)
                message = f"{name} of track {track} is already a name of {owner}"
                raise document.error(path, message, hint="remove it from one of the two")


def _check_repository(document: yaml_document.YamlDocument, repo_url: str) -> None:
    """Refuse what no page can link to and what mkdocs cannot read. The value is not shown: it may hold credentials."""
    is_web = repo_url.startswith(("https://", "http://")) and web_address(repo_url)
    if repo_url and not (is_web and repo_url.isascii() and not set(repo_url) & set("[]")):
        message = "must be the web address of the repository"
        raise document.error(("repo_url",), message, hint="write it as https://host/owner/name")


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
                raise document.error(path, f"{witness.name} is named twice", hint=_ONE)
            if witness.public_key == other.public_key:
                raise document.error(path, f"{witness.name} has the same key as {other.name}", hint=_ONE)
        found.append(witness)
    return tuple(found)
