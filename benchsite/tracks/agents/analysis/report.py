"""The analysis of the systems of one benchmark as one JSON document, with a note for everything that limits what it says.

Owns the document and the tables under MAS_Analyzer's names: `topology_metrics`, `scaled_descriptor_matrix`, `embedding_pca`,
`pareto_frontier` and `system_level_metrics`. Blank is null in the document and empty in a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from benchsite.errors import InputError
from benchsite.tabular import csv_bytes
from benchsite.tracks.agents.analysis import front, geometry
from benchsite.tracks.agents.analysis.systems import OBJECTIVES, Compared
from benchsite.words import amount

__all__ = ["analysis", "tables"]

ILL_CONDITIONED: Final = 1e6


def analysis(
    benchmark: str,
    found: Compared,
    over: Sequence[Mapping[str, Any]] = (),
    *,
    reference: str,
    umap: bool = False,
) -> dict[str, Any]:
    """Return the document of one benchmark.

    Args:
        benchmark: its id.
        found: systems and what is compared.
        over: a row per system over all of its tasks, with `system`.
        reference: the system that others are compared with, if there is one of this name.
        umap: also embed by UMAP.

    Raises:
        InputError: fewer than two systems, or no feature or objective that every system states.
        PrerequisiteError: a package is not installed.
    """
    names = list(found.means)
    if len(names) < 2:
        raise InputError(
            f"{benchmark}: {amount(len(names), 'system')} with a summary, but a comparison needs two",
            hint="analyze a folder with the summaries of several systems",
        )
    features = found.features
    if not features:
        raise InputError(f"{benchmark}: no descriptor column is in every summary", hint=_HINT)
    filled, blank, imputed = _filled(found, features)
    scaled = geometry.robust_scaled(geometry.as_matrix(filled))
    varying = [place for place in range(len(features)) if len({row[place] for row in filled}) > 1]
    place = names.index(reference) if reference in names else None
    objectives = front.stated_objectives(list(found.means.values()), OBJECTIVES)
    if not objectives:
        raise InputError(f"{benchmark}: no objective is stated by every system", hint=_HINT)
    stated = [{name: float(one[name] or 0.0) for name in objectives} for one in found.means.values()]
    pareto = front.pareto_front(stated, objectives)
    ideal = front.ideal_distances(stated, objectives)
    ranks = front.ranks(ideal)
    over_systems = geometry.over_systems(scaled, place)
    over_tasks = _over_tasks(found, features, place)
    plane = geometry.plane_by_pca(scaled)
    embedded = geometry.plane_by_umap(scaled) if umap else None
    euclidean = None if place is None else geometry.between(scaled, place)
    systems = [
        {
            "system": name,
            "tasks": len(found.tasks) or found.means[name].get("n_tasks"),
            "metrics": dict(found.means[name]),
            "scaled": {feature: float(value) for feature, value in zip(features, scaled[i], strict=True)},
            "distance_l2_to_reference": None if euclidean is None else euclidean[i],
            "mahalanobis": _each(over_systems, i),
            "mahalanobis_shrunk": None if over_tasks is None else _each(over_tasks, i),
            "pareto_frontier": pareto[i],
            "d_ideal": ideal[i],
            "selection_rank": ranks[i],
            "pca": list(plane.points[i]),
            **({"umap": list(embedded.points[i])} if embedded is not None else {}),
        }
        for i, name in enumerate(names)
    ]
    document = {
        "benchmark": benchmark,
        "reference": reference if place is not None else None,
        "tasks": list(found.tasks),
        "features": list(features),
        "features_varying": [features[i] for i in varying],
        "features_blank": blank,
        "objectives": objectives,
        "objectives_excluded": [name for name in OBJECTIVES if name not in objectives],
        "pca_explained": list(plane.explained or ()),
        "mahalanobis": _facts(over_systems, len(names), len(varying)),
        "mahalanobis_shrunk": None if over_tasks is None else _facts(over_tasks, len(names), None),
        "systems": systems,
        "over_tasks": [dict(row) for row in over],
    }
    return {**document, "notes": list(_notes(document, found, imputed, reference))}


_HINT: Final = "write summaries first: benchsite experiment summarize DIR"


def _filled(
    found: Compared, features: Sequence[str]
) -> tuple[list[list[float]], list[str], list[tuple[str, str]]]:
    """The features of each system without blanks, the ones that no system states, and (system, feature) of the others."""
    means: dict[str, float] = {}
    blank: list[str] = []
    for feature in features:
        cells = [value for one in found.means.values() if (value := one[feature]) is not None]
        means[feature] = math.fsum(cells) / len(cells) if cells else 0.0
        if not cells:
            blank.append(feature)
    imputed = [
        (system, feature)
        for system, one in found.means.items()
        for feature in features
        if one[feature] is None and feature not in blank
    ]
    filled = [
        [means[feature] if (value := one[feature]) is None else value for feature in features]
        for one in found.means.values()
    ]
    return filled, blank, imputed


def _over_tasks(found: Compared, features: Sequence[str], place: int | None) -> geometry.Distances | None:
    """Distances by tasks within systems; None if nothing varies within them, as with one task."""
    cells = [[[row.get(name) for name in features] for row in rows] for rows in found.rows.values()]
    if not cells or not cells[0]:
        return None
    kept = [i for i in range(len(features)) if all(row[i] is not None for rows in cells for row in rows)]
    flat = geometry.as_matrix([[float(row[i] or 0.0) for i in kept] for rows in cells for row in rows])
    if not kept:
        return None
    scaled = geometry.robust_scaled(flat)
    varies = scaled.std(axis=0) > 0
    shaped = scaled[:, varies].reshape(len(cells), len(cells[0]), -1)
    means = shaped.mean(axis=1)
    residuals = (shaped - means[:, None, :]).reshape(len(scaled), -1)
    if not residuals.size or not residuals.any():
        return None
    return geometry.over_tasks(means, residuals, place)


def _each(found: geometry.Distances, place: int) -> dict[str, float | None]:
    reference = found.to_reference
    return {
        "to_centroid": found.to_centroid[place],
        "to_reference": None if reference is None else reference[place],
    }


def _facts(found: geometry.Distances, systems: int, varying: int | None) -> dict[str, Any]:
    facts = {
        "rows": found.rows,
        "features": found.features,
        "condition": found.condition if math.isfinite(found.condition) else None,
        "shrinkage": found.shrinkage,
    }
    if varying is None:
        return facts
    is_constant = varying >= systems - 1 and found.rank >= systems - 1
    return {
        **facts,
        "features_varying": varying,
        "is_constant": is_constant,
        "constant": geometry.constant_distance(systems) if is_constant else None,
    }


def _notes(
    document: Mapping[str, Any], found: Compared, imputed: Sequence[tuple[str, str]], reference: str
) -> Iterator[str]:
    plain, shrunk = document["mahalanobis"], document["mahalanobis_shrunk"]
    systems = len(document["systems"])
    if plain["is_constant"]:
        yield (
            f"Mahalanobis distance over systems: {plain['features_varying']} features vary among {systems} systems, so every "
            f"distance to the centroid is {plain['constant']:.3f}, whatever the data: don't read anything into it"
        )
    elif plain["features_varying"] >= systems - 1:
        yield (
            f"Mahalanobis distance over systems: {plain['features_varying']} features of {systems} systems: "
            "too few systems to estimate it"
        )
    if shrunk is None:
        why = "nothing varies among the tasks of a system" if found.rows else "only means are known"
        yield f"shrunk Mahalanobis distance: blank, because {why}"
    elif (
        shrunk["rows"] - systems < 2 * shrunk["features"]
        or (shrunk["condition"] or math.inf) > ILL_CONDITIONED
    ):
        yield (
            f"shrunk Mahalanobis distance: {shrunk['features']} features from {amount(shrunk['rows'], 'row')}, shrinkage "
            f"{shrunk['shrinkage']:.2f}, condition number {shrunk['condition'] or math.inf:.3g}: a rough guide at most"
        )
    if document["reference"] is None:
        yield f"no system {reference!r}: distances to a reference are blank; name one with --reference"
    yield from _blanks(document, found, imputed)
    counts = {row["system"]: row["task_count"] for row in document["over_tasks"]}
    if found.tasks and any(count != len(found.tasks) for count in counts.values()):
        listed = ", ".join(f"{name} {count}" for name, count in counts.items() if count != len(found.tasks))
        yield f"compared over {amount(len(found.tasks), 'task')} that all systems have; some have more: {listed}"


def _blanks(
    document: Mapping[str, Any], found: Compared, imputed: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """What blanks in the summaries did to columns, features and objectives."""
    if document["features_blank"]:
        yield f"features without a mean in any system, without effect: {', '.join(document['features_blank'])}"
    if found.partial:
        column, (count, blank) = next(iter(found.partial.items()))
        yield (
            f"{amount(len(found.partial), 'column')} averaged only over tasks without a blank; first {column}: "
            f"{count} of {amount(len(found.tasks), 'task')}, blanks in {', '.join(blank)}"
        )
    if imputed:
        system, feature = imputed[0]
        yield f"{amount(len(imputed), 'blank')} replaced by the mean of the other systems; first {feature} of {system}"
    if document["objectives_excluded"]:
        names = ", ".join(document["objectives_excluded"])
        yield f"objectives that not every system states, excluded from the Pareto front: {names}"


def tables(document: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the CSV tables of a document by file name."""
    reference = document["reference"] or "reference"
    systems = document["systems"]
    names = list(dict.fromkeys(name for one in systems for name in one["metrics"]))
    rows = [
        {
            "topology": one["system"],
            **{name: one["metrics"].get(name) for name in names},
            "n_tasks": one["tasks"],
            "distance_mahalanobis_to_centroid": one["mahalanobis"]["to_centroid"],
            f"distance_l2_to_{reference}": one["distance_l2_to_reference"],
            f"distance_mahalanobis_to_{reference}": one["mahalanobis"]["to_reference"],
            "distance_shrunk_to_centroid": (one["mahalanobis_shrunk"] or {}).get("to_centroid"),
            f"distance_shrunk_to_{reference}": (one["mahalanobis_shrunk"] or {}).get("to_reference"),
            **{name: one[name] for name in ("pareto_frontier", "d_ideal", "selection_rank")},
        }
        for one in systems
    ]
    best = sorted((row for row in rows if row["pareto_frontier"]), key=lambda row: row["d_ideal"])
    scaled = [{"topology": one["system"], **one["scaled"]} for one in systems]
    found = {
        "topology_metrics.csv": rows,
        "pareto_frontier.csv": best,
        "scaled_descriptor_matrix.csv": scaled,
        "embedding_pca.csv": _plane(systems, "pca"),
    }
    if document["over_tasks"]:
        found["system_level_metrics.csv"] = [
            {"benchmark": document["benchmark"], "system_label": row["system"]}
            | {name: value for name, value in row.items() if name != "system"}
            for row in document["over_tasks"]
        ]
    if "umap" in systems[0]:
        found["embedding_umap.csv"] = _plane(systems, "umap")
    return {name: csv_bytes(list(table[0]), table) for name, table in found.items() if table}


def _plane(systems: Sequence[Mapping[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [
        {
            "topology": one["system"],
            f"{kind}_1": one[kind][0],
            f"{kind}_2": one[kind][1],
            **{name: one[name] for name in ("pareto_frontier", "d_ideal", "selection_rank")},
        }
        for one in systems
    ]
