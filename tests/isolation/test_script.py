"""Targets come out of an HDF5 file as SciCode's own reader gives them, and values are compared as its own functions do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchsite.isolation.script_child import _targets, are_dicts_close, cmp_tuple_or_list

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")
sparse = pytest.importorskip("scipy.sparse")


def read(path: Path, fill: Any) -> Any:
    with h5py.File(path, "w") as file:
        fill(file.create_group("1.1/test1"))
    with path.open("rb") as file:
        (found,) = _targets(file, "1.1", 1)
    return found


def test_a_variable_is_itself_and_several_are_a_tuple_in_the_order_of_the_file(tmp_path: Path) -> None:
    assert read(tmp_path / "a.h5", lambda group: group.create_dataset("var1", data="text")) == "text"

    def several(group: Any) -> None:
        for name, value in (("var2", 2.0), ("var10", 10.0), ("var1", True)):
            group[name] = value

    assert read(tmp_path / "b.h5", several) == (True, 10.0, 2.0)  # by name: var1, var10, var2


def test_groups_are_lists_dicts_or_sparse_matrices(tmp_path: Path) -> None:
    def listed(group: Any) -> None:
        group["var1/list/var1"], group["var1/list/var2"] = np.zeros(2), np.ones(3)

    assert [one.tolist() for one in read(tmp_path / "a.h5", listed)] == [[0, 0], [1, 1, 1]]

    def named(group: Any) -> None:
        group["var1/1.5"], group["var1/b"], group["var1/c"] = 1.0, 2.0, "text"

    assert read(tmp_path / "b.h5", named) == {1.5: 1.0, "b": 2.0, "c": "text"}

    def by_rows(group: Any) -> None:
        matrix = sparse.csr_matrix(np.array([[0.0, 5.0], [0.0, 0.0]]))
        for name in ("data", "shape", "indices", "indptr"):
            group[f"var1/sparse_matrix/{name}"] = getattr(matrix, name)

    assert read(tmp_path / "c.h5", by_rows).toarray().tolist() == [[0, 5], [0, 0]]


def test_values_are_close_by_place_and_by_key() -> None:
    symbol = pytest.importorskip("sympy").Symbol("x")
    assert cmp_tuple_or_list((1.0, [2.0]), (1.0 + 1e-9, np.array([2.0])))
    assert not cmp_tuple_or_list((1.0,), (1.0, 2.0))
    assert not cmp_tuple_or_list((1.0,), (1.1,))
    assert not cmp_tuple_or_list((True,), (False,))
    assert are_dicts_close({symbol: 1.0, "m": sparse.eye(2)}, {"x": 1.0, "m": sparse.eye(2)})
    assert not are_dicts_close({"x": 1.0}, {"y": 1.0})
    assert not are_dicts_close({"x": "s"}, {"x": "t"})
