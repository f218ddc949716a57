"""What an exercise says: a short note, as HTML in a notebook and as text everywhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from html import escape

# Words take the colour of the page they stand on, light or dark; only the bar at the side is ours.
_BARS = {
    "right": "solid #3f8f5f",
    "wrong": "solid #c9772b",
    "todo": "dotted #8a94a0",
    "told": "solid #7c5cd6",
    "aside": "solid transparent",
}
_MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'


@dataclass(frozen=True)
class Note:
    """A title, labelled rows, code and paragraphs, in that order. Backticks mark code in the words.

    `status` is "right", "wrong", "todo" (nothing to judge yet), "told" (a hint, a solution) or
    "aside" (a faint line). Its `repr` is the text form.

    >>> rows = ("yours", "2"), ("right", "4")
    >>> Note("wrong", "Not yet: `dx` is wrong.", rows, text=("Try again.",))
    Not yet: `dx` is wrong.
        yours  2
        right  4
    Try again.
    """

    status: str
    title: str
    rows: tuple[tuple[str, str], ...] = ()
    code: str = ""
    text: tuple[str, ...] = ()

    def with_text(self, line: str) -> Note:
        """The note with one more line of text, or as it is if the line is empty."""
        return replace(self, text=(*self.text, line)) if line else self

    def __repr__(self) -> str:
        width = max((len(label) for label, _ in self.rows), default=0)
        rows = [f"    {label.ljust(width)}  {value}" for label, value in self.rows]
        code = ["    " + line if line else "" for line in self.code.splitlines()]
        return "\n".join([self.title, *rows, *code, *filter(None, self.text)])

    def _repr_html_(self) -> str:
        weight = "normal" if self.status in ("todo", "aside") else "600"
        parts = [f'<div style="font-weight:{weight}">{_words(self.title)}</div>']
        if self.rows:
            cells = "".join(
                f'<span style="opacity:.72">{_words(label)}</span><span>{_words(value)}</span>'
                for label, value in self.rows
            )
            grid = "display:grid;grid-template-columns:max-content 1fr;gap:1px 14px;margin:5px 0"
            parts.append(f'<div style="{grid}">{cells}</div>')
        if self.code:
            block = f"margin:6px 0;padding:0;background:none;color:inherit;font:13px/1.5 {_MONO}"
            parts.append(f"<pre style='{block}'>{escape(self.code)}</pre>")
        parts += [f'<div style="margin-top:4px">{_words(line)}</div>' for line in self.text if line]
        frame = f"border-left:4px {_BARS[self.status]};padding:4px 0 5px 14px;margin:8px 0 4px"
        frame += ";opacity:.72;font-size:.92em" if self.status == "aside" else ""
        return f'<div style="{frame};line-height:1.5">{"".join(parts)}</div>'


def _words(text: str) -> str:
    """The words as HTML, with what stands between backticks as code."""
    style = f"background:none;color:inherit;padding:0;font:.93em {_MONO}"
    return re.sub(r"`([^`]+)`", rf"<code style='{style}'>\1</code>", escape(text))
