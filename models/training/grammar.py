"""What the line-based miner knows of each language: its files, doc comments, definitions, ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class End(Enum):
    """How a definition ends."""

    BRACE = "brace"
    INDENT = "indent"
    WORD = "word"  # ``end`` at the definition's indentation
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language for the miner.

    Attributes:
        suffixes: Of its files.
        line: Matches one line of a line comment, or None.
        block: Whether ``/* … */`` comments document.
        definition: Matches the first line of a definition.
        end: How a definition ends.
        cap: At most so many pairs from one package: low for what is plentiful.
    """

    suffixes: tuple[str, ...]
    line: re.Pattern[str] | None
    block: bool
    definition: re.Pattern[str]
    end: End
    cap: int = 4000


_MODIFIERS = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|async|abstract|final"
    r"|open|override|inline|virtual|extern|unsafe|suspend|data|sealed|readonly|partial|lazy|case"
    r"|synchronized|native|implicit|fileprivate|mutating|convenience|required|explicit|constexpr"
    r"|operator|infix|tailrec|inner|companion|get|set|new|pub(?:\([^)]*\))?|const|friend|volatile"
    r"|comptime|noinline|@\w+(?:\([^)]*\))?)\s+)*"
)
_KEYWORDS = (
    r"(?:function\*?|func|fn|fun|def|class|interface|struct|enum|trait|impl|type|object|protocol"
    r"|extension|module|namespace|record|val|var|let|actor|init|macro_rules!|typedef|template"
    r"|union|typealias|annotation|delegate|event|test)\b"
)
_METHOD = (
    r"(?!(?:if|for|while|switch|return|else|catch|throw|new|do|try|case|assert|delete|await"
    r"|print\w*)\b)[\w:<>,\[\]\s*&?.~$#@]*?[\w~$\]>]\s*\("
)
_CURLY = re.compile(rf"^\s*{_MODIFIERS}(?:{_KEYWORDS}|{_METHOD}|[\w$]+\s*[:=]|#\s*define\b)")
_SLASHES = re.compile(r"^\s*//")
_HASH = re.compile(r"^\s*#(?![!\[])")
_DASHES = re.compile(r"^\s*--(?!\[)")
_RARE = 40000


def _curly(*suffixes: str, cap: int = 4000) -> Grammar:
    return Grammar(suffixes, _SLASHES, True, _CURLY, End.BRACE, cap)


GRAMMARS: dict[str, Grammar] = {
    "python": Grammar(
        (".py",), None, False, re.compile(r"^\s*(?:async\s+)?(?:def|class)\s"), End.INDENT, 3000
    ),
    "javascript": _curly(".js", ".mjs", ".cjs", ".jsx"),
    "typescript": _curly(".ts", ".tsx", ".mts"),
    "go": _curly(".go"),
    "rust": _curly(".rs", cap=10000),
    "java": _curly(".java"),
    "kotlin": _curly(".kt", ".kts", cap=_RARE),
    "swift": _curly(".swift", cap=_RARE),
    "scala": _curly(".scala", cap=_RARE),
    "csharp": _curly(".cs", cap=30000),
    "php": _curly(".php", ".inc", cap=6000),
    "c": _curly(".c", ".h"),
    "cpp": _curly(".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"),
    "zig": _curly(".zig", cap=_RARE),
    "objc": _curly(".m", ".mm", cap=3000),
    "ruby": Grammar(
        (".rb",),
        _HASH,
        False,
        re.compile(
            r"^\s*(?:def|class|module|attr_\w+|scope|(?:private|protected|public)\s+def|[A-Z]\w*\s*=|alias)\b"
        ),
        End.WORD,
        6000,
    ),
    "elixir": Grammar(
        (".ex", ".exs"),
        _HASH,
        False,
        re.compile(r"^\s*(?:def\w*|@(?:type|callback|macrocallback|typep|opaque))\b"),
        End.WORD,
        _RARE,
    ),
    "lua": Grammar(
        (".lua",),
        _DASHES,
        False,
        re.compile(r"^\s*(?:local\s+)?(?:function\b|[\w.:\[\]\"']+\s*=)"),
        End.WORD,
        _RARE,
    ),
    "bash": Grammar(
        (".sh", ".bash", ".zsh", ".bats"),
        _HASH,
        False,
        re.compile(r"^\s*(?:function\s+[\w:.-]+|[\w:.-]+\s*\(\s*\))"),
        End.BRACE,
        _RARE,
    ),
    "haskell": Grammar(
        (".hs",),
        _DASHES,
        False,
        re.compile(
            r"^\s*(?:data|newtype|class|instance|type|module|[a-z_][\w']*(?:\s*,\s*\w+)*\s*(?:::|=|$)|\([^)]+\)\s*::|[a-z_]\w*\s)"
        ),
        End.BLANK,
        8000,
    ),
}

LANGUAGE_OF = {suffix: name for name, grammar in GRAMMARS.items() for suffix in grammar.suffixes}
