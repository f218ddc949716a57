"""Corner: leaving the tape. The value is right, its gradient stops, one warning names the line."""

import math
import threading
import warnings

import numpy as np
import pytest

from minigrad import Parameter, Tensor, grad, nn, ops

# Each takes the 2 out of a Tensor and gives it back as a number or a constant.
WAYS = {
    "float": float,
    "int": int,
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "asnumpy": lambda x: x.asnumpy(),
    "math.sqrt": lambda x: math.sqrt(x) ** 2,
    "np.asarray": lambda x: float(np.asarray(x)),
    "np.float64": np.float64,
    "Parameter": lambda x: Parameter(x, name="p"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_value_is_right_and_one_warning_names_the_line(way):
    def fn(x):
        return x * WAYS[way](x)  # a constant, so the gradient is 2 and not 4

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        slope = grad(fn)(Tensor(2.0))
    assert slope.item() == pytest.approx(2.0)
    (one,) = said
    assert "takes this value out of the gradient calculation" in str(one.message)
    assert "ops.stop_gradient" in str(one.message)
    assert one.filename == __file__


@pytest.mark.parametrize("way", WAYS)
def test_outside_of_a_call_nothing_is_said(way):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float(WAYS[way](Tensor(2.0))) == pytest.approx(2.0)


@pytest.mark.parametrize("way", ["float", "item", "asnumpy"])
def test_what_is_cut_on_purpose_or_is_no_part_of_it_may_be_taken_out(way):
    def fn(x):
        return x * WAYS[way](ops.stop_gradient(x)) * WAYS[way](Tensor(2.0))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grad(fn)(Tensor(2.0)).item() == 4.0


def test_a_thread_started_inside_is_outside_and_that_is_said():
    class Work(nn.Cell):
        def construct(self, x):
            out = []
            thread = threading.Thread(target=lambda: out.append(x * x))
            thread.start()
            thread.join()
            return out[0] * x

    with pytest.warns(UserWarning, match=r"another thread") as said:
        assert grad(Work())(Tensor(2.0)).item() == 4.0  # of 4 x
    assert len(said) == 1


def test_a_function_of_numpy_with_a_rule_is_part_of_the_calculation():
    x = np.array([0.5, 2.0])
    slope = grad(lambda x: np.multiply(np.sin(x), 3.0).sum())(Tensor(x))
    np.testing.assert_allclose(slope.asnumpy(), 3 * np.cos(x), rtol=1e-12)


@pytest.mark.parametrize(
    ("fn", "name"),
    [
        (np.linalg.norm, "numpy.linalg.norm"),
        (np.fft.fft, "numpy.fft.fft"),
        (np.median, "numpy.median"),
        (np.add.reduce, "numpy.add"),
    ],
)
def test_a_function_of_numpy_without_a_rule_says_so(fn, name):
    with pytest.raises(TypeError, match=rf"no gradient rule for {name}\..*minigrad\.ops.*bprop"):
        grad(lambda x: ops.sum(fn(x)))(Tensor([0.5, 2.0]))
