"""Answers that are kept, and given again while every line they cite stands as it did."""
