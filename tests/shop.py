"""A small shop: a till that calls the taxes, with a guide; what servers are tested on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support import LEXICAL, index, modules, write_tree

if TYPE_CHECKING:
    from pathlib import Path

SHOP = {
    **modules(4),
    "quarry.toml": 'model = "none"\n',
    "shop/till.py": (
        '"""The till."""\n\nfrom shop.tax import add_tax\n\n\n'
        'def ring_up(price):\n    """Ring up one article with its tax."""\n'
        "    return add_tax(price)\n"
    ),
    "shop/tax.py": (
        '"""Taxes."""\n\n\ndef add_tax(price):\n    """Add the tax of the country."""\n'
        "    return price * 1.2\n"
    ),
    "docs/guide.md": "# Guide\n\n## Ringing up\n\nThe till adds the tax to each article.\n",
    "blank.py": "",
}

# a name and a text that are markup, for whatever shows them
HOSTILE = "<img src=x onerror=alert(1)>.py"
MARKUP = (
    '"""<script>alert(1)</script> **bold** ![x](http://192.0.2.1/p.png)\n\n'
    "[y](javascript:alert(1))\n\n"
    'Walrus <img src=x onerror=alert(2)>."""\n\n\ndef walrus():\n    """<b>Tusks</b> & more."""\n'
    "    return '</code><script>alert(3)</script>'\n"
)


def indexed_shop(folder: Path) -> Path:
    """The shop below a folder, indexed without vectors."""
    root = write_tree(folder / "shop", SHOP)
    index(root, LEXICAL)
    return root
