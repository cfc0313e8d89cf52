"""The graph: how files hang together, by reference and by meaning, and which belong together."""
