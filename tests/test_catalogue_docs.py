"""Every op, function and class of `minigrad.ops` is described.

The form: a first line that ends with a full stop, then `Shapes:`, `Dtypes:`, `Raises`, an example
that runs (`test_doctests` runs it) and `Source:`, in this order. A Primitive class may say which
function it calls instead. Samples of the ops are asked for in `rules/test_catalogue.py`.
"""

import doctest
import inspect
import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pytest

from minigrad import Tensor, ops
from minigrad.op import OPS
from minigrad.ops.primitives import Primitive
from minigrad.rules import descriptions
from minigrad_widgets import formula

PRIMITIVES = {function.op.name: function for function in OPS.values()}
PUBLIC = {name: getattr(ops, name) for name in dir(ops) if not name.startswith("_")}
FUNCTIONS = {
    name: thing
    for name, thing in PUBLIC.items()
    if inspect.isfunction(thing)
    and not hasattr(thing, "op")
    and thing.__module__.startswith("minigrad.ops")
}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
LABELS = ("Shapes: ", "Dtypes: ", "Raises ", ">>> ", "Source: ")


def each(things):
    """A test for each of them, by name."""
    return pytest.mark.parametrize("name", things)


def missing(doc):
    """What a docstring lacks of the form, in words; None if it lacks nothing."""
    lines = inspect.cleandoc(doc or "").splitlines()
    if not lines or not lines[0].endswith("."):
        return "a first line that ends with a full stop"
    places = []
    for label in LABELS:
        found = [k for k, line in enumerate(lines) if line.startswith(label)]
        if not found or not lines[found[0]].removeprefix(label).strip():
            return f"a line {label}..."
        places.append(found[0])
    if places != sorted(places):
        return f"its lines in the order {', '.join(LABELS)}"
    return missing_in_example(doc)


def missing_in_example(doc):
    """What the examples of a docstring lack: one must be there that shows what comes out."""
    examples = doctest.DocTestParser().get_examples(doc or "")
    if not any(example.want.strip() for example in examples):
        return "an example that prints something"
    return None


# ------------------------------------------------------------------------------------- descriptions
def test_the_catalogue_is_found():
    assert len(PRIMITIVES) > 120
    assert len(FUNCTIONS) > 300
    assert len(CLASSES) > 200
    assert {"conv2d", "softmax", "cross_entropy"} <= set(FUNCTIONS)


@each(PRIMITIVES)
def test_every_op_is_described(name):
    op, doc = PRIMITIVES[name].op, PRIMITIVES[name].__doc__
    assert missing(doc) is None, f"{name} lacks {missing(doc)}: see rules/descriptions.py"
    called = getattr(op, "called", {})
    assert list(inspect.signature(PRIMITIVES[name]).parameters) == [
        called.get(n, n) for n in op.parameters
    ]
    for x, argument in called.items():
        assert x == argument or f"{x} is {argument}" in doc
    assert op.formula in doc
    for x, text in op.rule_formulas.items():
        assert f"gradient of {x}: {text}" in doc
    spellings = [n for n, thing in PUBLIC.items() if thing is PRIMITIVES[name]]
    calls = [f"ops.{n}(" for n in spellings] + [f"grad(ops.{n})" for n in spellings]
    if not spellings:  # a name of the catalogue alone
        calls = [r"rules."]
    assert any(call in doc for call in calls), f"the example of {name} calls none of {calls}"


def test_every_description_is_of_an_op():
    assert set(descriptions.DESCRIPTIONS) == set(PRIMITIVES)


@each(FUNCTIONS)
def test_every_function_is_described(name):
    doc = FUNCTIONS[name].__doc__
    assert missing(doc) is None, f"ops.{name} lacks {missing(doc)}"


@each(CLASSES)
def test_every_class_is_described(name):
    """The class says which function it calls, or everything; one that is no op needs an example."""
    kind = CLASSES[name]
    doc = kind.__doc__
    called = re.match(r"Calls ``ops\.(\w+)``", doc or "")
    if called:
        assert callable(PUBLIC.get(called[1])), f"{name}: there is no ops.{called[1]}"
    elif issubclass(kind, Primitive) and kind is not Primitive:
        assert missing(doc) is None, f"ops.{name} lacks {missing(doc)}"
    else:
        assert missing_in_example(doc) is None, f"ops.{name} lacks {missing_in_example(doc)}"


# ----------------------------------------------------------------------------------------- formulas
@each(PRIMITIVES)
def test_formulas_render(name):
    op = PRIMITIVES[name].op
    for latex in (op.formula, *op.rule_formulas.values()):
        tree = ElementTree.fromstring(formula.typeset(latex))
        assert tree.tag == "math"
        texts = [element.text or "" for element in tree.iter()]
        assert next(tree.iter("mi"), None) is not None or latex == "0", (
            f"{latex}: no letter was set"
        )
        assert latex == "0" or latex not in texts, f"{latex} could not be read"
        assert not any("\\" in text for text in (*texts, formula.plain(latex))), latex


# ---------------------------------------------------- what the shared sentences say is what happens
DTYPES = [*"?bBhHiIlLefd"]
FLOATS = {"float16", "float32", "float64"}
KINDS = {  # the kind of an op -> the dtype that comes out for a dtype; None is a TypeError
    descriptions.FLOAT_OF_ONE: lambda d: d if d in FLOATS else "float32",
    descriptions.FLOAT_OF_TWO: lambda d: d if d in FLOATS else "float32",
    descriptions.BOOL_OF_ONE: lambda d: "bool",
    descriptions.BOOL_OF_TWO: lambda d: "bool",
    descriptions.SAME_OF_ONE: lambda d: d,
    descriptions.SAME_OF_TWO: lambda d: d,
    descriptions.SAME_OR_WIDER: lambda d: "integer" if d == "bool" else d,
    descriptions.SAME_OR_WIDER_OF_TWO: lambda d: "integer" if d == "bool" else d,
    descriptions.NO_BOOL: lambda d: None if d == "bool" else d,
}
OF_A_KIND = [name for name, row in descriptions.DESCRIPTIONS.items() if row[1] in KINDS]


def outcome(function, *arguments):
    """The dtype and shape that come out, or the kind of the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            out = function(*arguments)
        except (TypeError, ValueError) as error:
            return type(error), ()
    return str(out.array.dtype), out.shape


@each(OF_A_KIND)
def test_op_of_a_kind_does_what_its_kind_says(name):
    function = PRIMITIVES[name]
    kind = descriptions.DESCRIPTIONS[name][1]
    count = len(function.op.arrays)
    assert kind[0] == (descriptions.ONE if count == 1 else descriptions.TWO)
    for dtype in (str(np.dtype(d)) for d in DTYPES):
        wanted = KINDS[kind](dtype) or TypeError
        got, shape = outcome(function, *[Tensor(np.array([1, 0], dtype))] * count)
        if wanted == "integer":
            assert np.dtype(got).kind in "iu"
        else:
            assert got == wanted, f"{name} of {dtype}"
        assert wanted is TypeError or shape == (2,)
    some = Tensor(np.ones(2))
    assert outcome(function, *[some, "text"][-count:])[0] is TypeError
    if count == 2:
        column, row = Tensor(np.ones((3, 1))), Tensor(np.ones(2))
        assert outcome(function, column, row)[1] == (3, 2)
        assert outcome(function, Tensor(np.ones(3)), row)[0] is ValueError


ALONG_AN_AXIS = {  # what goes in -> what comes out, where a shared sentence says it
    descriptions.TO_FLOAT: KINDS[descriptions.FLOAT_OF_ONE],
    descriptions.TO_BOOL: lambda d: "bool",
    descriptions.KEEPS: lambda d: d,
    descriptions.TO_INT64: lambda d: d if d in FLOATS else "int64",
    descriptions.TO_SUM: lambda d: d if d in FLOATS | {"uint16", "uint32", "uint64"} else "int64",
    f"{descriptions.KEEPS[:-1]}; bool becomes int64.": lambda d: "int64" if d == "bool" else d,
}


@each(["sum", "mean", "prod", "cumsum", "cumprod", "amax", "amin", "any", "all", "logsumexp",
       "softmax", "log_softmax"])  # fmt: skip
def test_op_along_an_axis_does_what_its_sentences_say(name):
    function, (shapes, dtypes, _) = PRIMITIVES[name], descriptions.DESCRIPTIONS[name][1]
    reduced = shapes == descriptions.REDUCED
    for dtype in (str(np.dtype(d)) for d in DTYPES):
        got = outcome(function, Tensor(np.array([[1, 0]], dtype)), 1)
        assert got == (ALONG_AN_AXIS[dtypes](dtype), (1,) if reduced else (1, 2))
    x = Tensor(np.ones((2, 3, 4)))
    if reduced:
        assert outcome(function, x, (0, -1))[1] == (3,)
        assert outcome(function, x)[1] == ()
        assert outcome(function, x, 1, True)[1] == (2, 1, 4)
    for axis, error in ((5, IndexError), ((0, 0), ValueError))[: 1 + reduced]:
        with pytest.raises(error):
            function(x, axis)


@each(
    [name for name in OF_A_KIND if descriptions.PROMOTES in descriptions.DESCRIPTIONS[name][1][1]]
)
def test_op_of_two_promotes_as_its_kind_says(name):
    for x, y, wanted in (
        ("int32", "int64", "int64"),
        ("float16", "float64", "float64"),
        ("float16", "int64", "float16"),
        ("int8", "float32", "float32"),
        ("int16", 2, "int16"),
        ("float16", 2.5, "float16"),
        ("int64", 2.5, "float32"),
    ):
        second = Tensor(np.array([1, 2], y)) if isinstance(y, str) else y
        assert outcome(PRIMITIVES[name], Tensor(np.array([3, 4], x)), second)[0] == wanted
