"""Broad questions: several agents look at a part each, and one answer is made of their notes."""
