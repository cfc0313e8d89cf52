"""What the long-lived shells share: a warm index, indexing beside them, documents for programs."""
