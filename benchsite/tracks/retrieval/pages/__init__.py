"""Leaderboard and receipt page."""
