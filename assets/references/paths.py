"""Access paths: how a file says what it means by an expression, for the linker to follow.

A path is a base and steps, separated by one space; it is evaluated left to right.

========================  =================================================================
base ``name``             a name looked up from the reference's scope outwards
base ``@self`` ``@cls``   the instance, the type of the innermost enclosing type
base ``@super``           its supertype, as an instance (or as a type in a static member)
base ``@outer:Name``      the instance of the enclosing type ``Name``
base ``@def:12``          the file's symbol number 12 (a local function, found by its position)
base ``@here`` ``@up`` ``@root`` ``@global``   a module: this, its parent, the top, the language's
base ``?``                unknown: nothing that hangs on it is resolved
step ``.name``            the member ``name`` (of an instance, a type, a module)
step ``()``               what a call of it gives
step ``new``              an instance built from the type
step ``of``               an instance of the declared type
step ``many``             a container of such instances
step ``each``             an element of a container
========================  =================================================================
"""

from __future__ import annotations

from functools import lru_cache

UNKNOWN = "?"
SELF = "@self"
CLS = "@cls"
SUPER = "@super"
HERE = "@here"
UP = "@up"
ROOT = "@root"
GLOBAL = "@global"
DEFINITION = "@def:"
OUTER = "@outer:"

CALL = "()"
NEW = "new"
OF = "of"
MANY = "many"
EACH = "each"

MAX_STEPS = 24  # longer chains are of no use to anybody


def base(path: str) -> str:
    """The base of a path."""
    return path.partition(" ")[0]


def rest(path: str) -> str:
    """The steps of a path, with the leading space; empty when there is none."""
    _head, space, tail = path.partition(" ")
    return space + tail


def dotted(names: list[str]) -> str:
    """A path of names: the first looked up, each other a member of what is before it."""
    return " .".join(names)


@lru_cache(maxsize=1 << 14)  # the same few paths make up most of a code base
def last_name(path: str) -> str:
    """The last name a path holds, empty when it holds none."""
    for token in reversed(path.split(" ")):
        if token.startswith("."):
            return token[1:]
    head = base(path)
    return "" if head.startswith("@") or head == UNKNOWN else head


@lru_cache(maxsize=1 << 14)
def written(path: str) -> str:
    """The names of a path as a reader would write them: ``sys.exit``, ``append``.

    What hangs on something without a name (a call's result, ``self``) loses it.
    """
    names: list[str] = []
    for place, token in enumerate(path.split(" ")):
        if token.startswith("."):
            names.append(token[1:])
        elif place == 0 and not token.startswith(("@", "?")):
            names.append(token)
        elif token not in (NEW, OF, MANY):
            names = []
    return ".".join(names)
