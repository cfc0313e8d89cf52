"""The graph of a generation: overview, one file, a route between two; it never ranks."""
