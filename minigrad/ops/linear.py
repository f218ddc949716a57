"""Products of matrices and vectors, by MindSpore's names."""

import builtins
import math

import numpy as np

from ..rules import linear as rules
from ..rules.linalg import contract
from ..rules.linear import matmul
from ..rules.reduce import axes_of
from ..rules.reduce import sum as total
from ..rules.shape import broadcast_to, reshape, swapaxes, transpose
from ..tensor import Tensor
from .arrange import movedim


def bmm(input_x, mat2) -> Tensor:
    """Products of matrices, one for each entry of the batch axes in front.

    Shapes: (..., n, k) and (..., k, m) to (..., n, m); the batch axes broadcast.
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if the lengths k differ, or the batch axes do not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.bmm(Tensor([[[1.0, 2.0]], [[3.0, 4.0]]]), ops.ones((2, 2, 1))))
    [[[3.]]
     [[7.]]]

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 1.1.
    """
    return matmul(input_x, mat2)


def dense(input, weight, bias=None) -> Tensor:
    """input weightᵀ + bias: a fully connected layer.

    Shapes: (..., in), weight (out, in), bias (out,) to (..., out).
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if the lengths do not fit each other.

    >>> from minigrad import Tensor, ops
    >>> print(ops.dense(Tensor([1.0, 2.0]), Tensor([[1.0, 1.0], [1.0, -1.0]]), Tensor([10.0, 0.0])))
    [13. -1.]

    Source: Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.4.
    """
    if bias is None:
        return matmul(input, transpose(weight))
    return rules.dense(input, weight, bias)


def outer(input, vec2) -> Tensor:
    """The product of each entry of one vector with each entry of the other.

    Shapes: any, laid out as vectors of n and m entries, to (n, m).
    Dtypes: any numbers; the wider of the two comes out.
    Raises TypeError if one holds no numbers.

    >>> from minigrad import Tensor, ops
    >>> print(ops.outer(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))
    [[ 1. 10.]
     [ 2. 20.]]

    Source: numpy.outer.
    """
    return reshape(input, (-1, 1)) * reshape(vec2, (1, -1))


def tensor_dot(x1, x2, axes) -> Tensor:
    """The products of entries, summed over some axes of x1 and as many of x2.

    ``axes`` is their number, the last of x1 and the first of x2, or a pair that names them.
    Shapes: any; out: the axes left of x1, then those left of x2.
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if the axes are not as many and as long as each other, IndexError if there is
    no such axis.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(ops.tensor_dot(x, x, 2), ops.tensor_dot(x, Tensor([1.0, 10.0]), ((0,), (0,))))
    30.0 [31. 42.]

    Source: numpy.tensordot.
    """
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ValueError(
                f"tensor_dot: there are no {axes} axes to sum over in {x1.shape} and {x2.shape}"
            )
        axes = range(x1.ndim - axes, x1.ndim), range(axes)
    first, second = axes_of(axes[0], x1.ndim), axes_of(axes[1], x2.ndim)
    lengths = [x1.shape[a] for a in first], [x2.shape[a] for a in second]
    if lengths[0] != lengths[1]:
        raise ValueError(
            f"tensor_dot: axes {first} of {x1.shape} have lengths {lengths[0]}, but axes {second} "
            f"of {x2.shape} have lengths {lengths[1]}"
        )
    rest1 = tuple(a for a in range(x1.ndim) if a not in first)
    rest2 = tuple(a for a in range(x2.ndim) if a not in second)
    rows, columns = [x1.shape[a] for a in rest1], [x2.shape[a] for a in rest2]
    inner = math.prod(lengths[0])
    left = reshape(transpose(x1, rest1 + first), (math.prod(rows), inner))
    right = reshape(transpose(x2, second + rest2), (inner, math.prod(columns)))
    return reshape(matmul(left, right), (*rows, *columns))


def mm(input, mat2) -> Tensor:
    """The product of two matrices.

    Shapes: (n, k) and (k, m) to (n, m).
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if one is no matrix, or the lengths k differ.

    >>> from minigrad import Tensor, ops
    >>> print(ops.mm(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[11.]]

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 1.1.
    """
    _must_have("mm", 2, input=input, mat2=mat2)
    return matmul(input, mat2)


def mv(mat, vec) -> Tensor:
    """The product of a matrix and a vector.

    Shapes: (n, k) and (k,) to (n,).
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if they have other axes, or the lengths k differ.

    >>> from minigrad import Tensor, ops
    >>> print(ops.mv(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 1.1.
    """
    _must_have("mv", 2, mat=mat)
    _must_have("mv", 1, vec=vec)
    return matmul(mat, vec)


def dot(input, other) -> Tensor:
    """The sums of products over the last axis of input and the last but one (or only) of other.

    Shapes: (..., k) and (k,) or (..., k, m) to all axes left, input's first.
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if the lengths k differ, or one has no axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.dot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
    11.0

    Source: numpy.dot.
    """
    if other.ndim <= 2:
        return matmul(input, other)
    return tensor_dot(input, other, ((-1,), (-2,)))


def inner(input, other) -> Tensor:
    """The sums of products over the last axes of both.

    Shapes: (..., k) and (..., k) to all axes left, input's first; or a number and any.
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if the lengths k differ.

    >>> from minigrad import Tensor, ops
    >>> print(ops.inner(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]

    Source: numpy.inner.
    """
    if not input.ndim or not other.ndim:
        return input * other
    return tensor_dot(input, other, ((-1,), (-1,)))


def vecdot(x, y, *, axis=-1) -> Tensor:
    """The sums of products along an axis.

    Shapes: two that broadcast, to that shape without the axis.
    Dtypes: any numbers; the wider of the two comes out, int64 at least for whole numbers.
    Raises ValueError if they do not broadcast, IndexError if there is no such axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.vecdot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]

    Source: numpy.vecdot.
    """
    return total(x * y, axis)


def kron(input, other) -> Tensor:
    """Each entry of input times all of other, laid out as blocks.

    Shapes: (a, b) and (c, d) to (a c, b d), and so for any number of axes.
    Dtypes: any numbers; the wider of the two comes out.
    Raises AttributeError if one is no Tensor or array.

    >>> from minigrad import Tensor, ops
    >>> print(ops.kron(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])))
    [ 1. 10.  2. 20.]

    Source: Van Loan, "The ubiquitous Kronecker product", 2000; numpy.kron.
    """
    n = max(input.ndim, other.ndim)
    shape, shape2 = ((1,) * (n - x.ndim) + x.shape for x in (input, other))
    x = reshape(input, builtins.sum(((a, 1) for a in shape), ()))
    y = reshape(other, builtins.sum(((1, b) for b in shape2), ()))
    return reshape(x * y, tuple(a * b for a, b in zip(shape, shape2, strict=True)))


def cross(input, other, dim=None) -> Tensor:
    """The vector products along an axis of length 3 (the first such, if None).

    Shapes: two that broadcast, to that shape.
    Dtypes: any numbers; the wider of the two comes out.
    Raises ValueError if they do not broadcast or the axis has another length, IndexError if there
    is none.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])))
    [0. 0. 1.]

    Source: numpy.cross.
    """
    shape = np.broadcast_shapes(input.shape, other.shape)
    input, other = broadcast_to(input, shape), broadcast_to(other, shape)
    if dim is None:
        found = [a for a, n in enumerate(shape) if n == 3]
        if not found:
            raise ValueError(f"cross: no axis of shape {shape} has length 3")
        dim = found[0]
    (dim,) = axes_of(dim, input.ndim)
    if shape[dim] != 3:
        raise ValueError(f"cross: axis {dim} of the shape {shape} must have length 3")
    before = (slice(None),) * dim

    def turned(x, by):
        return x[(*before, [(i + by) % 3 for i in range(3)])]

    return turned(input, 1) * turned(other, 2) - turned(input, 2) * turned(other, 1)


def addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2).

    Shapes: input broadcasts with (n, m); (n, k) and (k, m).
    Dtypes: any numbers; the widest of all, beta and alpha too, comes out.
    Raises ValueError if the lengths k differ, or input does not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.addmm(Tensor([[10.0]]), Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])))
    [[21.]]

    Source: Dongarra et al., "A set of level 3 basic linear algebra subprograms", 1990 (gemm).
    """
    return beta * input + alpha * matmul(mat1, mat2)


def addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (mat @ vec).

    Shapes: input broadcasts with (n,); (n, k) and (k,).
    Dtypes: any numbers; the widest of all, beta and alpha too, comes out.
    Raises ValueError if the lengths k differ, or input does not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.addmv(Tensor([10.0]), Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0])))
    [21.]

    Source: Dongarra et al., "An extended set of FORTRAN basic linear algebra subprograms", 1988
    (gemv).
    """
    return beta * input + alpha * matmul(mat, vec)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · the sum of the products of matrices over the batch.

    Shapes: input broadcasts with (n, m); (batch, n, k) and (batch, k, m).
    Dtypes: any numbers; the widest of all, beta and alpha too, comes out.
    Raises ValueError if the batches have not 3 axes, their lengths differ, or input does not
    broadcast.

    >>> from minigrad import Tensor, ops
    >>> batch1, batch2 = Tensor([[[1.0]], [[2.0]]]), Tensor([[[3.0]], [[4.0]]])
    >>> print(ops.addbmm(Tensor([[10.0]]), batch1, batch2))
    [[21.]]

    Source: Dongarra et al., "A set of level 3 basic linear algebra subprograms", 1990 (gemm).
    """
    _must_have("addbmm", 3, batch1=batch1, batch2=batch2)
    return beta * input + alpha * total(bmm(batch1, batch2), 0)


def baddbmm(input, batch1, batch2, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (batch1 @ batch2), for each entry of the batch.

    Shapes: input broadcasts with (batch, n, m); (batch, n, k) and (batch, k, m).
    Dtypes: any numbers; the widest of all, beta and alpha too, comes out.
    Raises ValueError if the lengths k differ, or input does not broadcast.

    >>> from minigrad import Tensor, ops
    >>> batch1, batch2 = Tensor([[[1.0]], [[2.0]]]), Tensor([[[3.0]], [[4.0]]])
    >>> print(ops.baddbmm(Tensor([[[10.0]]]), batch1, batch2))
    [[[13.]]
     [[18.]]]

    Source: Dongarra et al., "A set of level 3 basic linear algebra subprograms", 1990 (gemm).
    """
    return beta * input + alpha * bmm(batch1, batch2)


def addr(x, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
    """beta · x + alpha · the outer product of two vectors.

    Shapes: x broadcasts with (n, m); (n,) and (m,).
    Dtypes: any numbers; the widest of all, beta and alpha too, comes out.
    Raises ValueError if x does not broadcast.

    >>> from minigrad import Tensor, ops
    >>> print(ops.addr(Tensor([[10.0]]), Tensor([1.0, 2.0]), Tensor([1.0, 3.0])))
    [[11. 13.]
     [12. 16.]]

    Source: Dongarra et al., "An extended set of FORTRAN basic linear algebra subprograms", 1988
    (ger).
    """
    return beta * x + alpha * outer(vec1, vec2)


ger = outer


def einsum(equation, *operands) -> Tensor:
    """Products of entries, summed over the letters that the right side of the equation leaves out.

    Each letter names an axis, and ``...`` those in front. A letter that an operand has twice means
    its diagonal. Without ``->``, the letters that occur once are kept, sorted.
    Shapes: a letter for each axis; one letter, one length. Out: the letters on the right.
    Dtypes: any numbers; the widest of them comes out.
    Raises ValueError if the equation does not fit the shapes, or is none.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> print(ops.einsum("ij,jk->ik", x, x), ops.einsum("ii", x))
    [[ 7. 10.]
     [15. 22.]] 5.0

    Source: numpy.einsum.
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
        parts = [(contract(x, y, a, b, kept), kept), *rest]
    x, a = _sum_out(*parts[0], set(out))
    return transpose(x, tuple(a.index(c) for c in out)) if a != out else x


def _letters(equation: str, operands) -> tuple[list[str], str]:
    """The letters of each operand and of the output, with letters for the dots too."""
    from string import ascii_letters  # takes as long to load as three modules of minigrad

    left, arrow, out = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if strange := set(left + out) - set(ascii_letters + ",."):
        raise ValueError(f"einsum: an axis is named by a letter, not by {min(strange)!r}")
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


def _must_have(name: str, axes: int, **inputs) -> None:
    for argument, x in inputs.items():
        if x.ndim != axes:
            raise ValueError(f"{name}: {argument} must have {axes} axes, but has shape {x.shape}")


__all__ = [
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "cross", "dense", "dot", "einsum", "ger",
    "inner", "kron", "matmul", "mm", "mv", "outer", "swapaxes", "tensor_dot", "vecdot",
]  # fmt: skip
