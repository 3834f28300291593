"""Why a leaderboard lists a receipt separately: DESIGN.md, "Receipts", and specs/retrieval.md, "Boards"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from benchsite.history.sentences import RESCORE_SENTENCES, SENTENCES, said
from benchsite.history.verdict import Examination, Rescore, Summary, Verdict

IMPORTED: Final = said("measured-elsewhere", origin="import")
_AMONG_IMPORTS: Final = "will be ranked among imported results only: measured elsewhere, scored here"
_RANKED_VERDICTS: Final = frozenset({Verdict.LOGGED, Verdict.WITNESSED, Verdict.DISPUTED})


def reasons(
    seen: Examination, document: Mapping[str, object], summary: Summary, limited: str
) -> tuple[str, ...]:
    """Every reason, in words: what verification found, then what the receipt says of itself."""
    found: list[str] = []
    if seen.verdict not in _RANKED_VERDICTS:
        found.append(SENTENCES[seen.verdict])
    found += _number_reasons(seen)
    return (*found, *unranked(document, summary, limited))


def unranked(document: Mapping[str, object], summary: Summary, limited: str) -> tuple[str, ...]:
    """Why a run will not be ranked, whatever verification says of it: known as soon as it is a draft.

    Args:
        document: a document whose schema has been checked.
        summary: what a header keeps of it.
        limited: the track's words for a run with a limit, `{limit}` for the number.
    """
    found: list[str] = []
    config = document.get("config")
    environment = document.get("environment")
    git = environment.get("git") if isinstance(environment, Mapping) else None
    if isinstance(config, Mapping) and config.get("limit") is not None:
        found.append(limited.replace("{limit}", str(config["limit"])))
    if document.get("simulated"):
        found.append(said("simulated-model"))
    if isinstance(git, Mapping) and git.get("dirty"):
        found.append(said("dirty-tree"))
    elif isinstance(git, Mapping) and git.get("dirty") is None:
        found.append(said("tree-unknown"))
    if document.get("origin", "native") != "native":
        found.append(said("measured-elsewhere", origin=str(document["origin"])))
    if summary.headline.value is None:
        found.append(said("no-score", metric=summary.headline.metric))
    if document.get("reproduces") is not None:
        found.append(said("reproduction-of", original=str(document["reproduces"])))
    return (*found, *summary.unranked)


def standing(found: tuple[str, ...], *, imports: bool) -> tuple[str, ...]:
    """What is said of a draft's rank, in sentences; none where nothing is to be said.

    Args:
        found: the reasons that `unranked` gives.
        imports: whether the track reads results of runs made elsewhere, and so ranks them among themselves.
    """
    if imports and found == (IMPORTED,):
        return (_AMONG_IMPORTS,)
    return tuple(f"will not be ranked: {reason}" for reason in found)


def _number_reasons(seen: Examination) -> Iterator[str]:
    """What its own re-score found: only recomputed scores are ranked."""
    if seen.rescore is Rescore.DIFFERS:
        yield RESCORE_SENTENCES[Rescore.DIFFERS]
    elif seen.rescore is Rescore.NOT_RESCORABLE:
        yield said("not-rescored", why=seen.rescoring.reason)
    if seen.rescoring.violations:
        yield seen.rescoring.violations[0].message
