"""The program that runs a script with test targets from an HDF5 file; `trial_child` executes its text in the sandbox.

`prepare` opens the file before the root is left; `run` reads the targets of one step and closes it, so that a script finds no
targets but its own. The layout is that of SciCode: `/<step>/test<k>/<variable>`, where a variable is a dataset, or a group
of `list`, `sparse_matrix` or the members of a dict. One line of JSON is the result.
"""

from __future__ import annotations

import json
import os
import sys
import types
from typing import Any, Final

PACKAGES: Final = "/packages"
_THREADS: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Libraries of linear algebra start threads when they are loaded; the sandbox forbids them."""
_TEXT: Final = 500


def prepare(order: dict[str, Any]) -> None:
    """Open the file of targets and the place for what a script prints; raises `OSError`."""
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    order["null"] = os.open("/dev/null", os.O_RDWR)
    if order["targets"] is not None:
        order["targets"] = os.fdopen(os.open(order["targets"], os.O_RDONLY), "rb")


def run(order: dict[str, Any], results: int) -> None:
    """Run a script to its end, or list the steps of the file; write one line."""
    # A line that a script writes has no token, unless the script searches its callers' frames: then it can forge a pass.
    token = order.pop("token")

    def write(**line: Any) -> None:
        os.write(results, json.dumps({**line, "token": token}).encode("ascii") + b"\n")

    sys.path.append(PACKAGES)
    for number in (0, 1, 2):
        os.dup2(order["null"], number)
    try:
        if order["source"] is None:
            write(tests=_listed(order["targets"]))
            return
        targets = _targets(order["targets"], order["step"], order["tests"])
    except BaseException as error:  # noqa: BLE001 - whatever a damaged file does to its reader
        write(unread=f"{type(error).__name__}: {error}"[:_TEXT])
        return
    space: dict[str, Any] = {"__name__": "__main__", "targets": targets}
    _install_comparisons()
    try:
        exec(compile(order["source"], "step.py", "exec", dont_inherit=True), space)  # noqa: S102 - shut in
    except BaseException as error:  # noqa: BLE001 - whatever foreign source does
        write(raised=type(error).__name__[:80], text=_text(error))
        return
    write(passed=True)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:_TEXT]
    except BaseException:  # noqa: BLE001 - of a class of the foreign source
        return ""


def _listed(file: Any) -> dict[str, int | None]:
    """Return the number of tests of each step; None if they are not numbered from 1 on."""
    import h5py  # noqa: PLC0415 - from the packages of the sandbox

    with h5py.File(file, "r") as found:
        counts: dict[str, int | None] = {}
        for step, group in found.items():
            names = set(group) if isinstance(group, h5py.Group) else set()
            is_numbered = names == {f"test{number}" for number in range(1, len(names) + 1)}
            counts[str(step)] = len(names) if is_numbered else None
        return counts


def _targets(file: Any, step: str, tests: int) -> list[Any]:
    if file is None:
        return []
    import h5py  # noqa: PLC0415 - from the packages of the sandbox

    with file, h5py.File(file, "r") as found:
        return [_test(found[f"{step}/test{number}"], h5py) for number in range(1, tests + 1)]


def _test(group: Any, h5py: Any) -> Any:
    """Return the target of a test: the value of its only variable, or a tuple of several in the order of the file."""
    values = [_variable(one, h5py) for one in group.values()]
    return values[0] if len(values) == 1 else tuple(values)


def _variable(value: Any, h5py: Any) -> Any:
    if not isinstance(value, h5py.Group):
        return _plain(value[()])
    first = next(iter(value.keys()), None)
    if first == "list":
        return [one[()] for one in value["list"].values()]
    if first == "sparse_matrix":
        return _sparse(value["sparse_matrix"])
    return {_key(name, one, h5py): _member(one, h5py) for name, one in value.items()} or None


def _plain(value: Any) -> Any:
    return value.decode("utf-8") if isinstance(value, bytes) else value


def _key(name: str, value: Any, h5py: Any) -> Any:
    """Return the key of a dict: a number if the text is one and the value is an array or a number."""
    if isinstance(value, h5py.Group) or isinstance(value[()], bytes):
        return name
    try:
        return float(name)
    except ValueError:
        return name


def _member(value: Any, h5py: Any) -> Any:
    return _sparse(value["sparse_matrix"]) if isinstance(value, h5py.Group) else _plain(value[()])


def _sparse(group: Any) -> Any:
    """Return a matrix in coordinates, in blocks or by rows, as its members tell."""
    from scipy import sparse  # noqa: PLC0415 - from the packages of the sandbox

    data, shape = group["data"][()], tuple(group["shape"][()])
    if "row" in group and "col" in group:
        return sparse.coo_matrix((data, (group["row"][()], group["col"][()])), shape=shape)
    parts = (data, group["indices"][()], group["indptr"][()])
    if "blocksize" in group:
        return sparse.bsr_matrix(parts, shape=shape, blocksize=tuple(group["blocksize"][()]))
    return sparse.csr_matrix(parts, shape=shape)


def _install_comparisons() -> None:
    """Offer the module `scicode.compare.cmp`, which tests of SciCode import."""
    names = ("scicode", "scicode.compare", "scicode.compare.cmp")
    for name in names:
        sys.modules[name] = types.ModuleType(name)
    last: Any = sys.modules[names[-1]]
    last.cmp_tuple_or_list = cmp_tuple_or_list
    last.are_dicts_close = are_dicts_close
    last.are_csc_matrix_close = _dense_close


def cmp_tuple_or_list(one: Any, other: Any) -> bool:
    """Whether two sequences have close values place by place; their classes need not be equal."""
    if len(one) != len(other):
        return False
    return all(_entries_close(left, right) for left, right in zip(one, other, strict=True))


def _entries_close(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return are_dicts_close(left, right)
    if getattr(left, "format", None) in ("csr", "csc") and hasattr(left, "toarray"):
        return _dense_close(left, right)
    if isinstance(left, bool):
        return bool(left == right)
    return _values_close(left, right)


def are_dicts_close(one: Any, other: Any, atol: float = 1e-8, rtol: float = 1e-5) -> bool:
    """Whether two dicts have the same keys and close values; symbols of SymPy are compared by name."""
    left, right = _named(one), _named(other)
    if left.keys() != right.keys():
        return False
    return all(_members_close(left[name], right[name], atol, rtol) for name in left)


def _members_close(left: Any, right: Any, atol: float, rtol: float) -> bool:
    if isinstance(left, str):
        return bool(left == right)
    if hasattr(left, "toarray"):
        left, right = left.toarray(), right.toarray()
    return _values_close(left, right, atol, rtol)


def _named(value: Any) -> dict[Any, Any]:
    return {_name(key): _name(one) for key, one in value.items()}


def _name(value: Any) -> Any:
    kind = type(value)
    is_symbol = kind.__module__.startswith("sympy.") and kind.__name__ in ("Symbol", "Dummy", "Wild")
    return str(value) if is_symbol else value


def _dense_close(left: Any, right: Any) -> bool:
    return _values_close(left.toarray(), right.toarray())


def _values_close(left: Any, right: Any, atol: float = 1e-8, rtol: float = 1e-5) -> bool:
    import numpy as np  # noqa: PLC0415 - from the packages of the sandbox

    try:
        return bool(np.allclose(left, right, atol=atol, rtol=rtol))
    except ValueError:
        return bool(left == right)
