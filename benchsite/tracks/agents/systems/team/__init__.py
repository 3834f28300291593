"""Collaboration of agents: packets, personas, termination of loops, and the final vote."""
