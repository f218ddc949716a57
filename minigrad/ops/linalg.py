"""Linear algebra, by MindSpore's names: inverses, determinants, factors and norms of matrices."""

import math

import numpy as np

from ..rules import linalg as rules
from ..rules.elementwise import absolute, root, square, where
from ..rules.linalg import det, inverse
from ..rules.linear import matmul
from ..rules.reduce import amax, amin, axes_of
from ..rules.reduce import sum as total
from ..rules.shape import broadcast_to, reshape, swapaxes, transpose
from ..tensor import Tensor, unwrap, wrap
from .index import tril


# ----------------------------------------------------------------- inverses, determinants, factors
def matrix_solve(matrix, rhs, adjoint=False) -> Tensor:
    """The x for which matrix @ x = rhs; for which matrixᵀ @ x = rhs, if ``adjoint``.

    Shapes: (..., n, n) and (..., n, k) to (..., n, k).
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if a matrix is singular, or the shapes do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]

    Source: numpy.linalg.solve; Giles, "Collected matrix derivative results for forward and
    reverse mode algorithmic differentiation", 2008, for the gradient.
    """
    return rules.solve(swapaxes(matrix, -1, -2) if adjoint else matrix, rhs)


def solve(a, b) -> Tensor:
    """The x for which a @ x = b.

    Shapes: (..., n, n) and (n,) or (..., n, k) to b's.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if a matrix is singular, or the shapes do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([2.0, 2.0])))
    [1.  0.5]

    Source: numpy.linalg.solve; Giles, "Collected matrix derivative results for forward and
    reverse mode algorithmic differentiation", 2008, for the gradient.
    """
    return rules.solve(a, b)


def slogdet(input) -> tuple[Tensor, Tensor]:
    """The sign of the determinant, and the logarithm of its absolute value.

    The determinant 0 gives 0 and -inf. No gradient flows through the sign.
    Shapes: (..., n, n) to (...) and (...).
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if input is not square; its gradient does if a matrix is singular.

    >>> from minigrad import Tensor, ops
    >>> sign, log = ops.slogdet(Tensor([[0.0, 1.0], [1.0, 0.0]]))
    >>> print(sign, log)
    -1.0 0.0

    Source: numpy.linalg.slogdet; Giles, "Collected matrix derivative results for forward and
    reverse mode algorithmic differentiation", 2008, for the gradient.
    """
    return rules.signdet(input), rules.logabsdet(input)


def logdet(input) -> Tensor:
    """The logarithm of the determinant: nan where it is negative, -inf where it is 0.

    Where the determinant is negative, the gradient is 0.
    Shapes: (..., n, n) to (...).
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if input is not square; its gradient does if a matrix is singular.

    >>> from minigrad import Tensor, ops
    >>> print(ops.logdet(Tensor([[1.0, 0.0], [0.0, 1.0]])))
    0.0

    Source: numpy.linalg.slogdet; Giles, "Collected matrix derivative results for forward and
    reverse mode algorithmic differentiation", 2008, for the gradient.
    """
    sign = rules.signdet(input)
    return where(sign < 0, math.nan, rules.logabsdet(input))


def cholesky(input_x, upper=False) -> Tensor:
    """The lower triangle L with L Lᵀ = input_x, a symmetric positive matrix; Lᵀ, if ``upper``.

    The mean of input_x and its transpose is taken, so the gradient is symmetric.
    Shapes: (..., n, n); the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if a matrix is not square, or not positive definite.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cholesky(Tensor([[4.0, 2.0], [2.0, 2.0]])))
    [[2. 0.]
     [1. 1.]]

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 4.2;
    Murray, "Differentiation of the Cholesky decomposition", 2016.
    """
    _must_be_square("cholesky", input_x)
    out = rules.cholesky(input_x)
    return swapaxes(out, -1, -2) if upper else out


def cholesky_solve(input, input2, upper=False) -> Tensor:
    """The x for which (L Lᵀ) x = input, for L the lower triangle of input2.

    With ``upper``, input2 holds Lᵀ, and its upper triangle counts.
    Shapes: (..., n, k) and (..., n, n) to (..., n, k).
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the triangle has a 0 on its diagonal, or the shapes do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cholesky_solve(Tensor([[2.0], [4.0]]), Tensor([[1.0, 0.0], [0.0, 2.0]])))
    [[2.]
     [1.]]

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 4.2.
    """
    factor = tril(swapaxes(input2, -1, -2) if upper else input2)
    return rules.solve(swapaxes(factor, -1, -2), rules.solve(factor, input))


def cholesky_inverse(input_x, upper=False) -> Tensor:
    """The inverse of L Lᵀ, for L the lower triangle of input_x.

    With ``upper``, input_x holds Lᵀ, and its upper triangle counts.
    Shapes: (..., n, n); the output has the same.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if the triangle has a 0 on its diagonal, or input_x is not square.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cholesky_inverse(Tensor([[1.0, 0.0], [0.0, 2.0]])))
    [[1.   0.  ]
     [0.   0.25]]

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 4.2.
    """
    factor = tril(swapaxes(input_x, -1, -2) if upper else input_x)
    back = inverse(factor)
    return matmul(swapaxes(back, -1, -2), back)


def matrix_power(input, n) -> Tensor:
    """The product of n times the matrix; of -n times its inverse, if n is negative.

    Shapes: (..., n, n); the output has the same.
    Dtypes: any numbers, kept; for a negative n, whole numbers become float32.
    Raises ValueError if input is not square, or singular with a negative n; TypeError if n is not
    whole.

    >>> from minigrad import Tensor, ops
    >>> print(ops.matrix_power(Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
    [[1. 3.]
     [0. 1.]]

    Source: numpy.linalg.matrix_power.
    """
    _must_be_square("matrix_power", input)
    if not isinstance(n, int | np.integer):
        raise TypeError(f"matrix_power: n must be a whole number, but got {n!r}")
    if n < 0:
        return matrix_power(inverse(input), -n)
    if n == 0:
        size = input.shape[-1]
        return broadcast_to(wrap(np.eye(size, dtype=unwrap(input).dtype)), input.shape)
    half = matrix_power(input, n // 2) if n > 1 else None
    square_ = input if half is None else matmul(half, half)
    return matmul(square_, input) if half is not None and n % 2 else square_


def pinv(x, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    """The pseudo-inverse v diag(1 / s) uᵀ of u diag(s) vᵀ; 1 / s is 0 for small singular values s.

    Small is at most ``rtol`` times the largest, and at most ``atol``; rtol None means the longer
    side times the dtype's epsilon, or 0 if atol is given. ``hermitian`` changes nothing.
    Shapes: (..., n, m) to (..., m, n).
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if x has fewer than two axes. The gradient is for changes that keep the rank.

    >>> from minigrad import Tensor, ops
    >>> print(ops.pinv(Tensor([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])))
    [[0.5  0.   0.  ]
     [0.   0.25 0.  ]]

    Source: Penrose, "A generalized inverse for matrices", 1955.
    """
    return rules.pinv(x, atol, rtol)


def svd(input, full_matrices=False, compute_uv=True) -> Tensor | tuple[Tensor, Tensor, Tensor]:
    """The singular values s, from the largest on, and the u and v for which input = u diag(s) vᵀ.

    ``full_matrices``: u and v are square; of a matrix that is not, they then have no gradient.
    Without ``compute_uv``: s alone. A column of u and that of v may have their signs turned.
    Vectors of equal singular values are not determined, and the gradient between them counts as 0.
    Shapes: (..., m, n) to (..., k), (..., m, k) and (..., n, k), k being the smaller of m and n.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError if input has fewer than two axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.svd(Tensor([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False))
    [4. 3.]

    Source: Townsend, "Differentiating the singular value decomposition", 2016.
    """
    out = rules.svd(input, bool(full_matrices))
    return out if compute_uv else out[0]


def qr(input, mode="reduced") -> tuple[Tensor, Tensor]:
    """The q with orthonormal columns and the r, 0 below its diagonal, for which q r = input.

    ``mode``: "reduced", or "complete", in which q is square; of a tall matrix, they then have no
    gradient.
    Shapes: (..., m, n) to (..., m, k) and (..., k, n), k being the smaller of m and n, or m.
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError for another mode, or if input has fewer than two axes.

    >>> from minigrad import Tensor, ops
    >>> q, r = ops.qr(Tensor([[0.0, 2.0], [1.0, 3.0]]))
    >>> print(ops.allclose(q @ r, Tensor([[0.0, 2.0], [1.0, 3.0]])))
    True

    Source: Walter and Lehmann, "Algorithmic differentiation of linear algebra functions with
    application in optimum experimental design", 2010.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f'qr: mode must be "reduced" or "complete", but got {mode!r}')
    return rules.qr(input, mode == "complete")


def lstsq(input, A) -> Tensor:
    """The x for which input x is as near to A as can be; of several, the one of smallest norm.

    Shapes: (m, n), and (m, k) or (m,), to (n, k), where k is 1 for a vector.
    Dtypes: floats keep theirs.
    Raises ValueError if the shapes do not fit.

    >>> from minigrad import Tensor, ops
    >>> print(ops.lstsq(Tensor([[2.0], [2.0]]), Tensor([2.0, 4.0])).round(decimals=4))
    [[1.5]]

    Source: x = input⁺ A; Penrose, "On best approximate solutions of linear matrix equations", 1956.
    """
    if input.ndim != 2 or A.ndim not in (1, 2) or input.shape[0] != A.shape[0]:
        raise ValueError(
            f"lstsq: expected input (m, n) and A (m, k) or (m,), but got {input.shape}, {A.shape}"
        )
    return matmul(rules.pinv(input), reshape(A, (-1, 1)) if A.ndim == 1 else A)


def cond(A, p=None) -> Tensor:
    """How much solving with matrices may enlarge errors: norm(A) norm(A⁻¹), for the norm of ord p.

    p None counts as 2: the largest singular value over the smallest; see ``matrix_norm``.
    Shapes: (..., n, n), and for p None, 2 and -2 also (..., m, n), to (...).
    Dtypes: floats keep theirs; whole numbers become float32.
    Raises ValueError for another p, or if a matrix has no inverse.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cond(Tensor([[2.0, 0.0], [0.0, 4.0]])))
    2.0

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 2.6.
    """
    if p in (None, 2, -2):
        s = rules.svd(A)[0]
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return matrix_norm(A, p) * matrix_norm(inverse(A), p)


matrix_determinant, log_matrix_determinant = det, slogdet


# -------------------------------------------------------------------------------------------- norms
def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """(sum of |x|^ord)^(1 / ord) over the axes; the largest or smallest |x| for ord inf or -inf.

    ``ord`` 0 counts the entries that are not 0. The gradient at 0 is 0, a subgradient.
    Shapes: any; the axes are gone (all, if None), or have length 1 with ``keepdims``.
    Dtypes: floats keep theirs; or ``dtype``. Whole numbers stay whole for ord 0, 1, ±inf, and
    else become float32.
    Raises ValueError if ord is no number, or for inf and -inf of nothing; IndexError if there is no
    such axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.vector_norm(Tensor([3.0, -4.0])), ops.vector_norm(Tensor([3.0, -4.0]), 1))
    5.0 7.0

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 2.2.
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
    inf, -inf: along a row; 2, -2: the largest, smallest singular value; "nuc": their sum.
    The gradient of "fro" at 0 is 0; ties share.
    Shapes: any with two axes or more; the two are gone, or have length 1 with ``keepdims``.
    Dtypes: floats keep theirs; or ``dtype``. Whole numbers become float32, if ord is not ±1, ±inf.
    Raises ValueError for another ord, IndexError if there are no such axes.

    >>> from minigrad import Tensor, ops
    >>> x = Tensor([[1.0, 2.0], [2.0, 4.0]])
    >>> print(ops.matrix_norm(x), ops.matrix_norm(x, 1), ops.matrix_norm(x, -float("inf")))
    5.0 6.0 3.0

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 2.3.
    """
    x = A if dtype is None else A.astype(dtype)
    row, column = axes_of(tuple(axis), x.ndim)
    if ord in (None, "fro"):
        return root(total(square(x), (row, column), keepdims))
    stay = tuple(a for a in range(x.ndim) if a not in (row, column))
    if ord in _OF_SINGULAR_VALUES:
        s = rules.svd(transpose(x, (*stay, row, column)))[0]
        out = _OF_SINGULAR_VALUES[ord](s, -1)
        kept = (1 if a in (row, column) else n for a, n in enumerate(x.shape))
        return reshape(out, tuple(kept)) if keepdims else out
    if ord not in (1, -1, math.inf, -math.inf):
        raise ValueError(
            'norm: ord of a matrix must be "fro", "nuc", 1, -1, 2, -2, inf or -inf, but got '
            f"{ord!r}; leave it out for the root of the sum of squares"
        )
    added, picked = (row, column) if ord in (1, -1) else (column, row)
    sums = total(absolute(x), added, True)
    out = (amax if ord > 0 else amin)(sums, picked, True)
    return out if keepdims else reshape(out, tuple(x.shape[a] for a in stay))


_OF_SINGULAR_VALUES: dict = {2: amax, -2: amin, "nuc": total}


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The norm of vectors (dim a number) or matrices (a pair); of all entries, if both are None.

    See ``vector_norm`` and ``matrix_norm`` for ``ord``.
    Shapes: any; the axes are gone, or have length 1 with ``keepdim``.
    Dtypes: floats keep theirs; or ``dtype``. Whole numbers become float32 where a root is taken.
    Raises ValueError for another ord, or if it is given without dim for more than two axes;
    IndexError if there is no such axis.

    >>> from minigrad import Tensor, ops
    >>> print(ops.norm(Tensor([3.0, -4.0])), ops.norm(Tensor([3.0, -4.0]), 1))
    5.0 7.0

    Source: Golub and Van Loan, "Matrix Computations", 2013, sections 2.2 and 2.3.
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
    """The p-norm of input - other, of all entries.

    The gradient where both are equal is 0, a subgradient.
    Shapes: two that broadcast, to one number.
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if they do not broadcast, or p is no number.

    >>> from minigrad import Tensor, ops
    >>> print(ops.dist(Tensor([0.0, 1.0]), Tensor([3.0, 5.0])))
    5.0

    Source: Golub and Van Loan, "Matrix Computations", 2013, section 2.2.
    """
    return vector_norm(input - other, p)


def cdist(x1, x2, p=2.0) -> Tensor:
    """The p-norm of the difference of each row of x1 and each row of x2.

    The gradient where two rows are equal is 0, a subgradient.
    Shapes: (..., n, k) and (..., m, k) to (..., n, m).
    Dtypes: floats meet in the wider one; whole numbers become float32.
    Raises ValueError if the shapes do not fit, IndexError if one has fewer than two axes.

    >>> from minigrad import Tensor, ops
    >>> print(ops.cdist(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0], [0.0, 1.0]])))
    [[5. 1.]]

    Source: the definition.
    """
    if x1.ndim > 1 and x2.ndim > 1 and x1.shape[-1] != x2.shape[-1]:
        raise ValueError(
            f"cdist: the rows must be equally long, but x1 has shape {x1.shape} and x2 {x2.shape}"
        )
    return vector_norm(x1[..., :, None, :] - x2[..., None, :, :], p, -1)


def _must_be_square(name: str, x) -> None:
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name} takes square matrices, but got shape {x.shape}")


__all__ = [
    "cdist", "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "det", "dist", "inverse",
    "log_matrix_determinant", "logdet", "lstsq", "matrix_determinant", "matrix_norm",
    "matrix_power", "matrix_solve", "norm", "pinv", "qr", "slogdet", "solve", "svd", "vector_norm",
]  # fmt: skip
