"""Who can see a definition, by the rules of its language."""

from __future__ import annotations

from codequarry.assets.languages.grammars import Grammar
from codequarry.assets.languages.spec import CALLABLE_KINDS, NAMESPACE_KINDS, Visibility
from codequarry.assets.symbols.definitions import Definition


def is_visible(definition: Definition, header: bytes, grammar: Grammar) -> bool:
    """Whether a definition can be used from outside its file or type.

    Args:
        definition: With its scope, parent and wrapper already known.
        header: The source from its first decorator to its name.
        grammar: The language's grammar, for its visibility words.
    """
    parent = definition.parent
    while parent is not None:
        if parent.kind in CALLABLE_KINDS:
            return False  # local to a function
        parent = parent.parent
    name = definition.name
    match grammar.spec.visibility:
        case Visibility.UNDERSCORE:
            return not name.startswith("_") or name.endswith("__")
        case Visibility.CAPITAL:
            return name[:1].isupper()
        case Visibility.KEYWORD:
            return bool(grammar.show_words and grammar.show_words.search(header))
        case Visibility.UNLESS:
            hidden = grammar.hide_words is not None and grammar.hide_words.search(header)
            return not hidden and _section(definition) in ("", "public")
        case Visibility.WRAPPER:
            return _exported_by_wrapper(definition, header, grammar)
        case Visibility.ALL:
            return True


def _section(definition: Definition) -> str:
    parent = definition.parent
    if parent is None or definition.kind not in CALLABLE_KINDS:
        return ""
    return "" if definition.rule.static else parent.section or parent.rule.section


def _exported_by_wrapper(definition: Definition, header: bytes, grammar: Grammar) -> bool:
    parent = definition.parent
    if definition.exported or parent is None:
        return definition.exported
    if definition.name.startswith("#") or (
        grammar.hide_words is not None and grammar.hide_words.search(header)
    ):
        return False
    return parent.exported and parent.kind not in NAMESPACE_KINDS
