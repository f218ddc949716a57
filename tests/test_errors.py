"""When an op cannot compute, the error names the op, what it was given, and what to try."""

import numpy as np
import pytest

from minigrad import Tensor, grad, nn, ops

A = Tensor(np.ones((2, 3)))
B = Tensor(np.ones(4))


def assign(index, value):
    x = Tensor([1.0, 2.0])
    x[index] = value


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: A + B, ValueError, ["add", "(2, 3)", "(4,)", "broadcast", "x.reshape(-1, 1)"]),
        (lambda: A * np.ones(4), ValueError, ["multiply", "x of shape (2, 3)", "y of shape (4,)"]),
        (lambda: ops.where(A > 0, A, B), ValueError, ["where", "condition of shape (2, 3)"]),
        (lambda: A @ A, ValueError, ["matmul", "cannot be multiplied", "y.T"]),
        (lambda: A @ Tensor(1.0), ValueError, ["matmul", "(2, 3)", "()"]),
        (lambda: ops.dense(A, B.reshape(2, 2), B[:2]), ValueError, ["dense", "(2, 3)", "(2, 2)"]),
        (lambda: A.reshape(5), ValueError, ["reshape", "(2, 3)", "(5,)"]),
        (lambda: A.transpose(0, 0), ValueError, ["transpose", "(2, 3)", "(0, 0)"]),
        (lambda: A.broadcast_to((5,)), ValueError, ["broadcast_to", "(2, 3)", "(5,)"]),
        (lambda: A.sum(5), IndexError, ["sum", "axis 5", "(2, 3)"]),
        (lambda: ops.softmax(A, axis=4), IndexError, ["softmax", "axis 4", "(2, 3)"]),
        (lambda: A.swapaxes(0, 7), IndexError, ["swapaxes", "axis 7"]),
        (lambda: A[7], IndexError, ["index 7", "size 2", "(2, 3)"]),
        (lambda: A[0, 0, 0], IndexError, ["too many indices", "(2, 3)"]),
        (lambda: A[1.5], IndexError, ["made of integers", "1.5"]),
        (lambda: A["x"], IndexError, ["integers", "'x'"]),
        (lambda: assign(slice(0, 2), B), ValueError, ["assign", "(2,)", "(4,)"]),
        (lambda: assign(5, 1.0), IndexError, ["assign", "index 5"]),
        (lambda: ops.concat((A, B)), ValueError, ["concatenate", "(2, 3)", "(4,)"]),
        (lambda: ops.concat(()), ValueError, ["concatenate", "at least one"]),
        (lambda: ops.exp("a"), TypeError, ["exp", "'a'"]),
        (lambda: ops.exp(np.array([1j])), TypeError, ["exp", "complex128"]),
        (lambda: ops.exp(1j), TypeError, ["exp", "1j"]),
        (lambda: ops.logical_and(A, "a"), TypeError, ["logical_and", "'a'"]),
        (lambda: ops.bitwise_and(A, 2), TypeError, ["bitwise_and", "Float64", "y=2", "astype"]),
        (lambda: A + "a", TypeError, ["add", "str", "'a'"]),
    ],
    ids=lambda x: None,
)
def test_an_op_that_cannot_compute_says_what_it_was_given(call, error, words):
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    assert all(word in text for word in words), text
    assert "[[" not in text  # shapes, no values
    assert caught.value.__cause__ is not None or "made of integers" in text


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ops.concat(A, A), TypeError, ["axis", "(2, 3)", "concat((x, y))"]),
        (lambda: ops.stack(A, A), TypeError, ["axis", "(2, 3)", "stack((x, y))"]),
        (lambda: ops.stack([[1, 2], [3, 4]]), TypeError, ["entry 0 is a list", "Tensor([1, 2])"]),
        (lambda: ops.concat([A, 3.0]), TypeError, ["entry 1 is a float", "Tensor(3.0)"]),
        (lambda: nn.Dense(3, 2)([1.0]), TypeError, ["Dense", "got list: [1.0]", "a Tensor"]),
        (lambda: nn.Linear(3, 2)(1.0), TypeError, ["Linear", "got float: 1.0", "a Tensor"]),
    ],
    ids=lambda x: None,
)
def test_what_is_no_tensor_is_told_how_to_be_one(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        (A, "backward", "minigrad.grad(fn)(x)"),
        (A, "grad", "minigrad.grad(fn)(x)"),
        (A, "requires_grad", "grad_position"),
        (A, "detach", "stop_gradient"),
        (A, "sub_", "x[:] = x.sub(...)"),
        (nn.Dense(1, 1), "parameters", "trainable_params()"),
        (nn.Dense(1, 1), "eval", "set_train(False)"),
        (nn.Dense(1, 1), "train", "set_train()"),
        (nn.Dense(1, 1), "zero_grad", "keeps none"),
        (nn.Dense(1, 1), "forward", "construct"),
    ],
)
def test_what_other_libraries_have_is_told_in_minigrads_words(owner, name, instead):
    assert not hasattr(owner, name)
    with pytest.raises(AttributeError, match=f"object has no attribute '{name}'; ") as caught:
        getattr(owner, name)
    assert instead in str(caught.value)


def test_errors_are_the_same_inside_gradient_calls_of_any_order():
    plain, texts = lambda x: x + B, []
    for fn in (plain, grad(plain), grad(lambda x: grad(plain)(x))):
        with pytest.raises(ValueError, match="broadcast") as caught:
            fn(A)
        texts.append(str(caught.value))
    assert texts[0] == texts[1] == texts[2]


def test_a_long_argument_is_shortened():
    with pytest.raises(ValueError, match="reshape") as caught:
        A.reshape(tuple(range(1, 100)))
    assert len(str(caught.value)) < 500
    assert "..." in str(caught.value)


def test_a_weight_that_does_not_fit_its_input_gets_the_right_advice():
    with pytest.raises(ValueError, match="dense") as caught:
        ops.dense(A, Tensor(np.ones((2, 4))), Tensor([1.0, 2.0]))
    assert "last but one" not in str(caught.value)  # a weight is (out, in)
