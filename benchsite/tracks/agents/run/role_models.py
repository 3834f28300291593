"""The models of a system's roles: which one each role has, the settings that shape its answers, and what a limit of cost needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchsite import canonical
from benchsite.errors import UsageError
from benchsite.track import Work
from benchsite.tracks.agents import TRACK
from benchsite.tracks.agents.models import Model
from benchsite.tracks.agents.models.connection import shaping
from benchsite.tracks.agents.models.named import Source
from benchsite.tracks.agents.run.experiment.place import asked
from benchsite.tracks.agents.run.measured import Described

__all__ = ["as_scalars", "role_models", "role_settings"]


def role_models(work: Work, told: Described, secrets: tuple[str, ...] = ()) -> dict[str, Model]:
    """The model of each role that the system has.

    Args:
        work: the piece of work, which names the models.
        told: what the system says of itself.
        secrets: texts that no recording may have.

    Raises:
        UsageError: a role has no model, a model is given for none, or a limit of cost is given for a model without a price.
    """
    how = asked(work)
    source = Source(how.prices, how.record, how.replay, secrets)
    found = source.models(_used(work, told))
    if how.require_live and (simulated := [role for role, one in found.items() if one.simulated]):
        raise UsageError(
            f"the model of role {simulated[0]} is simulated, and --require-live is given",
            hint="name a live model: --model PROVIDER:TEXT",
        )
    if how.max_cost is not None:
        table = source.table()
        priced = frozenset(table.models) if table is not None else frozenset[str]()
        unpriced = [
            one.requested for one in found.values() if not one.simulated and one.requested not in priced
        ]
        if unpriced:
            raise UsageError(
                f"--max-cost needs the price of every model: {unpriced[0]} has none",
                hint="add it to the table of --prices; a local model costs 0",
            )
    return found


def role_settings(work: Work, told: Described) -> dict[str, dict[str, Any]]:
    """The settings of each role's model that answers depend on; a role without any is absent."""
    tables = {role: spec for role, spec in _used(work, told).items() if not isinstance(spec, str)}
    found = {
        role: shaping({name: value for name, value in spec.items() if name not in ("provider", "model")})
        for role, spec in tables.items()
    }
    return {role: some for role, some in found.items() if some}


def as_scalars(settings: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """Settings as a receipt states them: what is no scalar as its canonical JSON."""
    return {
        name: value
        if isinstance(value, str | int | float | bool)
        else canonical.dumps(list(value) if isinstance(value, tuple) else value).decode()
        for name, value in settings.items()
        if value is not None
    }


def _used(work: Work, told: Described) -> dict[str, str | Mapping[str, Any]]:
    """What the request says of the model of each role that the system has; raises `UsageError`, as `role_models`."""
    how = asked(work)
    offered = {role: spec for role, spec in how.models.items() if role in (*told.roles, "default")}
    given: dict[str, Any] = {**(offered if told.roles else {}), **work.request["models"]}
    if how.replay and not given and told.roles:
        given = {"default": {"provider": "replay", "model": how.replay}}
    for role in told.roles:
        if role not in given and "default" not in given:
            known = ", ".join(TRACK.plugins("model"))
            raise UsageError(
                f"system {work.subject} needs a model for role {role}",
                hint=f"add --model PROVIDER:TEXT; available: {known}",
            )
    for role in given:
        if role not in told.roles and (role != "default" or not told.roles):
            roles = ", ".join(told.roles) or "none"
            raise UsageError(f"system {work.subject} has no role {role}", hint=f"its roles: {roles}")
    return {role: given[role] if role in given else given["default"] for role in told.roles}
