"""Pages of the agents track: leaderboard, tasks, comparison, receipt and evidence."""
