"""Name the language of a file: extension, file name, shebang, modeline, else plain text."""

from __future__ import annotations

import re

from codequarry.assets.languages.extensions import (
    BY_EXTENSION,
    BY_INTERPRETER,
    BY_MODE,
    BY_NAME,
    BY_NAME_START,
    TEMPLATE_EXTENSIONS,
)

TEXT = "text"
# What a file of any name begins with that is in this language.
_STARTS = (
    (b"<?php", "php"),
    (b"<?xml", "xml"),
    (b"\xef\xbb\xbf<?xml", "xml"),
    (b"<!DOCTYPE html", "html"),
    (b"<!doctype html", "html"),
    (b"%YAML", "yaml"),
)

_KNOWN = frozenset(BY_EXTENSION.values()) | frozenset(BY_NAME.values())
_SHEBANG = re.compile(rb"#![ \t]*(?:/usr/bin/env[ \t]+(?:-\S+[ \t]+|\w+=\S+[ \t]+)*)?(\S+)")
_IGNORE_FILE = re.compile(r"\.\w+ignore$")
_LOCAL_VARIABLES = re.compile(rb"Local Variables:.{0,500}?mode:[ \t]*([\w+-]+)", re.DOTALL)
_VIM = re.compile(rb"(?:^|[ \t])(?:vi|vim|ex):.{0,80}?(?:ft|filetype|syntax)=([\w+-]+)")
_EMACS = re.compile(rb"-\*-(?:.{0,120}?mode:)?[ \t]*([\w+-]+)[ \t]*(?:;.{0,120})?-\*-")
_CPP_HEADER = re.compile(
    rb"^[ \t]*(?:template[ \t]*<|namespace[ \t]+\w|class[ \t]+\w+[^;\n]*(?:\{|:|$)"
    rb"|(?:public|private|protected)[ \t]*:|using[ \t]+(?:namespace|\w+[ \t]*=)"
    rb"|#[ \t]*include[ \t]*<(?:string|vector|map|memory|cstdint|iostream|functional|utility)>)"
    rb"|\bstd::|\bconstexpr\b|\bnoexcept\b|\boperator[^\w\s]",
    re.MULTILINE,
)
_OBJC_HEADER = re.compile(rb"^[ \t]*(?:@interface|@protocol|@property|#import)\b", re.MULTILINE)
_MATLAB = re.compile(rb"^[ \t]*(?:function\b|%|classdef\b|end[ \t]*$)", re.MULTILINE)
_PASCAL = re.compile(
    rb"^[ \t]*(?:unit|program|procedure|interface)\b", re.MULTILINE | re.IGNORECASE
)
_PERL = re.compile(
    rb"^[ \t]*(?:use[ \t]+(?:strict|warnings|Test|v?5)|package[ \t]+\w|sub[ \t]+\w)|^#!.*perl",
    re.MULTILINE,
)
_PROLOG = re.compile(rb"^[ \t]*:-|^\w+\([^\n]*\)[ \t]*:-", re.MULTILINE)
_HACK = re.compile(rb"^\s*<\?hh\b")
_PUPPET = re.compile(rb"^[ \t]*(?:class|define|node|include)[ \t]+[\w:']", re.MULTILINE)
_VERILOG = re.compile(rb"^[ \t]*(?:module|endmodule|`timescale|`define)\b", re.MULTILINE)
_TYPOSCRIPT_XML = re.compile(rb"^\s*<\?xml|^\s*<!DOCTYPE TS", re.IGNORECASE)


def detect_language(path: str, head: bytes) -> str:
    """The language of a file.

    Args:
        path: The file's path or name; only the name is looked at.
        head: The first bytes of the file (some KiB are enough; may be empty).

    Returns:
        A language name of the registry, or ``text``.
    """
    name = path.replace("\\", "/").rpartition("/")[2].lower().rstrip("~")  # `a.py~`: a copy
    by_name = BY_NAME.get(name)
    if by_name:
        return by_name
    stem, dot, extension = name.rpartition(".")
    if dot and (stem or extension in BY_EXTENSION):
        language = _by_extension(extension, head)
        if language:
            return language
        if stem and extension in TEMPLATE_EXTENSIONS:
            return detect_language(stem, head)  # `Makefile.in`, `config.php.dist`
    if _IGNORE_FILE.match(name):
        return "gitignore"
    for start, language in BY_NAME_START:
        if name.startswith(start) and name[len(start) : len(start) + 1] in ("", ".", "-", "_"):
            return language
    return _by_content(head) or TEXT


def _by_extension(extension: str, head: bytes) -> str:
    language = BY_EXTENSION.get(extension, "")
    choose = _AMBIGUOUS.get(extension)
    return choose(head) if choose is not None else language


def _header(head: bytes) -> str:
    if _OBJC_HEADER.search(head):
        return "objc"
    return "cpp" if _CPP_HEADER.search(head) else "c"


def _dot_m(head: bytes) -> str:
    if _OBJC_HEADER.search(head) or b"@implementation" in head or b"#include" in head:
        return "objc"
    return "matlab" if _MATLAB.search(head) else "objc"


def _dot_t(head: bytes) -> str:
    return "perl" if _PERL.search(head) else TEXT


def _dot_pl(head: bytes) -> str:
    return TEXT if _PROLOG.search(head) and not _PERL.search(head) else "perl"


def _dot_php(head: bytes) -> str:
    return "hack" if _HACK.match(head) else "php"


def _dot_inc(head: bytes) -> str:
    return "php" if b"<?php" in head else TEXT


def _dot_pp(head: bytes) -> str:
    return "pascal" if _PASCAL.search(head) and not _PUPPET.search(head) else "puppet"


def _dot_v(head: bytes) -> str:
    return "verilog" if _VERILOG.search(head) else "v"


def _dot_ts(head: bytes) -> str:
    return "xml" if _TYPOSCRIPT_XML.match(head) else "typescript"


def _markup(head: bytes) -> str:
    return "xml" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else TEXT


_AMBIGUOUS = {
    **dict.fromkeys(("config", "filters", "launch", "manifest", "proj", "ruleset"), _markup),
    "h": _header,
    "m": _dot_m,
    "t": _dot_t,
    "pl": _dot_pl,
    "php": _dot_php,
    "inc": _dot_inc,
    "pp": _dot_pp,
    "v": _dot_v,
    "ts": _dot_ts,
}


def _by_content(head: bytes) -> str:
    shebang = _SHEBANG.match(head)
    if shebang:
        program = shebang[1].rpartition(b"/")[2].decode("latin-1").lower()
        found = BY_INTERPRETER.get(program) or BY_INTERPRETER.get(program.rstrip("0123456789.-"))
        if found:
            return found
    lines = head.split(b"\n")
    for line in (*lines[:5], *lines[-5:]):
        mode = _VIM.search(line[:300])
        if mode:
            return _mode(mode[1])
    for line in lines[:2]:
        mode = _EMACS.search(line[:300])
        if mode:
            return _mode(mode[1])
    variables = _LOCAL_VARIABLES.search(head)
    if variables:
        return _mode(variables[1])
    return next((language for start, language in _STARTS if head.startswith(start)), "")


def _mode(raw: bytes) -> str:
    name = raw.decode("latin-1").lower()
    name = BY_MODE.get(name, name)
    return name if name in _KNOWN else ""
