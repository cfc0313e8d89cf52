"""Taxes of the country."""

RATE = 0.2


def add_tax(price: float) -> float:
    """Add the tax to a price."""
    return price * (1 + RATE)
