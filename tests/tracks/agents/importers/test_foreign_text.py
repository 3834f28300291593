"""Keys and paths in texts of others; the keys are invented."""

from __future__ import annotations

import pytest

from benchsite.tracks.agents.importers.foreign_text import Scrubber

SECRETS = (
    "sk-" + "proj-Ab12" * 5,
    "ghp_" + "a1B2" * 9,
    "hf_" + "Zz9" * 10,
    "AKIA" + "ABCD1234" * 2,
    "xoxb-" + "12345-67890-abc",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "c2lnbmF0dXJlLXg",
    "npm_" + "a1B2" * 9,
    "pypi-" + "AgEI_cH-" * 4,
    "sk_live_" + "a1B2" * 6,
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAA==\n-----END RSA PRIVATE KEY-----",
)


@pytest.mark.parametrize("secret", SECRETS, ids=lambda text: text[:5])
def test_a_key_of_a_known_form_is_replaced(secret: str) -> None:
    scrubber = Scrubber()
    assert scrubber.scrubbed({secret: [f"use {secret}!"]}) == {"[redacted]": ["use [redacted]!"]}
    assert (scrubber.keys, scrubber.paths) == (2, 0)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("OPENAI_API_KEY=abcdefgh12345678", "OPENAI_API_KEY=[redacted]"),
        ('"DB_PASSWORD": "hunter2hunter2"', '"DB_PASSWORD": "[redacted]"'),
        ("Authorization: Bearer abcdef.ghijkl-mno", "Authorization: Bearer [redacted]"),
        ("open /home/ann/lab/run.log now", "open [path]/run.log now"),
        ("cd /Users/ann", "cd [path]"),
        ('File "/home/ann/x.py", line 3', 'File "[path]/x.py", line 3'),
        ("file:///home/ann/x.py", "[path]/x.py"),
        ("path=/scratch/ann/out/a.json;", "path=[path]/a.json;"),
        (r"C:\Users\ann\run.txt", "[path]/run.txt"),
        (r"C:\\Users\\ann", "[path]"),
        ("gcc -I/home/alice/src -L/home/alice/lib a.c", "gcc -I[path]/src -L[path]/lib a.c"),
        ("sqlite:////home/alice/x.db", "sqlite:///[path]/x.db"),
        ("vscode-remote:///home/alice/x", "vscode-remote://[path]/x"),
        ("vscode-remote://ssh-remote+box/home/alice/x", "vscode-remote://[path]/x"),
        (r"in\n/Users/alice/x", r"in\n[path]/x"),
        ("clone https://bob:hunter2secret@host/x", "clone https://[redacted]@host/x"),
        ("x-api-key: " + "0123456789abcdef" * 2, "x-api-key: [redacted]"),
        ('{"apiKey": "' + "0123456789abcdef" * 2 + '"}', '{"apiKey": "[redacted]"}'),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx", "aws_secret_access_key = [redacted]"),
        (r"{\"DB_PASSWORD\": \"hunter2hunter2\"}", r"{\"DB_PASSWORD\": \"[redacted]\"}"),
        ('{"password": "hunter2hunter2"}', '{"password": "[redacted]"}'),
        ("client_secret=abcDEF1234567890", "client_secret=[redacted]"),
        ("AccountKey=abcd1234abcd1234==;", "AccountKey=[redacted];"),
        ("Authorization: Basic dXNlcjpodW50ZXIy", "Authorization: Basic [redacted]"),
        ("https://x.example/c?sv=1&sig=abcdEFGH1234%2Bx", "https://x.example/c?sv=1&sig=[redacted]"),
        ("https://hooks.slack.com/services/T00/B00/abcdef", "https://hooks.slack.com/services/[redacted]"),
    ],
)
def test_named_values_and_paths_of_a_machine_are_replaced(text: str, kept: str) -> None:
    assert Scrubber().scrubbed(text) == kept


def test_a_member_named_as_a_credential_has_its_value_replaced():
    scrubber = Scrubber()
    given = {"env": {"OPENAI_API_KEY": "abcdefgh12345678", "password": "hunter2hunter2", "user": "ann"}}
    assert scrubber.scrubbed(given) == {
        "env": {"OPENAI_API_KEY": "[redacted]", "password": "[redacted]", "user": "ann"}
    }
    assert scrubber.keys == 2


@pytest.mark.parametrize(
    "text",
    [
        "password = getpass.getpass(prompt)",
        "the secret: do not be basic; Basic auth is off",
        "the task-force asked for risk-adjusted-values-of-return",
        "/testbed/django/db/models.py",
        "https://example.org/home/page and/or/not",
        "tokens: 12345678, keys: none",
        "a = b/home/c",
        "my-a/home/c, http://home/page/1 and ssh://git@example.org:22",
        "api_key=settings.provider.api_key",
        "Note: /etc/hosts",
        "",
    ],
)
def test_other_texts_stay(text: str) -> None:
    scrubber = Scrubber()
    assert scrubber.scrubbed([text, 3, None, True]) == [text, 3, None, True]
    assert (scrubber.keys, scrubber.paths) == (0, 0)
