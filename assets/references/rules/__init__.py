"""One `RefSpec` a language: how it writes calls, types, imports and local names."""
