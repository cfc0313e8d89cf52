"""codequarry: ask a repository a question, get every related file, ranked and complete."""

__version__ = "0.1.0"
