"""The benchmarks do the work that they say, and count right. Nothing here is timed."""

import json
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(FOLDER))  # a folder of scripts, which import each other by name

import growth  # noqa: E402  # only now can it be found
import importing  # noqa: E402  # only now can it be found
import measure  # noqa: E402  # only now can it be found
import memory  # noqa: E402  # only now can it be found
import page_faults  # noqa: E402  # only now can it be found
import run  # noqa: E402  # only now can it be found

SMALL = {
    "chain": {"ops": 12, "size": 3},
    "mlp": {"samples": 5, "widths": (6, 16, 12, 3)},
    "large_array": {"rows": 4, "columns": 3},
    "scalars": {"ops": 10},
    "logistic_hessian": {"samples": 7, "weights": 4},
    "rnn": {"steps": 3, "samples": 2, "n_in": 3, "hidden": 4, "n_out": 2},
    "cnn": {"samples": 3, "size": 14, "channels": (2, 3, 4), "window": 3, "widths": (6, 5, 3)},
}


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    """What a run sets for its processes ends with the test."""
    for name, value in measure.ONE_THREAD.items():
        monkeypatch.setenv(name, value)


def results(name, contender):
    return measure.first_results(measure.step_of(run.WORKLOADS[name], contender, **SMALL[name]))


def test_each_workload_has_a_small_instance():
    assert set(SMALL) == set(run.WORKLOADS)


@pytest.mark.parametrize(
    ("name", "peer"),
    [(n, p) for n, w in run.WORKLOADS.items() for p in measure.peers([w])],
)
def test_gradients_agree_with_numpy_by_hand(name, peer):
    pytest.importorskip(peer.removesuffix("_jit"))
    got, expected = results(name, peer), results(name, measure.BY_HAND)
    for arrays, others in zip(got, expected, strict=True):
        for a, b in zip(arrays, others, strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-6)
            assert not peer.startswith("minigrad") or a.dtype == b.dtype == np.float32


def test_numpy_by_hand_agrees_with_finite_differences():
    """Of the chain and of the network; the others are held to them by the engines."""
    inputs = run.chain.inputs(**SMALL["chain"]) | {"c": 1.01, "d": 0.001}
    x = inputs.pop("x").astype(float)
    _, g = run.chain.by_hand(x, **inputs)()
    for i, dx in enumerate(np.eye(3) * 1e-6):
        higher, lower = (run.chain.by_hand(x + s * dx, **inputs)()[0] for s in (1, -1))
        assert g[i] == pytest.approx((higher - lower) / 2e-6, rel=1e-6)

    inputs = run.mlp.inputs(**SMALL["mlp"])
    weights = [w.astype(float) for w in inputs.pop("weights")]
    _, *gradients = run.mlp.by_hand(**inputs, weights=weights)()
    for w, g in zip(weights, gradients, strict=True):
        for place in np.ndindex(w.shape):
            losses = []
            for shift in (1e-6, -2e-6, 1e-6):
                w[place] += shift
                losses.append(run.mlp.by_hand(**inputs, weights=weights)()[0])
            assert g[place] == pytest.approx((losses[0] - losses[1]) / 2e-6, rel=1e-5, abs=1e-8)


def test_the_hessian_by_hand_agrees_with_finite_differences():
    inputs = run.logistic_hessian.inputs(**SMALL["logistic_hessian"])
    x, y, w = (inputs[name].astype(float) for name in "xyw")

    def slope(w):
        return -(y / (1 + np.exp(y * (x @ w)))) @ x / len(y)

    (found,) = run.logistic_hessian.by_hand(x, y, w)()
    for row, dw in zip(found, np.eye(len(w)) * 1e-6, strict=True):
        np.testing.assert_allclose(row, (slope(w + dw) - slope(w - dw)) / 2e-6, rtol=1e-6)


def test_training_changes_the_weights():
    first, second, _ = results("mlp", "minigrad")
    assert abs(first[0] - second[0]) > 1e-3
    inputs = run.mlp.inputs(**SMALL["mlp"])
    for w, g in zip(inputs["weights"], first[1:], strict=True):
        w -= np.float32(0.1) * g
    loss, *_ = run.mlp.by_hand(**inputs)()
    np.testing.assert_allclose(second[0], loss, rtol=1e-5)


# -------------------------------------------------------------------------------- arithmetic
@pytest.mark.parametrize("contender", ["minigrad", "minigrad_jit"])
@pytest.mark.parametrize("name", ["mlp", "cnn", "large_array"])
def test_a_step_takes_no_more_memory_than_by_hand(name, contender):
    workload = run.WORKLOADS[name]
    by_hand = memory.peak(workload, measure.BY_HAND)
    assert memory.peak(workload, contender) <= 1.1 * by_hand


def test_a_program_of_many_steps_keeps_little_of_them():
    """In a process of its own: what measures coverage keeps something for each line that runs."""
    code = "import memory, rnn; print(*(memory.peak(rnn, 'minigrad' + x) for x in ('', '_jit')))"
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True)
    eager, jit = map(int, told.stdout.split())
    assert jit <= 1.5 * eager


def test_growth_measures_the_work_that_it_names(monkeypatch):
    monkeypatch.setattr(growth, "SIZES", {kind: sizes[:2] for kind, sizes in growth.SIZES.items()})
    found = growth.measure()
    assert found.keys() == growth.SIZES.keys()
    assert found["boxes in a picture"].keys() == {"minigrad"}
    assert all(t > 0 for each in found.values() for times in each.values() for t in times)
    for kind, sizes in growth.SIZES.items():
        steps = growth.steps(kind, sizes[0])
        assert all(callable(step) for step in steps.values())
    drawn = growth.steps("boxes in a picture", 10)["minigrad"]()
    assert drawn.count('data-box="') == 10


def test_page_faults_are_counted_in_a_process_that_keeps_its_memory():
    pytest.importorskip("resource", reason="Windows has no count of page faults")
    milliseconds, faults = page_faults.in_a_process("large_array", "by_hand", keep=True, steps=3)
    assert milliseconds > 0
    assert faults >= 0


def test_ratios_pair_the_samples_of_a_round():
    found = measure.ratios({"by_hand": [1.0, 2.0, 4.0], "minigrad": [3.0, 8.0, 8.0]})
    assert found["minigrad"] == {"ratio": 3.0, "low": 2.5, "high": 3.5}  # of 3, 4 and 2
    assert found["by_hand"] == {"ratio": 1.0, "low": 1.0, "high": 1.0}


def test_a_machine_that_slows_down_changes_no_ratio():
    def timer(cost):
        asked = count(1)
        return lambda repeats: cost * repeats * next(asked)

    found = measure.times({"by_hand": timer(0.02), "minigrad": timer(0.06)}, 0)
    assert found["by_hand"][-1] > 2 * found["by_hand"][0]
    assert measure.ratios(found)["minigrad"]["ratio"] == pytest.approx(3)


@pytest.mark.parametrize(("seconds", "rounds"), [(0, 5), (1e9, 101)])
def test_there_are_enough_rounds_and_not_too_many(seconds, rounds):
    found = measure.times({"by_hand": lambda repeats: repeats}, seconds)
    assert found == {"by_hand": [1.0] * rounds}


def test_a_short_step_is_repeated():
    asked = []

    def timer(repeats):
        asked.append(repeats)
        return repeats * 1e-3

    assert measure.times({"by_hand": timer}, 0)["by_hand"] == pytest.approx([1e-3] * 5)
    assert asked[-5:] == [20] * 5  # 20 steps of a millisecond


def test_faults_are_found():
    def step(*arrays):
        return [[np.array(a, np.float32) for a in arrays]]

    right = step(2.0, [1.0, 1000.0])
    assert measure.fault(step(2.0, [1.5, 1000.0]), right) is None  # a part of the largest, 1000
    assert measure.fault(step(2.0, [1.0, 1002.0]), right) == "step 1: gradient 1 is off by 2.0e-03"
    assert measure.fault(step(2.1, [1.0, 1000.0]), right) == "step 1: the value is off by 5.0e-02"
    assert measure.fault(step(np.nan, [1.0, 1000.0]), right) == "step 1: the value is off by nan"
    assert measure.fault(step(2.0, [[1.0, 1000.0]]), right).startswith(
        "step 1: the shapes should be"
    )
    assert measure.fault("TypeError: no", right) == "TypeError: no"


def test_peers_are_those_that_a_workload_has_and_split_by_what_is_installed():
    workload = SimpleNamespace(by_hand=None, with_json=None, with_no_such_engine=None)
    names = measure.peers([workload, SimpleNamespace(with_json=None)])
    assert measure.split_by_installed(names) == (["json"], ["no_such_engine"])


def test_a_module_is_imported_in_a_new_process_each_time(tmp_path, monkeypatch):
    (tmp_path / "loud.py").write_text("open('log', 'a').write('loaded\\n')\n")
    monkeypatch.chdir(tmp_path)
    assert importing.timer("loud")(3) > 0
    assert Path("log").read_text() == "loaded\n" * 3


# ------------------------------------------------------------------------------------ what is shown
def test_table_shows_ratio_spread_goal_and_what_was_not_timed():
    times = {"by_hand": [1.0, 2.0, 4.0], "minigrad": [3.0, 8.0, 8.0]}
    result = {"ratios": measure.ratios(times), "seconds": times, "faults": {"autograd": "is off"}}
    workload = SimpleNamespace(__doc__="The work.\n\nMore.", GOAL=3.0)
    title, by_hand, minigrad, autograd = run.table(workload, result).splitlines()[1:]
    assert title == "The work."
    assert by_hand.split() == ["by", "hand", "1.00", "2000.000"]
    assert minigrad.split() == ["minigrad", "3.00", "2.50", "to", "3.50", "3.00", "met", "8000.000"]
    assert autograd.split() == ["autograd", "not", "timed:", "is", "off"]
    workload.GOAL = 2.9
    assert "2.90 missed" in run.table(workload, result)


def test_heading_names_what_is_skipped():
    about = run.about(["minigrad"], ["no_such_engine"])
    assert "skipped: no_such_engine (not installed)" in run.heading(about)
    assert f"numpy {np.__version__}" in run.heading(about)


def test_a_run_prints_its_table_and_writes_its_numbers(tmp_path, capfd):
    out = tmp_path / "out.json"
    assert run.main(["chain", "--seconds", "0", "--out", str(out)]) == 0
    printed = capfd.readouterr().out
    assert run.chain.__doc__.splitlines()[0] in printed
    found = json.loads(out.read_text())
    assert found["about"]["versions"]["numpy"] == np.__version__
    chain = found["workloads"]["chain"]
    assert len(chain["seconds"]["minigrad"]) >= measure.FEWEST_ROUNDS
    assert chain["faults"] == {}
    assert chain["ratios"] == measure.ratios(chain["seconds"])


def test_what_is_wrong_or_fails_is_reported_and_not_timed(tmp_path, monkeypatch):
    (tmp_path / "odd.py").write_text(
        "GOAL = None\n"
        "inputs = dict\n"
        "by_hand = lambda: lambda: (1.0, 2.0)\n"
        "with_wrong = lambda: lambda: (1.0, 3.0)\n"
        "with_broken = lambda: 1 / 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)  # the processes that are started inherit it
    import odd

    result = run.run(odd, ["wrong", "broken", "absent"], 0)
    assert result["faults"] == {
        "wrong": "step 1: gradient 1 is off by 5.0e-01",
        "broken": "ZeroDivisionError: division by zero",
    }
    assert set(result["ratios"]) == {"by_hand"}


def test_an_unknown_workload_is_refused_by_name(capsys):
    with pytest.raises(SystemExit):
        run.main(["chains"])
    assert "there is no workload chains; there are chain, mlp" in capsys.readouterr().err
