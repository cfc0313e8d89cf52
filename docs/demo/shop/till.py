"""The till: rings up articles and closes the day."""

from shop.ledger import Ledger
from shop.tax import add_tax


class Till:
    """Takes money for articles."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def ring_up(self, name: str, price: float) -> float:
        """Ring up one article with its tax and write it into the ledger."""
        total = add_tax(price)
        self.ledger.write(name, total)
        return total

    def close_day(self) -> float:
        """Close the day: what was taken goes to the bank."""
        return self.ledger.balance()
