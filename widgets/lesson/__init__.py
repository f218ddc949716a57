"""What a lesson is made of: predictions, exercises that check themselves, and progress.

Each lesson has a module beside this folder, such as `lesson_02`, with a `Lesson` to which its
predictions and exercises are added. They are there and not in the notebook so that nothing is given
away before it is asked for. `python -m minigrad_widgets.lesson` copies, resets and grades lessons.
"""

from .bprop import BpropExercise
from .exercise import Exercise
from .function import FunctionExercise
from .gradient import GradientExercise
from .graph import GraphExercise
from .lesson import Lesson, Still
from .note import Note
from .prediction import Prediction
from .task import TaskExercise
from .value import ValueExercise

__all__ = [
    "BpropExercise", "Exercise", "FunctionExercise", "GradientExercise", "GraphExercise", "Lesson",
    "Note", "Prediction", "Still", "TaskExercise", "ValueExercise",
]  # fmt: skip
