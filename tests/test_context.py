"""Settings: those that minigrad can honour are kept, the others are refused."""

import pytest

import minigrad as ms


@pytest.fixture(autouse=True)
def settings():
    """Leave the settings as they were."""
    before = dict(ms.context._SETTINGS)
    yield
    ms.context._SETTINGS.clear()
    ms.context._SETTINGS.update(before)


def test_what_is_set_can_be_asked_for():
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU", check_bprop=True)
    assert ms.get_context("mode") == ms.PYNATIVE_MODE == 1
    assert ms.get_context("device_target") == "CPU"
    assert ms.get_context("check_bprop") is True
    ms.context.set_context(check_bprop=False)
    assert ms.context.get_context("check_bprop") is False


@pytest.mark.parametrize("device", ["GPU", "Ascend"])
def test_another_device_is_refused_and_nothing_is_changed(device):
    with pytest.raises(ValueError, match=rf"runs on the CPU only, not on '{device}'"):
        ms.set_context(check_bprop=True, device_target=device)
    assert ms.get_context("check_bprop") is False


def test_graph_mode_is_taken_and_values_are_the_same():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert ms.get_context("mode") == ms.GRAPH_MODE
        assert ms.grad(lambda x: x * x)(ms.Tensor([3.0])).asnumpy() == [6.0]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(ValueError, match="GRAPH_MODE or PYNATIVE_MODE, but got 2"):
        ms.set_context(mode=2)


def test_an_unknown_setting_lists_the_known_ones():
    words = r"no setting 'colour'.*check_bprop, device_target, mode,.*keeps.*device_id, "
    with pytest.raises(ValueError, match=words):
        ms.get_context("colour")
    with pytest.raises(ValueError, match=words):
        ms.set_context(check_bprop=True, colour="red")
    assert ms.get_context("check_bprop") is False
    with pytest.raises(TypeError, match="the name of a setting is a string, but got 5"):
        ms.get_context(5)


def test_settings_that_mean_nothing_here_have_mindspores_values_and_are_kept():
    names = ("device_id", "pynative_synchronize", "deterministic", "max_call_depth", "jit_level")
    assert [ms.get_context(name) for name in names] == [0, False, "OFF", 1000, ""]
    ms.set_context(device_id=1, pynative_synchronize=True, deterministic="ON", save_graphs=True)
    assert ms.get_context("device_id") == 1
    assert ms.get_context("pynative_synchronize") is True
    assert ms.get_context("deterministic") == "ON"


@pytest.mark.parametrize("name", ["check_bprop", "pynative_synchronize"])
def test_switches_are_true_or_false(name):
    with pytest.raises(TypeError, match=f"{name} must be True or False, but got 1"):
        ms.set_context(**{name: 1})


def test_the_device_is_the_cpu():
    ms.set_device("CPU")
    with pytest.raises(ValueError, match="runs on the CPU only, not on 'GPU'"):
        ms.set_device("GPU", 0)


def test_mutable_is_the_value_itself():
    for x in (
        ms.Tensor([1.0]),
        (ms.Tensor(1), 2),
        [1, [2.5]],
        {"a": (True,)},
        5,
        2.5,
        True,
        (),
        [],
    ):
        assert ms.mutable(x) is x
    assert ms.mutable([1], True) == [1]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("a",), "got a str: 'a'"),
        ((None,), "got a NoneType"),
        (([1, (2, "b")],), "got a str: 'b'"),
        (({"a": {1}},), "got a set"),
        ((5, True), "only a list or a tuple has a length that changes.* with a int"),
        (({"a": 1}, True), "with a dict"),
        (([1], "yes"), "dynamic_len must be True or False, but got 'yes'"),
    ],
)
def test_what_is_not_mutable_is_refused(given, words):
    with pytest.raises(TypeError, match=f"mutable.*{words}"):
        ms.mutable(*given)
