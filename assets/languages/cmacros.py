"""Macros that keep a grammar without a preprocessor from reading C and C++.

The group of a pattern that matched is replaced by spaces before parsing, so every byte keeps its
place. What
goes is what a reader skips too: export and attribute words, lone macro lines, comments inside
macro bodies. A type in capitals (`HANDLE open(…)`) is no such word: nothing but a name follows it.
"""

from __future__ import annotations

import re

_WORD = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"  # an underscore tells a macro from `FILE` and `DWORD`
_ARGUMENTS = rb"\((?:[^()\n]|\([^()\n]*\))*\)"
# What begins a declaration after an attribute: a keyword, a basic type, or a type and a name.
_DECLARATION = (
    rb"(?=(?:template|class|struct|union|enum|typename|static|inline|extern|virtual|explicit"
    rb"|friend|constexpr|using|namespace|unsigned|signed|void|int|char|bool|auto|double|float"
    rb"|long|short|size_t|ssize_t|u?int(?:8|16|32|64|ptr)_t|operator)\b"
    rb"|const[ \t]+\w+[ \t*&:<]+\w"
    rb"|[A-Za-z_][\w:]*(?:[ \t]+\*?|[ \t]*[*&]+[ \t]*)"
    rb"(?:[A-Za-z_]\w*|operator[^\w\n(][^\n(]*)[ \t]*\()"
)

_AFTER_STATEMENT = rb"(?:(?<=[;{}/\nA-Z_)]\n)|(?<=[;{}/\nA-Z_)]\r\n))"
_CALL = _WORD + rb"[ \t]*" + _ARGUMENTS

# Lines that begin with a macro, in one search: it looks at each line's first letters only.
_LINES = (
    # `#define XX(a) …`, `MAP(XX)` and `#undef XX` inside an enumeration
    rb"[ \t]*(#[ \t]*(?:define|undef)[ \t]+(?:XX?|V|OP)\b[^\n]*)",
    rb"[ \t]+([A-Z][A-Z0-9_]+\((?:XX?|V|OP)\))[ \t]*(?=\r?\n)",
    # `#if HAS_WARNING("-Wcast-qual")`: no expression to the grammar
    rb"[ \t]*#[ \t]*(?:el)?if\b[^\n\"]*?(\([^()\n]*\"[^()\n]*\))",
    # `PRIVATE_UNLESS_TESTED:`
    rb"[ \t]*(" + _WORD + rb":)[ \t]*(?=\r?\n)",
    # `API_EXTERN int f(void);`, `LIB_DEPRECATED("why") void f();`, `LIB_EXPORT template <…>`
    rb"[ \t]*(?:(?:static|inline|extern|virtual|friend)[ \t]+)*([A-Z][A-Z0-9_]{2,}(?:"
    + _ARGUMENTS
    + rb")?(?:[ \t]+"
    + _WORD
    + rb")*)[ \t]+"
    + _DECLARATION,
    # the same on a line of its own
    rb"[ \t]+(" + _WORD + rb"(?:" + _ARGUMENTS + rb")?)[ \t]*(?=\r?\n[ \t]*" + _DECLARATION + rb")",
    # `LIB_BEGIN_NAMESPACE`, and `FIELDS_OF_ALL` in a struct where a statement can open
    rb"(" + _WORD + rb")[ \t]*(?=\r?\n)",
    _AFTER_STATEMENT + rb"[ \t]+(" + _WORD + rb")[ \t]*(?=\r?\n)",
    # `LIB_SUPPRESS(4514)`: the same with arguments, where no body and no operator follows
    rb"(?:" + _AFTER_STATEMENT + rb"[ \t]+)?(" + _CALL + rb")[ \t]*"
    rb"(?=\r?\n\s*[^\s{.,;)\]+\-*/&|?:<>=])",
)

MACROS = (
    # `class API Name {`
    re.compile(
        rb"\b(?:class|struct|union|enum(?:[ \t]+class)?)[ \t]+([A-Z][A-Z0-9_]{2,}(?:\([^()\n]*\))?)"
        rb"[ \t]+(?=[A-Za-z_][\w:]*\s*(?:final\b|[:{<]))"
    ),
    # a comment at the end of a line of a macro's body: the grammar takes it for the body's end
    re.compile(rb"(/\*(?:[^*\n]|\*(?!/)){0,300}\*/)[ \t]*(?=\\\r?\n)"),
    re.compile(
        rb"^(?=[ \t]*(?:[A-Z#]|static|inline|extern|virtual|friend))(?:"
        + rb"|".join(_LINES)
        + rb")",
        re.MULTILINE,
    ),
    # `LIB_CONSTEXPR Name(int a) : a_(a) {}`, `if LIB_CONSTEXPR (…)`, `void f() LIB_NOEXCEPT {`
    re.compile(
        rb"(?<!define )(?<!defined )\b([A-Z][A-Z0-9_]*_"
        rb"(?:CONSTEXPR|INLINE|EXPLICIT|NODISCARD|NOEXCEPT)\d*)(?=[ \t]+[A-Za-z_(~{:])"
    ),
    # `typedef BOOL (WINAPI *open_fn)(…)`, `void f() LOCKS_EXCLUDED_(mutex) {`
    re.compile(rb"\(([A-Z]{4,})[ \t]+(?=\*[ \t]*\w+\))"),
    re.compile(rb"\)(?:[ \t]+|[ \t]*\r?\n[ \t]+)(" + _WORD + _ARGUMENTS + rb")(?=\s*\{)"),
)
