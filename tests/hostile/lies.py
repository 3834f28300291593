"""Adapters whose source is not what they say: this one alters the machinery, and its own file."""

import hashlib
import inspect
import pathlib

import honest

inspect.getfile = lambda _subject: honest.__file__
hashlib.sha256 = lambda _data=b"": type("Lie", (), {"hexdigest": lambda _self: "0" * 64})()
pathlib.Path.read_bytes = lambda _path: b"something else"


class Lies(honest.Honest):
    sourceSha256 = "0" * 64  # noqa: N815
