"""Checkpoints: what is in a file comes back, nothing else does, and a bad file says so.

What they print is compared with a real MindSpore in `tests/nn/test_hooks.py`.
"""

import json
import os
import pickle
import zipfile

import numpy as np
import pytest

import minigrad as ms
from minigrad import Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0]), name="w")
        self.fc = nn.Dense(2, 3)


def names_of(*entries):
    """The bytes that a checkpoint's list of names is kept as."""
    return np.frombuffer(json.dumps(entries).encode(), np.uint8)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_values_dtypes_and_shapes_come_back():
    rng = np.random.default_rng(0)
    arrays = {
        "half": rng.normal(size=3).astype(np.float16),
        "single": rng.normal(size=(2, 3, 1)).astype(np.float32),
        "double": np.array([np.nan, np.inf, -0.0, 1e-310]),
        "whole": np.array([2**62, -1]),
        "small": np.array([[255, 0]], np.uint8),
        "flags": np.array([True, False]),
        "scalar": np.array(1.5),
        "nothing": np.zeros((0, 3)),
        "turned": np.arange(6.0).reshape(2, 3).T,
    }
    save_checkpoint({name: Tensor(a) for name, a in arrays.items()}, "all")
    loaded = load_checkpoint("all.ckpt")
    assert list(loaded) == list(arrays)
    for name, array in arrays.items():
        p = loaded[name]
        assert (type(p), p.name, p.requires_grad) == (Parameter, name, True)
        assert p.asnumpy().dtype == array.dtype
        np.testing.assert_array_equal(p.asnumpy(), array)


@pytest.mark.parametrize(
    "name",
    [
        "a/b.c",
        "../up",
        "file",
        "names",
        "0",
        "minigrad_names",
        "x.npy",
        "größe",
        "a b",
        "\\",
        "end\0",
        "\0",
        "a\0b",
        "",
        "\ud800",
        '"]',
        "\n",
    ],
)
def test_a_name_may_be_anything(name, here):
    save_checkpoint([{"name": name, "data": Tensor([1.0])}], "named")
    assert {n: p.tolist() for n, p in load_checkpoint("named.ckpt").items()} == {name: [1.0]}
    assert os.listdir(here) == ["named.ckpt"]


def test_names_that_differ_in_a_nul_alone_are_two():
    save_checkpoint({"w": Tensor([1.0]), "w\0": Tensor([2.0])}, "two", append_dict={"w\0\0": "x\0"})
    loaded = load_checkpoint("two.ckpt")
    assert loaded.pop("w\0\0") == "x\0"
    assert {n: p.tolist() for n, p in loaded.items()} == {"w": [1.0], "w\0": [2.0]}


@pytest.mark.parametrize(
    "value",
    [0.1, 1e-320, -0.0, float("inf"), 5, -(2**63), 2**63 - 1, 0, True, False, "", "a\0", "größe",
     "\ud800", "1"],
)  # fmt: skip
def test_plain_values_come_back_as_what_they_were(value):
    save_checkpoint(Net(), "net", append_dict={"value": value})
    back = load_checkpoint("net.ckpt")["value"]
    assert (type(back), back, repr(back)) == (type(value), value, repr(value))


def test_a_nan_comes_back_and_numbers_of_numpy_come_back_as_those_of_python():
    save_checkpoint({}, "net", append_dict={"nan": float("nan"), "double": np.float64(0.1)})
    loaded = load_checkpoint("net.ckpt")
    assert np.isnan(loaded["nan"])
    assert (type(loaded["double"]), loaded["double"]) == (float, 0.1)


def test_a_tensor_in_append_dict_comes_back_as_a_parameter():
    save_checkpoint(Net(), "net", append_dict={"t": Tensor(np.array([0.1]))})
    back = load_checkpoint("net.ckpt")["t"]
    assert (type(back), back.name, back.dtype, back.tolist()) == (Parameter, "t", ms.float64, [0.1])


def test_a_trained_network_goes_on_from_its_checkpoint():
    def made():
        net = nn.SequentialCell(
            nn.Dense(2, 3, weight_init="ones"), nn.BatchNorm1d(3), nn.Dense(3, 1, bias_init="ones")
        )
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
        return step.set_train()

    x, y = Tensor([[1.0, 2.0], [3.0, -5.0], [0.5, 0.0]]), Tensor([[1.0], [2.0], [0.0]])
    first = made()
    first(x, y)
    save_checkpoint(first, "step", append_dict={"epoch": 1})
    wanted = [first(x, y).item() for _ in range(3)]
    second = made()
    missing, unused = load_param_into_net(second, load_checkpoint("step.ckpt"))
    assert (missing, unused) == ([], ["epoch"])
    assert [second(x, y).item() for _ in range(3)] == wanted


def test_what_is_loaded_is_no_part_of_what_was_saved():
    net = Net()
    save_checkpoint(net, "net")
    loaded = load_checkpoint("net.ckpt", net)
    net.w.set_data(Tensor([9.0]))
    assert loaded["w"].tolist() == [5.0]
    loaded["w"].array[...] = 1.0
    assert net.w.tolist() == [9.0]


def test_path_objects_and_folders(here):
    (here / "folder.ckpt").mkdir()
    save_checkpoint(Net(), here / "folder.ckpt" / "net")
    assert "fc.bias" in load_checkpoint(here / "folder.ckpt" / "net.ckpt")
    with pytest.raises(ValueError, match=r"there is no checkpoint file .*folder\.ckpt"):
        load_checkpoint(here / "folder.ckpt")
    with pytest.raises(FileNotFoundError, match=r"there is no directory 'nowhere'; make it first"):
        save_checkpoint(Net(), os.path.join("nowhere", "net.ckpt"))


@pytest.mark.parametrize("name", ["folder", "folder.ckpt"])
def test_a_directory_is_not_written_over(name, here):
    (here / "folder.ckpt").mkdir()
    with pytest.raises(IsADirectoryError, match=r"^save_checkpoint: 'folder\.ckpt' is a directory"):
        save_checkpoint(Net(), name)
    assert os.listdir(here) == ["folder.ckpt"]


def test_a_file_is_replaced_in_one_step_or_not_at_all(here, monkeypatch):
    save_checkpoint(Net(), "net")
    before = (here / "net.ckpt").read_bytes()

    def full(file, **arrays):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space left"):
        save_checkpoint({"other": Tensor([1.0])}, "net")
    assert (here / "net.ckpt").read_bytes() == before
    assert os.listdir(here) == ["net.ckpt"]


def test_nothing_is_written_if_something_cannot_be_saved(here):
    with pytest.raises(TypeError, match="'b': a list"):
        save_checkpoint({"a": Tensor([1.0]), "b": [1.0]}, "net")
    assert os.listdir(here) == []


def test_a_file_runs_nothing(here):
    class Evil:
        def __reduce__(self):
            return os.mkdir, ("evil",)

    np.savez(here / "objects.npz", minigrad_names=np.array(["0"]), **{"0": np.array([Evil()])})
    (here / "objects.npz").rename("objects.ckpt")
    (here / "pickle.ckpt").write_bytes(pickle.dumps(Evil()))
    for name in ("objects.ckpt", "pickle.ckpt"):
        with pytest.raises(ValueError, match=rf"'{name}' is damaged, or it is no checkpoint"):
            load_checkpoint(name)
    assert not (here / "evil").exists()


@pytest.mark.parametrize("kind", ["empty", "text", "cut", "changed"])
def test_a_damaged_file_says_so(kind, here):
    save_checkpoint({"x": Tensor(np.arange(1000.0))}, "net")
    content = (here / "net.ckpt").read_bytes()
    start = content.index(np.arange(1000.0)[500:510].tobytes())  # inside the values
    broken = {
        "empty": b"",
        "text": b"hello",
        "cut": content[: len(content) // 2],
        "changed": content[:start] + bytes([content[start] ^ 1]) + content[start + 1 :],
    }[kind]
    (here / "net.ckpt").write_bytes(broken)
    net = nn.Dense(1, 1)
    with pytest.raises(ValueError, match=r"'net\.ckpt' is damaged, or it is no checkpoint that"):
        load_checkpoint("net.ckpt", net)


@pytest.mark.parametrize(
    "entries",
    [
        {"weight": np.ones(2)},
        {"minigrad_names": names_of(["a"], ["b"]), "0": np.ones(2)},
        {"minigrad_names": names_of([1], [2]), "0": np.ones(2), "1": np.ones(2)},
        {"minigrad_names": names_of(["a"]), "0": np.ones(2, complex)},
        {"minigrad_names": names_of(["a"]), "0": np.array(["x", "y"])},
        {"minigrad_names": names_of("a"), "0": np.ones(2)},
        {"minigrad_names": names_of(["a", [1.0]])},
        {"minigrad_names": names_of(["a", 1, 2])},
        {"minigrad_names": np.array(["a"]), "0": np.ones(2)},
    ],
    ids=["npz", "missing", "numbers", "complex", "texts", "one", "list", "three", "array"],
)
def test_an_npz_that_is_no_checkpoint_says_so(entries, here):
    np.savez(here / "other.npz", **entries)
    (here / "other.npz").rename("other.ckpt")
    with pytest.raises(ValueError, match="is damaged, or it is no checkpoint that minigrad wrote"):
        load_checkpoint("other.ckpt")


def test_a_checkpoint_is_an_npz_that_numpy_reads(here):
    save_checkpoint(Net(), "net")
    with zipfile.ZipFile("net.ckpt") as file:
        assert file.testzip() is None
    with np.load("net.ckpt", allow_pickle=False) as content:
        names = json.loads(content["minigrad_names"].tobytes())
        assert names == [["w"], ["fc.weight"], ["fc.bias"]]
        assert content["0"].tolist() == [5.0]


# --- into a net
def test_a_value_that_does_not_fit_leaves_the_net_as_it_was():
    net = Net()
    save_checkpoint(net, "net")
    given = load_checkpoint("net.ckpt")
    given["w"] = Parameter(Tensor([7.0]))
    for bad, words in (
        (Tensor(np.ones((3, 3), np.float32)), r"fc\.weight has shape \(3, 2\) in the net, but \(3"),
        (Tensor(np.ones((3, 2), np.int64)), r"fc\.weight is Float32 in the net, but Int64 in par"),
    ):
        given["fc.weight"] = Parameter(bad)
        with pytest.raises(RuntimeError, match=words):
            load_param_into_net(net, given)
        assert net.w.tolist() == [5.0]


def test_strict_load_wants_the_very_dtype_and_the_very_names():
    net = Net()
    double = {"w": Parameter(Tensor(np.array([7.0])))}
    with pytest.raises(RuntimeError, match=r"but Float64 .*strict_load=False converts it"):
        load_param_into_net(net, double, strict_load=True)
    with pytest.warns(UserWarning, match=r"no value for fc\.weight, fc\.bias of Net"):
        assert load_param_into_net(net, double) == (["fc.weight", "fc.bias"], [])
    assert (net.w.dtype, net.w.tolist()) == (ms.float32, [7.0])


@pytest.mark.filterwarnings("ignore:load_param_into_net")
def test_one_prefix_is_left_out_for_the_whole_net():
    def given(**values):
        return {n.replace("_", "."): Parameter(Tensor(v)) for n, v in values.items()}

    net = Net()
    missing, unused = load_param_into_net(net, given(a_w=[1.0], b_w=[2.0], b_fc_bias=[3.0] * 3))
    assert (missing, unused) == (["fc.weight"], ["a.w"])
    assert (net.w.tolist(), net.fc.bias.tolist()) == ([2.0], [3.0] * 3)
    both = given(w=[4.0], b_w=[2.0], b_fc_bias=[6.0] * 3)
    assert load_param_into_net(net, both) == (["fc.weight"], ["b.w"])  # the full name first
    assert (net.w.tolist(), net.fc.bias.tolist()) == ([4.0], [6.0] * 3)
    assert load_param_into_net(net, {"xw": Parameter(Tensor([9.0]))})[1] == ["xw"]  # no prefix
    assert net.w.tolist() == [4.0]


def test_plain_values_are_passed_over():
    net = nn.ReLU()
    save_checkpoint(Net(), "net", append_dict={"note": "from the first run"})
    loaded = load_checkpoint("net.ckpt")
    assert loaded["note"] == "from the first run"
    assert load_param_into_net(net, loaded)[1] == ["w", "fc.weight", "fc.bias", "note"]
    numbers = {"epoch": 5, "lr": 0.1, "best": True}
    save_checkpoint(Net(), "net", append_dict=numbers)
    assert load_param_into_net(Net(), load_checkpoint("net.ckpt")) == ([], list(numbers))


# --- what is refused
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: save_checkpoint(5, "a"), TypeError, "a Cell, a list or a dict .* got a int"),
        (lambda: save_checkpoint(Net(), 5), TypeError, "needs the name of a file, but got a int"),
        (lambda: save_checkpoint(Net(), ""), ValueError, "but got an empty one"),
        (lambda: save_checkpoint([5], "a"), TypeError, 'or {"name": "w", "data": w}, but got 5'),
        (lambda: save_checkpoint([{"name": "x"}], "a"), TypeError, "but got {'name': 'x'}"),
        (lambda: save_checkpoint({5: Tensor(1)}, "a"), TypeError, "must be strings, but got 5"),
        (lambda: save_checkpoint({"x": np.ones(1)}, "a"), TypeError, "'x': a ndarray"),
        (lambda: save_checkpoint(Net(), "a", append_dict=5), TypeError, "append_dict must be a"),
        (lambda: save_checkpoint(Net(), "a", append_dict={"e": [1]}), TypeError, "'e' is a list"),
        (
            lambda: save_checkpoint(Net(), "a", append_dict={"e": 2**70}),
            ValueError,
            "'e' is out of",
        ),
        (lambda: save_checkpoint(Net(), "a", append_dict={"w": 1}), ValueError, "named 'w'"),
        (lambda: save_checkpoint(Net(), "a", format="safetensors"), ValueError, "the npz of numpy"),
        (lambda: save_checkpoint(Net(), "a", enc_key=b"x"), ValueError, "no encryption"),
        (lambda: save_checkpoint(Net(), "a", async_save="x"), ValueError, "async_save must be"),
        (lambda: load_checkpoint("a"), ValueError, r'ends with "\.ckpt", but got \'a\''),
        (lambda: load_checkpoint("a.ckpt"), ValueError, r"there is no checkpoint file 'a\.ckpt'"),
        (lambda: load_checkpoint(5), TypeError, "needs the name of a file"),
        (lambda: load_checkpoint("a.ckpt", dec_key=b"x"), ValueError, "no encryption"),
        (lambda: load_param_into_net(5, {}), TypeError, "net must be a Cell, not a int"),
        (lambda: load_param_into_net(Net(), 5), TypeError, "parameter_dict must be a dict"),
        (lambda: load_param_into_net(Net(), {"w": 5}), TypeError, "'w' is a int; make it one"),
        (lambda: load_param_into_net(Net(), {"w": "x"}), TypeError, "'w' is a str; make it one"),
        (lambda: load_param_into_net(Net(), {"v": [5]}), TypeError, "'v' is a list; make it one"),
        (lambda: load_param_into_net(Net(), {5: 1}), TypeError, "must be strings, but got 5"),
        (lambda: load_param_into_net(Net(), {}, "y"), TypeError, "strict_load must be True or F"),
    ],
)
def test_what_cannot_be_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"filter_prefix": 5}, TypeError, "a prefix must be a string, or a list of strings"),
        ({"specify_prefix": ["a", 5]}, TypeError, "a prefix must be a string"),
        ({"filter_prefix": ""}, ValueError, "a prefix must not be empty"),
        ({"specify_prefix": [""]}, ValueError, "a prefix must not be empty"),
        ({"specify_prefix": "nope"}, ValueError, r"nothing is left to load of 'net\.ckpt'"),
        ({"choice_func": lambda name: False}, ValueError, "nothing is left to load"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(given, error, words):
    save_checkpoint(Net(), "net")
    with pytest.raises(error, match=words):
        load_checkpoint("net.ckpt", **given)


def test_two_parameters_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two values to save are named 'x'"):
        save_checkpoint([{"name": "x", "data": Tensor(1.0)}] * 2, "a")
