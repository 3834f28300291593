"""The mailbox: e-mails, which are read, sent, forwarded, answered and deleted."""

from __future__ import annotations

from typing import Any, Final

from benchsite.tracks.agents.benchmarks.workbench.sandbox import Sandbox, Tool
from benchsite.tracks.agents.benchmarks.workbench.tools.search import Instant, day

TABLE: Final = "emails"
NOW: Final = Instant("2023-11-30 00:00:00")
"""When every task takes place."""
_ID: Final = "email_id"
_SENT: Final = "Email sent successfully."


def get_email_information_by_id(box: Sandbox, email_id: Any = None, field: Any = None) -> Any:
    """One field of an e-mail."""
    if not email_id:
        return "Email ID not provided."
    if not field:
        return "Field not provided."
    found = box.state[TABLE].where(_ID, email_id)
    if not found:
        return "Email not found."
    return {field: found[0][field]} if field in found[0] else "Field not found."


def search_emails(box: Sandbox, query: Any = "", date_min: Any = None, date_max: Any = None) -> Any:
    """Up to five e-mails, newest first, that have every word of the query in subject, body or address."""
    words = query.lower().split()
    found = []
    table = box.state[TABLE]
    subject, body, address = (table.columns.index(name) for name in ("subject", "body", "sender/recipient"))
    for row in table.rows:
        text = f"{row[1][subject]} {row[1][body]} {row[1][address]}".lower()
        if all(word in text for word in words):
            found.append(table.record(row))
    # A mail sent in this run has a moment that is no text, and no order with text: the search fails, as in the original.
    found.sort(key=lambda mail: mail["sent_datetime"], reverse=True)
    if date_min:
        found = [mail for mail in found if day(mail["sent_datetime"]) >= day(date_min)]
    if date_max:
        found = [mail for mail in found if day(mail["sent_datetime"]) <= day(date_max)]
    return found[:5] or "No emails found."


def send_email(box: Sandbox, recipient: Any = None, subject: Any = None, body: Any = None) -> Any:
    """Send an e-mail."""
    if not recipient or not subject or not body:
        return "Recipient, subject, or body not provided."
    if "@" not in recipient or "." not in recipient:
        return "Invalid recipient email address."
    mails = box.state[TABLE]
    record = {
        _ID: str(int(mails.greatest(_ID)) + 1),
        "inbox/outbox": "outbox",
        "sender/recipient": recipient.lower(),
        "subject": subject,
        "sent_datetime": NOW,
        "body": body,
    }
    box.state[TABLE] = mails.placed(len(mails.rows), record)
    return _SENT


def delete_email(box: Sandbox, email_id: Any = None) -> Any:
    """Delete an e-mail."""
    if not email_id:
        return "Email ID not provided."
    if not box.state[TABLE].holds(_ID, email_id):
        return "Email not found."
    box.state[TABLE] = box.state[TABLE].without(_ID, email_id)
    return "Email deleted successfully."


def forward_email(box: Sandbox, email_id: Any = None, recipient: Any = None) -> Any:
    """Send an e-mail on, with `FW: ` before its subject."""
    if not email_id or not recipient:
        return "Email ID or recipient not provided."
    found = box.state[TABLE].where(_ID, email_id)
    if not found:
        return "Email not found."
    if "@" not in recipient or "." not in recipient:
        return "Invalid recipient email address."
    result = send_email(box, recipient.lower(), f"FW: {found[0]['subject']}", found[0]["body"])
    return "Email forwarded successfully." if result == _SENT else result


def reply_email(box: Sandbox, email_id: Any = None, body: Any = None) -> Any:
    """Answer an e-mail, with its own subject."""
    if not email_id or not body:
        return "Email ID or body not provided."
    found = box.state[TABLE].where(_ID, email_id)
    if not found:
        return "Email not found."
    result = send_email(box, found[0]["sender/recipient"], f"{found[0]['subject']}", body)
    return "Email replied successfully." if result == _SENT else result


TOOLS: Final = (
    Tool("email.send_email", send_email, changes_state=True),
    Tool("email.delete_email", delete_email, changes_state=True),
    Tool("email.forward_email", forward_email, changes_state=True),
    Tool("email.reply_email", reply_email, changes_state=True),
    Tool("email.get_email_information_by_id", get_email_information_by_id, changes_state=False),
    Tool("email.search_emails", search_emails, changes_state=False),
)
