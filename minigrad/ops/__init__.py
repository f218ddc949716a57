"""The functions and Primitive classes that MindSpore programs call, by MindSpore's names.

Most are ops of the catalogue (``minigrad.rules``) under another name. The others are put together
from those in a line or two, so their gradients need no rules.
"""

from ..transform import GradOperation, grad, value_and_grad, vjp
from .clipping import *
from .conv import *
from .create import *
from .elementwise import *
from .index import *
from .linear import *
from .loss import *
from .margins import *
from .pool import *
from .primitives import *
from .reduce import *
from .shape import *
