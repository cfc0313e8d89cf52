"""How many tokens a text has, estimated without a tokenizer: for previews and batch limits.

Byte-pair tokenizers of today cut words into pieces of about five letters, numbers into three
digits, and most signs into one token each; a run of blanks goes with what follows it. Measured
against no model in particular: an estimate, which says so wherever it is shown.
"""

from __future__ import annotations

import re

_PIECES = re.compile(r"([A-Za-z]+)|([0-9]+)|(\n+)|([^\sA-Za-z0-9]+)")
_LETTERS = 6  # of a word that are one token
_DIGITS = 3
_SIGNS = 2  # ASCII signs in a row that are one token: `()`, `->`, `},`


def estimate_tokens(text: str) -> int:
    """About how many tokens an embedding model reads in ``text``."""
    total = 0
    for letters, digits, ends, signs in _PIECES.findall(text):
        if letters:
            total += -(-len(letters) // _LETTERS)
        elif digits:
            total += -(-len(digits) // _DIGITS)
        elif ends:
            total += 1
        elif signs.isascii():
            total += -(-len(signs) // _SIGNS)
        else:  # scripts without spaces, emoji: a character is a token or more
            total += len(signs)
    return total
