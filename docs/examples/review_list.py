"""What else to read in a review: python review_list.py REPOSITORY SYMBOL… prints files.

Embeds codequarry in a program of its own: index, ask who is affected, find what else is like it.
"""

from __future__ import annotations

import sys

import codequarry


def review_list(repository: str, symbols: list[str]) -> list[str]:
    """Files that a change of some symbols touches, the nearest first, then what is about them."""
    codequarry.index_repo(repository)
    index = codequarry.open_index(repository)
    graph = codequarry.graph(index)
    hit = [row.path for name in symbols for row in graph.impact(name)]
    near = index.search(" ".join(symbols)).paths
    return list(dict.fromkeys([*hit, *near]))


if __name__ == "__main__":
    try:
        print(*review_list(sys.argv[1], sys.argv[2:]), sep="\n")  # noqa: T201
    except codequarry.QuarryError as error:
        sys.exit(f"{error.message}\n{error.hint}")
