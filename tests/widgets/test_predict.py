"""A stepper that asks first: what it asks, what it explains, and that it gives nothing away."""

from __future__ import annotations

import base64
import json
import math
import re
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
import traitlets

from minigrad import Tensor, ops
from minigrad_widgets import export_html, step_backward
from minigrad_widgets.sealed import seal, tag, token, tokens_near, unseal


def f(a, b):
    return a * b + ops.sin(a)


A, B = 1.2345, -3.2468  # da = b + cos a = -2.917, db = a


def words(html: str) -> str:
    """The text of a sentence."""
    return re.sub(r"<[^>]*>", "", html)


def asking() -> Any:
    return step_backward(f, A, B, predict=True)


def answer(widget: Any, x: float | str, tries: int = 1, shown: bool = False) -> None:
    """Answer the question that is open, as the page does."""
    given = {"answer": x if isinstance(x, str) else token(x), "tries": tries, "shown": shown}
    widget.given = [*widget.given, given]


def explained(widget: Any, i: int, x: float | str) -> str | None:
    """What the page would say to a wrong answer of question i."""
    opened = question(widget, i)
    wrong = tag(f"{widget.quiz['salt']}|{i}", x if isinstance(x, str) else token(x))
    return opened["mistakes"].get(wrong)


def question(widget: Any, i: int) -> dict[str, Any]:
    """Question i, as the page has it when the ones before are answered."""
    opened = widget.quiz["question"]
    for k in range(i):
        right = widget._quiz.questions[k].answers[0]
        opened = unseal(f"{widget.quiz['salt']}|{k}", right, widget.quiz["sealed"][k])["question"]
    return opened


def test_it_asks_for_each_step() -> None:
    widget = asking()
    prompts = [words(question(widget, i)["prompt"]) for i in range(3)]
    assert [re.sub(r"line \d+", "line N", prompt) for prompt in prompts] == [
        "Step 1 of 3. add (line N) is next. What is v¯2 after this step?",
        "Step 2 of 3. sin (line N) is next. What is a¯ after this step?",
        "Step 3 of 3. multiply (line N) is next. What is a¯ after this step?",
    ]


def test_a_right_answer_opens_its_step_and_the_next_question() -> None:
    widget = asking()
    sealed = widget.quiz["sealed"][0]
    content = unseal(f"{widget.quiz['salt']}|0", token(1.0), sealed)
    assert [step["number"] for step in content["steps"]] == [1]
    assert content["question"]["number"] == 2
    assert unseal(f"{widget.quiz['salt']}|0", token(2.0), sealed) is None
    assert [step["number"] for step in widget.steps] == [0]


def test_known_mistakes_are_explained() -> None:
    """At the last step -0.917 is there: b arrives, and g is 1. At the step before, only g is."""
    widget = asking()
    there = math.cos(A)
    assert "had arrived before" in explained(widget, 2, B)
    assert "was there before" in explained(widget, 2, there)
    assert "goes to b" in explained(widget, 2, there + A)
    assert "as it came" in explained(widget, 2, there + 1)
    assert "the sign is not" in explained(widget, 2, -(there + B))
    assert "other sign" in explained(widget, 2, there - B)
    assert "as it came" in explained(widget, 1, 1.0)
    assert "wants its slope" in explained(widget, 1, math.sin(A))
    assert explained(widget, 2, 77.7) is None


def test_forgetting_g_and_forgetting_to_add_what_broadcasting_used() -> None:
    """w is used in both rows: 4 x = 4 and 12 add to 16; without g, 1 and 3 to 4."""

    def loss(x, w):
        return ops.sum(x * w * 4.0)

    x, w = Tensor([[1.0], [3.0]]), Tensor([5.0])
    widget = step_backward(loss, x, w, predict=True, grad_position=1)
    last = len(widget.quiz["sealed"]) - 1
    assert unseal(f"{widget.quiz['salt']}|{last}", token(16.0), widget.quiz["sealed"][last])
    assert "multiply it by the gradient" in explained(widget, last, 4.0)
    assert "again and again" in explained(widget, last, 12.0)


def test_rows_and_columns_swapped() -> None:
    """The gradient of the sum of w x w' entries is told from its mirror image."""

    def loss(x):
        return ops.sum(x * Tensor([[1.0, 2.0], [30.0, 4.0]]))

    widget = step_backward(loss, Tensor(np.ones((2, 2), np.float32)), predict=True)
    entry = question(widget, 1)["entry"]
    wrong = {(0, 1): 30.0, (1, 0): 2.0}[tuple(entry)]
    assert f"the entry at {entry[::-1]}" in explained(widget, 1, wrong)


def test_of_a_big_array_the_rule_is_asked() -> None:
    """x̄ = z̄ wᵀ, among the rule without z̄, the one without the transpose, and that of w."""
    rng = np.random.default_rng(0)

    def loss(x, w):
        return ops.sum(x @ w)

    args = rng.normal(size=(30, 20)), rng.normal(size=(20, 8))
    widget = step_backward(loss, *args, predict=True)
    asked = question(widget, 1)
    options = [words(option) for option in asked["options"]]
    assert sorted(options) == sorted(["x¯=1@w⊤", "x¯=v¯2@w", "x¯=v¯2@w⊤", "x¯=x⊤@v¯2"])
    assert unseal(
        f"{widget.quiz['salt']}|1", str(options.index("x¯=v¯2@w⊤")), widget.quiz["sealed"][1]
    )
    assert "goes to w" in explained(widget, 1, str(options.index("x¯=x⊤@v¯2")))
    assert "shapes" in explained(widget, 1, str(options.index("x¯=v¯2@w")))


def secrets_of(widget: Any) -> list[str]:
    """How the gradients of f that are not in the program would be written."""
    numbers = [float(step.parts[0].total) for step in widget.run.steps[1:]]
    numbers += [float(step.parts[0].dx) for step in widget.run.steps[1:2]]
    texts = [f"{x:.4g}" for x in numbers] + [repr(x)[:7] for x in numbers]
    return [*texts, *(text.replace("-", "−") for text in texts)]


def test_nothing_that_travels_holds_an_answer_not_yet_given(tmp_path: Any) -> None:
    """Not the state, not the saved picture and text, not the exported file; after it, all do."""
    widget = asking()
    hidden = secrets_of(widget)
    for _ in range(2):
        bundle = widget._repr_mimebundle_()
        page = export_html(widget, tmp_path / "page.html").read_text(encoding="utf-8")
        state = {k: v for k, v in widget.get_state().items() if k not in ("_esm", "_css")}
        told = [json.dumps(state, default=str, ensure_ascii=False), json.dumps(bundle), page]
        told += [str(base64.b64decode(each["content"])) for each in widget.quiz["sealed"][1:]]
        for text in [*told, widget.to_svg(), widget.to_text(), repr(widget)]:
            assert not [each for each in hidden if each in text]
        if not widget.given:
            answer(widget, 1.0)  # of the add, which is no secret
    answer(widget, math.cos(A))
    answer(widget, math.cos(A) + B)
    for text in (widget.to_svg(), widget.to_text()):
        assert [each for each in hidden if each in text]


def test_the_static_forms_show_what_was_answered() -> None:
    widget = asking()
    assert "step 1 is asked next" in widget.to_text()
    assert widget.to_svg().count("g = ") == 1  # of the output, where the sweep starts
    answer(widget, 1.0)
    assert "step 2 is asked next" in widget.to_text()
    assert "add" in widget.to_text()
    assert widget.to_svg().count("g = ") == 3
    answer(widget, math.cos(A))
    answer(widget, math.cos(A) + B)
    assert "gradient of a: -2.917" in widget.to_text()


def test_the_score_counts_first_tries() -> None:
    widget = asking()
    assert widget.score == (0, 0)
    answer(widget, 1.0)
    answer(widget, math.cos(A), tries=3)
    answer(widget, math.cos(A) + B, tries=1, shown=True)
    assert widget.score == (1, 3)


def test_a_step_waits_for_its_answer_and_wrong_answers_are_refused() -> None:
    widget = asking()
    widget.step = 1
    with pytest.raises(traitlets.TraitError, match="answer it first"):
        widget.step = 2
    with pytest.raises(traitlets.TraitError, match="holds the right answers; its entry 0 is none"):
        answer(widget, 5.0)
    assert widget.given == []
    answer(widget, 1.0)
    widget.step = 2


def test_only_the_open_question_is_told() -> None:
    """The page may give up on the question that is asked, and on no later one."""
    widget, sent = asking(), []
    widget.send = lambda content, buffers=None: sent.append(content)
    for number in (1, 0, "0", None):
        widget._tell(widget, {"show": number}, [])
    assert sent == [{"shown": 0, "answer": token(1.0)}]


def test_two_widgets_have_their_own_salt() -> None:
    """So that who has answered one cannot compare the hashes."""
    one, two = asking().quiz, asking().quiz
    assert not set(one["sealed"][0]["keys"]) & set(two["sealed"][0]["keys"])


@pytest.mark.parametrize("x", [3.0, -0.25, 1e-7, 123456.0, -1.0])
def test_an_answer_may_be_one_percent_off(x: float) -> None:
    near = tokens_near(x)
    assert all(token(x * share) in near for share in (0.991, 1.0, 1.009))
    assert all(token(x * share) not in near for share in (0.975, 1.025, -1.0))
    assert "0" not in near


def test_what_is_no_usual_number() -> None:
    assert [token(x) for x in (0.0, -0.0, math.nan, math.inf, -math.inf)] == [
        "0", "0", "nan", "+inf", "-inf"
    ]  # fmt: skip
    assert tokens_near(1e-9, zero=1e-6) == ["0"]


def test_the_seal_is_a_seal() -> None:
    """The content comes back with an answer, and its bytes are nowhere in what travels."""
    sealed = seal("salt", ["+1", "+2"], {"x̄": "secret"})
    assert unseal("salt", "+2", sealed) == {"x̄": "secret"}
    assert unseal("pepper", "+2", sealed) is None
    assert "secret" not in json.dumps(sealed)
    assert b"secret" not in base64.b64decode(sealed["content"])
    assert tag("salt", "+1") == sha256(b"salt|+1|tag").hexdigest()[:16]
