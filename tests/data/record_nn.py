"""Record in `nn.json` what a real MindSpore's layers, losses and optimizers do.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand, in
an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_nn.py

`prints`: programs and what they print. `calls`: an expression that makes a Cell, its inputs, its
output, and the gradients of the inputs and of its Parameters, for the sum of the output times
cos(arange(size)) + 1.5. `optimizers`: how one is made, and the Parameters after each of five steps.
`training`: the losses of a network that starts from fixed weights.
"""

import contextlib
import io
import json
import multiprocessing
import platform
from collections import OrderedDict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops

PRINTS = [
    *[
        f"print({cell})"
        for cell in [
            "nn.Dense(3, 4)",
            "nn.Dense(3, 4, has_bias=False)",
            "nn.Dense(3, 4, activation='relu')",
            "nn.Dense(3, 4, activation=nn.Sigmoid())",
            "nn.Dense(3, 4, has_bias=False, activation='tanh')",
            "nn.ReLU(), nn.Sigmoid(), nn.Tanh(), nn.Softmax(), nn.Flatten(), nn.Identity()",
            "nn.MSELoss(), nn.BCEWithLogitsLoss(), nn.CrossEntropyLoss(), nn.MSELoss('sum')",
            "nn.SequentialCell(nn.Dense(2, 8), nn.ReLU(), nn.Dense(8, 1))",
            "nn.SequentialCell([nn.Dense(2, 8), nn.SequentialCell(nn.Tanh())])",
            "nn.SequentialCell(OrderedDict(first=nn.Dense(2, 8), act=nn.ReLU()))",
            "nn.SequentialCell(), nn.Cell()",
            "[nn.ReLU(), nn.Dense(2, 3)]",
            "nn.SequentialCell(nn.Dense(1, 2), nn.ReLU(), nn.Dense(2, 1))[0]",
            "nn.SequentialCell(nn.Dense(1, 2), nn.ReLU(), nn.Dense(2, 1))[-1]",
            "nn.SequentialCell(nn.Dense(1, 2), nn.ReLU(), nn.Dense(2, 1))[1:]",
            "len(nn.SequentialCell(nn.Dense(1, 2), nn.ReLU()))",
            "nn.SGD(nn.Dense(1, 1).trainable_params(), 0.1), nn.Adam(nn.Dense(1, 1).trainable_params())",
            "nn.Dense(2, 3).trainable_params()",
            "nn.Dense(2, 3).weight",
            "nn.Dense(2, 3).bias",
            "[(p.name, p.shape) for p in nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1)).get_parameters()]",
            "[p.name for p in nn.SequentialCell(nn.SequentialCell(nn.Dense(2, 3)), nn.Dense(3, 1)).trainable_params()]",
            "[n for n, p in nn.SequentialCell(OrderedDict(a=nn.Dense(2, 3), b=nn.ReLU())).parameters_and_names()]",
            "nn.Dense(2, 1, 'zeros', 'ones').weight.asnumpy(), nn.Dense(2, 1, 'zeros', 'ones').bias.asnumpy()",
            "nn.Dense(2, 1, 'ones', bias_init=0.5).bias.asnumpy(), nn.Dense(1, 1, dtype=ms.float16).weight.dtype",
            "[n for n, c in nn.SequentialCell(nn.Dense(1, 1, activation='relu'), nn.Tanh()).cells_and_names()]",
        ]
    ],
    """class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 3)
        self.act = nn.ReLU()
        self.w = Parameter(Tensor([1.0, 2.0]), name='w')
        self.body = nn.SequentialCell(nn.Dense(3, 3), nn.Tanh(), nn.SequentialCell(nn.Dense(3, 1, has_bias=False)))
net = Net()
print(net)
print([p.name for p in net.trainable_params()])
print(list(net.parameters_dict()))
print([name for name, cell in net.cells_and_names()])""",
    """shared = nn.Dense(2, 2)
net = nn.SequentialCell(shared, nn.ReLU(), shared)
print(net)
print([p.name for p in net.trainable_params()])""",
    """net = nn.Dense(2, 3)
net.weight.requires_grad = False
print(net.trainable_params(), [p.name for p in net.untrainable_params()])""",
]

X = np.float32([[0.5, -1.0, 2.0], [-0.25, 0.75, 1.5]])
INPUTS = {
    "x": X,
    "y": X[::-1] * np.float32(0.5) + np.float32(0.25),
    "p": np.float32([[0.0, 1.0, 0.5], [0.25, 1.0, 0.0]]),
    "cube": np.float32(np.linspace(-1, 1, 12).reshape(2, 3, 2)),
    "l": np.int32([2, 0]),
}
CALLS = [
    *["nn.Dense(3, 2, W, b)(x)", "nn.Dense(3, 2, W, has_bias=False)(x)", "nn.Dense(3, 2, W, b, activation='relu')(x)"],
    *["nn.Dense(3, 2, W, b, activation='sigmoid')(x)", "nn.Dense(2, 3, W.T, 'ones')(cube)", "nn.Dense(3, 2, W, b)(x[0])"],
    *["nn.SequentialCell(nn.Dense(3, 2, W, b), nn.ReLU(), nn.Dense(2, 3, W.T, 'zeros'), nn.Tanh())(x)"],
    *["nn.ReLU()(x)", "nn.Sigmoid()(x)", "nn.Tanh()(x)", "nn.Softmax()(x)", "nn.Softmax(0)(x)", "nn.Flatten()(cube)", "nn.Identity()(x)"],
    *["nn.Flatten(0)(cube)", "nn.Flatten(start_dim=1, end_dim=2)(cube)"],
    *[f"nn.MSELoss({r})(x, y)" for r in ("", "'sum'", "'none'", "reduction='mean'")],
    *[f"nn.BCEWithLogitsLoss({r})(x, p)" for r in ("", "'sum'", "'none'", "weight=v", "pos_weight=v", "'sum', v, v")],
    *[f"nn.CrossEntropyLoss({r})(x, l)" for r in ("", "v", "reduction='sum'", "reduction='none'", "ignore_index=0", "v, label_smoothing=0.1")],
    *["nn.CrossEntropyLoss()(x, p)", "nn.CrossEntropyLoss(label_smoothing=0.2)(x, p)"],
]  # fmt: skip
CONSTANTS = {
    "W": np.float32([[0.5, -0.25, 1.0], [-1.5, 0.75, 0.125]]),
    "b": np.float32([0.1, -0.2]),
    "v": np.float32([0.5, 2.0, 1.5]),
}

OPTIMIZERS = [
    *["nn.SGD(params)", "nn.SGD(params, 0.5)", "nn.SGD(params, learning_rate=0.05, momentum=0.9)"],
    *["nn.SGD(params, 0.05, 0.9, 0.5)", "nn.SGD(params, 0.05, momentum=0.8, nesterov=True)"],
    *["nn.SGD(params, 0.05, weight_decay=0.1)", "nn.SGD(params, 0.05, 0.9, weight_decay=0.1)"],
    *["nn.SGD(params, 0.05, 0.9, 0.3, 0.2)", "nn.SGD(params, 0.05, 0.9, weight_decay=0.2, nesterov=True)"],
    *["nn.SGD(params, 0.05, 0.9, loss_scale=4.0)", "nn.SGD(params, 0.05, loss_scale=2.0, weight_decay=0.1)"],
    *["nn.SGD(params, 0.05, dampening=0.5)"],
    *["nn.Adam(params)", "nn.Adam(params, 0.1)", "nn.Adam(params, learning_rate=0.05, beta1=0.8, beta2=0.9)"],
    *["nn.Adam(params, 0.1, eps=0.01)", "nn.Adam(params, 0.1, use_nesterov=True)", "nn.Adam(params, 0.1, weight_decay=0.2)"],
    *["nn.Adam(params, 0.1, loss_scale=8.0)", "nn.Adam(params, 0.1, use_nesterov=True, weight_decay=0.2, loss_scale=2.0)"],
]  # fmt: skip
STARTS = {"net.weight": X, "net.bias": X[0], "norm.gamma": X[1], "norm.beta": X[1] * 2}
TRAINING = [
    ("nn.MSELoss()", "nn.SGD(net.trainable_params(), 0.1, 0.9)"),
    ("nn.MSELoss()", "nn.Adam(net.trainable_params(), 0.05)"),
    ("nn.BCEWithLogitsLoss()", "nn.SGD(net.trainable_params(), 0.5, weight_decay=0.01)"),
]
NETWORK = (
    "nn.SequentialCell(nn.Dense(2, 3, W.T, 'zeros'), nn.Tanh(), nn.Dense(3, 1, W[:1], b[:1]))"
)
POINTS = np.float32([[0, 0], [0, 1], [1, 0], [1, 1]])
XOR = np.float32([[0], [1], [1], [0]])


def gradient(step, k):
    """The gradient of Parameter k at this step: some numbers that change."""
    start = list(STARTS.values())[k]
    return np.float32(np.cos(np.arange(start.size).reshape(start.shape) * 1.7 + step + k))


def names():
    constants = {name: Tensor(value) for name, value in CONSTANTS.items()}
    return {
        "ms": ms,
        "nn": nn,
        "ops": ops,
        "Tensor": Tensor,
        "Parameter": Parameter,
        "ParameterTuple": ParameterTuple,
        "OrderedDict": OrderedDict,
        **constants,
    }


def record_print(program):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(program, names())
    return {"program": program, "printed": printed.getvalue()}


def record_call(call):
    make, inputs = call.rsplit("(", 1)
    inputs = inputs[:-1]
    cell = eval(make, names())
    given = [eval(text, {n: Tensor(v) for n, v in INPUTS.items()}) for text in inputs.split(", ")]

    def weighted(*xs):
        out = cell(*xs)
        return (out * Tensor(np.float32(np.cos(np.arange(out.size)) + 1.5)).reshape(out.shape)).sum()

    params = cell.trainable_params()
    dx, dw = ms.grad(weighted, 0, weights=params)(*given)
    return {
        "call": call,
        "value": store(cell(*given)),
        "gradient": store(dx),
        "of_parameters": {p.name: store(g) for p, g in zip(params, dw, strict=True)},
    }


def record_optimizer(make):
    params = [Parameter(Tensor(value), name=name) for name, value in STARTS.items()]
    optimizer = eval(make, {**names(), "params": params})
    steps = []
    for step in range(5):
        optimizer(tuple(Tensor(gradient(step, k)) for k in range(len(params))))
        steps.append([store(p) for p in params])
    return {"make": make, "steps": steps}


def record_training(pair):
    loss, optimizer = pair
    net = eval(NETWORK, names())
    loss_fn, step = eval(loss, names()), eval(optimizer, {**names(), "net": net})
    forward = ms.value_and_grad(
        lambda x, y: loss_fn(net(x), y), None, weights=net.trainable_params()
    )
    losses = []
    for _ in range(20):
        value, grads = forward(Tensor(POINTS), Tensor(XOR))
        step(grads)
        losses.append(float(value.asnumpy()))
    return {"loss": loss, "optimizer": optimizer, "losses": losses}


def store(tensor):
    array = tensor.asnumpy()
    return {"shape": array.shape, "data": [float(f"{x:.9g}") for x in array.ravel().tolist()]}


def each_alone(record, cases):
    """Record in a new process each: a later optimizer in one process reuses what an earlier compiled."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool:
        return list(pool.map(record, cases))


def lines(cases):
    return "[\n" + ",\n".join(map(json.dumps, cases)) + "\n]"


if __name__ == "__main__":
    versions = {"mindspore": ms.__version__, "numpy": np.__version__, "python": platform.python_version()}
    numbers = {n: {"dtype": str(v.dtype), "shape": v.shape, "data": v.ravel().tolist()} for n, v in {**INPUTS, **CONSTANTS}.items()}
    gradients = [[gradient(step, k).ravel().tolist() for k in range(len(STARTS))] for step in range(5)]
    content = {
        "versions": json.dumps(versions),
        "numbers": json.dumps(numbers),
        "starts": json.dumps({n: {"shape": v.shape, "data": v.ravel().tolist()} for n, v in STARTS.items()}),
        "gradients": json.dumps(gradients),
        "network": json.dumps(NETWORK),
        "points": json.dumps([POINTS.tolist(), XOR.tolist()]),
        "prints": lines(map(record_print, PRINTS)),
        "calls": lines(map(record_call, CALLS)),
        "optimizers": lines(each_alone(record_optimizer, OPTIMIZERS)),
        "training": lines(each_alone(record_training, TRAINING)),
    }
    text = ",\n".join(f'"{name}": {value}' for name, value in content.items())
    Path(__file__).with_name("nn.json").write_text(f"{{\n{text}\n}}\n")
