"""Experiments among the receipts of the track: receipts with the same settings, of several systems and benchmarks.

A receipt doesn't name its experiment. Receipts belong together if they share methodology version, origin, seed, runs per
task, limits, perturbation, models and whether these are simulated; baselines, which have no model, belong to each such
group. Of a configuration of a system on a benchmark, the latest receipt counts; configurations of one name have names that
say in what they differ (`configurations`). A group is an experiment if it has a multi-agent system and another system that
is no baseline. Retracted, superseded and failed receipts, and reproductions, are in none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from benchsite import canonical
from benchsite.addresses import is_slug
from benchsite.history import Header, History, Verdict
from benchsite.receipt import Document
from benchsite.track import Bodies
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.pages.configurations import Configured, names_of
from benchsite.tracks.agents.systems.names import at_budget

_COUNTED: Final = frozenset({Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED})
_SHARED: Final = ("runsPerTask", "seed", "limit", "perturbation", "budget")


@dataclass(frozen=True, slots=True)
class Experiment:
    """Receipts that can be compared.

    Attributes:
        id: 12 hexadecimal digits of the SHA-256 of what they share.
        shared: what that is.
        models: names of the models, in order.
        simulated: whether a simulated model took part.
        receipts: benchmark to system to receipt, systems in the order of the log; a system is one configuration.
    """

    id: str
    shared: Mapping[str, Any]
    models: tuple[str, ...]
    simulated: bool
    receipts: Mapping[str, Mapping[str, Header]]

    @property
    def path(self) -> str:
        """`agents/experiments/0f1e2d3c4b5a/`."""
        return f"{EXPERIMENTS}{self.id}/"

    @property
    def count(self) -> int:
        """How many receipts it has."""
        return sum(map(len, self.receipts.values()))


EXPERIMENTS: Final = f"{TRACK.name}/experiments/"


def experiments(history: History, bodies: Bodies) -> tuple[Experiment, ...]:
    """Return the experiments of a record, the one with the newest receipt first."""
    groups: dict[bytes, dict[_Models, list[_Member]]] = defaultdict(lambda: defaultdict(list))
    for header in history.of(TRACK.name):
        if header.summary is None or not is_slug(header.summary.target):
            continue
        if header.verdict in _COUNTED and header.superseded_by is None and header.reproduces is None:
            member = _Member.of(header, bodies(header.receipt_id))
            groups[canonical.dumps(member.shared)][member.models, member.simulated].append(member)
    found = [one for by_models in groups.values() for one in _of_group(by_models)]
    return tuple(sorted(found, key=lambda one: (-_newest(one), one.id)))


def _newest(one: Experiment) -> int:
    return max(header.index or 0 for held in one.receipts.values() for header in held.values())


_Models = tuple[tuple[str, ...], bool]
"""Names of models, and whether one of them is simulated."""


@dataclass(frozen=True, slots=True)
class _Member:
    header: Header
    benchmark: str
    system: Configured
    kind: str
    models: tuple[str, ...]
    simulated: bool
    shared: dict[str, Any]

    @classmethod
    def of(cls, header: Header, document: Document) -> _Member:
        config, system = document["config"], document["system"]
        used = {one["responded"] or one["requested"] or "" for one in (system.get("models") or {}).values()}
        source = config["source"]
        return cls(
            header,
            document["benchmark"]["id"],
            Configured.of(
                at_budget(system["name"], config["options"]),
                header.summary.row if header.summary else "",
                document,
            ),
            system["kind"],
            tuple(sorted(used - {""})),
            document.get("simulated", False),
            {
                "methodology": header.methodology,
                "origin": document["origin"],
                "source": source["kind"] if source else None,
                "sentBy": header.sent_by,
                **{name: config.get(name) for name in _SHARED},
            },
        )


def _of_group(by_models: Mapping[_Models, list[_Member]]) -> Iterator[Experiment]:
    """One experiment for each set of models; systems without a model, as baselines are, are in each."""
    plain = by_models.get(((), False), [])
    for (models, simulated), members in by_models.items() if len(by_models) == 1 else _with_models(by_models):
        own = members if members is plain else [*plain, *members]
        teams = {one.benchmark for one in own if one.kind == "multi-agent"}
        others = {
            benchmark: {
                one.system.name for one in own if one.benchmark == benchmark and one.kind != "baseline"
            }
            for benchmark in teams
        }
        if not any(len(systems) > 1 for systems in others.values()):
            continue
        ordered = sorted(own, key=lambda one: one.header.index or 0)
        names = names_of([(one.benchmark, one.system) for one in ordered])
        receipts: dict[str, dict[str, Header]] = {}
        for one, name in zip(ordered, names, strict=True):
            receipts.setdefault(one.benchmark, {})[name] = one.header
        shared = {**next(iter(own)).shared, "simulated": simulated}
        digest = canonical.digest({**shared, "models": list(models)})
        yield Experiment(digest[:12], shared, models, simulated, dict(sorted(receipts.items())))


def _with_models(
    by_models: Mapping[_Models, list[_Member]],
) -> Iterator[tuple[_Models, list[_Member]]]:
    yield from ((models, members) for models, members in by_models.items() if models != ((), False))
