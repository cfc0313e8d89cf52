"""What a definition does, said after "does": the verb phrase that its doc comment begins with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codequarry.ask.narrators.extractive import first_words
from codequarry.identifiers import tokens

MOST_WORDS = 11
_LEAST_WORDS = 2
_SHORTEST = 4  # letters of a verb with its ending
# Doc comments speak in commands or of a third person. A command is known by the definition's own
# name, or is one of the verbs that most of them begin with.
_COMMANDS = frozenset(
    "add apply attach bind build call check clear close compile compute convert copy create "
    "decode define delete determine dispatch encode ensure evaluate execute extract fetch "
    "fill filter find flush format generate get give handle initialize insert install invoke "
    "iterate join list load look make map match merge move open parse perform pop prepare "
    "print process produce push put raise read receive record register release remove render "
    "replace reset resolve return run save schedule send serialize set show sort split start "
    "stop store take tell transform update validate verify wait walk wrap write yield".split()
)
_NO_VERBS = frozenset(
    "this its is has was does as always class less access process address various plus us alias "
    "series status bus canvas css https js os options args kwargs tls ms".split()
)
_END_OF_CLAUSE = re.compile(
    r"[.,;:!?](?=\s|$)|[()\[\]{}—]|\s-\s|\s(?:that|which|who|whose|if|when|where|while|so|and|or|but|unless"
    r"|because|using|such|e\.g|i\.e)\s",
    re.IGNORECASE,
)
_OPEN_END = frozenset(
    "a an the of to in on for with from by at as its their this be is are into then".split()
)
_STATES = frozenset("is are was were has have can may must will should".split())
_ARTICLES = frozenset("a an the all each every any one this these its some new whether how".split())


def what_it_does(doc: str, name: str) -> str:
    """``send a prepared request`` of "Sends a prepared request."; empty if the doc says no such.

    Args:
        doc: the doc comment.
        name: of the definition, as prose calls it.
    """
    words = first_words(doc)
    clause = _END_OF_CLAUSE.split(words, maxsplit=1)[0].replace("`", "")
    parts = clause.split()
    own = re.split(r"\W+", name)[-1]
    if len(parts) > 1 and parts[0] == own and _base(parts[1], "", parts[2:]):
        parts = parts[1:]  # "Send sends": Go names what it speaks of
    if not parts or (len(parts) > 1 and parts[1].lower() in _STATES):
        return ""
    verb = _base(parts[0], own, parts[1:])
    kept = parts[1:MOST_WORDS]
    while kept and kept[-1].lower() in _OPEN_END:
        kept.pop()
    return " ".join([verb, *kept]) if verb and len(kept) + 1 >= _LEAST_WORDS else ""


def _base(word: str, own: str, after: Sequence[str]) -> str:
    """The base form of a verb in the third person or the imperative; empty for another word."""
    low = word.lower()
    if not low.isalpha() or low in _NO_VERBS:
        return ""
    if low in _COMMANDS or low == next(iter(tokens(own)), ""):
        return low
    if not low.endswith("s") or low.endswith("ss") or len(low) < _SHORTEST:
        return ""
    if low.endswith("ies"):
        base = f"{low[:-3]}y"
    else:
        base = low[:-2] if low.endswith(("sses", "shes", "ches", "xes", "zzes")) else low[:-1]
    # many nouns end so too; what follows a verb is its object
    is_verb = base in _COMMANDS or (after and after[0].lower() in _ARTICLES)
    return base if is_verb else ""
