"""Pictures of link previews: which page has which, what is drawn, and that the file is a PNG that a decoder reads."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from agents_record import AgentsRecord
from shell_sites import configure, read

from benchsite.board import boards, subjects
from benchsite.site.cards import card
from benchsite.site.cards.canvas import HEIGHT, WIDTH, Canvas, fitted, width
from benchsite.site.cards.pictures import pictures
from benchsite.site.shell import RenderedPage, build_shell
from benchsite.tracks.agents import TRACK

PAPER = (0xFB, 0xFA, 0xF6)
ACCENT = (0x12, 0x5A, 0x55)
Pixels = list[list[tuple[int, int, int]]]


def decoded(data: bytes) -> Pixels:
    """The pixels of an indexed PNG without filters (RFC 2083, 3.2 and 4.1); every checksum is verified."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    chunks: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunks[kind] = data[at + 8 : at + 8 + size]
        assert data[at + 8 + size : at + 12 + size] == struct.pack(">I", zlib.crc32(kind + chunks[kind]))
        at += 12 + size
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    palette = [tuple(chunks[b"PLTE"][place : place + 3]) for place in range(0, len(chunks[b"PLTE"]), 3)]
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == HEIGHT * (WIDTH + 1)
    rows = [lines[start : start + WIDTH + 1] for start in range(0, len(lines), WIDTH + 1)]
    assert {row[0] for row in rows} == {0}
    return [[palette[index] for index in row[1:]] for row in rows]  # type: ignore[misc]


def inked(pixels: Pixels) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is not paper."""
    rows = [y for y, row in enumerate(pixels) if set(row) != {PAPER}]
    columns = [x for row in pixels for x, one in enumerate(row) if one != PAPER]
    return min(columns), rows[0], max(columns), rows[-1]


def test_a_rectangle_and_a_circle_are_where_they_were_put() -> None:
    canvas = Canvas()
    canvas.fill(10, 20, 30, 5, "accent")
    canvas.dot(100, 60, 7, "ink")
    pixels = decoded(canvas.png())
    assert pixels[20][10] == pixels[24][39] == ACCENT
    assert pixels[19][10] == pixels[25][10] == pixels[20][40] == PAPER
    assert pixels[60][100] == (0x17, 0x19, 0x1C)
    assert inked(pixels) == (10, 20, 107, 67)


def test_a_line_is_as_wide_as_it_says_and_stays_on_the_picture() -> None:
    canvas = Canvas()
    canvas.text(100, 200, "HHHH", "bold")
    left, top, right, bottom = inked(decoded(canvas.png()))
    assert 100 <= left < 105
    assert abs(right - (100 + width("HHHH", "bold"))) < 5
    # Capitals end on the base line; IBM Plex Sans has them 0.698 of 30 px high.
    assert (bottom, bottom - top + 1) == (199, 21)
    edge = Canvas()
    edge.text(WIDTH - 30, 300, "HHHHHHHH" * 100, "title")
    edge.text(-500, HEIGHT + 10, "HHHH" * 100, "title")
    assert inked(decoded(edge.png()))[2] < WIDTH


def test_a_name_of_any_length_and_script_is_written() -> None:
    assert fitted("short", "bold", 320) == "short"
    cut = fitted("x" * 10_000, "bold", 320)
    assert cut.endswith("x…")
    assert 300 < width(cut, "bold") <= 320
    assert width("café", "text") == width("cafe", "text")
    assert width("系统", "text") == width("??", "text")
    assert width("1", "figure") == width("系", "figure") > 0


@pytest.mark.parametrize(
    ("path", "picture"),
    [
        ("", "assets/cards/home.png"),
        ("retrieval/x/", "retrieval/x/card.png"),
        ("retrieval/x/1.0.0/", "retrieval/x/card.png"),
        ("retrieval/x/query/q1/", "retrieval/x/card.png"),
        ("retrieval/y/", "assets/cards/leaderboard.png"),
        ("retrieval/", "assets/cards/leaderboard.png"),
        ("systems/bm25/", "systems/bm25/card.png"),
        ("receipts/ab/c/", "assets/cards/receipt.png"),
        ("docs/x/", "assets/cards/docs.png"),
    ],
)
def test_a_page_has_the_picture_of_its_leaderboard_or_system(path: str, picture: str) -> None:
    assert card(path, {"retrieval/x/", "systems/bm25/"})[0] == picture


def test_each_leaderboard_and_system_with_a_result_has_a_picture() -> None:
    record = AgentsRecord(count=40, passive=4)
    record.run("null", "ssss" + "f" * 36)
    record.run("ours", "s" * 30 + "f" * 10)
    history = record.history()
    made = boards(history, [TRACK], record.body, record.library)
    named = subjects(made, history, {})
    found = {page.path: page.data or b"" for page in pictures(made.current, named, site="<b>" * 400)}
    assert sorted(found) == ["agents/desk/card.png", "systems/null/card.png", "systems/ours/card.png"]
    drawn = decoded(found["agents/desk/card.png"])
    # The scale is 0 to 100%, from x = 640 to 1124; 30 of 40 is 75%, and doing nothing has 10%.
    assert drawn[248][640 + round(0.75 * 484)] == ACCENT
    assert drawn[306][640 + round(0.10 * 484)] == (0xA3, 0x9C, 0x8C)
    assert len(found["agents/desk/card.png"]) < 40_000
    empty = [replace(board, ranked=()) for board in made.current]
    assert not list(pictures(empty, [], site="x"))


def test_a_receipt_and_a_system_show_a_picture_of_their_own(tmp_path: Path, root: Path) -> None:
    config = configure(
        tmp_path,
        root,
        folders=["systems/"],
        pictured={"retrieval/x/", "systems/one/"},
        pages=[RenderedPage("", "Front", "", b"x"), RenderedPage("retrieval/x/", "X", "", b"x")],
    )
    shell = build_shell(config)
    image = '<meta property="og:image" content="https://bench.invalid/sub/{}">'
    assert image.format("retrieval/x/card.png") in read(config, "retrieval/x")
    ranked = RenderedPage("receipts/ab/c/", "A", "", b"b", picture="retrieval/x/")
    assert image.format("retrieval/x/card.png") in shell.wrap(ranked)
    assert image.format("assets/cards/receipt.png") in shell.wrap(replace(ranked, picture="retrieval/y/"))
    assert image.format("systems/one/card.png") in shell.wrap(RenderedPage("systems/one/", "A", "", b"b"))
