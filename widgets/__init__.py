"""minigrad_widgets: see the graph of a run, and step through its backward pass.

`show_graph(fn, *args)` draws the graph of a real run; `step_backward(fn, *args)` steps through the
sweep that finds its gradients. Both work in JupyterLab, Notebook 7 and marimo, and leave a static
picture and a table in a saved notebook.
"""

from .graph_view import show_graph
from .layout import LayoutError
from .stepper import step_backward

__all__ = ["LayoutError", "show_graph", "step_backward"]
