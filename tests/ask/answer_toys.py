"""A small repository whose files are hard to quote, and random text of a narrator."""

from __future__ import annotations

import random

from hypothesis import strategies as st

TREE = {
    "src/fees.py": "def base_fee():\n    return 4\n\n\ndef late_fee(days):\n"
    '    """Fee of a late return."""\n    return days * base_fee()\n',
    "src/fences.py": 'FEE = """\n```python\nfee = 1\n```\n~~~\n````\nfee\n"""\n\n\n'
    'def fee_page():\n    return "<pre>fee</pre>"\n',
    "src/crlf.py": b"def crlf_fee(x):\r\n\treturn x\r\n",
    "src/bare.py": b"\xef\xbb\xbfdef bare_fee(x):\n    return '\x1b[31mfee'  # \x07 no end",
    "src/old.py": b"# coding: latin-1\ndef old_fee():\n    return 'Geb\xfchr'\n",
    "src/lone.c": b"int lone_fee(int a) {\r```\r  return a;\n}\n",
    "odd`name|<pre>.py": "def odd_fee():\n    return 0\n",
}

_PIECES = [
    "```", "````", "~~~", "~~~~~~", "`", "``", "```python", "~~~ js", "``` `x`", "<pre>",
    "</pre>", "<code>", "</code>", "<script>", "</script>", "<!--", "-->", "<div>",
    "<a href='x'>", "<?", "?>", "<![CDATA[", "]]>", "<!X", "    ", "\t", "   ", "  ", " ", "\n",
    "\n\n", "\n", "\n\n", "\r\n", "\r", "> ", ">", "- ", "* ", "+ ", "1. ", "2) ", "10. ",
    "-     ", "-\t", "# ", "===", "---", "***", "* * *", "[[1]]", "[[2]]", "[[3]]", "[[4]]",
    "[[5]]", "[[6]]", "[[7]]", "[[1:1-2]]", "[[1:5-6]]", "[[2:3-3]]", "[[99]]", "[[1:2-1]]",
    "[[1:0-2]]", "[[1:1-99999999999999999999]]", "[[../x]]", "[[", "]]", "[", "]", "](",
    "](http://x.y)", "![", "![a](http://x)", "[a]: /b '", "(", ")", "\\", "\\\\", "|",
    "| a | b |\n|---|---|\n| ", "&lt;", "$", "src/fees.py:5", "`src/fees.py:5-6`",
    "src/fees.py#L5-L6", "【src/fees.py:5】", "return days * 100", "def late_fee(days):", "x = 1;",
    "the late fee", "is computed here.", "Word", "if (a) {", "}", "\x1b[31m", "\x1b]0;t\x07",
    "\x1b", "\x9b", "\x00", "\x07", "\x0b", "\x0c", "\x85", "\u2028", "\u202e", "\ufeff",
    "\u00a0", "\u200b", "é", "😀", "\ud800", "*", "_", "**", "<", ">", "!", ";",
]  # fmt: skip


def random_text(source: random.Random) -> str:
    """What no model would write, of the forms above."""
    return "".join(source.choices(_PIECES, k=source.randint(1, 40)))


def cut(text: str, source: random.Random) -> list[str]:
    """The same in pieces, cut anywhere."""
    places = sorted(source.randint(0, len(text)) for _ in range(source.randint(0, 12)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


TEXTS = st.lists(st.sampled_from(_PIECES) | st.text(max_size=6), max_size=40).map("".join)
