"""claims: the numbers of a text that cite a receipt, looked up in the record.

    text -> tagged numbers -> receipt, newest receipt of the row, leaderboard -> one status each

A number cites a receipt by a link to the receipt's page or file. Refuses texts that it cannot read as a whole.
"""

from __future__ import annotations

from benchsite.pipeline.claims.check import Claim, Status, Text, claims
from benchsite.pipeline.claims.tagged import KINDS

__all__ = ["KINDS", "Claim", "Status", "Text", "claims"]
