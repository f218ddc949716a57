r"""Formulas of ops as one line of text, for reports: ``\frac{\bar y}{2\,y}`` is ``g / (2 · y)``."""

import re

# Words and signs that stand for themselves, and those that are written otherwise.
_SIGNS = {
    ",": " · ", " ": " ", "textstyle": "", "top": "T", "sum": " sum ", "prod": " prod ",
    "int": " ∫", "le": " ≤ ", "ge": " ≥ ", "ne": " ≠ ", "lnot": "not ", "land": " and ",
    "lor": " or ", "oplus": " xor ", "bigvee": "any ", "bigwedge": "all ", "lfloor": "⌊",
    "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "ldots": "...", "#": "count", "alpha": "α",
    "varepsilon": "ε", "mu": "μ", "pi": "π", "psi": "ψ", "sigma": "σ", "Gamma": "Γ",
}  # fmt: skip


def plain(latex: str) -> str:
    r"""A formula as text, with g for the gradient of the output, as the rules call it.

    >>> plain(r"\frac{\bar y}{2\,y}")
    'g / (2 · y)'
    >>> plain(r"\bar Z\,Y^{\top}")
    'g · Y^T'
    """
    text = re.sub(r"\\bar\s*(\{[^{}]*\}|\w)", "g", latex)
    text = re.sub(r"\\mathrm\{([^{}]*)\}(\\,)?", r" \1 ", text)
    before = ""
    while text != before:  # from the innermost braces outwards
        before = text
        text = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", _fraction, text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", text)
        text = re.sub(r"([\^_])\{([^{}]*)\}", lambda m: m[1] + _group(m[2]), text)
    text = re.sub(r"\\([A-Za-z]+|.)", lambda m: _SIGNS.get(m[1], f" {m[1]} "), text)
    text = re.sub(r" +", " ", text)
    text = re.sub(r" ([,)\]⌋⌉^_])|(?<=[\w)])(?<!or) (?=\()", r"\1", text)
    return re.sub(r"([(\[⌊⌈]) ", r"\1", text).strip()


def _fraction(found: re.Match) -> str:
    """A fraction on one line, in parentheses where something follows that it does not divide."""
    text, after = f"{_group(found[1])} / {_group(found[2])}", found.string[found.end() :].strip()
    return f"({text})" if after and after[0] not in ",)]}=+-" else text


def _group(text: str) -> str:
    """The text as one factor: in parentheses, unless it is one already."""
    one = re.fullmatch(r"\\?\w+|(sqrt)?\([^()]*\)", text.strip())
    return text if one else f"({text})"
