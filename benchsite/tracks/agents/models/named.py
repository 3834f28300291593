"""Models of an experiment: connected, priced, recorded or replayed, by what the command line or a file says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchsite.errors import UsageError
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.models.connection import connect, requested_name
from benchsite.tracks.agents.models.prices import Priced, PriceTable, read_prices
from benchsite.tracks.agents.models.recording import Recording, RecordingFile
from benchsite.tracks.agents.models.replay import Replay

__all__ = ["Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the models of an experiment come from.

    Attributes:
        prices: file of a price table; empty for none.
        record: file that every completion is appended to; empty for none.
        replay: file of completions that answer instead of the models; empty for none.
        secrets: texts that no recording may have.
    """

    prices: str = ""
    record: str = ""
    replay: str = ""
    secrets: tuple[str, ...] = ()

    def table(self) -> PriceTable | None:
        """Return the price table; raises `InputError` if it is malformed."""
        return read_prices(Path(self.prices)) if self.prices else None

    def models(self, specs: Mapping[str, str | Mapping[str, Any]]) -> dict[str, Model]:
        """Return the model of each role; equal ones are one model.

        Args:
            specs: by role: `PROVIDER:TEXT`, or a table with `provider`, `model` and settings of the provider.

        Raises:
            UsageError: there is no such provider, or it has no settings.
            InputError: a setting or a file is malformed.
            PrerequisiteError: a package, a key or a file is missing.
        """
        if self.record and self.replay:
            raise UsageError("--record and --replay exclude each other", hint="remove one of them")
        table = self.table()
        file = RecordingFile(Path(self.record), self.secrets) if self.record and specs else None
        made: list[tuple[str | Mapping[str, Any], Model]] = []
        found: dict[str, Model] = {}
        for role, spec in specs.items():
            known = next((model for other, model in made if other == spec), None)
            if known is None:
                known = self._model(spec, table, file)
                made.append((spec, known))
            found[role] = known
        return found

    def _model(
        self, spec: str | Mapping[str, Any], table: PriceTable | None, file: RecordingFile | None
    ) -> Model:
        settings: dict[str, Any] = {}
        text = spec if isinstance(spec, str) else ""
        if not isinstance(spec, str):
            settings = {key: value for key, value in spec.items() if key not in ("provider", "model")}
            text = f"{spec.get('provider', '')}:{spec.get('model', '')}"
        if self.replay:
            try:
                return Replay.of(Path(self.replay), requested_name(text), settings)
            except UsageError:  # whatever the model is called now, if the file has one alone
                return Replay.of(Path(self.replay), "", settings)
        model = connect(text, settings)
        if table is not None:
            model = Priced(model, table)
        return Recording(model, file, settings) if file is not None else model
