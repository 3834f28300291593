"""The configuration file of an experiment: TOML with the tables `[models]`, `[mas]` and `[run]`, as in the seed.

Owns which key is where, and the line that a message names: `tomllib` gives none for keys, so they are looked for in the
text. Refuses what TOML refuses, unknown tables and keys, and values of another type; the values are `settings`' business.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from benchsite.errors import BenchsiteError, InputError, UsageError
from benchsite.schema import first_fault
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.run.experiment.place import Experiment
from benchsite.tracks.agents.run.settings import Settings
from benchsite.tracks.agents.systems import names
from benchsite.tracks.agents.systems.baselines import BASELINES
from benchsite.tracks.agents.systems.options import OPTIONS, wrong_option

__all__ = ["ConfigFile", "settings"]

LARGEST: Final = 1024 * 1024
_TABLES: Final = ("models", "mas", "run")
_RENAMED: Final = {"experiment_id": "name", "output_root": "root"}
"""Keys of `[run]` that `Experiment` has another name for."""
_PLACES: Final = tuple(Experiment.model_fields)
_OF_RUN: Final = {*Settings.model_fields, *_PLACES, *_RENAMED} - {
    "models",
    "offered",
    "mas",
    "options",
    "experiment",
    "root",
    "name",
}
_HINT: Final = "content/docs/run-an-experiment.md lists the keys"


class ConfigFile:
    """A configuration file that was read; its values are not checked yet.

    Attributes:
        run, mas, models: its tables.
    """

    def __init__(self, path: Path) -> None:
        """Read a file.

        Raises:
            InputError: it cannot be read, is no TOML, or has a table or a key that is unknown.
        """
        self.name = path.name
        try:
            data = path.read_bytes()
            if len(data) > LARGEST:
                raise InputError(f"{self.name}: more than {LARGEST:,} bytes", hint=_HINT)
            self._text = data.decode("utf-8")
            found = tomllib.loads(self._text)
        except OSError as error:
            reason = (error.strerror or "unknown error").lower()
            raise InputError(f"{path}: {reason}", hint="name a TOML file: --config FILE") from None
        except UnicodeDecodeError:
            raise InputError(f"{self.name}: not UTF-8", hint="save it as UTF-8 text") from None
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"{self.name}: {_at_line(error)}", hint="see https://toml.io") from None
        self.run: Mapping[str, Any] = found.get("run", {})
        self.mas: Mapping[str, Any] = found.get("mas", {})
        self.models: Mapping[str, Any] = found.get("models", {})
        self._require_known(found)

    def _require_known(self, found: Mapping[str, Any]) -> None:
        """Raise `InputError` for the first table or key that has no meaning."""
        for table, value in found.items():
            if table not in _TABLES or not isinstance(value, dict):
                raise self.error((table,), "unknown table" if isinstance(value, dict) else "unknown key")
        for key in self.run:
            if key not in _OF_RUN:
                raise self.error(("run", key), "unknown key")
        systems = self.run.get("systems")
        known = {*TRACK.plugins("system"), *(map(str, systems) if isinstance(systems, list) else ())}
        for key, value in self.mas.items():
            if isinstance(value, dict) and not {key, names.resolve(key)} & known:
                raise self.error(("mas", key), "no system of this name")

    def error(self, place: tuple[str, ...], message: str) -> BenchsiteError:
        """Return the error about a key, which names the file, the line and the key."""
        line = line_of(self._text, place)
        where = f"{self.name}, line {line}" if line else self.name
        return InputError(f"{where}: {'.'.join(place)}: {message}", hint=_HINT)


def _at_line(error: Exception) -> str:
    """What the parser says, its place first, as every other message has it."""
    said = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
    text = said[1] if said else str(error) or "nested too deeply"
    place = f"line {said[2]}, column {said[3]}: " if said else ""
    return f"{place}{text[:1].lower()}{text[1:]}"


def line_of(text: str, place: tuple[str, ...]) -> int:
    """Return the line of a key, from 1; of its table if the key is not found; 0 if neither is."""
    table: tuple[str, ...] = ()
    best, length = 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\[?([^\[\]]+)\]\]?\s*(#.*)?$", line):
            table = _names(header[1])
            found = table
        elif key := re.match(
            r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=", line
        ):
            found = (*table, *_names(key[1]))
        else:
            continue
        if found == place[: len(found)] and len(found) > length:
            best, length = number, len(found)
    return best


def _names(dotted: str) -> tuple[str, ...]:
    """The parts of a dotted key, without quotes."""
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", dotted))


def settings(path: str | None, flags: Mapping[str, Any]) -> Settings:
    """Return the settings of a command: its options, then the file's keys, then the defaults.

    Args:
        path: of the configuration file; None without one.
        flags: options that were given, by the names of `Settings` and of `Experiment`.

    Raises:
        InputError: the file is wrong; the line and the key are named.
        UsageError: an option is wrong.
    """
    file = ConfigFile(Path(path)) if path is not None else None
    stated = dict(file.run) if file is not None else {}
    stated = {_RENAMED.get(key, key): value for key, value in stated.items()}
    merged = {**stated, **flags}
    experiment = {key: merged.pop(key) for key in _PLACES if key in merged}
    for key in ("benchmarks", "systems"):
        if isinstance(merged.get(key), list):
            merged[key] = tuple(merged[key])
    if file is not None:
        merged |= {"mas": dict(file.mas), "offered": dict(file.models)}
    try:
        found = Settings.model_validate(
            {**merged, "experiment": {"root": Settings.model_fields["experiment"].default.root, **experiment}}
        )
    except ValidationError as error:
        raise _fault(error, file, flags) from None
    if found.experiment.scheduler and found.experiment.executor != "dask":
        message = 'it needs the executor "dask"'
        if file is not None and "scheduler" not in flags:
            raise file.error(("run", "scheduler"), message)
        raise UsageError(f"--scheduler: {message}", hint="add --executor dask")
    if file is not None:
        _require_meaning(found, file)
        _require_usable(found, file)
    return found


def _require_meaning(found: Settings, file: ConfigFile) -> None:
    """Raise `InputError` for an option or a role that no system has; those of others' systems are known once they start."""
    options = {name for model in OPTIONS.values() for name in model.model_fields}
    if any(work.subject not in (*OPTIONS, *BASELINES) for work in found.works()):
        return
    for key, value in found.mas.items():
        if not isinstance(value, dict) and key not in options:
            raise file.error(("mas", key), "no system takes this option")
    for role in found.offered:
        if role not in names.ROLES:
            raise file.error(
                ("models", role), f"no system has this role; roles: {', '.join(sorted(names.ROLES))}"
            )


def _require_usable(found: Settings, file: ConfigFile) -> None:
    """Raise `InputError` for a value of the file that a measured system of ours refuses, before any is started."""
    for work in found.works():
        if work.subject not in OPTIONS:
            continue
        given = {**work.request["experiment"]["options"], **work.request["options"]}
        option, message = wrong_option(work.subject, given) or ("", "")
        if option in found.options:
            continue
        own = (key for key, value in found.mas.items() if isinstance(value, dict) and option in value)
        table = next((key for key in own if names.resolve(key) == work.subject), None)
        if table is not None:
            raise file.error(("mas", table, option), message)
        if option in found.mas:
            raise file.error(("mas", option), message)


def _fault(error: ValidationError, file: ConfigFile | None, flags: Mapping[str, Any]) -> BenchsiteError:
    """The first fault in the words of what was given: an option, or a key of the file."""
    where, message = first_fault(error)
    parts = tuple(
        part for part in where.split(".") if part not in ("", "str", "dict", "int", "float", "bool")
    )
    if parts[:1] == ("experiment",):
        parts = parts[1:]
    names = {to: key for key, to in _RENAMED.items()}
    key = names.get(parts[0], parts[0]) if parts else "settings"
    if file is None or (parts and parts[0] in flags):
        return UsageError(f"--{key.replace('_', '-')}: {message}", hint="run `benchsite run agents --help`")
    if parts[0] == "offered":
        return file.error(("models", *parts[1:]), message)
    return file.error(parts if parts[0] == "mas" else ("run", key, *parts[1:]), message)
