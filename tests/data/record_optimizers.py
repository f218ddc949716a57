"""Record in `optimizers.json` what optimizers and schedules of a real MindSpore do.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand,
in an environment of its own that has MindSpore, when cases are added:

    python tests/data/record_optimizers.py

An optimizer is made by its expression from the Parameters w, b and gamma, and called five times with
fixed gradients. (What a real MindSpore has wrong on the CPU is not here: it ignores use_nesterov of
Momentum and update_slots of Adagrad, clip_by_norm of odd order sums x^p and not |x|^p, and ClipByNorm
along one axis takes lengths of others.) Recorded are how it prints, the Parameters that it holds, their values after each
step, and the learning rates. Clipping is recorded as expressions of the gradients.
"""

import json
import platform
import re
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

VALUES = {"w": [[1.0, -2.0, 0.5], [0.0, 3.0, -0.1]], "b": [0.3, -0.7], "gamma": [1.0, 2.0, -1.0, 0.2]}
GRADIENTS = [
    {"w": [[0.1, -0.2, 0.3], [0.0, 1.5, -2.0]], "b": [1.0, 0.01], "gamma": [0.5, -0.5, 0.25, 4.0]},
    {"w": [[-0.3, 0.2, 0.1], [0.7, -1.5, 0.02]], "b": [0.5, -0.01], "gamma": [0.1, 0.5, -0.25, 1.0]},
    {"w": [[0.4, 0.0, -0.9], [0.7, 0.2, 5.0]], "b": [-1.0, 0.03], "gamma": [0.0, 0.5, 0.75, -2.0]},
    {"w": [[0.1, 0.6, 0.2], [-0.7, 1.0, -0.3]], "b": [0.2, 0.4], "gamma": [1.5, -0.1, 0.25, 0.3]},
    {"w": [[0.2, -0.2, 1.3], [0.1, 0.5, 0.6]], "b": [0.1, -0.9], "gamma": [0.5, 0.2, -0.5, 0.1]},
]
ALL = "[w, b, gamma]"
GROUPS = "[{'params': [b], 'lr': 0.05, 'weight_decay': 0.1}, {'params': [w, gamma]}]"
ORDERED = "[{'params': [b], 'weight_decay': 0.1}, {'params': [w, gamma], 'lr': 0.02}, {'order_params': [w, b, gamma]}]"
LISTS = "[{'params': [b], 'lr': [0.1, 0.2, 0.3, 0.2, 0.1]}, {'params': [w, gamma]}]"
SCHEDULES = "[{'params': [b], 'lr': nn.CosineDecayLR(0.01, 0.1, 4)}, {'params': [w, gamma], 'weight_decay': 0.3}]"
OPTIMIZERS = [
    *[f"nn.SGD({ALL}{a})" for a in ("", ", 0.05", ", 0.1, 0.9", ", 0.1, 0.9, 0.2", ", 0.1, 0.9, nesterov=True", ", 0.1, weight_decay=0.1")],
    *[f"nn.SGD({ALL}, 0.1, 0.5, 0.1, 0.2)", f"nn.SGD({ALL}, 0.1, 0.9, loss_scale=4.0)", f"nn.SGD({ALL}, 0.1, 0.9, 0.0, 0.2, True, 2.0)"],
    *[f"nn.SGD({ALL}, {a})" for a in ("[0.1, 0.2, 0.3, 0.4, 0.5]", "Tensor([0.5, 0.4, 0.3, 0.2, 0.1])", "nn.ExponentialDecayLR(0.1, 0.5, 2)", "Tensor(0.2)")],
    *[f"nn.SGD({groups}, 0.2, 0.9)" for groups in (GROUPS, ORDERED, LISTS, SCHEDULES)],
    f"nn.SGD([{{'params': {ALL}}}], 0.1, weight_decay=0.1)",
    *[f"nn.Momentum({ALL}, 0.1, 0.9{a})" for a in ("", ", 0.1", ", 0.1, 4.0")],
    *[f"nn.Momentum({groups}, 0.2, 0.9)" for groups in (GROUPS, ORDERED, LISTS, SCHEDULES)],
    f"nn.Momentum({ALL}, nn.WarmUpLR(0.1, 3), 0.5)", f"nn.Momentum({ALL}, 0.1, 0.9, nn.ExponentialDecayLR(0.1, 0.5, 2))",
    *[f"nn.Adam({ALL}{a})" for a in ("", ", 0.1", ", 0.1, 0.5, 0.9, 1e-3", ", 0.1, use_nesterov=True", ", 0.1, use_amsgrad=True", ", 0.1, weight_decay=0.1", ", 0.1, loss_scale=8.0")],
    *[f"nn.Adam({groups}, 0.2)" for groups in (GROUPS, ORDERED, LISTS, SCHEDULES)],
    f"nn.Adam({ALL}, nn.CosineDecayLR(0.01, 0.2, 3))", f"nn.Adam({ALL}, [0.1, 0.2, 0.3, 0.4, 0.5], weight_decay=0.1)",
    *[f"nn.AdamWeightDecay({ALL}{a})" for a in ("", ", 0.1", ", 0.1, 0.5, 0.9, 1e-3", ", 0.1, weight_decay=0.1", ", nn.WarmUpLR(0.1, 3), weight_decay=0.1")],
    *[f"nn.AdamWeightDecay({groups}, 0.2)" for groups in (GROUPS, ORDERED, LISTS, SCHEDULES)],
    *[f"nn.RMSProp({ALL}{a})" for a in ("", ", 0.05, 0.5", ", 0.05, 0.9, 0.8", ", 0.05, centered=True", ", 0.05, momentum=0.5, centered=True, weight_decay=0.1", ", 0.05, epsilon=0.1, loss_scale=2.0")],
    *[f"nn.RMSProp({groups}, 0.02)" for groups in (GROUPS, ORDERED, LISTS, SCHEDULES)],
    *[f"nn.Adagrad({ALL}{a})" for a in ("", ", 0.5, 0.1", ", learning_rate=0.1, weight_decay=0.1", ", learning_rate=0.1, loss_scale=2.0")],
    *[f"nn.Adagrad({groups}, learning_rate=0.2)" for groups in (GROUPS, ORDERED, LISTS, SCHEDULES)],
]  # fmt: skip
LISTS_OF_RATES = [
    *["nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])", "nn.cosine_decay_lr(0.01, 0.1, 12, 2, 4)", "nn.warmup_lr(0.1, 9, 2, 3)"],
    *[f"nn.{f}(0.1, 0.9, 9, 2, 3{a})" for f in ("exponential_decay_lr", "natural_exp_decay_lr", "inverse_decay_lr") for a in ("", ", True")],
    *["nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1)", "nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 3, 0.5)", "nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 2, 2.0, True)"],
]  # fmt: skip
SCHEDULE_CELLS = [
    *[f"nn.{f}(0.1, 0.9, 4{a})" for f in ("ExponentialDecayLR", "NaturalExpDecayLR", "InverseDecayLR") for a in ("", ", True")],
    *["nn.CosineDecayLR(0.01, 0.1, 4)", "nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)", "nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0, True)", "nn.WarmUpLR(0.2, 4)"],
]  # fmt: skip
CLIPPED = [
    *[f"ops.clip_by_global_norm((w, b, gamma){a})" for a in ("", ", 0.5", ", 3", ", 100.0")],
    *[f"ops.clip_by_norm({x}, {a})" for x in ("w", "[w, b, gamma]") for a in ("0.5", "2.0", "100.0", "1.0, float('inf')")],
    *[f"ops.clip_by_norm({x}, {a})" for x in ("ops.abs(w)", "[ops.abs(w), ops.abs(b)]") for a in ("1.0, 1.0", "1.0, 3.0")],
    *[f"nn.ClipByNorm({a})(w, Tensor(1.0))" for a in ("", "(0, 1)")],
]  # fmt: skip


def numbers(value):
    if isinstance(value, tuple | list):
        return [numbers(part) for part in value]
    array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
    if array.dtype == np.float32:
        array = np.vectorize(lambda v: float(f"{v:.8g}"), otypes=[object])(array) if array.size else array
    return array.tolist()


def tensors(values):
    return {name: Tensor(np.array(value, np.float32)) for name, value in values.items()}


def scope(**more):
    return {"nn": nn, "ops": ops, "Tensor": Tensor, **more}


def printed(optimizer):
    text = re.sub("_IteratorLearningRate|_ConvertToCell", "Rate", str(optimizer))
    return re.sub(r"_WrappedWeightDecay\(\s+\(weight_decay\): (\w+\(\))\s+\)", r"\1", text)


def record_optimizer(expression):
    held = {name: Parameter(value, name=name) for name, value in tensors(VALUES).items()}
    optimizer = eval(expression, scope(**held))
    case = {"optimizer": expression, "printed": printed(optimizer)}
    order = [p.name for p in optimizer.parameters]
    case["order"], case["steps"] = order, []
    case["held"] = [[p.name, p.shape, p.requires_grad] for p in optimizer.get_parameters()]
    for gradients in GRADIENTS:
        rate = numbers(optimizer.get_lr())
        answer = optimizer(tuple(tensors(gradients)[name] for name in order))
        values = {p.name: numbers(p) for p in optimizer.get_parameters() if not p.name.startswith("learning_rate")}
        case["steps"].append({"rate": rate, "answer": str(answer), "values": values})
    return case


def record_clipped(expression):
    return {"expr": expression, "value": numbers(eval(expression, scope(**tensors(GRADIENTS[0]))))}


def attempt(function, expressions):
    for expression in expressions:
        try:
            yield function(expression)
        except Exception as error:
            print("no", expression, type(error).__name__, str(error).strip().splitlines()[:1])


if __name__ == "__main__":
    ms.runtime.launch_blocking()
    sections = {
        "optimizers": attempt(record_optimizer, OPTIMIZERS),
        "lists": attempt(lambda e: {"expr": e, "value": eval(e, scope())}, LISTS_OF_RATES),
        "schedules": attempt(
            lambda e: {"expr": e, "value": [numbers(eval(e, scope())(Tensor(i, ms.int32))) for i in range(10)]}, SCHEDULE_CELLS
        ),
        "clipped": attempt(record_clipped, CLIPPED),
    }
    versions = {"mindspore": ms.__version__, "numpy": np.__version__, "python": platform.python_version()}
    parts = [f'"{n}": {json.dumps(v)}' for n, v in (("versions", versions), ("values", VALUES), ("gradients", GRADIENTS))]
    parts += [f'"{n}": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]" for n, cases in sections.items()]
    Path(__file__).with_name("optimizers.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")
