"""Languages as data: detection, grammars and one LangSpec each."""
