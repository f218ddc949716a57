"""Record in `layers.json` what layers and losses of a real MindSpore compute, and their gradients.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand,
in an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_layers.py

A case makes a Cell by its expression, gives its k-th Parameter the values of `fill`, and calls it
on the inputs named. Recorded are how it prints, its Parameters, its outputs, the gradients of a
weighted sum of them for all float inputs and all trainable Parameters, and, in training, what the
other Parameters (moving averages) are afterwards. The test knows `fill` and `weights` too.
"""

import json
import platform
import re
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

RNG = np.random.default_rng(7)


def floats(*shape, dtype=np.float32, low=None):
    drawn = RNG.normal(size=shape) if low is None else RNG.uniform(low, 1 - low, size=shape)
    return drawn.round(3).astype(dtype)


INPUTS = {
    "v": floats(5),
    "m": floats(4, 3),
    "n": floats(4, 3),
    "o": floats(4, 3),
    "p": floats(4, 3, low=0.05),
    "q": floats(4, 3, low=0.1),
    "d": (RNG.dirichlet(np.ones(3), 4)).astype(np.float32),
    "u": floats(4, 3, low=0.3),
    "k": np.array([-7, -3, -1, -0.5, -0.2, 0, 0.5, 1, 3, 6, 7], np.float32),
    "c": floats(2, 4, 7),
    "x": floats(2, 4, 6, 5),
    "y": floats(2, 4, 3, 3),
    "h": floats(4, 3, dtype=np.float16),
    "s": floats(3, 4, 3),  # a sequence: time, batch, features
    "b2": floats(4, 2),
    "h2": floats(4, 2),
    "h3": floats(2, 4, 2),
    "c3": floats(2, 4, 2),
    "h4": floats(4, 4, 2),
    "i": np.array([2, 0, 1, 2], np.int32),
    "j": np.array([[0, 2, 1], [4, 0, 0]], np.int32),
    "l": np.array([2, 0, 1, 2], np.int64),
    "e": np.array([1, -1, -1, 1], np.float32),
    "f": np.array([[1, -1, 1], [-1, -1, 1], [1, 1, -1], [-1, 1, 1]], np.float32),
    "z": np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 1]], np.float32),
    "a": np.array([3, 1, 2, 3], np.int32),
}

# The Cell, its inputs, and "train" where training differs from inference.
CASES = [
    *[(f"nn.Dense(3, 2{a})", "m") for a in ("", ", has_bias=False", ", activation='relu'", ", activation=nn.Sigmoid()", ", activation='leakyrelu'")],
    *[("nn.Dense(7, 2)", "c"), ("nn.Dense(5, 2)", "v"), ("nn.Dense(3, 2, dtype=ms.float16)", "h")],
    *[(f"nn.Embedding(5, 3{a})", "j") for a in ("", ", use_one_hot=True", ", padding_idx=0")],
    *[("nn.Flatten()", "x"), ("nn.Flatten(0, 1)", "x"), ("nn.Flatten(2)", "x"), ("nn.Identity()", "m"), ("nn.Unflatten(1, (2, 2))", "x")],
    *[("nn.MatMul()", "x v"), ("nn.MatMul(False, True)", "m n"), ("nn.MatMul(transpose_x1=True)", "m b2"), ("nn.MatMul(transpose_x2=True)", "s m"), ("nn.MatMul(True)", "e m")],
    # Activations, on both sides of each kink.
    *[
        (f"nn.{name}()", "k")
        for name in "ReLU ReLU6 Sigmoid LogSigmoid Tanh Tanhshrink SiLU Mish Softsign HSigmoid HSwish FastGelu GELU LeakyReLU ELU CELU"
        " Hardtanh HShrink SoftShrink Softmax LogSoftmax Softmin".split()
    ],
    *[(f"nn.{e}", "k") for e in ("GELU(False)", "LeakyReLU(0.01)", "CELU(2.0)", "Hardtanh(-2.0, 3.0)", "HShrink(1.0)", "SoftShrink(1.0)", "Threshold(0.5, 9.0)", "Threshold(-1.0, 20.0)")],
    *[("nn.Softmax(0)", "m"), ("nn.LogSoftmax(0)", "m"), ("nn.Softmin(0)", "m"), ("nn.Softmax2d()", "x"), ("nn.GLU()", "b2"), ("nn.GLU(1)", "x"), ("nn.SeLU()", "u")],
    *[("nn.PReLU()", "x"), ("nn.PReLU(4, 0.5)", "x"), ("nn.PReLU(3)", "m"), ("nn.PReLU(3, [0.1, 0.2, 0.3])", "m"), ("nn.ReLU()", "h"), ("nn.GELU()", "h"), ("nn.Softmax()", "h")],
    # Convolution: c has 4 channels of 7, x has 4 channels of 6 x 5.
    *[
        (f"nn.Conv2d(4, 2, {a})", "x")
        for a in (
            *["3", "3, has_bias=True", "2, 2", "3, stride=2", "(3, 2), stride=(2, 1)", "1", "2, dilation=2", "3, group=2", "3, pad_mode='valid'"],
            *["2, 2, 'valid'", "3, pad_mode='pad', padding=1", "3, 2, 'pad', (1, 2, 0, 1)", "3, pad_mode='pad', padding=2, dilation=2, has_bias=True"],
            *["(2, 3), (1, 2), 'same', has_bias=True, group=2", "5, stride=3"],
        )
    ],
    ("nn.Conv2d(4, 4, 3, group=4)", "x"),
    *[
        (f"nn.Conv1d(4, 2, {a})", "c")
        for a in ("3", "3, has_bias=True", "2, 2", "3, stride=3", "2, dilation=2", "3, group=2", "3, pad_mode='valid'", "3, pad_mode='pad', padding=2", "2, 2, 'pad', 1")
    ],
    *[
        (f"nn.Conv2dTranspose(4, 2, {a})", "y")
        for a in (
            *["3", "3, has_bias=True", "2, 2", "3, stride=2", "3, pad_mode='valid'", "(3, 2), (2, 1), 'valid'", "3, 2, 'pad', 1", "2, dilation=2", "3, group=2"],
            *["3, 2, 'pad', (1, 0, 1, 1)", "3, 2, 'pad', 1, 1", "3, 2, 'pad', 1, (1, 0), has_bias=True", "3, 3", "2, 3, 'valid'", "4, 2", "1, 2"],
        )
    ],
    *[(f"nn.Conv1dTranspose(4, 2, {a})", "c") for a in ("3", "3, 2, 'valid'", "3, 2, 'pad', 1, has_bias=True")],
    # Pooling.
    *[
        (f"nn.MaxPool2d({a})", "x")
        for a in ("2", "2, 2", "3, 2", "3, 2, 'same'", "(2, 3), (1, 2)", "3, 2, 'pad', 1", "2, 2, 'pad', 1, ceil_mode=True", "2, 1, 'pad', (0, 1), dilation=2", "(3, 2), (2, 1), 'same'")
    ],
    ("nn.MaxPool2d(2, 2, 'pad', return_indices=True)", "x"),
    *[(f"nn.MaxPool1d({a})", "c") for a in ("2", "2, 2", "3, 2, 'same'", "3, 2, 'pad', 1")],
    *[
        (f"nn.AvgPool2d({a})", "x")
        for a in (
            *["2", "2, 2", "3, 2", "3, 2, 'same'", "(2, 3), (1, 2)", "3, 2, 'pad', 1", "3, 2, 'pad', 1, count_include_pad=False"],
            *["2, 2, 'pad', 1, ceil_mode=True", "2, 2, 'pad', 0, divisor_override=3", "2, 2, 'pad', 0, True, False"],
        )
    ],
    *[(f"nn.AvgPool1d({a})", "c") for a in ("2", "2, 2", "3, 2", "7", "6, 3", "3, 2, 'same'", "3, 2, 'pad', 1")],
    *[(f"nn.AdaptiveAvgPool2d({a})", "x") for a in ("2", "(3, 2)", "(None, 2)", "1")],
    *[("nn.AdaptiveAvgPool1d(1)", "c"), ("nn.AdaptiveAvgPool1d(7)", "c"), ("nn.AdaptiveMaxPool2d(2)", "x"), ("nn.AdaptiveMaxPool2d((3, 1))", "x"), ("nn.AdaptiveMaxPool1d(1)", "c")],
    # Norms, in training and in inference.
    *[
        (e, x, *mode)
        for e, x in (
            *[("nn.BatchNorm1d(3)", "m"), ("nn.BatchNorm1d(4)", "c"), ("nn.BatchNorm2d(4)", "x"), ("nn.BatchNorm2d(4, momentum=0.5, eps=0.1)", "x")],
            *[("nn.BatchNorm2d(4, affine=False)", "x"), ("nn.BatchNorm2d(4, use_batch_statistics=True)", "x"), ("nn.BatchNorm2d(4, use_batch_statistics=False)", "x")],
            *[("nn.BatchNorm1d(3, momentum=1.0)", "m"), ("nn.BatchNorm1d(3, momentum=0.0)", "m")],
        )
        for mode in ((), ("train",))
    ],
    *[("nn.LayerNorm((3,))", "m"), ("nn.LayerNorm([7])", "c"), ("nn.LayerNorm((6, 5), 2, 2)", "x"), ("nn.LayerNorm((4, 6, 5), 1, 1, epsilon=0.1)", "x"), ("nn.LayerNorm((5,), epsilon=1e-5)", "x")],
    *[("nn.GroupNorm(2, 4)", "x"), ("nn.GroupNorm(1, 4)", "x"), ("nn.GroupNorm(4, 4, eps=0.1)", "x"), ("nn.GroupNorm(2, 4, affine=False)", "x")],
    *[("nn.Dropout(p=0.3)", "m"), ("nn.Dropout()", "m"), ("nn.Dropout(p=0.0)", "m", "train"), ("nn.Dropout(0.9)", "m"), ("nn.Dropout2d(p=0.3)", "x"), ("nn.Dropout1d(p=0.3)", "c")],
    # Recurrent cells, and sequences.
    *[("nn.RNNCell(3, 2)", "m b2"), ("nn.RNNCell(3, 2, False)", "m b2"), ("nn.RNNCell(3, 2, nonlinearity='relu')", "m b2")],
    *[("nn.LSTMCell(3, 2)", "m (b2 h2)"), ("nn.LSTMCell(3, 2, has_bias=False)", "m (b2 h2)"), ("nn.GRUCell(3, 2)", "m b2"), ("nn.GRUCell(3, 2, has_bias=False)", "m b2")],
    *[("nn.RNN(3, 2)", "s"), ("nn.RNN(3, 2, 2)", "s h3"), ("nn.RNN(3, 2, bidirectional=True)", "s h3"), ("nn.RNN(3, 2, nonlinearity='relu')", "s"), ("nn.RNN(3, 2, batch_first=True)", "s")],
    *[("nn.GRU(3, 2, 2, bidirectional=True)", "s h4"), ("nn.GRU(3, 2, has_bias=False)", "s"), ("nn.RNN(3, 2, 2)", "s h3 a"), ("nn.GRU(3, 2, bidirectional=True)", "s h3 a")],
    *[("nn.LSTM(3, 2)", "s"), ("nn.LSTM(3, 2, 2)", "s (h3 c3)"), ("nn.LSTM(3, 2, bidirectional=True)", "s (h3 c3)"), ("nn.LSTM(3, 2, 2, has_bias=False, batch_first=True)", "s")],
    # Losses.
    *[
        (f"nn.{e.format(reduction=r)}", x)
        for e, x in (
            *[("MSELoss('{reduction}')", "m n"), ("L1Loss('{reduction}')", "m n"), ("MAELoss('{reduction}')", "m n"), ("SmoothL1Loss(1.0, '{reduction}')", "m n"), ("SmoothL1Loss(0.5, '{reduction}')", "m n")],
            *[("HuberLoss('{reduction}')", "m n"), ("HuberLoss('{reduction}', 0.5)", "m n"), ("BCELoss(reduction='{reduction}')", "p q"), ("BCEWithLogitsLoss('{reduction}')", "m q")],
            *[("CrossEntropyLoss(reduction='{reduction}')", "m i"), ("CrossEntropyLoss(reduction='{reduction}')", "m q"), ("CrossEntropyLoss(Tensor([0.5, 1.0, 2.0]), 0, '{reduction}', 0.2)", "m i")],
            *[("NLLLoss(reduction='{reduction}')", "m i"), ("NLLLoss(Tensor([0.5, 1.0, 2.0]), 0, '{reduction}')", "m i"), ("SoftmaxCrossEntropyWithLogits(reduction='{reduction}')", "m d")],
            *[("SoftmaxCrossEntropyWithLogits(True, '{reduction}')", "m i"), ("KLDivLoss('{reduction}')", "m q"), ("CosineEmbeddingLoss(0.0, '{reduction}')", "m n e"), ("CosineEmbeddingLoss(0.3, '{reduction}')", "m n e")],
            *[("MarginRankingLoss(0.0, '{reduction}')", "m n f"), ("MarginRankingLoss(0.5, '{reduction}')", "m n f"), ("SoftMarginLoss('{reduction}')", "m f"), ("HingeEmbeddingLoss(1.0, '{reduction}')", "m f")],
            *[("HingeEmbeddingLoss(2, '{reduction}')", "m f"), ("MultiLabelSoftMarginLoss(reduction='{reduction}')", "m z"), ("MultiLabelSoftMarginLoss(Tensor([0.5, 1.0, 2.0]), '{reduction}')", "m z")],
            *[("TripletMarginLoss(reduction='{reduction}')", "m n o"), ("TripletMarginLoss(1, True, reduction='{reduction}', margin=2.0)", "m n o"), ("TripletMarginWithDistanceLoss(reduction='{reduction}')", "m n o")],
            *[("GaussianNLLLoss(reduction='{reduction}')", "m n u"), ("GaussianNLLLoss(full=True, eps=0.5, reduction='{reduction}')", "m n u"), ("PoissonNLLLoss(reduction='{reduction}')", "m z")],
            *[("PoissonNLLLoss(False, reduction='{reduction}')", "p z"), ("PoissonNLLLoss(full=True, reduction='{reduction}')", "m u"), ("MultiMarginLoss(reduction='{reduction}')", "m l"), ("MultiMarginLoss(2, 0.5, '{reduction}')", "m l")],
        )
        for r in ("mean", "sum", "none")
    ],
    *[(f"nn.{name}()", x) for name, x in (("MSELoss", "m n"), ("SmoothL1Loss", "m n"), ("SoftmaxCrossEntropyWithLogits", "m d"), ("RMSELoss", "m n"), ("BCELoss", "p q"), ("NLLLoss", "m i"))],
    *[("nn.KLDivLoss('batchmean')", "m q"), ("nn.BCELoss(Tensor([[0.5, 1.0, 2.0]] * 4))", "p q"), ("nn.MSELoss()", "x x"), ("nn.MultiMarginLoss(weight=Tensor([0.5, 1.0, 2.0]))", "m l")],
    *[("nn.BCEWithLogitsLoss(weight=Tensor([0.5, 1.0, 2.0]), pos_weight=Tensor([1.0, 3.0, 2.0]))", "m q")],
]  # fmt: skip


# Gradients that a real MindSpore has wrong (0, or those of the terms with log y alone). Left out.
WRONG = {"nn.KLDivLoss": "q", "nn.SoftmaxCrossEntropyWithLogits": "d"}


def fill(k, name, shape):
    """The values of the k-th Parameter; those of a variance are above 0."""
    values = np.sin(1.7 * np.arange(int(np.prod(shape))) + k).reshape(shape) / 2
    return np.abs(values) + 0.5 if "variance" in name else values


def weights(k, shape):
    """The weights of the k-th output."""
    return np.cos(np.arange(int(np.prod(shape))) + k).reshape(shape) + 1.5


def flat(value):
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in flat(part)]
    return [value]


def arguments(text, tensors):
    """"m (b c)" as the inputs m, (b, c)."""
    code = re.sub(r"\(([^)]*)\)", lambda match: "(" + ",".join(match[1].split()) + ")", text)
    code = ",".join(re.sub(r",(?=[^(]*\))", "#", code).split()).replace("#", ",")
    return eval(f"({code},)", dict(tensors))


def rounded(value):
    array = value.asnumpy()
    digits = 16 if array.dtype == np.float64 else 7
    data = [float(f"{v:.{digits}g}") if array.dtype.kind == "f" else v for v in array.ravel().tolist()]
    return {"dtype": str(array.dtype), "shape": array.shape, "data": data}


def record(expression, text, mode="infer"):
    cell = eval(expression, {"nn": nn, "ops": ops, "ms": ms, "Tensor": Tensor})
    printed = re.sub(r"<[\w.]*\.(\w+) object at 0x\w+>", r"<\1>", str(cell))
    cell.set_train(mode == "train")
    parameters = list(cell.get_parameters())
    case = {"cell": expression, "inputs": text, "mode": mode, "printed": printed}
    case["parameters"] = [[p.name, p.shape, str(p.dtype), p.requires_grad] for p in parameters]
    for k, p in enumerate(parameters):
        p.set_data(Tensor(fill(k, p.name, p.shape).astype(p.asnumpy().dtype)))
    names = re.findall(r"\w+", text)
    given = [Tensor(INPUTS[name]) for name in names]
    wrong = [name for call, name in WRONG.items() if expression.startswith(call)]
    wanted = [i for i, name in enumerate(names) if INPUTS[name].dtype.kind == "f" and name not in wrong]

    def run(*inputs):
        outs = flat(cell(*arguments(text, {f"{n}": x for n, x in zip(names, inputs, strict=True)})))
        total = 0.0
        for k, out in enumerate(outs):
            if out.is_floating_point():
                total = total + (out * Tensor(weights(k, out.shape).astype(out.asnumpy().dtype))).sum()
        return (total, *outs)

    trained = cell.trainable_params()
    inputs = tuple(wanted) or None
    outs = flat(cell(*arguments(text, dict(zip(names, given, strict=True))))) if mode != "train" else []
    if inputs is not None or trained:
        pull = ms.value_and_grad(run, inputs, trained or None, has_aux=True)
        try:
            (_, *outs), grads = pull(*given)
        except Exception as error:
            print("no gradient of", expression, type(error).__name__, str(error).strip().splitlines()[:2])
            return case | {"outputs": [rounded(out) for out in outs]}
        if inputs is None or not trained:
            grads = (grads, ()) if trained == [] else ((), grads)
        by_input, by_weight = (tuple(flat(part)) for part in grads)
        case["input_grads"] = [rounded(g) for g in by_input]
        case["parameter_grads"] = [rounded(g) for g in by_weight]
    case["outputs"] = [rounded(out) for out in outs]
    if mode == "train" and len(trained) < len(parameters):
        case["after"] = {p.name: rounded(p) for p in cell.untrainable_params()}
    return case


if __name__ == "__main__":
    ms.runtime.launch_blocking()  # else an error shows in a later case
    cases = []
    for case in CASES:
        try:
            cases.append(json.dumps(record(*case)))
        except Exception as error:
            print("no", *case, type(error).__name__, str(error).strip().splitlines()[:1])
    versions = {"mindspore": ms.__version__, "numpy": np.__version__, "python": platform.python_version()}
    inputs = {n: {"dtype": str(v.dtype), "shape": v.shape, "data": rounded(Tensor(v))["data"]} for n, v in INPUTS.items()}
    body = ",\n".join(cases)
    named = ",\n".join(f"{json.dumps(n)}: {json.dumps(v)}" for n, v in inputs.items())
    text = f'{{\n"versions": {json.dumps(versions)},\n"inputs": {{\n{named}\n}},\n"cases": [\n{body}\n]\n}}\n'
    Path(__file__).with_name("layers.json").write_text(text)
