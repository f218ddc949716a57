"""Buffers, the state of a Cell as a dictionary, and the dtype that it computes in.

What MindSpore prints of them is recorded in `data/cells.json`; here is what it does not answer.
"""

import copy

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, grad, nn, ops
from minigrad.nn.state import _ELSEWHERE


class Counted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")
        self.register_buffer("seen", Tensor(0.0))

    def construct(self, x):
        self.seen = self.seen + x.sum()
        return x * self.w * self.seen


def test_a_buffer_that_is_assigned_stays_one_and_gradients_go_through_it():
    net, x = Counted(), Tensor([1.0, 4.0])
    # f = (2 x0 + 3 x1)(x0 + x1): by x0 it is 2 (x0 + x1) + 2 x0 + 3 x1
    assert grad(net)(x).tolist() == [10.0 + 14.0, 15.0 + 14.0]
    assert [(k, float(v)) for k, v in net.named_buffers()] == [("seen", 5.0)]
    assert net(x).tolist() == [20.0, 120.0]
    for value in (3, "a", Parameter(Tensor(1.0))):
        with pytest.raises(TypeError, match="seen of Counted is a buffer, a Tensor or None"):
            net.seen = value
    assert net.trainable_params() == [net.w]


def test_a_state_is_added_to_a_dictionary_that_is_given():
    net, state = Counted(), {"z": 1}
    assert net.state_dict(state, "p.") is state
    assert net.state_dict({}, prefix="p.").keys() == {"p.w", "p.seen"}
    assert list(state) == ["z", "p.w", "p.seen"]
    assert state["p.w"] is net.w


def test_a_buffer_is_written_in_place_too():
    net = Counted()
    seen = net.seen
    ops.assign_add(net.seen, Tensor(7.0))
    assert net.state_dict()["seen"] is seen
    assert float(seen) == 7.0


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_has_buffers_of_its_own(duplicate):
    net = Counted()
    other = duplicate(net)
    other.seen = Tensor(9.0)
    other.register_buffer("more", Tensor(1.0))
    assert list(net.state_dict()) == ["w", "seen"]
    assert list(other.state_dict()) == ["w", "seen", "more"]
    assert float(net.seen) == 0.0


def test_nothing_is_loaded_if_something_does_not_fit():
    net = nn.SequentialCell(Counted(), nn.Dense(2, 1))
    before = {k: v.asnumpy() for k, v in net.state_dict().items()}
    other = {k: Tensor(v + 1) for k, v in before.items()}
    cases = [
        ({**other, "0.w": Tensor([1.0])}, r"0\.w has shape \(2,\), but its value has \(1,\)"),
        ({**other, "x": Tensor(1.0)}, "nothing here is called x"),
        ({"0.w": other["0.w"]}, "no value for 0.seen, 1.weight, 1.bias"),
    ]
    for state, says in cases:
        with pytest.raises(RuntimeError, match=rf"SequentialCell: .*{says}.*Nothing was loaded"):
            net.load_state_dict(state)
        for name, value in net.state_dict().items():
            np.testing.assert_array_equal(value.asnumpy(), before[name])
    assert repr(net.load_state_dict(other)) == "<All keys matched successfully>"
    missing, unexpected = net.load_state_dict({"y": 1}, strict=False)
    assert (missing, unexpected) == (list(before), ["y"])


def test_a_state_goes_through_a_checkpoint(tmp_path):
    net, other = Counted(), Counted()
    net.seen, net.w = Tensor(4.0), Tensor([7.0, 8.0])
    ms.save_checkpoint(net.state_dict(), str(tmp_path / "net.ckpt"))
    other.load_state_dict(ms.load_checkpoint(str(tmp_path / "net.ckpt")))
    assert (float(other.seen), other.w.asnumpy().tolist()) == (4.0, [7.0, 8.0])


# ------------------------------------------------------------------------------------------- dtypes
class Square(nn.Cell):
    def __init__(self, w):
        super().__init__()
        self.w = Parameter(Tensor(w), name="w")
        self.dtypes = []

    def construct(self, x, more=None):
        self.dtypes.append((str(x.dtype), str(self.w.dtype)))
        return (x * self.w).sum() ** 2


def test_in_float16_what_is_too_small_is_lost_and_the_parameters_stay():
    net, x = Square([1e-5, 1.0]), Tensor([1e-5, 0.0])
    assert float(net(x)) == pytest.approx(1e-20)
    assert grad(net, None, weights=net.w)(x).tolist() == pytest.approx([2e-15, 0.0])
    net.to_float(ms.float16)
    out = net(x)
    assert (out.dtype, float(out)) == (ms.float16, 0.0)  # float16 ends at 6e-8
    g = grad(net, None, weights=net.w)(x)
    assert (g.dtype, g.tolist()) == (ms.float32, [0.0, 0.0])
    assert (net.w.dtype, net.dtypes[-1]) == (ms.float32, ("Float16", "Float16"))


def test_gradients_in_float16_are_those_of_float32_to_its_digits():
    weights = [0.3, -0.7, 0.2]
    net, half = Square(weights), Square(weights).to_float(ms.float16)
    x = Tensor([1.5, 0.25, -2.0])
    for call in (
        lambda net: grad(net)(x),
        lambda net: grad(net, None, weights=net.w)(x),
        lambda net: grad(lambda x: grad(net)(x).sum())(x),
        lambda net: ms.vmap(grad(net))(ops.stack([x, 2 * x])),
    ):
        np.testing.assert_allclose(call(half).array, call(net).array, rtol=4e-3, atol=1e-3)
        assert call(half).dtype == ms.float32


def test_hooks_and_a_bprop_see_the_dtype():
    seen = []

    class Twice(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            seen.append((str(x.dtype), str(dout.dtype)))
            return dout * 2

    net = Twice().to_float(ms.float16)
    net.register_forward_pre_hook(lambda cell, args: seen.append(str(args[0].dtype)))
    assert grad(net)(Tensor([1.0])).tolist() == [2.0]
    assert seen == ["Float16", ("Float16", "Float16")]


def test_the_output_is_cast_too():
    class Shift(nn.Cell):
        def construct(self, x):
            return x + Tensor([1.0]), [x * 2], "text"

    y, (z,), text = Shift().to_float(ms.float16)(Tensor([2.0]))
    assert (y.dtype, y.tolist(), z.dtype, text) == (ms.float16, [3.0], ms.float16, "text")


def test_what_a_cell_writes_in_float16_has_the_parameters_own_dtype():
    class Writes(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0]), name="w")

        def construct(self, x):
            ops.assign(self.w, x * 3)
            return self.w * self.w

    net = Writes().to_float(ms.float16)
    x = Tensor([2.0])
    assert grad(net)(x).tolist() == [2 * 9 * 2.0]
    assert (net.w.dtype, net.w.asnumpy().tolist()) == (ms.float32, [6.0])
    assert grad(net, None, weights=net.w)(x).tolist() == [0.0]
    # What is written stays part of the calculation after the call: f = 9 x² + 3 x
    assert grad(lambda x: net(x) + net.w, 0, weights=[net.w])(x)[0].tolist() == [36.0 + 3.0]


def test_an_inner_cell_may_compute_in_another_dtype():
    net = nn.SequentialCell(Square([1.0]), nn.ReLU()).to_float(ms.float16)
    net.get_sub_cell("0").to_float(ms.float32)
    assert net(Tensor([3.0])).dtype == ms.float16
    assert net[0].dtypes == [("Float32", "Float32")]


def test_to_casts_in_place():
    net = Counted()
    net.register_buffer("place", Tensor([1, 2]))
    w = net.w
    assert net.to(ms.float64) is net
    assert net.w is w
    assert [x.dtype for x in net.state_dict().values()] == [ms.float64, ms.float64, ms.int64]
    for bad, error in [
        (lambda: net.to("Ascend"), ValueError),
        (lambda: net.to(ms.int8), TypeError),
        (lambda: net.to(ms.float16, ms.float32), TypeError),
        (lambda: net.to(kind=ms.float16), TypeError),
    ]:
        with pytest.raises(error, match=r"^to"):
            bad()


# ------------------------------------------------------------------------ what MindSpore's Cell has
# dir(mindspore.nn.Cell) of 2.10, without what begins with an underscore and what is deprecated.
NAMES = """add_flags add_flags_recursive apply bprop_debug buffers cast_inputs cells cells_and_names
    check_names check_names_and_refresh_name cls_name compile compile_and_run compile_cache
    compile_phase compiled construct extend_repr get_buffer get_extra_state get_flags
    get_func_graph_proto get_inputs get_mixed_precision_type get_parameters get_sub_cell
    init_parameters_data insert_child_to_cell insert_param_to_cell jit_config_dict load_state_dict
    name_cells named_buffers offload parallel_parameter_name_list param_prefix parameter_layout_dict
    parameters_and_names parameters_broadcast_dict parameters_dict phase phase_cache
    pipeline_segment pipeline_stage recompute register_backward_hook register_backward_pre_hook
    register_buffer register_forward_hook register_forward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook
    register_parameter_forward_hook register_saved_tensors_hooks register_state_dict_post_hook
    register_state_dict_pre_hook set_boost set_broadcast_flag set_comm_fusion set_data_parallel
    set_extra_state set_grad set_inputs set_jit_config set_mixed_precision_type set_train shard
    state_dict to to_empty to_float trainable_params untrainable_params update_parameters_name"""


@pytest.mark.parametrize("name", NAMES.split())
def test_every_method_of_mindspores_cell_is_there_or_says_what_to_do_instead(name):
    cell = Counted()
    if name in _ELSEWHERE:
        with pytest.raises(AttributeError, match=rf"^Counted has no {name}, .*: \w+"):
            getattr(cell, name)
    else:
        assert hasattr(cell, name)


def test_another_name_is_a_plain_attribute_error():
    with pytest.raises(AttributeError, match=r"^'Counted' object has no attribute 'wieght'$"):
        Counted().wieght  # noqa: B018  # it is the look-up that counts
