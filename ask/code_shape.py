"""Does a line of prose look like a line of code? Judged by its shape alone.

Wrong guesses cost little: such a line is shown as a quotation, not lost. So a line must carry
marks that prose does not: a statement's keyword with its punctuation, an assignment, a call
that stands alone, a line that ends as only code ends.
"""

from __future__ import annotations

import re

_NAME = r"[A-Za-z_$][\w$]*"
_PATH = rf"{_NAME}(?:(?:\.|->|::){_NAME})*"
_TYPE = rf"{_PATH}(?:<[^<>]*>)?(?:\[\])*[*&]?"

_SHAPES = re.compile(
    rf"""(?x)
    \A(?:
      (?:(?:pub|export|default|public|private|protected|static|final|abstract|async|unsafe|
            override|virtual|inline|extern|const|suspend|open)\s+)*
      (?: (?:def|fn|func|fun|sub)\s+[\w.$:(*&\s)]*\(.*
        | function\b\s*\*?\s*(?:{_NAME})?\s*\(.*
        | (?:class|struct|interface|enum|trait|impl|namespace|module|object|type)\s+
          {_NAME}.*[:{{=;]$
        | (?:const|let|var|val|mut|auto|final)\s+[\w{{\[(*&].*=.*
        )
    | (?:if|elif|while|for|foreach|switch|match|with|catch|except|until|unless)\b
      .*[()\[\]=<>.&|].*[:{{]$
    | (?:else|try|finally|do)\s*[:{{]$
    | \}}\s*(?:else|catch|finally|while)\b.*
    | (?:return|yield|raise|throw|await|delete|assert|goto|break|continue)\b
      (?:.*;|\s+[^\s].*[()\[\]+*/=<>{{].*|\s+{_PATH}|)$
    | import\s+[\w.*{{"'(]+(?:\s*(?:,|as|from)\s*.*)?;?$
    | from\s+[\w.]+\s+import\b.*
    | (?:use|using|package|require|include|include_once)\s+[\w.:\\*{{}}"'/-]+;$
    | \#\s*(?:include|define|ifdef|ifndef|endif|pragma|undef)\b.*
    | @{_NAME}(?:\.{_NAME})*(?:\(.*\))?$
    | \$\s+\S.* | >>>\s.* | \.\.\.\s+\S.*
    | {_PATH}(?:\[[^\]]*\])*(?:\s*:\s*{_TYPE}(?:\[[^\]]*\])?)?\s*
      (?:=|\+=|-=|\*=|/=|\|=|&=|:=|<<=|>>=|\?\?=|\|\|=|=>|<-)\s*\S.*
    | {_TYPE}\s+[*&]?{_NAME}\s*(?:=.*;|\(.*\)\s*[{{;]|;)$
    | (?:await\s+|new\s+|!)*{_PATH}!?(?:<[^<>]*>)?\(.*\)\s*[;,:{{]?$
    | [\])}}]+[;,)]*$ | [{{(\[]$
    | (?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\s.*;$
    | (?://|/\*|\*/).*
    | .*[;{{]$
    )"""
)
_LITERALS = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`")
_WORDY = re.compile(r"(?:\A|\s)(?:[A-Za-z]+[,.’']? ){4,}[A-Za-z]+")  # five plain words in a row
_LOOKED_AT = 600  # characters at either end of a line


def is_code_shaped(line: str) -> bool:
    """Whether a line, without its indentation and list markers, looks like code."""
    text = line.strip()
    while len(text) > 2 and text[0] == text[-1] == "`" and "`" not in text.strip("`"):
        text = text.strip("`").strip()  # a line that is one span of code
    if len(text) > 2 * _LOOKED_AT:
        text = text[:_LOOKED_AT] + text[-_LOOKED_AT:]
    if not text or not _SHAPES.match(text):
        return False
    return not _WORDY.search(_LITERALS.sub('""', text))
