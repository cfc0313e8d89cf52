"""The ledger: what was taken, line by line."""


class Ledger:
    """Lines of a day, in the order they were written."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, float]] = []

    def write(self, name: str, amount: float) -> None:
        """Write a line; a line is never changed."""
        self.lines.append((name, amount))

    def balance(self) -> float:
        """Add up the lines."""
        return sum(amount for _, amount in self.lines)
