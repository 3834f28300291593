"""Two systems to measure."""


def exact(a: int, b: int) -> int:
    return a + b


def forgetful(a: int, b: int) -> int:
    """Loses the carry of the last digit."""
    return (a // 10 + b // 10) * 10 + (a + b) % 10
