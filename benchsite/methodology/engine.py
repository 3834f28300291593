"""Scoring engines: the code that a methodology document names, and the parameters it hands to that code.

A version that changes words, templates, weights or thresholds names an engine that exists and needs no code. A track
lists its engines with a model of the parameters each takes (`tracks/<name>/engines.py`). Refuses nothing by itself:
faults are reported, to `methodology check` as errors of the document and to verification as "numbers not checked".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import ValidationError

from benchsite.errors import InputError, PrerequisiteError, TrackError
from benchsite.methodology import PARAMETERS_FILE, DocumentError, Fault, Methodology, MethodologyData
from benchsite.methodology.sentences import said
from benchsite.schema import Schema

__all__ = ["parameter_faults", "refused_parameter", "require_engine", "unknown_engine", "wrong_parameters"]

_UPDATE: Final = "update benchsite: a newer release may have it"


NO_ENGINE: Final = "{}/0"
"""What versions below 1.0.0 are of: nothing is computed under them again."""


def parameter_faults(
    engine: str, parameters: object, model: type[Schema], *, document: MethodologyData | None = None
) -> Iterator[Fault]:
    """Everything that an engine's model refuses in the parameters of a document.

    Args:
        engine: its name and number, for messages.
        parameters: what the document gives it.
        model: what the engine takes.
        document: the whole document, where it is to be published: models that compare parameters with the rest of it
            find it in the validation context, and skip that where there is none, as in verification.
    """
    try:
        model.model_validate(parameters, context=None if document is None else {"document": document})
    except ValidationError as error:
        yield from Fault.reported(error, "parameters")
    except Exception as error:
        thrown = f"{type(error).__name__}: {error}"[:300]
        raise TrackError(f"the parameters of engine {engine!r} cannot be checked: {thrown}") from error


_known: dict[tuple[str, type[Schema]], tuple[str, ...]] = {}


def wrong_parameters(methodology: Methodology, model: type[Schema]) -> tuple[str, ...]:
    """The names of the parameters that an engine does not take; kept by digest, because every receipt asks."""
    key = methodology.sha256, model
    if key not in _known:
        found = parameter_faults(methodology.engine, methodology.data.parameters, model)
        _known[key] = tuple(".".join(map(str, fault.place[1:])) for fault in found)
    return _known[key]


def require_engine(methodology: Methodology, engines: Mapping[str, type[Schema]]) -> None:
    """Refuse a document that no engine computes.

    Raises:
        PrerequisiteError: this release has no such engine.
        DocumentError: the engine does not take its parameters; every fault is named.
    """
    model = engines.get(methodology.engine)
    if model is None:
        raise unknown_engine(methodology.engine)
    data = methodology.data
    faults = list(parameter_faults(methodology.engine, data.parameters, model))
    if faults:
        raise DocumentError.of(f"methodology/{data.track}/{data.version}", faults)


def unknown_engine(engine: str) -> PrerequisiteError:
    """No installed code is of this name and number."""
    return PrerequisiteError(said("no-engine", engine=engine), hint=_UPDATE)


def refused_parameter(methodology: Methodology, field: str) -> InputError:
    """A parameter that the engine does not take."""
    data = methodology.data
    name = "wrong-parameter" if field else "no-parameters"
    return InputError(
        said(name, field=field, track=data.track, version=data.version, engine=methodology.engine),
        hint=f"`benchsite methodology check` lists the faults of {PARAMETERS_FILE}",
    )
