"""Check a receipt, and score it again from the answers that it pins."""

import json

from benchsite import canonical
from benchsite.history import Given, Headline, Rescore, Rescoring, Subject, Summary, Target, differences
from benchsite.methodology import Methodology
from benchsite.receipt import Document, Receipt, check_body
from benchsite_sums.engines import tolerance
from benchsite_sums.metrics import score
from benchsite_sums.payload import Config, Payload
from benchsite_sums.violations import violations


def check(document: Document) -> None:
    check_body(document, Payload, Config)


def rescore(receipt: Receipt, given: Given, *, deep: bool) -> Rescoring:
    document = receipt.document
    found = tuple(violations(document))
    data = given.evidence(document["evidence"][0]["sha256"])
    if data is None or given.methodology is None:
        return Rescoring(Rescore.NOT_RESCORABLE, "the answers are not at hand", violations=found)
    answers = [json.loads(line) for line in data.decode().splitlines()]
    differing = tuple(
        item
        for name, value in score(answers, tolerance(given.methodology)).items()
        for item in differences(document[name], value, name)
    )
    return Rescoring(Rescore.DIFFERS if differing else Rescore.MATCHES, "", 6, differing, found)


def needs(document: Document) -> frozenset[str]:
    return frozenset(item["sha256"] for item in document["evidence"])


def target(document: Document) -> Target:
    return Target("fixture", document["fixture"]["id"], document["fixture"]["sha256"])


def summary(document: Document, methodology: Methodology | None) -> Summary:
    system, ends = document["system"], document["intervals"]["accuracy"]
    row = canonical.digest(dict(system))
    return Summary(
        subject=Subject(system["name"], system["version"], ""),
        target=document["fixture"]["id"],
        target_sha256=document["fixture"]["sha256"],
        row=row,
        identity=canonical.digest({"row": row, "config": dict(document["config"])}),
        headline=Headline("accuracy", document["scores"]["accuracy"], ends["low"], ends["high"]),
    )
