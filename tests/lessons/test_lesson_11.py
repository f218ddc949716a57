"""The capstone: its patients are ill as is said, its engine works, its program is read."""

import numpy as np
import pytest
from lesson_notebook import LessonNotebook, printed

import minigrad as ms
from minigrad import Tensor, jit, ops
from minigrad.check import check_bprop
from minigrad_widgets.capstone_engine import Node, fit, pull
from minigrad_widgets.lesson import Note
from minigrad_widgets.lesson_11 import LESSON

NOTEBOOK = LessonNotebook(LESSON)
PATIENTS = ["softmax_rule", "better", "follow", "apart", "Cube", "Mix"]


def ill(name):
    return LESSON.exercises[name].defined_by(LESSON.exercises[name].planted)


def well(name):
    return LESSON.exercises[name].defined_by(LESSON.exercises[name].solution)


def note_on(name, answer):
    return LESSON.exercises[name].judge(answer)


# ------------------------------------------------------------------------------ the clinic
def test_six_patients_come_first():
    assert [*LESSON.exercises][:6] == PATIENTS
    assert all(LESSON.exercises[name].planted for name in PATIENTS)


def test_what_the_owners_have_seen_is_so():
    """The symptoms, and that the bugs hide where they are said to hide."""
    row = np.array([[0.25, 0.75]])
    assert ill("softmax_rule")(np.ones((1, 2)), row) == pytest.approx(0.1875)
    perfect = Tensor([2.0]), Tensor([[1.0], [3.0]]), Tensor([2.0, 6.0])
    assert ill("better")(*perfect).asnumpy() == pytest.approx(1.6)  # 2 less a tenth of 1 + 3
    assert ms.grad(ill("Cube")())(Tensor(2.0)) == 12
    assert ms.grad(ms.grad(ill("Cube")()))(Tensor(2.0)) == 0
    assert ms.grad(ms.grad(well("Cube")()))(Tensor(2.0)) == 12
    a, b = Tensor([1.0]), Tensor([3.0])
    assert check_bprop(ill("Mix")(), a, b).right
    assert not check_bprop(lambda a, b: ill("Mix")()(a, b, share=0.25), a, b).right


def test_the_slope_of_softmax_by_differences():
    def softmax(z):
        e = np.exp(z)
        return e / e.sum()

    z, g, h = np.array([0.3, -1.0, 0.8]), np.array([1.0, -2.0, 0.5]), 1e-6
    slopes = [(g @ softmax(z + s) - g @ softmax(z - s)) / (2 * h) for s in h * np.eye(3)]
    assert well("softmax_rule")(g, softmax(z)) == pytest.approx(slopes, abs=1e-8)


OTHER_RIGHT = [
    ("better", lambda w, x, y: w - 0.1 * ms.grad(lambda w: ops.mean((x @ w - y) ** 2))(w)),
    (
        "better",
        lambda w, x, y: w - 0.1 * ms.grad(
            lambda w: (ops.mean((x @ w - y) ** 2), ops.stop_gradient(x @ w))
        )(w),
    ),
    ("apart", lambda a, b: ms.grad(lambda a: ops.norm(a - b))(a)),
    (
        "apart",
        lambda a, b: (
            (a - b) / ops.sqrt(ops.sum((a - b) ** 2)) if ops.any(a != b) else ops.zeros_like(a)
        ),
    ),
    ("softmax_rule", lambda g, out: np.stack([
        row @ (np.diag(s) - np.outer(s, s)) for row, s in zip(g, out, strict=True)])),
    ("grad_swish", lambda x: (1 + np.exp(-x) + x * np.exp(-x)) / (1 + np.exp(-x)) ** 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fn"), OTHER_RIGHT)
def test_other_cures_are_right(name, fn):
    with np.errstate(all="ignore"):
        note = note_on(name, fn)
    assert note.status == "right", note


@pytest.mark.parametrize(
    ("fn", "told"),
    [
        (lambda x: ms.grad(lambda x: ops.sum(x / (1 + ops.exp(-x))))(Tensor(x)).asnumpy(),
         "minigrad finds it"),
        (lambda x: ((x + 1e-5) / (1 + np.exp(-x - 1e-5)) - (x - 1e-5) / (1 + np.exp(1e-5 - x)))
         / 2e-5, "measured"),
    ],
)  # fmt: skip
def test_the_program_of_a_slope_is_to_be_written(fn, told):
    note = note_on("grad_swish", fn)
    assert note.status == "wrong"
    assert told in note.title


def test_a_queue_is_found_out():
    """Each node once, in the order in which they are seen: of `s * t`, `s` sends too early."""

    def in_a_queue(result, pull):
        result.grad, queue, seen = np.ones_like(result.data), [result], {result.number}
        while queue:
            node = queue.pop(0)
            inputs = [part.data for part in node.parts]
            for part, g in zip(
                node.parts, pull(node.op, node.grad, node.data, *inputs), strict=True
            ):
                part.grad = part.grad + g
                if part.parts and part.number not in seen:
                    seen.add(part.number)
                    queue.append(part)

    a, b = Node([2.0]), Node([3.0])
    s = a * b
    in_a_queue(s * (s + a), pull)  # (ab)^2 + a^2 b, by a: 2ab^2 + 2ab = 36 + 12
    assert a.grad != 48.0
    note = note_on("backward", in_a_queue)
    assert note.status == "wrong"
    assert "A node has sent before all had come" in repr(note)


def distance_by(root):
    return lambda a, b: ms.grad(lambda a: root(ops.sum((a - b) ** 2)))(a)


def where_once(square):
    return ops.where(square > 0, ops.sqrt(square), 0.0)


@pytest.mark.parametrize(
    "fn",
    [
        lambda a, b: ops.nan_to_num(distance_by(where_once)(a, b)),
        lambda a, b: ops.nan_to_num((a - b) / ops.sqrt(ops.sum((a - b) ** 2))),
    ],
)
def test_a_nan_that_is_made_and_wiped_off_is_wrong(fn):
    note = note_on("apart", fn)
    assert note.status == "wrong"
    assert "is added to the NaN, and is wiped off with it" in repr(note)


@pytest.mark.parametrize("small", [1e-8, 1e-12, 1e-20])
def test_points_that_are_near_are_pulled_apart(small):
    """They are a unit apart in float64, whatever stands under the root."""
    note = note_on("apart", distance_by(lambda s: ops.sqrt(ops.maximum(s, small))))
    assert note.status == "wrong"
    assert "nearer than that count as the same" in repr(note)
    assert "nearer than that are no longer" in repr(
        note_on("apart", distance_by(lambda s: ops.sqrt(s + small)))
    )
    found = well("apart")(Tensor([1e-7, 0.0]), Tensor([0.0, 0.0]))
    assert found.asnumpy().tolist() == [1, 0]


@pytest.mark.parametrize(
    ("name", "fn", "told"),
    [
        ("softmax_rule", lambda g, out: out * (1 - out), "There is no `g` in it"),
        (
            "softmax_rule",
            lambda g, out: out * (g - g.sum(-1, keepdims=True)),
            "counts by its share",
        ),
        (
            "pull",
            lambda op, g, out, a, b=None: (
                (g * b, fit(g * a, b.shape)) if op == "multiply" else pull(op, g, out, a, b)
            ),
            "`a` may be the smaller one, too",
        ),
    ],
)
def test_further_wrong_answers_are_wrong(name, fn, told):
    note = note_on(name, fn)
    assert note.status == "wrong"
    assert told in repr(note)


def test_the_jacobian_that_is_printed_is_that_of_softmax():
    """out[i] (1 - out[i]) on its diagonal, -out[i] out[j] beside it."""
    a = 0.25 * 0.75
    told = printed(NOTEBOOK.cell_with("jacrev(ops.softmax)"))
    assert f"[[ {a} {-a}] [{-a} {a}]]" in " ".join(told.split())


# ------------------------------------------------------------------------------ the engine
def sweep_by_tape(result, pull):
    """Another right sweep: all nodes, sorted by number, from the last one."""
    found, seen = [result], {result.number}
    for node in found:
        for part in node.parts:
            if part.number not in seen:
                seen.add(part.number)
                found.append(part)
    result.grad = np.ones_like(result.data)
    for node in sorted(found, key=lambda node: -node.number):
        if node.parts:
            gradients = pull(node.op, node.grad, node.data, *[p.data for p in node.parts])
            for part, g in zip(node.parts, gradients, strict=True):
                part.grad = part.grad + g


def test_another_right_sweep_is_right():
    assert note_on("backward", sweep_by_tape).status == "right"


def _all_wait(result, pull, nodes=False):
    result.grad, waiting = np.ones_like(result.data), [result]
    for node in waiting:
        parts = node.parts if nodes else [part.data for part in node.parts]
        for part, g in zip(node.parts, pull(node.op, node.grad, node.data, *parts), strict=True):
            part.grad = part.grad + g
            waiting.append(part)


def test_a_sweep_that_asks_for_what_is_no_rule_is_told_so():
    assert "an input has no rule: only a part" in note_on("backward", _all_wait).title
    swapped = LESSON.exercises["backward"].solution.replace(
        "node.grad, node.data", "node.data, node.grad"
    )
    note = note_on("backward", LESSON.exercises["backward"].defined_by(swapped))
    assert "the output third: they are swapped" in repr(note)
    short = swapped.replace("node.data, node.grad", "node.grad")
    note = note_on("backward", LESSON.exercises["backward"].defined_by(short))
    assert "For add that makes 5 in all; it got 4" in note.title
    nodes = note_on("backward", lambda result, pull: _all_wait(result, pull, nodes=True))
    assert "pull takes arrays, not Nodes" in nodes.title


def test_the_engine_of_the_notebook_agrees_with_minigrad_when_all_is_solved(capsys):
    space, _ = NOTEBOOK.run(solved=True)
    assert "w agrees\nb agrees\nv agrees" in capsys.readouterr().out
    a = space["Node"]([1.0, 2.0])
    space["backward"]((a * a).tanh(), space["pull"])
    slope = 2 * np.array([1.0, 2.0]) / np.cosh([1.0, 4.0]) ** 2
    assert np.allclose(a.grad, slope)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("pop(max(", "pop(min("),
        ("part.grad = part.grad + g", "part.grad = g"),
        ("fit(g * a, b.shape)", "g * a"),
        ("a.T @ g", "a.T @ (2 * g)"),
    ],
)
def test_with_one_mistake_the_engine_of_the_notebook_differs(capsys, monkeypatch, right, wrong):
    for name in ("pull", "backward"):
        source = LESSON.exercises[name].solution.replace(right, wrong)
        monkeypatch.setitem(LESSON.exercises[name].__dict__, "solution", source)
    NOTEBOOK.run(solved=True)
    assert "differs" in capsys.readouterr().out


def test_untouched_it_differs():
    assert "w differs\nb differs\nv differs" in printed(NOTEBOOK.cell_with("def two_layers"))


@pytest.mark.parametrize("op", ["add", "multiply", "matmul", "tanh"])
def test_the_checks_rules_are_right_by_differences(op):
    rng = np.random.default_rng(1)
    parts = [rng.normal(size=(2, 2)), rng.normal(size=(2, 2) if op == "matmul" else 2)]
    parts = parts[:1] if op == "tanh" else parts
    make = {"add": np.add, "multiply": np.multiply, "matmul": np.matmul, "tanh": np.tanh}[op]
    g = rng.normal(size=(2, 2))
    for i, found in enumerate(pull(op, g, make(*parts), *parts)):
        for at in np.ndindex(parts[i].shape):
            ends = []
            for side in (1e-6, -1e-6):
                moved = [x.copy() for x in parts]
                moved[i][at] += side
                ends.append(np.sum(g * make(*moved)))
            assert found[at] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)


def test_fit_adds_up_what_was_broadcast():
    assert fit(np.ones((4, 2, 3)), (2, 1)).tolist() == [[12], [12]]
    assert fit(np.ones((2, 0)), (2, 1)).tolist() == [[0], [0]]


def test_the_notebooks_node_is_the_checks():
    names = {"__add__", "__mul__", "__matmul__", "tanh"}
    space, _ = NOTEBOOK.run()
    for cls in (Node, space["Node"]):
        a, b = cls([[1.0, 2.0], [3.0, 4.0]]), cls([[5.0, 6.0], [7.0, 8.0]])
        made = [a + b, a * b, a @ b, a.tanh()]
        assert [node.op for node in made] == ["add", "multiply", "matmul", "tanh"]
        assert made[2].data.tolist() == [[19, 22], [43, 50]]
        assert all(node.number > a.number for node in made)
        assert names <= set(vars(cls))


# ------------------------------------------------------------------------------ graph mode
RIGHT = {"bracket": "tanh", "quarter": "square and mean", "summed": "broadcast", "turned": "matmul"}


def test_the_experiment_shows_which_op_a_line_is_of():
    answers = [(f"{key}=...", f'{key}="{word}"') for key, word in RIGHT.items()]
    _, shown = NOTEBOOK.run(*answers)
    titles = [thing.title for thing in shown if isinstance(thing, Note)]
    assert "Just as you said" in titles
    code = shown[titles.index("The same program, without one op each")].code
    parts = dict(part.split("\n", 1) for part in code.split("\n\n"))
    assert "(1 - h * h) * 0.25" in parts["# as it is"]
    assert "1 - h * h" not in parts["# without tanh"]
    assert ".sum(0)" not in parts["# without broadcast"]


def test_a_wrong_answer_leads_to_the_experiment():
    answers = [
        (f"{key}=...", f'{key}="{word}"') for key, word in (RIGHT | {"turned": "tanh"}).items()
    ]
    _, shown = NOTEBOOK.run(*answers)
    (verdict,) = [t for t in shown if isinstance(t, Note) and t.title.startswith("Your prediction")]
    assert dict(verdict.rows)["turned"].startswith("tanh does not make it")


def test_what_graph_mode_writes_for_swish_is_what_the_student_is_to_write():
    space, _ = NOTEBOOK.run(solved=True)
    x = np.random.default_rng(2).normal(size=5)
    run = jit(ms.grad(space["swish"]))
    assert np.allclose(space["grad_swish"](x), run(Tensor(x)).asnumpy())
    written = {"np": np}
    exec(run.source, written)
    assert np.allclose(written["grad_swish"](x), space["grad_swish"](x))
