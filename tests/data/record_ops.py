"""Record in `ops.json` what a real MindSpore computes: values and gradients of short expressions.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand, in
an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_ops.py

An expression is evaluated with `ops`, `ms`, `mnp` and the inputs by name. The gradients are those of
the float inputs, for the sum over the float outputs o_k of sum(o_k * s_k), s_k = cos(arange(size) + k)
+ 1.5. An expression that raises is recorded by the name of its error.
"""

import json
import platform
import re
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops
from mindspore import numpy as mnp


def draw(*shape, low=-2.0, high=2.0):
    values = np.random.default_rng([7, *shape]).uniform(low, high, shape)
    return np.array(values.round(3), np.float32)


INPUTS = {
    "x": draw(2, 3, 4),
    "y": draw(2, 3, 4)[::-1].copy() + np.float32(0.25),
    "m": draw(3, 4),
    "w": draw(3, 3),
    "v": draw(4),
    "c": draw(3, 1),
    "u": draw(3, 4, low=0.2, high=3.0),
    "p": draw(3, 4, low=0.05, high=0.95),
    "q": draw(3, 4, low=0.1, high=0.9)[::-1].copy(),
    "s": np.float32(-0.75),
    "e": np.zeros((0, 3), np.float32),
    "k": np.float32([-6, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 6]),
    "t": np.float32([[1, 3, 3, 2], [2, 2, 1, 2], [0, -1, 0, -1]]),
    "d": draw(3, 4).astype(np.float64),
    "h": draw(3, 4).astype(np.float16),
    "i": np.array([[3, -4, 5], [-7, 2, 0]]),
    "j": np.array([2, 3, -2]),
    "b": np.array([[True, False, True, False]] * 2 + [[False, False, True, True]]),
    "a": np.array([2, 0, 2]),
    "l": np.array([1, 3, 0]),
    "o": np.float32([[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 1]]),
}

# Their gradients are wrong in MindSpore, and not recorded; `tests/ops` holds them against finite
# differences: the weights of a binary cross entropy, the target of kl_div, selu below 0.
WRONG = {"binary_cross_entropy": "u", "kl_div": "q", "selu": "k"}
AXES = ["", ", 0", ", -1", ", 1"]
EXPRESSIONS = [
    # Reductions: other axes, negative ones, several, kept.
    *[f"ops.{f}(x{a})" for f in ("sum", "mean", "prod", "amax", "amin") for a in (*AXES, ", (0, -1)")],
    *[f"ops.{f}(x, (0, 2), True)" for f in ("sum", "mean", "amax", "amin")],
    *["ops.sum(i)", "ops.sum(b)", "ops.sum(i, 0)", "ops.sum(x, dtype=ms.float64)", "ops.sum(s)"],
    *["ops.sum(e, 0)", "ops.sum(e, 1)", "ops.prod(i)", "ops.prod(i, 1)", "ops.prod(t, 1)", "ops.prod(x, 1, True)"],
    *["ops.mean(s)", "ops.mean(x, -1, True)", "ops.amax(t)", "ops.amax(t, 1)", "ops.amin(t, 0)", "ops.amax(i, 1)"],
    *["ops.amax(s)", "ops.max(t)", "ops.max(t, 1)", "ops.max(t, 0, True)", "ops.min(t)", "ops.min(t, -1)"],
    *["ops.min(x, 1, True)", "ops.max(i, 0)", "ops.argmax(x)", "ops.argmax(x, 1)", "ops.argmax(t, 1)"],
    *["ops.argmax(x, -1, True)", "ops.argmin(x)", "ops.argmin(t, 1)", "ops.argmin(x, -1, True)"],
    *["ops.all(b)", "ops.all(b, 0)", "ops.any(b, 1)", "ops.any(b, 1, True)"],
    *[f"ops.{f}(x{a})" for f in ("var", "std") for a in (*AXES, ", (0, 2)", ", 1, 1", ", 1, 1, True")],
    *["ops.norm(x)", "ops.norm(x, dim=1)", "ops.norm(m, dim=(0, 1))", "ops.norm(x, dim=-1, keepdim=True)"],
    *["ops.norm(v, 2)", "ops.norm(m, 2, dim=1)", "ops.norm(m, 'fro')"],
    *["ops.logsumexp(x, 1)", "ops.logsumexp(x, (0, -1))", "ops.logsumexp(x, -1, True)", "ops.logsumexp(s, 0)"],
    *[f"ops.{f}(x{a})" for f in ("softmax", "log_softmax") for a in AXES],
    *[f"ops.{f}(x, {a})" for f in ("cumsum", "cumprod") for a in (0, 1, -1)],
    *["ops.cumsum(i, 1)", "ops.cumsum(x, 1, ms.float64)", "ops.cumprod(i, 1)", "ops.softmax(v, 0)"],
    # Elements: kinks, integers, other dtypes, 0-d.
    *[
        f"ops.{f}(k)"
        for f in "relu relu6 elu celu selu leaky_relu silu gelu softplus softsign hardsigmoid hardswish"
        " hardtanh sigmoid logsigmoid abs sign square neg floor ceil round exp expm1 sin cos atan asinh".split()
    ],
    *[f"ops.{f}(u)" for f in "log log1p log2 sqrt rsqrt reciprocal".split()],
    *[f"ops.{f}(p)" for f in "asin acos atanh tan erf erfc".split()], *[f"ops.{f}(x)" for f in ("mish", "tanh")], "ops.acosh(u + 1)",
    *[f"ops.{f}(s)" for f in "relu exp sigmoid tanh abs sin square softplus gelu silu".split()],
    *[f"ops.{f}(i)" for f in "abs neg sign square relu".split()],
    "ops.reciprocal(j)",
    *[f"ops.{f}(h)" for f in "exp sigmoid tanh relu square sum mean softmax".split()],
    *[f"ops.{f}(d)" for f in "exp sigmoid tanh relu square sum mean softmax".split()],
    *["ops.elu(k, 1.0)", "ops.celu(k, 2.0)", "ops.leaky_relu(k, 0.01)", "ops.gelu(k, approximate='tanh')"],
    *["ops.softplus(k, 2)", "ops.softplus(k, 1, 1.5)", "ops.hardtanh(k, -2.0, 3.0)"],
    *["ops.prelu(m, ops.abs(v))", "ops.prelu(x, c.reshape(3))", "ops.round(k / 2)"],
    *["x + m", "x - v", "m * c", "x / u", "m / c", "u ** s", "u ** m", "x ** 2", "x ** 3", "u ** 0.5", "2 ** x"],
    *["x + 1", "1 - x", "2 * x", "1 / u", "x / 2", "x // 2", "x % 0.7", "m % u", "m // u", "-x", "abs(x)", "i + 1"],
    *["i / 2", "i / j", "i // j", "i % j", "i * 2.0", "i ** 2", "i + x[0, :2, :3]", "x * True", "h * 2.0", "h + d"],
    *["h * m", "d * m", "d + 1.5", "i - 0.5", "b + 1", "b * m", "i > 0", "x > m", "x == x", "i != j", "x <= 0.5"],
    *["~b", "b & True", "i & 3", "i | 8", "i ^ j", "ops.logical_and(b, b)", "ops.logical_not(b)", "ops.logical_xor(b, b)"],
    *["ops.maximum(t, 2)", "ops.maximum(x, m)", "ops.minimum(t, v)", "ops.minimum(i, j)", "ops.maximum(i, x[0, :2, :3])"],
    *["ops.div(x, u)", "ops.div(m, u, rounding_mode='floor')", "ops.div(m, u, rounding_mode='trunc')", "ops.div(i, 2)"],
    *["ops.clamp(k, -1, 2)", "ops.clamp(k, min=-1)", "ops.clamp(k, max=2)", "ops.clip_by_value(k, -1.0, 2.0)"],
    *["ops.clamp(k, 2, -1)", "ops.clip_by_value(k, 2.0, -1.0)", "ops.clamp(x, m, m + 1)", "ops.clip_by_value(x, m, m + 1)"],
    *["ops.clamp(i, -1, 3)", "ops.atan2(m, u)", "ops.hypot(m, u)", "ops.xlogy(p, u)", "ops.xlogy(t, u)", "ops.lerp(m, u, 0.3)"],
    *["ops.lerp(m, u, p)", "ops.addcmul(m, u, p)", "ops.addcmul(m, u, p, 0.5)", "ops.pow(u, m)"],
    *["ops.where(b, m, u)", "ops.where(b, m, 0.0)", "ops.where(x > 0, x, m)", "ops.where(b, 1.0, m)", "ops.masked_fill(m, b, 5.0)"],
    *["ops.masked_fill(x, b, s)", "ops.isnan(x)", "ops.isfinite(x)", "ops.isinf(x)", "ops.pow(u, 2)"],
    # Shapes.
    *["ops.reshape(x, (4, -1))", "x.reshape(-1)", "x.reshape(2, 12)", "x.view(6, 4)", "ops.transpose(x, (2, 0, 1))"],
    *["ops.permute(x, (-1, 0, 1))", "x.T", "m.T", "x.transpose(1, 0, 2)", "x.transpose((2, 1, 0))", "x.swapaxes(0, -1)"],
    *["ops.swapaxes(x, 1, 2)", "ops.expand_dims(x, 0)", "ops.expand_dims(x, -1)", "ops.unsqueeze(x, 2)", "ops.unsqueeze(s, 0)"],
    *["ops.squeeze(c)", "ops.squeeze(c, 1)", "ops.squeeze(c, -1)", "c.squeeze()", "ops.squeeze(x.reshape(1, 24, 1), (0, 2))"],
    *["ops.flatten(x)", "ops.flatten(x, start_dim=0)", "ops.flatten(x, start_dim=1, end_dim=2)", "x.flatten()", "x.flatten(1)"],
    *["ops.flatten(s)", "ops.flatten(v)", "x.ravel()", "ops.broadcast_to(c, (2, 3, 4))", "ops.broadcast_to(c, (-1, 4))"],
    *["ops.broadcast_to(s, (2, 2))", "ops.tile(m, (2, 1))", "ops.tile(m, (2, 1, 3))", "ops.tile(x, (2,))"],
    *["ops.tile(c, (2, 3))", "ops.repeat_interleave(m, 2, 0)", "ops.repeat_interleave(m, 2, -1)", "ops.repeat_interleave(m, 2)"],
    *["ops.repeat_interleave(m, [1, 0, 2], 0)", "ops.concat((m, u))", "ops.cat((m, u, p), 1)", "ops.cat((m, c), -1)", "ops.concat((i, i))"],
    *["ops.stack((m, u))", "ops.stack((m, u), 1)", "ops.stack((m, u), -1)", "ops.stack((s, s))", "ops.split(m, 2, 1)", "ops.split(x, 1)"],
    *["ops.split(m, [1, 3], 1)", "ops.split(m, 3, -1)", "ops.chunk(m, 2)", "ops.chunk(m, 3, 1)", "ops.unbind(m)", "ops.unbind(x, -1)"],
    *["ops.flip(x, (0,))", "ops.flip(x, (0, -1))", "ops.pad(m, (1, 2))", "ops.pad(m, (1, 0, 2, 1), value=3.0)", "ops.pad(x, [0, 1, 1, 0])"],
    *["ops.meshgrid(v, c.reshape(3))", "ops.meshgrid(v, c.reshape(3), indexing='ij')", "ops.meshgrid(v, v, c.reshape(3))"],
    *["ops.diag(v)", "ops.diag(m)", "ops.trace(w)", "ops.trace(m)", "ops.tril(m)", "ops.tril(m, 1)", "ops.triu(m)", "ops.triu(x, -1)"],
    *["ops.cast(x, ms.float64)", "x.astype(ms.int32)", "x.astype(ms.float16)", "i.astype(ms.float32)", "ops.rank(x)", "ops.size(x)", "ops.shape(x)"],
    # Picking.
    *["x[0]", "x[-1, 1:]", "x[..., ::2]", "x[:, None, 1]", "x[:, [0, 2]]", "x[:, a]", "m[a, l]", "m[b]", "x[x > 0]", "x[0, 1, 2]", "m[a]"],
    *["m[1:2]", "x[:, 1, [0, 0, 3]]", "ops.gather(m, a, 0)", "ops.gather(m, l, 1)", "ops.gather(x, a, -2)", "ops.gather(m, i[0, 2:], 1)"],
    *["ops.gather(m, Tensor([[0, 1], [2, 2]]), 0)", "ops.index_select(m, 1, l)", "ops.gather_elements(m, 0, Tensor([[0, 1, 2, 0]]))"],
    *["ops.gather_elements(m, 1, Tensor([[0, 1], [2, 2]]))", "ops.gather_elements(m, -1, Tensor([[3], [0], [3]]))", "m.gather_elements(1, Tensor([[0], [1], [1]]))"],
    *["ops.masked_select(m, b)", "ops.masked_select(x, b)", "ops.one_hot(l, 5)", "ops.one_hot(l, 4, 2.0, -1.0)", "ops.one_hot(Tensor([[0, 2], [1, 1]]), 3)"],
    *["ops.tensor_scatter_add(m, Tensor([[0, 1], [0, 1], [2, 3]]), v[:3])", "ops.tensor_scatter_add(m, Tensor([[1], [1]]), u[:2])"],
    # Products.
    *["m @ v", "v @ m.T", "m @ m.T", "x @ v", "x @ m.T", "x @ y.swapaxes(1, 2)", "v @ v", "ops.matmul(m, x.swapaxes(1, 2))", "ops.bmm(x, y.swapaxes(1, 2))"],
    *["ops.dense(x, m)", "ops.dense(x, m, c.reshape(3))", "ops.dense(v, m, c.reshape(3))", "ops.outer(v, c.reshape(3))", "ops.tensor_dot(x, m, 2)"],
    *["ops.tensor_dot(x, m.T, 1)", "ops.tensor_dot(m, u, ((0, 1), (0, 1)))", "mnp.dot(m, v)", "mnp.dot(v, v)", "mnp.dot(m, m.T)", "mnp.dot(x, m.T)"],
    # Losses.
    *[
        f"{call}{r})"
        for call in (
            "ops.mse_loss(m, u",
            "ops.l1_loss(m, u",
            "ops.smooth_l1_loss(k, k * 0 + 0.5, 1.0",
            "ops.huber_loss(k, k * 0 + 0.5",
            "ops.binary_cross_entropy(p, q, None",
            "ops.binary_cross_entropy(p, q, u",
            "ops.kl_div(m, q",
            "ops.nll_loss(m, l",
            "ops.nll_loss(m, l, ops.abs(v)",
            "ops.cross_entropy(m, l",
            "ops.cross_entropy(m, l, ops.abs(v)",
            "ops.cross_entropy(m, q",
            "ops.cross_entropy(m, q, ops.abs(v)",
            "ops.cross_entropy(x, Tensor([[0, 2, 1, 1], [2, 0, 0, 1]])",
        )
        for r in ("", ", reduction='mean'", ", reduction='sum'", ", reduction='none'")
    ],
    *["ops.binary_cross_entropy_with_logits(m, q, ops.ones_like(m), ops.ones_like(m))"],
    *[f"ops.binary_cross_entropy_with_logits(m, q, u * 1, u * 2, reduction='{r}')" for r in ("mean", "sum", "none")],
    *["ops.binary_cross_entropy_with_logits(m, q)", "ops.kl_div(m, q, 'batchmean')", "ops.smooth_l1_loss(m, u, 0.5, 'mean')"],
    *["ops.huber_loss(m, u, 'sum', 0.5)", "ops.nll_loss(m, l, ignore_index=3)", "ops.nll_loss(m, l, ops.abs(v), 3, 'mean', 0.2)"],
    *["ops.cross_entropy(m, l, label_smoothing=0.2)", "ops.cross_entropy(m, l, ops.abs(v), 3, 'mean', 0.2)", "ops.cross_entropy(v, Tensor(2))"],
    *["ops.cross_entropy(m, l, ops.abs(v), 3, 'sum', 0.2)", "ops.cross_entropy(m, l, ops.abs(v), 3, 'none', 0.2)"],
    *["ops.cross_entropy(m, q, label_smoothing=0.2)", "ops.cross_entropy(m, q, ops.abs(v), label_smoothing=0.2)", "ops.cross_entropy(v, q[0])"],
    *["ops.cosine_similarity(m, u)", "ops.cosine_similarity(x, y, -1)", "ops.cosine_similarity(m, u, 0)", "ops.cosine_similarity(m * 0, u)"],
    *["ops.where(b, 1.0, 0.0)", "ops.squeeze(x, 0)", "ops.tensor_dot(x, y, ((2, 0), (2, 0)))", "ops.leaky_relu(k, 1.5)", "ops.binary_cross_entropy(o * 1e-5, ops.ones_like(m), reduction='none')", "ops.smooth_l1_loss(m, u, 0.0)", "ops.huber_loss(m, u, delta=0.0)"],
    # Making.
    *["ops.ones((2, 3))", "ops.zeros(3)", "ops.zeros((2, 2), ms.int32)", "ops.full((2, 2), 3)", "ops.ones_like(i)"],
    *["ops.zeros_like(x)", "ops.full_like(m, 2)", "ops.arange(5)", "ops.arange(1, 7, 2)", "ops.arange(0.0, 1.0, 0.25)", "ops.arange(5, dtype=ms.float32)"],
    *["ops.linspace(0, 1, 5)", "ops.linspace(1.0, -1.0, 3)", "ops.eye(3)", "ops.eye(2, 3)", "ops.eye(2, 2, ms.int32)", "ops.ones(4, ms.float16)"],
    # Methods.
    *["x.sum()", "x.sum(1)", "x.sum(axis=(0, 2), keepdims=True)", "x.mean(-1)", "x.prod(1)", "x.max()", "x.max(1)", "x.min(axis=0)", "x.max(dim=1, keepdim=True)", "t.max(axis=1)", "t.max(axis=1, return_indices=True)", "t.max(axis=(0, 1))"],
    *["x.argmax(1)", "x.argmax(dim=1)", "x.argmin()", "x.argmin(axis=1)", "x.std()", "x.var(1)", "x.norm()", "b.all()", "b.any(1)", "x.exp()", "x.abs()", "x.pow(2)", "x.clamp(-1, 1)", "x.clip(-0.5, 0.5)"],
    *["x.masked_fill(b, 0.0)", "x.where(x > 0, 0.0)", "x.split(1, 1)", "x.chunk(2, -1)", "m.tile((2, 1))", "x.unsqueeze(0)", "x.expand_dims(1)", "m.broadcast_to((2, 3, 4))"],
    *["x.cumsum(1)", "x.cumprod(1)", "x.logsumexp(1)", "x.softmax(1)", "m.matmul(v)", "x.sigmoid()", "x.tanh()", "u.sqrt()", "u.log()", "x.square()", "x.view_as(y)"],
    *["x.float()", "x.int()", "x.bool()", "i.float()", "x.copy()", "x.reciprocal()", "x.isnan()", "x.floor()", "x.round()", "x.neg()"],
    # What cannot be: only that it raises.
    *["ops.sum(x, 3)", "ops.sum(x, (0, 0))", "ops.mean(x, -4)", "x @ m", "x + w", "m @ w", "ops.reshape(x, (5, 5))", "ops.concat((m, w), 1)", "ops.concat(())"],
    *["ops.stack((m, w))", "ops.transpose(x, (0, 1))", "ops.transpose(x, (0, 0, 1))", "ops.squeeze(x, 5)", "ops.expand_dims(x, 5)", "ops.softmax(x, 3)"],
    *["ops.mse_loss(m, u, 'avg')", "ops.l1_loss(m, u, reduction='max')", "ops.nll_loss(m, u)", "ops.nll_loss(m, Tensor([0, 1]))", "ops.broadcast_to(m, (3, 5))"],
    *["ops.split(m, [1, 1], 1)", "ops.gather(m, a, 2)", "x[2]", "m[:, 4]", "ops.clamp(x)", "ops.div(x, u, rounding_mode='up')", "ops.one_hot(l, 4, axis=5)", "ops.eye(-1)"],
    *["ops.cumsum(x, 3)", "ops.flip(x, (3,))", "ops.tile(x, -1)", "ops.argmax(x, 3)", "ops.max(x, 3)", "ops.logsumexp(x, 3)", "ops.pad(m, (1,))", "ops.pad(m, (1, 2), 'mirror')"],
    *["ops.chunk(m, 0)", "ops.split(m, 0)", "ops.meshgrid(v, v, indexing='ab')", "ops.unbind(m, 2)", "ops.swapaxes(x, 0, 3)", "ops.full((2,), 'a')", "ops.zeros('a')"],
]  # fmt: skip


def evaluate(expression, inputs):
    outputs = eval(expression, {"ops": ops, "ms": ms, "mnp": mnp, "Tensor": Tensor, **inputs})
    return tuple(outputs) if isinstance(outputs, tuple | list) else (outputs,)


def weighted_sum(expression, names, *inputs):
    total = 0.0
    for k, output in enumerate(evaluate(expression, dict(zip(names, inputs, strict=True)))):
        if isinstance(output, Tensor) and output.is_floating_point():
            dtype = np.float64 if output.dtype == ms.float64 else np.float32
            weights = (np.cos(np.arange(output.size) + k) + 1.5).astype(dtype).reshape(output.shape)
            total = total + (output * Tensor(weights)).sum()
    return total


def store(output):
    if not isinstance(output, Tensor):
        return output
    array = output.asnumpy()
    return {"dtype": str(array.dtype), "shape": array.shape, "data": rounded(array)}


def rounded(array):
    """Few digits are enough, and keep the file small."""
    digits = 16 if array.dtype == np.float64 else 8
    return [float(f"{v:.{digits}g}") if array.dtype.kind == "f" else v for v in array.ravel().tolist()]


def record(expression):
    names = [name for name in INPUTS if re.search(rf"(?<![\w.']){name}(?![\w=('])", expression)]
    inputs = {name: Tensor(INPUTS[name]) for name in names}
    try:
        values = [store(output) for output in evaluate(expression, inputs)]
    except Exception as error:
        return {"expr": expression, "inputs": names, "error": type(error).__name__}
    case = {"expr": expression, "inputs": names, "value": values}
    floats = [k for k, name in enumerate(names) if INPUTS[name].dtype.kind == "f"]
    if floats and any(isinstance(v, dict) and v["dtype"].startswith("f") for v in values):
        try:
            grads = ms.grad(lambda *xs: weighted_sum(expression, names, *xs), tuple(floats))(*inputs.values())
        except Exception as error:
            print(f"no gradient of {expression}: {error}"[:200], file=sys.stderr)
            return case
        grads = (grads,) if isinstance(grads, Tensor) else grads
        grads = {names[k]: store(g) for k, g in zip(floats, grads, strict=True)}
        for name in (name for call, name in WRONG.items() if call in expression):
            grads.pop(name, None)
        case["grads"] = grads
    return case


if __name__ == "__main__":
    ms.runtime.launch_blocking()  # else an error shows in a later expression
    versions = {"mindspore": ms.__version__, "numpy": np.__version__, "python": platform.python_version()}
    inputs = {n: {"dtype": str(v.dtype), "shape": v.shape, "data": rounded(v)} for n, v in INPUTS.items()}
    cases = ",\n".join(json.dumps(record(expression)) for expression in EXPRESSIONS)
    text = f'{{\n"versions": {json.dumps(versions)},\n"inputs": {json.dumps(inputs)},\n"cases": [\n{cases}\n]\n}}\n'
    Path(__file__).with_name("ops.json").write_text(text)
