"""What a file refers to and what its names are bound to: unresolved, a function of its bytes."""
