"""Groups of artifacts with the same answer, and the order in which they win (specs/agents.md, "Termination")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchsite.stats import exact_mean
from benchsite.tracks.agents.systems.agent.artifact import Artifact

__all__ = ["Group", "by_signature", "ranked", "vote_artifacts"]


@dataclass(frozen=True, slots=True)
class Group:
    """Artifacts that mean the same, at least one."""

    members: tuple[Artifact, ...]

    @property
    def representative(self) -> Artifact:
        """The direct member with the highest confidence; of equal ones, the first by its agent's name."""
        return min(self.members, key=lambda one: (not one.is_direct, -one.confidence, one.agent))

    @property
    def rank(self) -> tuple[int, int, int, float, str]:
        """What groups are ordered by, ascending: the representative's signature breaks the last tie."""
        return (
            -len(self.members),
            -sum(len(one.evidence_summary) for one in self.members),
            -sum(one.used_tools for one in self.members),
            -exact_mean([one.confidence for one in self.members]),
            self.representative.signature,
        )


def by_signature(artifacts: Iterable[Artifact]) -> list[Group]:
    """Group artifacts whose answers have equal signatures."""
    found: dict[str, list[Artifact]] = {}
    for one in artifacts:
        found.setdefault(one.signature, []).append(one)
    return [Group(tuple(members)) for members in found.values()]


def ranked(groups: Iterable[Group]) -> list[Group]:
    """Order groups by votes, evidence items, members that used tools, mean confidence, then signature."""
    return sorted(groups, key=lambda group: group.rank)


def vote_artifacts(artifacts: Sequence[Artifact]) -> Artifact | None:
    """Return the representative of the first group of direct answers.

    If no answer is direct, all that are not empty vote; None if there is none.
    """
    direct = [one for one in artifacts if one.is_direct]
    groups = ranked(by_signature(direct or [one for one in artifacts if one.is_usable]))
    return groups[0].representative if groups else None
