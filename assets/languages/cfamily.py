"""C, C++ and the dialects whose grammars are made from theirs."""

from __future__ import annotations

import re
from dataclasses import replace

from codequarry.assets.languages.cmacros import MACROS
from codequarry.assets.languages.spec import LangSpec, Rule, Visibility, Wrap, node
from codequarry.vocabulary import Kind

_C_NAME = "(identifier) @name"
_CPP_NAME = (
    "[(identifier) (field_identifier) (qualified_identifier) (destructor_name)"
    " (operator_name) (template_function)] @name"
)


def _declarators(inner: str, wrappers: tuple[str, ...], depth: int = 2) -> str:
    """``inner`` bare or under up to ``depth`` pointer or reference declarators."""
    forms = [inner]
    layer = [inner]
    for _ in range(depth):
        layer = [f"({wrapper} {form})" for wrapper in wrappers for form in layer]
        forms.extend(layer)
    return "[" + " ".join(forms) + "]"


def _functions(name: str, wrappers: tuple[str, ...]) -> Rule:
    inner = f"(function_declarator declarator: {name} parameters: (_) @params)"
    return Rule(
        f"(function_definition declarator: {_declarators(inner, wrappers)} body: (_)? @body) @def",
        Kind.FUNCTION,
        member=Kind.METHOD,
    )


# `TEST_IMPL(name) { … }`: a macro writes the head, its argument is what tells it from others.
_MACRO_FUNCTION = Rule(
    "(function_definition type: (type_identifier) @m declarator: (parenthesized_declarator"
    ' . (identifier) @name .) body: (_) @body (#match? @m "^[A-Z][A-Z0-9_]+$")) @def',
    Kind.FUNCTION,
)
# `TEST(Suite, Name) { … }`
_MACRO_TEST = Rule(
    "(function_definition declarator: (function_declarator declarator: (identifier) @m"
    " parameters: (parameter_list . (parameter_declaration type: (_) !declarator)"
    " (parameter_declaration type: (type_identifier) @name !declarator) .))"
    ' body: (_) @body (#match? @m "^[A-Z_]*TEST[A-Z_]*$")) @def',
    Kind.FUNCTION,
)

# typedef A b; … A *b, **b; … A b[9]; … A b(int); … A (*b)(int); … A *(*b)(int);
_POINTED = "(pointer_declarator declarator: {})"
_FUNCTION_TYPE = "(function_declarator declarator: {})"
_BRACKETED = "(parenthesized_declarator {})"
_NAMED_TYPE = "(type_identifier) @name"
_CALLBACK = _FUNCTION_TYPE.format(_BRACKETED.format(_POINTED.format(_NAMED_TYPE)))
_TYPEDEFS = (
    _NAMED_TYPE,
    _POINTED.format(_NAMED_TYPE),
    _POINTED.format(_POINTED.format(_NAMED_TYPE)),
    f"(array_declarator declarator: {_NAMED_TYPE})",
    _FUNCTION_TYPE.format(_NAMED_TYPE),
    _POINTED.format(_FUNCTION_TYPE.format(_NAMED_TYPE)),
    _FUNCTION_TYPE.format(_BRACKETED.format(_NAMED_TYPE)),
    _POINTED.format(_FUNCTION_TYPE.format(_BRACKETED.format(_NAMED_TYPE))),
    "(primitive_type) @name",  # `typedef int int32_t;`
    _CALLBACK,
    _POINTED.format(_CALLBACK),
    _POINTED.format(_POINTED.format(_CALLBACK)),
)

_TYPES = (
    *(
        Rule(f"({type_} name: (_) @name body: (_) @body) @def", kind)
        for type_, kind in (
            ("struct_specifier", Kind.STRUCT),
            ("union_specifier", Kind.UNION),
            ("enum_specifier", Kind.ENUM),
        )
    ),
    *(
        Rule(
            f"(type_definition type: ({type_} !name body: (_) @body)"
            " declarator: (type_identifier) @name) @def",
            kind,
        )
        for type_, kind in (
            ("struct_specifier", Kind.STRUCT),
            ("union_specifier", Kind.UNION),
            ("enum_specifier", Kind.ENUM),
        )
    ),
    *(
        Rule(f"(type_definition declarator: {form}) @def", Kind.TYPE, scopes=False)
        for form in _TYPEDEFS
    ),
    Rule("(preproc_function_def name: (_) @name parameters: (_) @params) @def", Kind.MACRO),
    Rule("(preproc_def name: (_) @name value: (_)) @def", Kind.MACRO),
)


def _globals(*parents: str) -> tuple[Rule, ...]:
    """Variables of file level with a value: ``extern`` ones live elsewhere."""
    bare = "(init_declarator declarator: {})"
    names = (
        "(identifier) @name",
        "(pointer_declarator declarator: (identifier) @name)",
        "(array_declarator declarator: (identifier) @name)",
        "(pointer_declarator declarator: (array_declarator declarator: (identifier) @name))",
    )
    return tuple(
        Rule(f"({parent} (declaration declarator: {bare.format(name)}) @def)", Kind.VAR)
        for parent in parents
        for name in names
    )


C = LangSpec(
    name="c",
    grammar="c",
    rules=(
        _functions(_C_NAME, ("pointer_declarator",)),
        _MACRO_FUNCTION,
        *_TYPES,
        *_globals("translation_unit"),
    ),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"static"}),
    static_words=frozenset({b"static"}),
    upper_is_const=True,
    blanked=MACROS,
    conditionals=True,
    transparent=(
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
        "preproc_elif",
        "linkage_specification",
        "declaration_list",
    ),
)

_REFERENCES = ("pointer_declarator", "reference_declarator")
_METHOD = _declarators(
    "(function_declarator declarator: [(field_identifier) (identifier) (operator_name)"
    " (destructor_name)] @name parameters: (_) @params)",
    _REFERENCES,
    depth=1,
)
# `operator bool() const`, in its class or as `A::B::operator bool() const`
_CAST = "(operator_cast (abstract_function_declarator parameters: (_) @params)) @name"
_OWNED = "(qualified_identifier name: {}) @name"
_CASTS = (
    _CAST,
    _OWNED.format(_CAST.removesuffix(" @name")),
    _OWNED.format("(qualified_identifier name: (operator_cast))"),
)

CPP = replace(
    C,
    name="cpp",
    grammar="cpp",
    rules=(
        _MACRO_TEST,
        _MACRO_FUNCTION,
        _functions(_CPP_NAME, _REFERENCES),
        *(
            Rule(
                f"(function_definition declarator: {form} body: (_)? @body) @def",
                Kind.FUNCTION,
                member=Kind.METHOD,
            )
            for form in _CASTS
        ),
        Rule(
            "(class_specifier name: (_) @name body: (_) @body) @def",
            Kind.CLASS,
            section="private",
        ),
        Rule("(namespace_definition name: (_) @name body: (_) @body) @def", Kind.NAMESPACE),
        *_TYPES,
        *node("alias_declaration concept_definition", Kind.TYPE, fields=()),
        # A pure virtual member is its own definition; the others are defined elsewhere.
        Rule(
            f"(field_declaration declarator: {_METHOD} default_value: (number_literal)) @def",
            Kind.METHOD,
        ),
        *(
            Rule(query, Kind.METHOD, emits=False, declares=True)
            for query in (
                f"(field_declaration declarator: {_METHOD}) @def",
                f"(field_declaration_list (declaration declarator: {_METHOD}) @def)",
                f"(field_declaration_list (declaration declarator: {_CAST}) @def)",
            )
        ),
        *_globals("translation_unit", "declaration_list"),
    ),
    wraps=(
        Wrap("(template_declaration (_) @inner .) @outer"),
        Wrap("(friend_declaration (function_definition) @inner) @outer", outside=True),
    ),
    sections=("(field_declaration_list (access_specifier) @section)",),
    delimiter="::",
    member_delimiter="::",
    constructor_is_class_name=True,
    owner_in_name=True,
    name_split=re.compile(r"::"),
    transparent=(*C.transparent, "namespace_definition"),
)
CUDA = replace(CPP, name="cuda", grammar="cuda")
ARDUINO = replace(CPP, name="arduino", grammar="arduino")

_OBJC_METHOD = "(method_type) . (identifier) @name"

OBJC = replace(
    C,
    name="objc",
    grammar="objc",
    rules=(
        *C.rules,
        Rule("(class_interface . (identifier) @name) @def", Kind.CLASS),
        Rule("(protocol_declaration . (identifier) @name) @def", Kind.INTERFACE),
        Rule("(class_implementation . (identifier) @name) @def", Kind.IMPL, emits=False),
        Rule(f"(method_declaration {_OBJC_METHOD}) @def", Kind.METHOD),
        Rule(f"(method_definition {_OBJC_METHOD} (compound_statement) @body) @def", Kind.METHOD),
    ),
)
GLSL = replace(C, name="glsl", grammar="glsl")
HLSL = replace(C, name="hlsl", grammar="hlsl")
ISPC = replace(C, name="ispc", grammar="ispc")


SPECS = (C, CPP, CUDA, ARDUINO, OBJC, GLSL, HLSL, ISPC)
