"""What every field means: messages, headers and error codes of all five revisions, in plain words.

`read` explains a message line by line and `title` gives it a heading; `read_headers` and
`code_meaning` explain what comes with it. The table behind them is one place for the reader, the
rules and the peers: `members` looks a type up in it. Nothing in here judges a message, talks to
anybody, or raises at what it is given.
"""

from .codes import code_meaning, code_name
from .guess import guess_revision
from .headers import read_headers
from .headings import title
from .notation import Field
from .reader import Row, read, read_as
from .table import members, types
from .values import value_text

__all__ = [
    "Field",
    "Row",
    "code_meaning",
    "code_name",
    "guess_revision",
    "members",
    "read",
    "read_as",
    "read_headers",
    "title",
    "types",
    "value_text",
]
