"""Measurements of the specifications' gates: `make bench`. They print numbers beside the last recorded ones and judge nothing.

A module `bench_<name>` states `UNIT` (what its size counts), `SIZE`, `TINY`, `ROUNDS` and `GATES`, and has one function,
`measure(size, rounds)`, from which come named numbers, nested one level at most. A name ends with its unit: `_s`, `_ms`, `_us`,
`_mb` (1,048,576 bytes), `_per_s`, `_bytes`, `_ratio`; one without is a count. Everything else is here once: `measurement`
(how one is run), `spending` (time and memory of a command), `report` (what is printed), `history` (what is kept).
"""
