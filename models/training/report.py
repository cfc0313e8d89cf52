"""Say a line on standard output at once, as the steps run for minutes."""

import sys


def say(*words: object) -> None:
    """Write ``words`` as one line."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()
