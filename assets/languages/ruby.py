"""Ruby and Crystal-like dialects."""

from __future__ import annotations

import re

from codequarry.assets.languages.spec import LangSpec, Naming, Rule, Visibility, Wrap, node
from codequarry.vocabulary import Kind

RUBY = LangSpec(
    name="ruby",
    grammar="ruby",
    rules=(
        *node("class", Kind.CLASS, fields=("body",)),
        *node("module", Kind.MODULE, fields=("body",)),
        *node("method", Kind.METHOD),
        *node("singleton_method", Kind.METHOD, static=True),
        Rule(
            "(singleton_class value: (_) @name body: (_)? @body) @def",
            Kind.CLASS,
            static_members=True,
            emits=False,
        ),
        # Struct.new, Class.new, Module.new with a block: a class under a constant's name
        Rule(
            "(assignment left: (constant) @name right: (call receiver: (constant) @r"
            " method: (identifier) @m block: (_) @body"
            ' (#any-of? @r "Struct" "Class" "Module" "Data")'
            ' (#any-of? @m "new" "define"))) @def',
            Kind.CLASS,
        ),
        Rule("(assignment left: (constant) @name) @def", Kind.CONST, once=True),
    ),
    wraps=(Wrap("(call method: (identifier) arguments: (argument_list (method) @inner)) @outer"),),
    sections=('((identifier) @section (#any-of? @section "private" "protected" "public"))',),
    naming=Naming.MEMBER,
    delimiter="::",
    member_delimiter="#",
    constructors=frozenset({"initialize"}),
    visibility=Visibility.UNLESS,
    hide_words=frozenset({b"private", b"protected", b"private_class_method"}),
    name_split=re.compile(r"::"),
)

SPECS = (RUBY,)
