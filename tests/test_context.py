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


def test_graph_mode_is_refused_with_advice():
    with pytest.raises(ValueError, match="PYNATIVE_MODE"):
        ms.set_context(mode=ms.GRAPH_MODE)


def test_an_unknown_setting_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"no setting 'colour'.*check_bprop, device_target, mode"):
        ms.get_context("colour")
