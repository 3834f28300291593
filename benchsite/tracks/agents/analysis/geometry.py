"""Distances between systems and their projection to a plane, from a matrix of one row per system and one column per feature.

Robust scaling: (x - median) / IQR, quartiles by linear interpolation, an IQR of 0 taken for 1. Two Mahalanobis distances:

- `over_systems`, with the covariance of the systems' means plus 1e-6 on the diagonal, as MAS_Analyzer has it. With as many features
  that vary as systems less one it is a constant, whatever the data: (n - 1)/sqrt(n) to the centroid and sqrt(2(n - 1)) between any two;
- `over_tasks`, with the covariance of tasks within systems, shrunk after Ledoit and Wolf (2004, J. Multivariate Anal. 88).

Needs scikit-learn, and umap-learn for `plane_by_umap`; both are imported when they are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from benchsite.errors import PrerequisiteError

__all__ = [
    "Distances",
    "Plane",
    "as_matrix",
    "between",
    "constant_distance",
    "over_systems",
    "over_tasks",
    "plane_by_pca",
    "plane_by_umap",
    "robust_scaled",
]

Matrix: TypeAlias = npt.NDArray[np.float64]

RIDGE: Final = 1e-6
SEED: Final = 42
NEIGHBORS: Final = 15


@dataclass(frozen=True, slots=True)
class Distances:
    """Mahalanobis distances of systems.

    Attributes:
        to_centroid: of each system.
        to_reference: of each system; None without a reference.
        condition: condition number of the covariance.
        shrinkage: weight of the scaled identity in it, from 0 to 1; 0 without shrinkage.
        rows: that it was estimated from.
        features: that it has.
        rank: of the differences between systems.
    """

    to_centroid: tuple[float, ...]
    to_reference: tuple[float, ...] | None
    condition: float
    shrinkage: float
    rows: int
    features: int
    rank: int


@dataclass(frozen=True, slots=True)
class Plane:
    """Two coordinates of each system; of PCA the share of the variance that each explains."""

    points: tuple[tuple[float, float], ...]
    explained: tuple[float, float] | None = None


def robust_scaled(matrix: Matrix) -> Matrix:
    """Return the matrix with each column less its median, over its interquartile range."""
    low, middle, high = np.percentile(matrix, [25, 50, 75], axis=0)
    spread = high - low
    found: Matrix = (matrix - middle) / np.where(spread == 0, 1.0, spread)
    return found


def between(matrix: Matrix, place: int) -> tuple[float, ...]:
    """Return the Euclidean distance of each row to the row at a place."""
    return tuple(float(value) for value in np.linalg.norm(matrix - matrix[place], axis=1))


def constant_distance(systems: int) -> float:
    """Return the distance to the centroid that every system has if the features span all differences."""
    return (systems - 1) / math.sqrt(systems)


def over_systems(scaled: Matrix, reference: int | None) -> Distances:
    """Return distances with the covariance of the rows themselves."""
    covariance = np.atleast_2d(np.cov(scaled, rowvar=False)) + RIDGE * np.eye(scaled.shape[1])
    return _distances(scaled, reference, covariance, 0.0, len(scaled))


def over_tasks(means: Matrix, residuals: Matrix, reference: int | None) -> Distances:
    """Return distances with the shrunk covariance of tasks within systems.

    Args:
        means: a row per system.
        residuals: a row per system and task, less the mean of its system; not all of them 0.
        reference: place of the system that others are compared with; None for none.
    """
    try:
        from sklearn.covariance import LedoitWolf  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        raise _missing() from None
    found = LedoitWolf(assume_centered=True).fit(residuals)
    return _distances(means, reference, found.covariance_, float(found.shrinkage_), len(residuals))


def _distances(
    points: Matrix, reference: int | None, covariance: Matrix, shrinkage: float, rows: int
) -> Distances:
    inverse: Matrix = np.asarray(np.linalg.pinv(covariance, hermitian=True), dtype=np.float64)
    return Distances(
        _from(points, points.mean(axis=0), inverse),
        None if reference is None else _from(points, points[reference], inverse),
        float(np.linalg.cond(covariance)),
        shrinkage,
        rows,
        points.shape[1],
        int(np.linalg.matrix_rank(points - points.mean(axis=0))),
    )


def _from(points: Matrix, origin: Matrix, inverse: Matrix) -> tuple[float, ...]:
    differences = points - origin
    squares = np.einsum("ij,jk,ik->i", differences, inverse, differences)
    return tuple(math.sqrt(max(0.0, float(square))) for square in squares)


def plane_by_pca(scaled: Matrix) -> Plane:
    """Return the first two principal components; the loading of the largest magnitude is positive in each.

    With one feature the second component is 0, and so are both if all systems are equal.
    """
    try:
        from sklearn.decomposition import PCA  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        raise _missing() from None
    if not np.ptp(scaled, axis=0).any():
        return Plane(((0.0, 0.0),) * len(scaled), (0.0, 0.0))
    count = min(2, *scaled.shape)
    found = PCA(n_components=count, svd_solver="full").fit(scaled)
    points = found.transform(scaled)
    for place, loadings in enumerate(found.components_):
        if loadings[np.argmax(np.abs(loadings))] < 0:
            points[:, place] *= -1
    shares = [float(share) for share in found.explained_variance_ratio_]
    pairs = [(float(row[0]), float(row[1]) if count == 2 else 0.0) for row in points]
    return Plane(tuple(pairs), (shares[0], shares[1] if count == 2 else 0.0))


def plane_by_umap(scaled: Matrix) -> Plane:
    """Return a seeded UMAP embedding."""
    try:
        import umap  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        raise PrerequisiteError(
            "no UMAP: the package umap-learn is not installed", hint="run: pip install 'benchsite[umap]'"
        ) from None
    neighbors = max(2, min(NEIGHBORS, len(scaled) - 1))
    reducer = umap.UMAP(n_components=2, random_state=SEED, n_jobs=1, n_neighbors=neighbors, init="random")
    return Plane(tuple((float(x), float(y)) for x, y in reducer.fit_transform(scaled)))


def _missing() -> PrerequisiteError:
    return PrerequisiteError(
        "no analysis: the package scikit-learn is not installed",
        hint="run: pip install 'benchsite[analysis]'",
    )


def as_matrix(rows: Sequence[Sequence[float]]) -> Matrix:
    """Return rows as a matrix."""
    return np.array(rows, dtype=float)
