"""The letters of link previews, drawn by Chromium from the theme's fonts: `python tests/browser/letters.py`.

Writes `benchsite/site/cards/letters.json`. A build has no browser and no font engine, so it copies these.
"""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

_ROOT: Final = Path(__file__).parents[2]
_FONTS: Final = _ROOT / "theme/assets/fonts"
_OUT: Final = _ROOT / "benchsite/site/cards/letters.json"
_TEXT: Final = "".join(map(chr, range(0x20, 0x7F))) + "–—−…·×"
_STYLES: Final = {
    "title": ("source-serif-4-latin-600-normal", 60, _TEXT),
    "name": ("source-serif-4-latin-600-normal", 28, _TEXT),
    "bold": ("ibm-plex-sans-latin-600-normal", 30, _TEXT),
    "text": ("ibm-plex-sans-latin-400-normal", 26, _TEXT),
    "figure": ("ibm-plex-mono-latin-400-normal", 28, "0123456789.,%[]+-– −"),
}
_DRAW: Final = """async ([url, size, text]) => {
  const face = await new FontFace("drawn", `url(${url})`).load();
  document.fonts.add(face);
  const [width, height, base, left] = [3 * size, 2 * size, Math.round(1.4 * size), size];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.font = `${size}px drawn`;
  return [...text].map((letter) => {
    context.clearRect(0, 0, width, height);
    context.fillText(letter, left, base);
    const { data } = context.getImageData(0, 0, width, height);
    const levels = Array.from({ length: width * height }, (_, i) => Math.round(data[4 * i + 3] / 17));
    const inked = levels.flatMap((level, i) => (level ? [i] : []));
    const columns = inked.map((i) => i % width), rows = inked.map((i) => Math.floor(i / width));
    const [x, y] = inked.length ? [Math.min(...columns), Math.min(...rows)] : [left, base];
    const [w, h] = inked.length ? [Math.max(...columns) - x + 1, Math.max(...rows) - y + 1] : [0, 0];
    const lines = Array.from({ length: h }, (_, row) => levels.slice((y + row) * width + x, (y + row) * width + x + w));
    return [letter, [Math.round(64 * context.measureText(letter).width), x - left, y - base, w, h], lines.flat()];
  });
}"""


def main() -> None:
    """Draw every style, and write one file."""
    shapes: dict[str, Any] = {}
    levels = bytearray()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for style, (font, size, text) in _STYLES.items():
            page = browser.new_page()
            data = base64.b64encode((_FONTS / f"{font}.woff2").read_bytes()).decode()
            drawn = page.evaluate(_DRAW, [f"data:font/woff2;base64,{data}", size, text])
            shapes[style] = {}
            for letter, shape, pixels in drawn:
                shapes[style][letter] = [*shape, len(levels)]
                levels += bytes(pixels)
        browser.close()
    packed = base64.b64encode(zlib.compress(bytes(levels), 9)).decode()
    _OUT.write_text(json.dumps({"shapes": shapes, "levels": packed}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
