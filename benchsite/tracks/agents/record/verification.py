"""What verification asks of the track: is the body well formed, do its numbers follow, what does a header keep.

Three levels, reported separately (specs/agents.md): the scores from the run columns, which the receipt holds; the
columns from the traces, if they are at hand; the success of each run from the benchmark, if its data is given too. The
step `agreement` ties the last two: trace and action record of a run must agree, and its outcome must follow from both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from benchsite import canonical
from benchsite.history import Given, Headline, Rescore, Rescoring, Subject, Summary, Target
from benchsite.methodology import Methodology
from benchsite.receipt import Document, Receipt, check_body
from benchsite.tracks.agents.record import violations
from benchsite.tracks.agents.record.columns import Levels, further_levels
from benchsite.tracks.agents.record.config import perturbation_words
from benchsite.tracks.agents.record.payload import Config, Payload
from benchsite.tracks.agents.record.rescore import compared, score_differences
from benchsite.tracks.agents.record.sentences import said
from benchsite.tracks.agents.scores.scoring import SUCCESS
from benchsite.words import options_words

_SAID: Final = {
    ("tools", "all"): said("label-tools-all"),
    ("tools", "domains"): said("label-tools-domains"),
}


def check(document: Document) -> None:
    """Validate the track's own keys and the configuration.

    Raises:
        ReceiptError: a field breaks the schema; the field is named.
    """
    check_body(document, Payload, Config)


def rescore(receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
    """Re-score from the run columns; `deep` adds the bootstrap, and the columns from the evidence that is at hand."""
    document = receipt.document
    broken = tuple(violations.violations(document))
    found = [*score_differences(document, bootstrap=deep)]
    levels = further_levels(document, given) if deep else Levels((), (), ())
    found += levels.differences
    broken += tuple(levels.violations)
    state = Rescore.DIFFERS if found else Rescore.MATCHES
    checked, every = compared(document, deep=deep), compared(document, deep=True)
    return Rescoring(state, "", checked, tuple(found), broken, omitted=every - checked, further=levels.steps)


def needs(document: Document) -> frozenset[str]:
    """No evidence is needed for the numbers. They follow from the run columns, which the receipt holds."""
    del document
    return frozenset()


def target(document: Document) -> Target:
    """The benchmark."""
    return Target("benchmark", document["benchmark"]["id"], document["benchmark"]["sha256"])


def summary(document: Document, methodology: Methodology | None) -> Summary:
    """What a header keeps: subject, benchmark, board row and the success rate."""
    del methodology
    system, config = document["system"], document["config"]
    interval = document["intervals"].get(SUCCESS) or {}
    return Summary(
        subject=Subject(system["name"], system["version"], label(document)),
        target=document["benchmark"]["id"],
        target_sha256=document["benchmark"]["sha256"],
        row=row(system, config),
        identity=identity(system, config),
        headline=Headline(
            SUCCESS, document["scores"].get(SUCCESS), interval.get("low"), interval.get("high")
        ),
        unranked=(said("perturbed-runs", what=words),) if (words := perturbation_words(config)) else (),
    )


def row(system: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The board row of a system: equal for equal name, version, model and configuration.

    The digest of its program and those of imported files are excluded: what replaces them replaces its own row.
    """
    source = config["source"]
    kept = None if source is None else {"kind": source["kind"], "configuration": source["configuration"]}
    uses = {role: {**use, "sha256": None} for role, use in system.get("models", {}).items()}
    return identity({**system, "models": uses}, {**config, "subjectSha256": None, "source": kept})


def identity(system: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """What was measured, program and all: equal for runs that measure the same thing, however many went on at once."""
    named = {key: system.get(key) for key in ("name", "version", "sizes", "prompts")}
    named["models"] = _models(system)
    if files := {role: use["sha256"] for role, use in system.get("models", {}).items() if use.get("sha256")}:
        named["modelFiles"] = files
    return canonical.digest({**named, "config": {**config, "concurrency": None}})


def _models(system: Mapping[str, Any]) -> dict[str, str]:
    """Each role's model as it was requested, which is known before a run, with its settings; else as the source names it."""
    uses = {role: _named(use) for role, use in system.get("models", {}).items()}
    if system.get("model") is not None:
        uses.setdefault("default", system["model"])
    return {role: name or "not stated" for role, name in uses.items()}


def _named(use: Mapping[str, Any]) -> str | None:
    name = use["requested"] or use["responded"]
    settings = use.get("settings")
    return f"{name} ({', '.join(options_words(settings))})" if name and settings else name


def label(document: Document) -> str:
    """The model and the options in words."""
    system, config = document["system"], document["config"]
    return ", ".join(_words(system, config))


def in_words(options: Mapping[str, Any]) -> Iterator[str]:
    """The options of a system in words."""
    for name, value in sorted(options.items()):
        yield _SAID.get((name, value)) or options_words({name: value})[0]


def published_name(configuration: str) -> str:
    """Return the name of a system by the published configuration: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", configuration.lower()).strip("-")


def _words(system: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    published = (config["source"] or {}).get("configuration", "")
    if published_name(published) == system["name"] != published.lower().replace("_", "-"):
        yield said("label-published", name=published)
    names = _models(system)
    if len(set(names.values())) == 1:
        yield said("label-model", name=next(iter(names.values())))
    else:
        yield from (said("label-role", role=role, name=name) for role, name in names.items())
    yield from in_words(config["options"])
    if words := perturbation_words(config):
        yield said("label-perturbed", what=words)
    if config["runsPerTask"] > 1:
        yield said("label-runs", count=config["runsPerTask"])
