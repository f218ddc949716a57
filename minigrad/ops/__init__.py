"""The functions and Primitive classes that MindSpore programs call, by MindSpore's names.

Most are ops of the catalogue (``minigrad.rules``) under another name. The others are put together
from those in a line or two, so their gradients need no rules.
"""

from ..batch import vmap
from ..jacobian import jacfwd, jacrev, jvp, linearize
from ..taylor import derivative, jet
from ..transform import GradOperation, get_grad, grad, value_and_grad, vjp
from .activation import *
from .arrange import *
from .arrange import slice_ as slice
from .clipping import *
from .composed import *
from .conv import *
from .create import *
from .elementwise import *
from .hooks import *
from .index import *
from .layers import *
from .linalg import *
from .linear import *
from .loss import *
from .mapping import *
from .margins import *
from .normalize import *
from .order import *
from .pool import *
from .primitives import *
from .random import *
from .reduce import *
from .resize import *
from .shape import *
from .write import *
