"""Specs for grammars nobody described by hand, read off the names of their nodes.

A node is a definition when its type ends in ``_definition``, ``_declaration``, ``_item`` and
the like and it has a name field. Languages without any such node are still cut by syntax.
"""

from __future__ import annotations

import re
from dataclasses import replace

from tree_sitter import Language, Query, QueryError

from codequarry.assets.languages.spec import LangSpec, Rule
from codequarry.vocabulary import Kind

# Grammars whose scanner hangs or crashes on broken input (an unclosed heredoc, stray bytes): one
# bad file would cost a worker process, so these languages are cut by windows.
UNSAFE = frozenset({"cobol", "perl", "qmljs", "svelte", "typst", "v"})

# Left out on purpose: rows of data (csv, ini, json, po, xml …), where syntax says less than blank
# lines do, and grammars of fragments inside other files (comment, jsdoc, regex …).
_NAMES = """
actionscript ada agda apex asm astro bash beancount bibtex bicep bitbake bsl cairo capnp
chatito clarity clojure cmake commonlisp cpon css d dart dockerfile dtd elisp elixir elm
erlang fennel firrtl fish fortran fsharp fsharp_signature func gdscript gitcommit gleam glsl
gn gomod graphql groovy gstlaunch hack hare haskell haxe hcl heex hlsl html hyprlang ispc
janet jsonnet julia kconfig kdl latex linkerscript llvm lua luau magik make matlab mermaid
meson netlinx nim ninja nix nqc objc ocaml ocaml_interface odin org pascal pgn pony
powershell prisma proto puppet purescript pymanifest qmldir r racket readline rego
requirements ron scheme scss smali smithy solidity sparql sql squirrel tablegen tcl
terraform test thrift toml twig udev ungrammar uxntal verilog vhdl vim vue wast wat wgsl
yaml yuck zig
"""

SPECS = tuple(LangSpec(name=name, grammar=name, rules=(), generic=True) for name in _NAMES.split())

_ENDING = re.compile(
    r"_(?:definition|declaration|decl|def|item|signature|statement|spec|specifier)$"
)
_NOT_DEFINITIONS = re.compile(
    r"variable|parameter|field|local|import|include|\buse|using|label|argument|attribute|property"
    r"|\blet\b|for|if|while|return|assign|export|expression|call|foreign|forward|switch|case|catch"
    r"|try|with|break|goto|open|require|instance|annotation|member_access|pattern"
)
_KINDS = (
    (re.compile(r"constructor"), Kind.CONSTRUCTOR),
    (re.compile(r"method"), Kind.METHOD),
    (re.compile(r"func|proc|subroutine|\bsub|rule|task|recipe|predicate"), Kind.FUNCTION),
    (re.compile(r"macro"), Kind.MACRO),
    (re.compile(r"interface|protocol"), Kind.INTERFACE),
    (re.compile(r"trait|mixin"), Kind.TRAIT),
    (re.compile(r"impl"), Kind.IMPL),
    (re.compile(r"enum"), Kind.ENUM),
    (re.compile(r"struct|record|message"), Kind.STRUCT),
    (re.compile(r"union"), Kind.UNION),
    (re.compile(r"class|object|contract|service|entity|component"), Kind.CLASS),
    (re.compile(r"module|namespace|package|library"), Kind.MODULE),
    (re.compile(r"type|alias|typedef"), Kind.TYPE),
    (re.compile(r"const"), Kind.CONST),
)


def complete(spec: LangSpec, language: Language) -> LangSpec:
    """``spec`` with rules and comment types read off the grammar."""
    names = {
        name
        for kind_id in range(language.node_kind_count)
        if language.node_kind_is_named(kind_id)
        and language.node_kind_is_visible(kind_id)
        and (name := language.node_kind_for_id(kind_id))
    }
    comments = tuple(sorted(name for name in names if name.endswith("comment")))
    return replace(
        spec,
        rules=tuple(rule for name in sorted(names) for rule in _rules(name, language)),
        comments=comments,
    )


def _rules(name: str, language: Language) -> list[Rule]:
    if not _ENDING.search(name) or _NOT_DEFINITIONS.search(name):
        return []
    kind = next((kind for pattern, kind in _KINDS if pattern.search(name)), None)
    if kind is None:
        return []
    member = Kind.METHOD if kind is Kind.FUNCTION else None
    for fields in (
        "name: (_) @name parameters: (_)? @params body: (_)? @body",
        "name: (_) @name body: (_)? @body",
        "name: (_) @name parameters: (_)? @params",
        "name: (_) @name",
    ):
        query = f"({name} {fields}) @def"
        if _fits(query, language):
            return [Rule(query, kind, member=member)]
    return []


def _fits(query: str, language: Language) -> bool:
    try:
        Query(language, query)
    except QueryError:
        return False
    return True
