"""One short text a file: its signatures and first doc lines."""
