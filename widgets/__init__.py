"""minigrad_widgets: see the graph of a run, and step through its backward pass.

`show_graph(fn, *args)` draws the graph of a real run; `step_forward(fn, *args)` steps through the
run, and `step_backward(fn, *args)` through the sweep that finds its gradients. `tangent` measures a
slope with one step after another, `compare_gradients` holds gradients against differences,
`signature_map` draws what a gradient call differentiates, and `training` draws a loss as it falls.
`open_bprop` opens a Cell with a rule of its own, `trace_nan` shows where a NaN is born, and
`show_passes` what graph mode makes of a program.
All take the function's arguments by position and by name; an option of the widget's own wins.
All work in JupyterLab, Notebook 7 and marimo, and leave a static picture and a table in a saved
notebook. `export_html` writes them as one file that needs neither kernel nor network.
"""

from .comparison import compare_gradients
from .export import export_html
from .graph_view import show_graph
from .layout import LayoutError
from .open_bprop_view import open_bprop
from .passes_view import show_passes
from .signature_view import signature_map
from .stepper import step_backward, step_forward
from .tangent_view import tangent
from .trace_nan_view import trace_nan
from .training_view import training

__all__ = [
    "LayoutError", "compare_gradients", "export_html", "open_bprop", "show_graph",
    "show_passes", "signature_map", "step_backward", "step_forward", "tangent", "trace_nan",
    "training",
]  # fmt: skip
