"""Baselines: random order and recency; every leaderboard has them."""
