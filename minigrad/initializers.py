r"""The first values of weights: ``initializer(init, shape)`` makes a Tensor from an Initializer.

A weight of shape (out, in, ...) sees n_in = in × (...) numbers for each output, and each input is
seen n_out = out × (...) times. If weights have a variance of about 1 / n_in, the size of the values
neither grows nor shrinks from layer to layer; what follows a layer asks for a factor, the gain.

All are drawn from one generator, so ``set_seed`` makes them repeat.
"""

from __future__ import annotations

import math

import numpy as np

from . import dtype as dtypes
from .random import generator
from .tensor import Tensor, wrap


class Initializer:
    """The base of initializers. A subclass writes ``draw``, which makes an array of a shape.

    >>> initializer(Constant(2), (3,))
    Tensor(shape=[3], dtype=Float32, value= [ 2.00000000e+00,  2.00000000e+00,  2.00000000e+00])
    """

    def __init__(self, **settings):
        vars(self).update(settings)

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape. Every subclass writes its own."""
        raise AttributeError(f"{type(self).__name__} has no draw(self, shape)")

    def __call__(self, array: np.ndarray) -> None:
        """Fill an array."""
        array[...] = self.draw(array.shape)


class Constant(Initializer):
    """One value everywhere."""

    def __init__(self, value: float):
        self.value = value

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return np.full(shape, self.value, np.float64)


class Zero(Initializer):
    """Zeros."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return np.zeros(shape)


class One(Initializer):
    """Ones."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return np.ones(shape)


class Normal(Initializer):
    """The normal distribution N(mean, sigma²)."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0):
        self.sigma, self.mean = sigma, mean

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return generator().normal(self.mean, _checked("sigma", self.sigma), shape)


class TruncatedNormal(Initializer):
    """N(mean, sigma²), drawn again where a number falls outside of [a, b].

    The bounds are values, not multiples of sigma: with the defaults hardly any number is refused.
    """

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0):
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return _truncated(self.mean, self.sigma, self.a, self.b, shape)


class Uniform(Initializer):
    """Evenly between -scale and scale."""

    def __init__(self, scale: float = 0.07):
        self.scale = scale

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return generator().uniform(-self.scale, self.scale, shape)


class XavierUniform(Initializer):
    """Evenly between ±gain √(6 / (n_in + n_out)) (Glorot and Bengio, 2010)."""

    def __init__(self, gain: float = 1):
        self.gain = gain

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        bound = self.gain * math.sqrt(6 / sum(fans(shape)))
        return generator().uniform(-bound, bound, shape)


class XavierNormal(Initializer):
    """N(0, sigma²) with sigma = gain √(2 / (n_in + n_out)) (Glorot and Bengio, 2010)."""

    def __init__(self, gain: float = 1):
        self.gain = gain

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return generator().normal(0, self.gain * math.sqrt(2 / sum(fans(shape))), shape)


class HeUniform(Initializer):
    """Evenly between ±gain √(3 / n) (He et al., 2015).

    n is n_in for mode "fan_in" and n_out for "fan_out". The gain is that of the nonlinearity that
    follows: "leaky_relu" with its slope below 0, "relu", "tanh", "sigmoid" or "linear".
    """

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ):
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        bound = _gain(self) * math.sqrt(3 / _fan(self, shape))
        return generator().uniform(-bound, bound, shape)


class HeNormal(Initializer):
    """N(0, sigma²) with sigma = gain / √n (He et al., 2015). n and gain are as for HeUniform."""

    def __init__(
        self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
    ):
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        return generator().normal(0, _gain(self) / math.sqrt(_fan(self, shape)), shape)


class VarianceScaling(Initializer):
    """A variance of scale / n, for n = n_in, n_out or, for "fan_avg", their mean.

    ``distribution`` is "truncated_normal" (at twice its sigma), "untruncated_normal" or "uniform".
    """

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal"
    ):
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        sigma = math.sqrt(self.scale / max(1, _fan(self, shape, average=True)))
        if self.distribution == "uniform":
            return generator().uniform(-math.sqrt(3) * sigma, math.sqrt(3) * sigma, shape)
        if self.distribution == "untruncated_normal":
            return generator().normal(0, sigma, shape)
        if self.distribution != "truncated_normal":
            raise ValueError(f"VarianceScaling has no distribution {self.distribution!r}")
        sigma /= 0.87962566103423978  # of N(0, 1) cut off at ±2
        return _truncated(0, sigma, -2 * sigma, 2 * sigma, shape)


class Identity(Initializer):
    """A matrix with ones on its diagonal."""

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        if len(shape) != 2:
            raise ValueError(f"Identity makes a matrix, not an array of shape {shape}")
        return np.eye(*shape)


class Orthogonal(Initializer):
    """Rows (or columns, if there are fewer) at right angles, of length gain (Saxe et al., 2013)."""

    def __init__(self, gain: float = 1.0):
        self.gain = gain

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        if len(shape) < 2:
            raise ValueError(f"Orthogonal needs two axes or more, not the shape {shape}")
        rows, columns = shape[0], math.prod(shape[1:])
        q, r = np.linalg.qr(generator().normal(size=(max(rows, columns), min(rows, columns))))
        q = q * np.sign(np.diag(r))  # else some directions would be likelier than others
        return self.gain * (q if rows >= columns else q.T).reshape(shape)


class Dirac(Initializer):
    """Kernels of a convolution that pass as many channels on unchanged as they can.

    With ``groups`` each group of output channels does so anew.
    """

    def __init__(self, groups: int = 1):
        self.groups = groups

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        if len(shape) not in (3, 4, 5):
            raise ValueError(f"Dirac makes the kernels of a convolution, not the shape {shape}")
        if self.groups < 1 or shape[0] % self.groups:
            raise ValueError(
                f"Dirac: {self.groups} groups do not share {shape[0]} output channels equally"
            )
        kernels, middle = np.zeros(shape), tuple(n // 2 for n in shape[2:])
        each = shape[0] // self.groups
        for group in range(self.groups):
            for channel in range(min(each, shape[1])):
                kernels[(group * each + channel, channel, *middle)] = 1
        return kernels


class Sparse(Initializer):
    """A matrix from N(0, sigma²) with this share of each column set to 0 (Martens, 2010)."""

    def __init__(self, sparsity: float, sigma: float = 0.01):
        self.sparsity, self.sigma = sparsity, sigma

    def draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape."""
        if len(shape) != 2:
            raise ValueError(f"Sparse makes a matrix, not an array of shape {shape}")
        if not 0 <= self.sparsity <= 1:
            raise ValueError(f"Sparse: sparsity must be from 0 to 1, but got {self.sparsity}")
        matrix = generator().normal(0, _checked("sigma", self.sigma), shape)
        zeros = math.ceil(self.sparsity * shape[0])
        for column in range(shape[1]):
            matrix[generator().permutation(shape[0])[:zeros], column] = 0
        return matrix


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """n_in and n_out of a weight of this shape.

    >>> fans((8, 3, 5, 5))
    (75, 200)
    """
    if len(shape) < 2:
        raise ValueError(
            f"this initializer needs a weight with two axes or more, not shape {shape}"
        )
    around = math.prod(shape[2:])
    return shape[1] * around, shape[0] * around


def _fan(init, shape, average=False) -> float:
    n_in, n_out = fans(shape)
    known = {"fan_in": n_in, "fan_out": n_out} | (
        {"fan_avg": (n_in + n_out) / 2} if average else {}
    )
    if init.mode not in known:
        raise ValueError(f"{type(init).__name__}: mode {init.mode!r} is none of {', '.join(known)}")
    return known[init.mode]


def _gain(init) -> float:
    gains = {
        **dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d", "sigmoid"), 1),
        "tanh": 5 / 3,
        "relu": math.sqrt(2),
        "leaky_relu": math.sqrt(2 / (1 + init.negative_slope**2)),
    }
    if init.nonlinearity not in gains:
        raise ValueError(
            f"{type(init).__name__}: nonlinearity {init.nonlinearity!r} is none of "
            f"{', '.join(gains)}"
        )
    return gains[init.nonlinearity]


def _checked(name: str, sigma: float) -> float:
    if sigma < 0:
        raise ValueError(f"{name} must be 0 or more, but got {sigma}")
    return sigma


def _truncated(mean, sigma, a, b, shape):
    """Numbers of N(mean, sigma²) within [a, b], by drawing again those outside."""
    out = generator().normal(mean, _checked("sigma", sigma), shape)
    for _ in range(1000):
        outside = (out < a) | (out > b)
        if not outside.any():
            return out
        out[outside] = generator().normal(mean, sigma, int(outside.sum()))
    raise ValueError(
        f"a normal number around {mean} with sigma {sigma} hardly ever falls within [{a}, {b}]"
    )


_BY_NAME: dict[str, type[Initializer]] = {
    "zeros": Zero, "ones": One, "zero": Zero, "one": One, "normal": Normal, "uniform": Uniform,
    "truncatednormal": TruncatedNormal, "xavier_uniform": XavierUniform,
    "xavieruniform": XavierUniform, "xavier_normal": XavierNormal, "xaviernormal": XavierNormal,
    "he_uniform": HeUniform, "heuniform": HeUniform, "he_normal": HeNormal, "henormal": HeNormal,
    "variancescaling": VarianceScaling, "identity": Identity, "orthogonal": Orthogonal,
    "dirac": Dirac,
}  # fmt: skip


def initializer(init, shape=None, dtype=dtypes.float32) -> Tensor:
    """A Tensor of this shape with its first values.

    ``init`` is an Initializer, the name of one such as "zeros", "ones", "normal" or "he_uniform", a
    number for all entries, or a Tensor or numpy array with the values themselves. A Tensor keeps
    its dtype.

    Raises TypeError for anything else, and ValueError for an unknown name or a shape that does not
    fit.

    >>> initializer("ones", (2,))
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  1.00000000e+00])
    """
    if isinstance(shape, int | np.integer):
        shape = (shape,)
    shape = None if shape is None else tuple(map(int, shape))
    if isinstance(init, Tensor | np.ndarray):
        if shape is not None and init.shape != shape:
            raise ValueError(f"the first values must have shape {shape}, but have {init.shape}")
        return init if isinstance(init, Tensor) else Tensor(init, dtype)
    if isinstance(init, str):
        if init.lower() not in _BY_NAME:
            raise ValueError(f"there is no initializer {init!r}; there are {', '.join(_BY_NAME)}")
        init = _BY_NAME[init.lower()]()
    elif isinstance(init, int | float | np.number):
        init = Constant(float(init))
    if not isinstance(init, Initializer):
        what = init.__name__ + " itself" if isinstance(init, type) else type(init).__name__
        raise TypeError(
            "the first values are an Initializer such as Normal(0.1), its name, a number or a "
            f"Tensor, but got {what}"
        )
    if shape is None:
        raise ValueError(f"initializer({init!r}) needs a shape")
    return wrap(np.asarray(init.draw(shape)).astype(np.dtype(dtype)))


__all__ = [
    "Constant", "Dirac", "HeNormal", "HeUniform", "Identity", "Initializer", "Normal", "One",
    "Orthogonal", "Sparse", "TruncatedNormal", "Uniform", "VarianceScaling", "XavierNormal",
    "XavierUniform", "Zero", "initializer",
]  # fmt: skip
