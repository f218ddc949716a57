"""Linear algebra, by MindSpore's names: inverses, determinants, products of many kinds, norms."""

import builtins
import math
from string import ascii_letters

import numpy as np

from ..rules import linalg as rules
from ..rules.elementwise import absolute, root, square, where
from ..rules.linalg import det, inverse
from ..rules.linear import matmul
from ..rules.reduce import amax, amin, axes_of
from ..rules.reduce import sum as total
from ..rules.shape import broadcast_to, reshape, swapaxes, transpose
from ..tensor import Tensor, unwrap, wrap
from .arrange import movedim
from .index import tril
from .linear import bmm, outer, tensor_dot


# ----------------------------------------------------------------- inverses, determinants, factors
def matrix_solve(matrix, rhs, adjoint=False) -> Tensor:
    """The x for which matrix @ x = rhs; with the matrix turned, if ``adjoint``."""
    return rules.solve(swapaxes(matrix, -1, -2) if adjoint else matrix, rhs)


def solve(a, b) -> Tensor:
    """The x for which a @ x = b."""
    return rules.solve(a, b)


def slogdet(input) -> tuple[Tensor, Tensor]:
    """The sign of the determinant, and the logarithm of its size."""
    return rules.signdet(input), rules.logabsdet(input)


def logdet(input) -> Tensor:
    """The logarithm of the determinant; nan where it is negative."""
    sign = rules.signdet(input)
    return where(wrap(np.asarray(unwrap(sign) < 0)), math.nan, rules.logabsdet(input))


def cholesky(input_x, upper=False) -> Tensor:
    """The lower triangle L with L Lᵀ = input_x, a symmetric positive matrix; Lᵀ, if ``upper``.

    Raises ValueError if a matrix is not positive. The gradient is symmetric.
    """
    out = rules.cholesky(input_x)
    return swapaxes(out, -1, -2) if upper else out


def cholesky_solve(input, input2, upper=False) -> Tensor:
    """The x for which (L Lᵀ) x = input, for L the factor input2 (Lᵀ, if ``upper``)."""
    factor = swapaxes(input2, -1, -2) if upper else input2
    return rules.solve(swapaxes(factor, -1, -2), rules.solve(factor, input))


def cholesky_inverse(input_x, upper=False) -> Tensor:
    """The inverse of L Lᵀ, for L the factor input_x (Lᵀ, if ``upper``)."""
    factor = tril(swapaxes(input_x, -1, -2) if upper else input_x)
    back = inverse(factor)
    return matmul(swapaxes(back, -1, -2), back)


def matrix_power(input, n) -> Tensor:
    """The product of n times the matrix; of its inverse, if n is negative."""
    if n < 0:
        return matrix_power(inverse(input), -n)
    if n == 0:
        size = input.shape[-1]
        return broadcast_to(wrap(np.eye(size, dtype=unwrap(input).dtype)), input.shape)
    half = matrix_power(input, n // 2) if n > 1 else None
    square_ = input if half is None else matmul(half, half)
    return matmul(square_, input) if half is not None and n % 2 else square_


def pinv(x, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    """The pseudo-inverse of a matrix of full rank: (Xᵀ X)⁻¹ Xᵀ, or Xᵀ (X Xᵀ)⁻¹ for a wide one."""
    turned = swapaxes(x, -1, -2)
    if x.shape[-2] >= x.shape[-1]:
        return rules.solve(matmul(turned, x), turned)
    return matmul(turned, inverse(matmul(x, turned)))


# ---------------------------------------------------------------------------------------- products
def mm(input, mat2) -> Tensor:
    """The product of two matrices."""
    _must_have("mm", 2, input=input, mat2=mat2)
    return matmul(input, mat2)


def mv(mat, vec) -> Tensor:
    """The product of a matrix and a vector."""
    _must_have("mv", 2, mat=mat)
    _must_have("mv", 1, vec=vec)
    return matmul(mat, vec)


def dot(input, other) -> Tensor:
    """The sums of products over the last axis of input and the last but one of other."""
    if other.ndim <= 2:
        return matmul(input, other)
    return tensor_dot(input, other, ((-1,), (-2,)))


def inner(input, other) -> Tensor:
    """The sums of products over the last axes of both."""
    if not input.ndim or not other.ndim:
        return input * other
    return tensor_dot(input, other, ((-1,), (-1,)))


def vecdot(x, y, *, axis=-1) -> Tensor:
    """The sums of products along an axis."""
    return total(x * y, axis)


def kron(input, other) -> Tensor:
    """Each entry of input times all of other, laid out as blocks."""
    n = max(input.ndim, other.ndim)
    shape, shape2 = ((1,) * (n - x.ndim) + x.shape for x in (input, other))
    x = reshape(input, builtins.sum(((a, 1) for a in shape), ()))
    y = reshape(other, builtins.sum(((1, b) for b in shape2), ()))
    return reshape(x * y, tuple(a * b for a, b in zip(shape, shape2, strict=True)))


def cross(input, other, dim=None) -> Tensor:
    """The vector products along an axis of length 3 (the first such, if None)."""
    if dim is None:
        found = [a for a, n in enumerate(input.shape) if n == 3]
        if not found:
            raise ValueError(f"cross: no axis of shape {input.shape} has length 3")
        dim = found[0]
    (dim,) = axes_of(dim, input.ndim)
    if input.shape[dim] != 3 or other.shape[dim] != 3:
        raise ValueError(
            f"cross: axis {dim} must have length 3, but the shapes are {input.shape}, {other.shape}"
        )
    before = (slice(None),) * dim

    def turned(x, by):
        return x[(*before, [(i + by) % 3 for i in range(3)])]

    return turned(input, 1) * turned(other, 2) - turned(input, 2) * turned(other, 1)


def addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2)."""
    return beta * input + alpha * matmul(mat1, mat2)


def addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * (mat @ vec)."""
    return beta * input + alpha * matmul(mat, vec)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * the sum of the products of matrices over the batch."""
    return beta * input + alpha * total(bmm(batch1, batch2), 0)


def baddbmm(input, batch1, batch2, beta=1, alpha=1) -> Tensor:
    """beta * input + alpha * (batch1 @ batch2)."""
    return beta * input + alpha * bmm(batch1, batch2)


def addr(x, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
    """beta * x + alpha * the outer product of two vectors."""
    return beta * x + alpha * outer(vec1, vec2)


ger = outer
matrix_determinant, log_matrix_determinant = det, slogdet


def einsum(equation, *operands) -> Tensor:
    """Products of entries, summed over the letters that the right side of the equation leaves out.

    Each letter names an axis of an operand; "..." stands for the axes that are not named. Without
    "->" the right side is the letters that occur once, in order.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(ops.einsum("ij,jk->ik", x, x), ops.einsum("ii", x))
    [[ 7. 10.]
     [15. 22.]] 5.0
    """
    if len(operands) == 1 and isinstance(operands[0], list | tuple):
        operands = tuple(operands[0])
    terms, out = _letters(equation, operands)
    parts = [_once(x, letters) for x, letters in zip(operands, terms, strict=True)]
    while len(parts) > 1:
        (x, a), (y, b), *rest = parts
        later = set(out).union(*(letters for _, letters in rest))
        x, a = _sum_out(x, a, later | set(b))
        y, b = _sum_out(y, b, later | set(a))
        kept = "".join(c for c in dict.fromkeys(a + b) if c in later)
        parts = [(rules.contract(x, y, a, b, kept), kept), *rest]
    x, a = _sum_out(*parts[0], set(out))
    return transpose(x, tuple(a.index(c) for c in out)) if a != out else x


def _letters(equation: str, operands) -> tuple[list[str], str]:
    """The letters of each operand and of the output, with letters for the dots too."""
    left, arrow, out = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(
            f"einsum: {equation!r} has {len(terms)} terms for {len(operands)} operands"
        )
    free = [c for c in reversed(ascii_letters) if c not in equation]
    extra = [x.ndim - len(t.replace("...", "")) for t, x in zip(terms, operands, strict=True)]
    for term, n, x in zip(terms, extra, operands, strict=True):
        if n < 0 or (n and "..." not in term):
            raise ValueError(f"einsum: {term!r} does not name the axes of shape {x.shape}")
    dots = "".join(free[: max(extra, default=0)])
    terms = [t.replace("...", dots[len(dots) - n :]) for t, n in zip(terms, extra, strict=True)]
    if not arrow:
        named = "".join(terms)
        once = sorted(c for c in set(named) if named.count(c) == 1 and c not in dots)
        out = (dots if "..." in left else "") + "".join(once)
    out = out.replace("...", dots)
    if len(set(out)) < len(out) or not set(out) <= set("".join(terms)):
        raise ValueError(
            f"einsum: the right side of {equation!r} must name letters of the left, once"
        )
    return terms, out


def _once(x, letters: str) -> tuple[Tensor, str]:
    """x on the diagonals of the letters that occur twice."""
    for c in dict.fromkeys(letters):
        while letters.count(c) > 1:
            first, second = letters.index(c), letters.rindex(c)
            n = x.shape[first]
            if x.shape[second] != n:
                raise ValueError(f"einsum: {c!r} names axes of lengths {n} and {x.shape[second]}")
            x = movedim(x, (first, second), (-2, -1))[..., np.arange(n), np.arange(n)]
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + c
    return x, letters


def _sum_out(x, letters: str, wanted: set) -> tuple[Tensor, str]:
    """x summed over the letters that nobody wants."""
    gone = tuple(i for i, c in enumerate(letters) if c not in wanted)
    return (total(x, gone), "".join(c for c in letters if c in wanted)) if gone else (x, letters)


# -------------------------------------------------------------------------------------------- norms
def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """(sum |x|^ord)^(1 / ord) over the axes; the largest or smallest |x| for ord inf or -inf.

    ``ord`` 0 counts the entries that are not 0. The gradient at 0 is 0, a subgradient.
    """
    x = x if dtype is None else x.astype(dtype)
    axes = tuple(axis) if isinstance(axis, list) else axis
    if ord == 2:
        return root(total(square(x), axes, keepdims))
    size = absolute(x)
    if ord in (math.inf, -math.inf):
        return (amax if ord > 0 else amin)(size, axes, keepdims)
    if ord == 0:
        return total((x != 0).astype(unwrap(x).dtype), axes, keepdims)
    if ord == 1:
        return total(size, axes, keepdims)
    if not isinstance(ord, int | float):
        raise ValueError(f"norm: ord must be a number for vectors, but got {ord!r}")
    powers = total(size**ord, axes, keepdims)
    empty = powers == 0
    return where(empty, 0.0, where(empty, 1.0, powers) ** (1 / ord))


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None) -> Tensor:
    """A norm of the matrices in two axes.

    "fro": the root of the sum of squares; 1, -1: the largest, smallest sum of |x| down a column;
    inf, -inf: along a row. minigrad has no norms from singular values (2, -2, "nuc"), so far.
    """
    x = A if dtype is None else A.astype(dtype)
    row, column = axes_of(tuple(axis), x.ndim)
    if ord in (None, "fro"):
        return root(total(square(x), (row, column), keepdims))
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(
            f'norm: ord of a matrix must be "fro", 1, -1, inf or -inf, but got {ord!r}; leave it '
            "out for the root of the sum of squares"
        )
    added, picked = (row, column) if ord in (1, -1) else (column, row)
    sums = total(absolute(x), added, True)
    out = (amax if ord > 0 else amin)(sums, picked, True)
    shape = tuple(n for a, n in enumerate(out.shape) if a not in (row, column))
    return out if keepdims else reshape(out, shape)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The norm of vectors (dim a number) or matrices (a pair); of all entries, if both are None.

    See ``vector_norm`` and ``matrix_norm`` for ``ord``.

    >>> from minigrad import Tensor, ops
    >>> print(ops.norm(Tensor([3.0, -4.0])), ops.norm(Tensor([3.0, -4.0]), 1))
    5.0 7.0
    """
    x = A if dtype is None else A.astype(dtype)
    axes = tuple(dim) if isinstance(dim, list | tuple) else dim
    if ord is None:
        return vector_norm(x, 2, axes, keepdim)
    matrix = len(axes) == 2 if isinstance(axes, tuple) else dim is None and x.ndim == 2
    if matrix:
        return matrix_norm(x, ord, axes or (-2, -1), keepdim)
    if dim is None and x.ndim > 2:
        raise ValueError(f"norm: ord={ord!r} of shape {x.shape} needs dim, one axis or two")
    if ord == "fro":
        return vector_norm(x, 2, axes, keepdim)
    return vector_norm(x, ord, axes, keepdim)


def dist(input, other, p=2) -> Tensor:
    """The p-norm of input - other."""
    return vector_norm(input - other, p)


def cdist(x1, x2, p=2.0) -> Tensor:
    """The p-norm of the difference of each row of x1 and each row of x2."""
    return vector_norm(x1[..., :, None, :] - x2[..., None, :, :], p, -1)


def _must_have(name: str, axes: int, **inputs) -> None:
    for argument, x in inputs.items():
        if x.ndim != axes:
            raise ValueError(f"{name}: {argument} must have {axes} axes, but has shape {x.shape}")


__all__ = [
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "cdist", "cholesky", "cholesky_inverse",
    "cholesky_solve", "cross", "det", "dist", "dot", "einsum", "ger", "inner", "inverse",
    "kron", "log_matrix_determinant", "logdet", "matrix_determinant", "matrix_norm",
    "matrix_power", "matrix_solve", "mm", "mv", "norm", "pinv", "slogdet", "solve", "vecdot",
    "vector_norm",
]  # fmt: skip
