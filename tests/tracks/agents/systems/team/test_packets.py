"""Relay packets: their fields, the message budget, and the inbox."""

from __future__ import annotations

from agents_systems import session

from benchsite.tracks.agents.systems.agent.session import Position
from benchsite.tracks.agents.systems.team.packets import Mail

AT = Position("debate", 1, 2)


def test_a_packet_has_the_nine_fields_and_reaches_each_recipient_once() -> None:
    run, harness = session()
    mail = Mail(run, budget=1)
    mail.send("a", ["a", "b", "c"], "debate_round", "42", at=AT, artifact="a1")
    ((actor, payload),) = harness.events
    assert actor == "a"
    assert payload == {
        "kind": "send",
        "message_id": "m1",
        "sender": "a",
        "recipients": ["b", "c"],
        "packet_kind": "debate_round",
        "phase": "debate",
        "round": 1,
        "discussion_index": 2,
        "artifact_id": "a1",
        "content": "42",
    }
    assert [packet.content for packet in mail.read("b")] == ["42"]
    assert mail.read("b") == []
    assert len(mail.read("c")) == 1
    assert mail.read("a") == []


def test_debate_packets_use_the_budget_of_their_sender_and_are_dropped_above_it() -> None:
    run, harness = session()
    mail = Mail(run, budget=2)
    for kind in ("debate_round", "group_debate_round", "representative_debate_round"):
        mail.send("a", ["b"], kind, "x", at=AT)
    mail.send("c", ["b"], "debate_round", "y", at=AT)
    assert [packet.sender for packet in mail.read("b")] == ["a", "a", "c"]
    ((actor, drop),) = [event for event in harness.events if event[1]["kind"] == "drop"]
    assert (actor, drop["sender"], drop["packet_kind"], drop["message_id"], drop["budget"]) == (
        *("system", "a", "representative_debate_round", "m3", 2),
    )
    assert (mail.sent, mail.dropped) == (3, 1)


def test_control_packets_are_free() -> None:
    run, harness = session()
    mail = Mail(run, budget=0)
    for kind in ("task_package", "orchestrator_feedback", "specialist_report", "peer_summary"):
        mail.send("a", ["b"], kind, "x", at=AT)
    for kind in ("root_task_package", "manager_task_package", "child_report", "manager_report"):
        mail.send("a", ["b"], kind, "x", at=AT)
    assert len(mail.read("b")) == 8
    assert harness.notes("drop") == []


def test_a_packet_to_nobody_else_is_not_sent() -> None:
    run, harness = session()
    assert Mail(run, budget=1).send("a", ["a"], "debate_round", "x", at=AT) is None
    assert harness.events == []
