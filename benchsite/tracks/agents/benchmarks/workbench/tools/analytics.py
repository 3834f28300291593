"""Website analytics: visits are counted, and plots are made, of which only the file's name is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, Tool

TABLE: Final = "plots"
_VALUES: Final = (
    "total_visits",
    "session_duration_seconds",
    "user_engaged",
    "visits_direct",
    "visits_referral",
    "visits_search_engine",
    "visits_social_media",
)
_KINDS: Final = ("bar", "line", "scatter", "histogram")


def get_visitor_information_by_id(box: Sandbox, visitor_id: Any = None) -> Any:
    """All visits of one visitor."""
    if not visitor_id:
        return "Visitor ID not provided."
    found = box.visits.where("visitor_id", visitor_id)
    return [_engaged(visit) for visit in found] or "Visitor not found."


def create_plot(
    box: Sandbox, time_min: Any = None, time_max: Any = None, value_to_plot: Any = None, plot_type: Any = None
) -> Any:
    """Make a plot; the result is the name of its file."""
    if not time_min:
        return "Start date not provided."
    if not time_max:
        return "End date not provided."
    if value_to_plot not in _VALUES:
        return (
            "Value to plot must be one of 'total_visits', 'session_duration_seconds', 'user_engaged', "
            "'direct', 'referral', 'search engine', 'social media'"
        )
    if plot_type not in _KINDS:
        return "Plot type must be one of 'bar', 'line', 'scatter', or 'histogram'"
    name = f"plots/{time_min}_{time_max}_{value_to_plot}_{plot_type}.png"
    plots = box.state[TABLE]
    box.state[TABLE] = plots.placed(len(plots.rows), {"file_path": name})
    return name


def total_visits_count(box: Sandbox, time_min: Any = None, time_max: Any = None) -> Any:
    """The number of visits on each day."""
    return _by_day(box, time_min, time_max, len)


def engaged_users_count(box: Sandbox, time_min: Any = None, time_max: Any = None) -> Any:
    """The number of visits with engagement on each day."""
    return _by_day(
        box, time_min, time_max, lambda visits: sum(visit["user_engaged"] == "True" for visit in visits)
    )


def traffic_source_count(
    box: Sandbox, time_min: Any = None, time_max: Any = None, traffic_source: Any = None
) -> Any:
    """The number of visits from one source on each day; of all visits where no source is named."""
    if not traffic_source:
        return _by_day(box, time_min, time_max, len)
    return _by_day(
        box,
        time_min,
        time_max,
        lambda visits: sum(visit["traffic_source"] == traffic_source for visit in visits),
    )


def get_average_session_duration(box: Sandbox, time_min: Any = None, time_max: Any = None) -> Any:
    """The mean duration of the visits on each day, in seconds."""
    return _by_day(
        box,
        time_min,
        time_max,
        lambda visits: math.fsum(float(visit["session_duration_seconds"]) for visit in visits) / len(visits),
    )


def _by_day(
    box: Sandbox, time_min: Any, time_max: Any, measure: Callable[[Sequence[dict[str, Any]]], float]
) -> dict[str, float]:
    """A number for each day that has visits, within the bounds, which are compared as text."""
    days: dict[str, list[dict[str, Any]]] = {}
    at = box.visits.columns.index("date_of_visit")
    for row in box.visits.rows:  # a record is made of a visit within the bounds alone: there are thousands
        date = row[1][at]
        if (not time_min or date >= time_min) and (not time_max or date <= time_max):
            days.setdefault(date, []).append(box.visits.record(row))
    return {date: measure(days[date]) for date in sorted(days)}


def _engaged(visit: dict[str, Any]) -> dict[str, Any]:
    return {**visit, "user_engaged": visit["user_engaged"] == "True"}


TOOLS: Final = (
    Tool("analytics.create_plot", create_plot, changes_state=True),
    Tool("analytics.engaged_users_count", engaged_users_count, changes_state=False),
    Tool("analytics.get_visitor_information_by_id", get_visitor_information_by_id, changes_state=False),
    Tool("analytics.traffic_source_count", traffic_source_count, changes_state=False),
    Tool("analytics.total_visits_count", total_visits_count, changes_state=False),
    Tool("analytics.get_average_session_duration", get_average_session_duration, changes_state=False),
)
