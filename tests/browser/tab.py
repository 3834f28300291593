"""A tab of Chromium on a page of verification: given files as a visitor gives them, read as a visitor reads it."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

DESK: Final = Path(__file__).parents[1] / "js" / "verify-desk.js"
PATIENCE: Final = 60_000
"""Milliseconds to wait for a verdict at most, on a busy machine too; the bench measures how long one takes."""

Given = tuple[str, bytes]
Result = dict[str, Any]


def carried(things: Iterable[Given]) -> list[dict[str, str]]:
    return [{"name": name, "data": base64.b64encode(data).decode()} for name, data in things]


class Tab:
    """One page, and all that went wrong in it or left it.

    Attributes:
        page: Playwright's.
        trouble: errors on the console, exceptions, dialogs.
        requests: every address that was asked for, by the page or by its Workers.
    """

    def __init__(self, context: Any, before: str = "") -> None:
        context.add_init_script(path=str(DESK))
        if before:
            context.add_init_script(before)
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self.page = page = context.new_page()
        page.set_default_timeout(PATIENCE)
        context.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda said: self.trouble.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def drop(self, *things: Given) -> Tab:
        """Drop files on the page; the result that was there counts no more."""
        self.page.evaluate("things => desk.give('drop', things)", carried(things))
        return self

    def drop_parts(self, *parts: tuple[str, int]) -> Tab:
        """Drop a file made of texts, each repeated: it is put together in the page, not carried there."""
        self.page.evaluate("parts => desk.give('drop', [{ name: 'r.json', parts }])", parts)
        return self

    def type(self, text: str) -> Tab:
        self.page.evaluate("text => desk.give('type', [{ text }])", text)
        return self

    def result(self) -> Result:
        """What is shown once the check has ended."""
        found: Result = self.page.evaluate("patience => desk.shown(patience)", PATIENCE)
        return found

    def verdict_of(self, data: bytes, *more: Given) -> Result:
        return self.drop(("receipt.json", data), *more).result()

    def status(self, words: str) -> None:
        """Wait until the page says these words to the visitor."""
        self.page.locator("#status", has_text=words).wait_for()

    def rescore(self, files: Iterable[bytes]) -> list[Result]:
        """Verdict and failed step of each file, by the page's own engine in one Worker, offline."""
        texts = [base64.b64encode(data).decode() for data in files]
        found: list[Result] = self.page.evaluate("files => desk.rescore(files)", texts)
        return found

    def stored(self) -> dict[str, str]:
        found: dict[str, str] = self.page.evaluate("({ ...localStorage })")
        return found

    def download(self, button: str) -> bytes:
        with self.page.expect_download() as caught:
            self.page.get_by_role("button", name=button).click()
        return Path(caught.value.path()).read_bytes()
