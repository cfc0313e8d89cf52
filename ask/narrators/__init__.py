"""Who writes the prose of an answer; see `codequarry.ask.narrators.protocol`."""
