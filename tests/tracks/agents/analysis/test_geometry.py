"""Scaling, distances and planes, against values computed by hand in the comments."""

from __future__ import annotations

import math
import sys

import pytest

from benchsite.errors import PrerequisiteError
from benchsite.tracks.agents.analysis import geometry
from benchsite.tracks.agents.analysis.geometry import as_matrix


def test_robust_scaling_by_median_and_quartiles() -> None:
    # Median 3, quartiles 2 and 4; the second column has an IQR of 0, which counts as 1.
    scaled = geometry.robust_scaled(as_matrix([[1, 7], [2, 7], [3, 7], [4, 7], [5, 7]]))
    assert scaled.tolist() == [[-1, 0], [-0.5, 0], [0, 0], [0.5, 0], [1, 0]]
    assert geometry.between(as_matrix([[0, 0], [3, 4]]), 0) == (0, 5)


@pytest.mark.parametrize("scale", [1.0, 50.0])
def test_few_systems_have_one_distance_whatever_the_data(scale: float) -> None:
    # Three systems span two dimensions: (3 - 1)/sqrt(3) to the centroid, sqrt(2 (3 - 1)) between any two.
    found = geometry.over_systems(as_matrix([[0, 0], [scale, 1], [3, -2 * scale]]), 0)
    assert found.to_centroid == pytest.approx([2 / math.sqrt(3)] * 3, rel=1e-4)
    assert found.to_reference == pytest.approx([0, 2, 2], rel=1e-4)
    assert geometry.constant_distance(3) == pytest.approx(2 / math.sqrt(3))
    assert (found.rank, found.rows, found.features) == (2, 3, 2)


def test_the_shrunk_covariance_is_that_of_ledoit_and_wolf() -> None:
    # S = diag(2, 0.5), mean variance 1.25. Distance of S to the scaled identity: 2 * 0.75² / 2 = 0.5625. Each row differs from S by
    # 2² + 0.5² = 4.25, so the error of S is 4 * 4.25 / 4² / 2 = 0.53125, and the weight 0.53125 / 0.5625 = 17/18.
    # Variances: 2/18 + 1.25 * 17/18 = 1.291666… and 0.5/18 + 1.25 * 17/18 = 1.208333…
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: extra `analysis`")
    residuals = as_matrix([[2, 0], [-2, 0], [0, 1], [0, -1]])
    found = geometry.over_tasks(as_matrix([[0, 0], [1, 0], [0, 1]]), residuals, 0)
    assert found.shrinkage == pytest.approx(17 / 18)
    variances = 2 / 18 + 1.25 * 17 / 18, 0.5 / 18 + 1.25 * 17 / 18
    assert found.to_reference == pytest.approx([0, 1 / math.sqrt(variances[0]), 1 / math.sqrt(variances[1])])
    assert found.condition == pytest.approx(variances[0] / variances[1])


def test_principal_components_have_a_fixed_sign() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed: extra `analysis`")
    # All differences lie on the diagonal: sqrt(2) to either side, nothing across.
    for sign in (1, -1):
        found = geometry.plane_by_pca(as_matrix([[0, 0], [sign, sign], [2 * sign, 2 * sign]]))
        assert [x for x, _ in found.points] == pytest.approx([-sign * math.sqrt(2), 0, sign * math.sqrt(2)])
        assert found.explained == pytest.approx((1, 0))
    alone = geometry.plane_by_pca(as_matrix([[1], [3]]))
    assert [x for x, _ in alone.points] == pytest.approx([-1, 1])
    assert geometry.plane_by_pca(as_matrix([[1, 2], [1, 2]])).points == ((0, 0), (0, 0))


@pytest.mark.full
def test_umap_is_seeded() -> None:
    pytest.importorskip("umap", reason="umap-learn is not installed: extra `umap`")
    matrix = as_matrix([[0, 0], [0.1, 0], [0, 0.1], [9, 9], [9.1, 9], [9, 9.1]])
    found = geometry.plane_by_umap(matrix)
    assert found == geometry.plane_by_umap(matrix)
    assert len(found.points) == 6


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = as_matrix([[0, 0], [1, 2], [3, 1]])
    for module in ("sklearn.decomposition", "sklearn.covariance", "umap"):
        monkeypatch.setitem(sys.modules, module, None)
    for ask, extra in (
        (lambda: geometry.plane_by_pca(matrix), "analysis"),
        (lambda: geometry.over_tasks(matrix, matrix, None), "analysis"),
        (lambda: geometry.plane_by_umap(matrix), "umap"),
    ):
        with pytest.raises(PrerequisiteError) as refused:
            ask()
        assert f"benchsite[{extra}]" in refused.value.hint
