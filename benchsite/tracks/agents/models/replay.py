"""The provider `replay`: recorded completions by the digest of their request, so that a run repeats without its model.

    benchsite run agents --model replay:recorded.json ...

The file is a JSON list of completions (`recorded`), each with `request`, the SHA-256 of its request. A request that was
not recorded is a `ProviderError`. Only the recording shows whether a model ever answered: receipts are marked `simulated`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchsite.canonical import Json
from benchsite.tracks.agents.models import Completion, Message, ProviderError
from benchsite.tracks.agents.models.recorded import read_file, request_sha256
from benchsite.tracks.agents.tools import Tool

__all__ = ["Replay"]


class Replay:
    """A recording."""

    simulated = True

    def __init__(self, path: str) -> None:
        found, self.sha256 = read_file(path, "replay")
        self._by_request = {one.request: one for one in found}
        self.requested = "replay"

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool], settings: Mapping[str, Json]
    ) -> Completion:
        """Return the recorded completion of this request; raises `ProviderError` if there is none."""
        request = request_sha256(messages, tools, settings)
        found = self._by_request.get(request)
        if found is None:
            raise ProviderError(f"model replay: request {request[:12]} is not recorded")
        return found.completion("replay")
