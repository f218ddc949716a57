"""Answers that a page can check without holding them, and steps that only an answer opens.

A page without a kernel must be able to say whether an answer is right. So it gets hashes: of the
right answer, and of the wrong ones that it can explain. The step that the answer leads to is
encrypted, and the right answer is its key. Every widget has a salt of its own.

This keeps answers from who looks ahead, by eye or by search, in a notebook, a page's source or
an exported file, and from who compares two copies. It is no lock: a program that tries every number
will find an answer of three digits at once. What must stay secret must not be in the page.

Numbers are compared by their logarithm in steps of 1 %, so an answer that is 1 % off counts, and
one that is more than 2 % off does not. The same is written in predict.js.
"""

from __future__ import annotations

import base64
import json
import math
from hashlib import sha256
from typing import Any

_FINENESS = 100  # steps of the logarithm


def token(x: float, zero: float = 0.0) -> str:
    """What stands for a number and for those less than 1 % away; `zero`: what counts as 0.

    >>> token(2.0), token(2.005), token(-2.0), token(0.0)
    ('+69', '+69', '-69', '0')
    """
    if math.isnan(x):
        return "nan"
    if abs(x) <= zero:
        return "0"
    sign = "+" if x > 0 else "-"
    return f"{sign}inf" if math.isinf(x) else sign + str(math.floor(_FINENESS * math.log(abs(x))))


def tokens_near(x: float, zero: float = 0.0) -> list[str]:
    """The tokens of all answers that count as x: its own, and those beside it."""
    own = token(x, zero)
    if not own[1:].lstrip("-").isdigit():
        return [own]
    return [f"{own[0]}{int(own[1:]) + by}" for by in (0, -1, 1)]


def tag(salt: str, answer: str) -> str:
    """What the page compares an answer with."""
    return _hash(salt, answer, "tag").hex()[:16]


def seal(salt: str, answers: list[str], content: Any) -> dict[str, Any]:
    """Content that any of these answers opens."""
    key = _hash(salt, *answers, "key").hex()[:32]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return {
        "content": base64.b64encode(_mix(key, text)).decode(),
        "keys": {
            tag(salt, a): _mix(_hash(salt, a, "lock").hex(), key.encode()).hex() for a in answers
        },
    }


def unseal(salt: str, answer: str, sealed: dict[str, Any]) -> Any:
    """The content, with a right answer; None with a wrong one."""
    locked = sealed["keys"].get(tag(salt, answer))
    if locked is None:
        return None
    key = _mix(_hash(salt, answer, "lock").hex(), bytes.fromhex(locked)).decode()
    return json.loads(_mix(key, base64.b64decode(sealed["content"])))


def _hash(*words: str) -> bytes:
    return sha256("|".join(words).encode()).digest()


def _mix(key: str, data: bytes) -> bytes:
    """Data with the stream of a key added bit by bit; the same once more gives the data back."""
    blocks = -(-len(data) // 32)
    stream = b"".join(_hash(key, str(i)) for i in range(blocks))
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))
