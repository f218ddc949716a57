"""The functions and Primitive classes that MindSpore programs call, by MindSpore's names.

Most are ops of the catalogue (``minigrad.rules``) under another name. The others are put together
from those in a line or two, so their gradients need no rules.
"""

from importlib import import_module as _import_module

from ..batch import vmap
from ..compat import add_paths as _add_paths
from ..jacobian import jacfwd, jacrev, jvp, linearize
from ..taylor import derivative, jet
from ..transform import GradOperation, get_grad, grad, value_and_grad, vjp
from .accumulate import *
from .activation import *
from .arrange import *
from .clipping import *
from .composed import *
from .conv import *
from .create import *
from .elementwise import *
from .extremes import *
from .index import *
from .joining import *
from .linalg import *
from .linear import *
from .loss import *
from .mapping import *
from .margins import *
from .normalize import *
from .order import *
from .pool import *
from .random import *
from .reduce import *
from .resize import *
from .segments import *
from .shape import *
from .stacking import *
from .stacking import slice_ as slice
from .variables import *
from .write import *

_add_paths(__name__)


def _make_primitives() -> None:
    for module in ("primitives", "layers", "hooks"):
        made = vars(_import_module(f".{module}", __name__))
        globals().update({name: made[name] for name in made["__all__"]})


def __getattr__(name: str):
    """Python asks here for a name that is not there, such as ``ReLU``, or ``__all__`` for ``*``.

    The Primitive classes are made then, all at once: most programs need none of them.
    """
    if name == "constexpr":
        return _import_module("minigrad.graph").constexpr
    about_itself = name.startswith("__") and name != "__all__"
    if "Primitive" not in globals() and not about_itself:
        _make_primitives()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    if "Primitive" not in globals():
        _make_primitives()
    return sorted(globals())
