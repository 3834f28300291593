"""Messages about scoring engines and their parameters, for Python and the browser.

`make reference` writes `theme/verify/sentences-methodology.js` from this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from benchsite.words import message

MESSAGES: Final[Mapping[str, str]] = {
    "no-engine": "scoring engine '{engine}' is not one this release has",
    "no-parameters": "parameters of methodology {track} {version} are not what engine '{engine}' takes",
    "wrong-parameter": "parameters.{field} of methodology {track} {version} is not one that engine '{engine}' takes",
}

said: Final = partial(message, MESSAGES)
"""The message of a name, its braces filled in."""
