"""What minigrad and real MindSpore 2.10 answer to the same small programs.

`SAME` are answers that minigrad follows, `DIFFERENT` those from which it parts, with the reason.
`semantics.json` holds what MindSpore printed, recorded by `record_semantics.py`; a test runs every
program on minigrad, and `docs/make_differences.py` writes the user's page from both.

Programs say `ms`, `np`, `mnp` (MindSpore's numpy), `nn`, `ops`, `Tensor`, `Parameter`, `grad` and
`_Function` without importing them. An error is printed as its class.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """A case, a program for it, and, where minigrad parts from MindSpore, its answer and why."""

    case: str
    program: str
    prints: str = ""
    why: str = ""


BPROP = "A Cell with bprop"  # the part "my bprop raises here and not there"

SAME = {
    "What grad returns": [
        Row(
            "A dict of outputs counts as well.",
            """
print(grad(lambda x: {"a": x * x, "b": 3 * x})(Tensor([2.0])))""",
        ),
        Row(
            "`jvp`, `jacfwd` and `jacrev` give one aux bare.",
            """
def f(x):
    return x * x, x + 1
x = Tensor([2.0])
print(ms.jvp(f, x, x, has_aux=True)[2])""",
        ),
        Row(
            "One position, as a number or as a tuple: a bare Tensor. Two or more: a tuple.",
            """
x, y = Tensor([2.0]), Tensor([3.0])
print(grad(lambda x, y: x * y, 0)(x, y))
print(grad(lambda x, y: x * y, (0,))(x, y))
print(grad(lambda x, y: x * y, (0, 1))(x, y))""",
        ),
        Row(
            "Weights: as they are given; beside a position, a pair.",
            """
w = Parameter(Tensor([3.0]), name="w")
f = lambda x: x * w
x = Tensor([2.0])
print(grad(f, None, weights=w)(x))
print(grad(f, None, weights=[w])(x))
print(grad(f, 0, weights=[w])(x))
print(grad(f, 0, weights=[])(x))""",
        ),
        Row(
            "Neither a position nor weights.",
            """
grad(lambda x: x, None)(Tensor([1.0]))""",
        ),
        Row(
            "A negative position.",
            """
grad(lambda x: x, -1)(Tensor([1.0]))""",
        ),
        Row(
            "A position that is no integer.",
            """
grad(lambda x: x, 1.5)(Tensor([1.0]))""",
        ),
        Row(
            "A position counts arguments passed by keyword too.",
            """
print(grad(lambda x, y: x * y, 1)(Tensor([2.0]), y=Tensor([3.0])))""",
        ),
        Row(
            "Several outputs: the gradient of their sum. A list counts too.",
            """
print(grad(lambda x: (x * x, 3 * x))(Tensor([2.0])))
print(grad(lambda x: [x * x, 3 * x])(Tensor([2.0])))""",
        ),
        Row(
            "An output that is not one number: the gradient of its sum.",
            """
print(grad(lambda x: x * x)(Tensor([1.0, 2.0, 3.0])))""",
        ),
        Row(
            "`value_and_grad` with aux: the outputs, flat, then the gradient.",
            """
f = lambda x: (x * x, x + 1, x + 2)
print(ms.value_and_grad(f, 0, has_aux=True)(Tensor([2.0])))""",
        ),
        Row(
            "`grad` with aux: the gradient, then a tuple of what else came out.",
            """
print(grad(lambda x: (x * x, x + 1), 0, has_aux=True)(Tensor([2.0])))""",
        ),
        Row(
            "`vjp` gives one aux bare.",
            """
value, pull, aux = ms.vjp(lambda x: (x * x, x + 1), Tensor([2.0]), has_aux=True)
print(value, pull(Tensor([1.0])), aux)""",
        ),
        Row(
            "Aux asked of a function with one output.",
            """
grad(lambda x: x, 0, has_aux=True)(Tensor([1.0]))""",
        ),
        Row(
            "`return_ids` puts a position or a name beside each gradient.",
            """
w = Parameter(Tensor([3.0]), name="w")
print(grad(lambda x: x * x, 0, return_ids=True)(Tensor([2.0])))
print(grad(lambda x: x * w, 0, weights=[w], return_ids=True)(Tensor([2.0])))""",
        ),
        Row(
            "Not used, not related, frozen, constant: zeros of the shape.",
            """
w = Parameter(Tensor([3.0, 4.0]), name="w")
frozen = Parameter(Tensor([3.0]), name="frozen", requires_grad=False)
print(grad(lambda x, y: x * 1, 1)(Tensor([2.0]), Tensor([5.0, 6.0])))
print(grad(lambda x: x * 1, None, weights=w)(Tensor([2.0])))
print(grad(lambda x: x * frozen, None, weights=frozen)(Tensor([2.0])))
print(grad(lambda x: Tensor([7.0]))(Tensor([2.0, 1.0])))""",
        ),
        Row(
            "A gradient has the dtype of its input.",
            """
x, y = Tensor([2.0], ms.float16), Tensor([3.0], ms.float32)
dx, dy = grad(lambda x, y: x * y, (0, 1))(x, y)
print(dx.dtype, dy.dtype)""",
        ),
        Row(
            "A pullback gives a tuple, of one input too.",
            """
print(ms.vjp(lambda x: x * x, Tensor([2.0]))[1](Tensor([1.0])))""",
        ),
        Row(
            "Arguments by name that `**kwargs` takes up count in the order of the call.",
            """
f = lambda x, **kw: x * kw["a"] * kw["b"]
print(grad(f, (0, 1, 2))(Tensor([2.0]), b=Tensor([3.0]), a=Tensor([7.0])))""",
        ),
    ],
    "GradOperation": [
        Row(
            "A gradient to start from, by name.",
            """
f = lambda x: x * x
print(ops.GradOperation(sens_param=True)(f)(Tensor([3.0]), sens=Tensor([10.0])))""",
        ),
        Row(
            "The first input, or all Tensor inputs, others being skipped.",
            """
x, y = Tensor([2.0]), Tensor([3.0])
f = lambda x, k, y: x * k * y
print(ops.GradOperation()(f)(x, 4.0, y))
print(ops.GradOperation(get_all=True)(f)(x, 4.0, y))""",
        ),
        Row(
            "Weights, or both.",
            """
w = Parameter(Tensor([3.0]), name="w")
f = lambda x: x * w
print(ops.GradOperation(get_by_list=True)(f, [w])(Tensor([2.0])))
print(ops.GradOperation(get_all=True, get_by_list=True)(f, [w])(Tensor([2.0])))""",
        ),
        Row(
            "A gradient to start from comes last, or by name.",
            """
f = lambda x: x * x
print(ops.GradOperation(sens_param=True)(f)(Tensor([3.0]), Tensor([10.0])))""",
        ),
        Row(
            "A gradient to start from with another shape.",
            """
ops.GradOperation(sens_param=True)(lambda x: x * x)(Tensor([3.0, 4.0]), Tensor([1.0]))""",
        ),
        Row(
            "The gradient of integers is cast to their dtype.",
            """
print(ops.GradOperation()(lambda x: x * 2.5)(Tensor([1, 2])))""",
        ),
    ],
    "Ties and kinks": [
        Row(
            "minimum and sign; hardtanh at a bound.",
            """
x = Tensor([1.0])
print(grad(lambda x, y: ops.minimum(x, y), (0, 1))(x, x + 0))
print(grad(ops.sign)(Tensor([0.0])), grad(ops.hardtanh)(Tensor([-1.0, 1.0])))""",
        ),
        Row(
            "maximum, minimum, amax, x.max(): entries that tie share the gradient.",
            """
x = Tensor([1.0, 1.0])
print(grad(lambda x, y: ops.maximum(x, y), (0, 1))(x, x + 0))
print(grad(lambda x: ops.amax(x))(x), grad(lambda x: x.max())(x))""",
        ),
        Row(
            "max along an axis: the first of those that tie takes all.",
            """
print(grad(lambda x: ops.max(x, 0)[0])(Tensor([1.0, 3.0, 3.0])))""",
        ),
        Row(
            "At a bound: clip_by_value half, clamp all.",
            """
x = Tensor([0.0, 0.5, 1.0])
print(grad(lambda x: ops.clip_by_value(x, 0.0, 1.0))(x))
print(grad(lambda x: ops.clamp(x, 0.0, 1.0))(x))""",
        ),
        Row(
            "abs, relu and relu6 at their kinks.",
            """
print(grad(ops.abs)(Tensor([0.0])), grad(ops.relu)(Tensor([0.0])))
print(grad(ops.relu6)(Tensor([0.0, 6.0])))""",
        ),
        Row(
            "sqrt at 0 is infinitely steep.",
            """
print(grad(ops.sqrt)(Tensor([0.0])))""",
        ),
    ],
    "Tensors": [
        Row(
            "dtypes of what is made from Python and numpy numbers.",
            """
print(Tensor(1.5).dtype, Tensor([1.5]).dtype, Tensor(np.array([1.5])).dtype, Tensor(1).dtype)""",
        ),
        Row(
            "Mixed dtypes.",
            """
x = Tensor([1.0], ms.float32)
half = Tensor([1.0], ms.float16)
print((x * 2.5).dtype, (x * np.float64(2)).dtype, (half * 2.5).dtype)
print((Tensor([3]) / Tensor([2])).dtype, (Tensor([3]) * half).dtype)""",
        ),
        Row(
            "A write changes the Tensor from then on, and gradients follow.",
            """
def f(x, v):
    y = x * 1
    y[0] = v
    return y * y
print(grad(f, (0, 1))(Tensor([2.0, 3.0]), Tensor(5.0)))""",
        ),
        Row(
            "How Tensors and Parameters print.",
            """
print(Tensor([[1.0, 2.5]]), repr(Tensor([1.0])), (Tensor(1.0), Tensor([2])))
print(Parameter(Tensor([1.0]), name="w"))""",
        ),
        Row(
            "Batch axes that broadcast in `matmul`.",
            """
x, y = ops.ones((7, 1, 2, 4)), ops.ones((3, 4, 2))
print(ops.matmul(x, y).shape, grad(lambda x: ops.matmul(x, y))(x).shape)""",
        ),
    ],
    BPROP: [
        Row(
            "None stands for zeros.",
            """
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y
    def bprop(self, x, y, out, dout):
        return dout * y, None
print(grad(Net(), (0, 1))(Tensor([2.0]), Tensor([3.0])))""",
        ),
        Row(
            "A rule is used in place of the derivative, whatever it says.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return (dout * 100,)
print(grad(Net())(Tensor([2.0])))""",
        ),
        Row(
            "A rule's gradient in another float dtype is cast to that of the input.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * 2
    def bprop(self, x, out, dout):
        return ((dout * 2).astype(ms.float16),)
print(grad(Net())(Tensor([2.0])).dtype)""",
        ),
        Row(
            "`grad` inside bprop.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x * x
    def bprop(self, x, out, dout):
        return (dout * grad(lambda x: x * x * x)(x),)
print(grad(Net())(Tensor([2.0])))""",
        ),
        Row(
            "A bprop without return.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        dx = dout * 2 * x
grad(Net())(Tensor([2.0]))""",
        ),
        Row(
            "What is no gradient at all.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return ("two x",)
grad(Net())(Tensor([2.0]))""",
        ),
        Row(
            "The gradients of several outputs come as one flat tuple, of the Tensors among them.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x, (3, 5 * x)
    def bprop(self, x, out, dout):
        print(out, dout)
        return (dout[0] * 2 * x + dout[1] * 5,)
net = Net()
print(grad(lambda x: net(x)[0] + 10 * net(x)[1][1])(Tensor([2.0])))""",
        ),
        Row(
            "The gradient of one Tensor among the outputs comes bare.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x, 3
    def bprop(self, x, out, dout):
        print(out, dout)
        return (dout * 2 * x,)
net = Net()
print(grad(lambda x: net(x)[0])(Tensor([2.0])))""",
        ),
        Row(
            "`check_bprop` and a gradient too few.",
            """
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y
    def bprop(self, x, y, out, dout):
        return (dout * y,)
ms.set_context(check_bprop=True)
grad(Net(), (0, 1))(Tensor([2.0]), Tensor([3.0]))""",
        ),
        Row(
            "`check_bprop` and a gradient of another dtype.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return (dout.astype(ms.float16),)
net = Net()
print(grad(net)(Tensor([2.0])))
ms.set_context(check_bprop=True)
grad(net)(Tensor([2.0]))""",
        ),
        Row(
            "`used_bprop_inputs`: what bprop does not use it gets as None.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.used_bprop_inputs = [0]
    def construct(self, x, y):
        return x * y
    def bprop(self, x, y, out, dout):
        print(x, y, out)
        return dout, dout * x
print(grad(Net(), 1)(Tensor([2.0]), Tensor([3.0])))""",
        ),
    ],
    "A Function with backward": [
        Row(
            "An output that is not used has a gradient of zeros, or None.",
            """
class Both(_Function):
    @staticmethod
    def forward(ctx, x, zeros):
        ctx.set_materialize_grads(zeros)
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g, h):
        print(g, h)
        return g * 2, None
for zeros in (True, False):
    print(grad(lambda x: Both.apply(x, zeros)[0])(Tensor([5.0])))""",
        ),
        Row(
            "A gradient for a number.",
            """
class Times(_Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g * 3, g
grad(Times.apply)(Tensor([2.0]), 3)""",
        ),
        Row(
            "What is no Tensor is marked.",
            """
class Marks(_Function):
    @staticmethod
    def forward(ctx, x, mark):
        getattr(ctx, mark)(1.0)
        return x * 1
for mark in ("mark_dirty", "mark_non_differentiable"):
    try:
        Marks.apply(Tensor([2.0]), mark)
    except RuntimeError:
        print("refused")""",
        ),
    ],
    "Hooks and checkpoints": [
        Row(
            "The hooks of a weight that is not used see zeros.",
            """
w = Parameter(Tensor([2.0, 3.0]), name="w")
w.register_hook(lambda g: (print(g), g + 1)[1])
print(grad(lambda x: x * x, None, [w])(Tensor([1.0])))""",
        ),
        Row(
            "`hooks()` of a Tensor.",
            """
x = Tensor([1.0])
handle = x.register_hook(print)
print(x.hooks())
handle.remove()
print(x.hooks())""",
        ),
        Row(
            "A hook of a Parameter that is frozen.",
            """
Parameter(Tensor([2.0]), name="w", requires_grad=False).register_hook(print)""",
        ),
        Row(
            "`HookBackward` gets a tuple of another length.",
            """
hook = ops.HookBackward(lambda grads: (grads[0],) * 3)
grad(lambda x, y: ops.mul(*hook(x, y)))(Tensor([2.0]), Tensor([3.0]))""",
        ),
        Row(
            "A hook that is no function.",
            """
Tensor([1.0]).register_hook(1.0)""",
        ),
    ],
    "Graph mode and `jit`": [
        Row(
            "A number from outside is part of what `jit` made.",
            """
k = 2.0
@ms.jit
def f(x):
    return x * k
print(f(Tensor([1.0])))
k = 3.0
print(f(Tensor([1.0])))""",
        ),
        Row(
            "A name from outside that stands for another Tensor later.",
            """
k = Tensor([2.0])
@ms.jit
def f(x):
    return x * k
print(f(Tensor([1.0])))
k = Tensor([3.0])
print(f(Tensor([1.0])))""",
        ),
        Row(
            "An attribute of a Cell that is a number, in graph mode.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.k = 2.0
    def construct(self, x):
        return x * self.k
ms.set_context(mode=ms.GRAPH_MODE)
net = Net()
print(net(Tensor([1.0])))
net.k = 3.0
print(net(Tensor([1.0])))""",
        ),
        Row(
            "`jit` and another shape.",
            """
@ms.jit
def f(x):
    return x.sum()
print(f(Tensor([1.0, 2.0])), f(Tensor([1.0, 2.0, 3.0])))""",
        ),
        Row(
            "`jit` draws anew at each call, but for what numpy drew.",
            """
@ms.jit
def f(x):
    return x + ops.rand(1)
@ms.jit
def g(x):
    return x * float(np.random.rand())
x = Tensor([1.0])
print(bool((f(x) == f(x)).all()), bool((g(x) == g(x)).all()))""",
        ),
        Row(
            "`jit`, and `if` and `while` on a Tensor's value: minigrad warns, and runs line by line.",
            """
@ms.jit
def f(x):
    if x > 2:
        return x * 2
    while x < 2:
        x = x + 1
    return x
print(f(Tensor(1.0)), f(Tensor(3.0)))""",
        ),
        Row(
            "`jit`, and numbers of a Tensor: minigrad warns, and runs line by line.",
            """
@ms.jit
def f(x):
    return x * float(x.asnumpy().max()) + x.sum().item()
print(f(Tensor([1.0, 2.0])))
@ms.jit
def g(x):
    return x[x > 1]
print(g(Tensor([1.0, 2.0, 3.0])))""",
        ),
        Row(
            "In graph mode, a bprop that returns a bare Tensor.",
            """
class Double(nn.Cell):
    def construct(self, x):
        return x * 2
    def bprop(self, x, out, dout):
        return dout * 2
ms.set_context(mode=ms.GRAPH_MODE)
print(grad(Double())(Tensor([1.0])))""",
        ),
        Row(
            "Under `jit`, a bprop that returns a bare Tensor.",
            """
class Double(nn.Cell):
    def construct(self, x):
        return x * 2
    def bprop(self, x, out, dout):
        return dout * 2
double = Double()
@ms.jit
def slope(x):
    return grad(double)(x)
print(slope(Tensor([1.0])))""",
        ),
        Row(
            "In graph mode, `if` in a bprop: minigrad warns, and runs line by line.",
            """
class Double(nn.Cell):
    def construct(self, x):
        return x * 2
    def bprop(self, x, out, dout):
        if dout.sum() > 0:
            return (dout * 2,)
        return (dout,)
ms.set_context(mode=ms.GRAPH_MODE)
print(grad(Double())(Tensor([1.0])))""",
        ),
    ],
}

DIFFERENT = {
    BPROP: [
        Row(
            "bprop reads a Tensor that construct kept in `self`, and is itself differentiated.",
            """
class Tanh(nn.Cell):
    def construct(self, x):
        self.made = ops.tanh(x)
        return self.made
    def bprop(self, x, out, dout):
        return (dout * (1 - self.made * self.made),)
print(grad(grad(Tanh()))(Tensor([0.5])))""",
            "[0.]",
            "What construct keeps is a constant to the gradient, and a warning says so. MindSpore "
            "sees the output in it, and is right; where it is anything else, 0 comes there too. "
            "With `out` in its place both are right.",
        ),
        Row(
            "A Parameter is written after the Cell was called.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([3.0]), name="w")
    def construct(self, x):
        return x * x * self.w
    def bprop(self, x, out, dout):
        return (dout * 2 * x * self.w,)
net = Net()
def f(x):
    y = net(x)
    net.w.set_data(Tensor([100.0]))
    return y
print(grad(f)(Tensor([2.0])))""",
            "[12.]",
            "bprop sees the Parameters as they were in the call: 2 * 2 * 3.",
        ),
        Row(
            "One gradient for each Tensor input, where another input is a number.",
            """
class Net(nn.Cell):
    def construct(self, x, k):
        return x * k
    def bprop(self, x, k, out, dout):
        return (dout * k,)
print(grad(Net())(Tensor([2.0]), 5.0))""",
            "[5.]",
            "One for each input, or one for each Tensor input: anything else is an error.",
        ),
        Row(
            "Required keyword arguments in another order than construct's.",
            """
class Net(nn.Cell):
    def construct(self, x, y):
        return x * x * y
    def bprop(self, x, y, out, dout):
        return dout * 2 * x * y, dout * x * x
print(grad(Net(), (0, 1))(y=Tensor([3.0]), x=Tensor([2.0])))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 1.20000000e+01]), "
            "Tensor(shape=[1], dtype=Float32, value= [ 4.00000000e+00]))",
            "MindSpore binds them in the order of the call, and swaps them. Here they go by name.",
        ),
        Row(
            "A default of bprop behind out and dout.",
            """
class Net(nn.Cell):
    def construct(self, x, y=1):
        return x * y
    def bprop(self, x, out, dout, y=1):
        return dout * y, dout * x
print(grad(Net())(Tensor([2.0]), Tensor([3.0])))""",
            "[3.]",
            "MindSpore hands y to the parameter called out. Here out and dout are found by name.",
        ),
        Row(
            "bprop names its inputs in another order than construct.",
            """
class Net(nn.Cell):
    def construct(self, x, y):
        return x * x * y
    def bprop(self, y, x, out, dout):
        return dout * x * x, dout * 2 * x * y
print(grad(Net(), (0, 1))(Tensor([2.0]), Tensor([3.0])))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 1.20000000e+01]), "
            "Tensor(shape=[1], dtype=Float32, value= [ 4.00000000e+00]))",
            "When all names occur in construct, arguments and gradients go by name.",
        ),
        Row(
            "One gradient too few.",
            """
class Net(nn.Cell):
    def construct(self, x, y):
        return x * y
    def bprop(self, x, y, out, dout):
        return (dout * y,)
grad(Net(), (0, 1))(Tensor([2.0]), Tensor([3.0]))""",
            "ValueError: Net.bprop returned 1 gradient, but has 2 inputs (x, y): return one for "
            "each, None where there is none",
            "The error says which Cell and which inputs.",
        ),
        Row(
            "One gradient too many.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return dout * 2 * x, dout, dout
print(grad(Net())(Tensor([2.0])))""",
            "ValueError: Net.bprop returned 3 gradients, but has 1 input (x): return one for each, "
            "None where there is none",
            "MindSpore drops what is too much, and a mistake with it.",
        ),
        Row(
            "A gradient of the wrong shape.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return (ops.ones(7),)
print(grad(Net())(Tensor([2.0])))""",
            "ValueError: Net.bprop returned a gradient of shape (7,) for its input x, which has "
            "shape (1,): a gradient has the shape of what it is the gradient of",
            "MindSpore sums it to the shape of the input, silently.",
        ),
        Row(
            "`check_bprop` demands a tuple.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return dout
ms.set_context(check_bprop=True)
grad(Net())(Tensor([2.0]))""",
            "TypeError: Net.bprop returned a Tensor, but check_bprop is on: return a tuple, (dx,) "
            "for one input",
            "MindSpore demands it where a function is compiled, and not in PyNative.",
        ),
        Row(
            "A Parameter inside a Cell with bprop.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([3.0]), name="w")
    def construct(self, x):
        return x * self.w
    def bprop(self, x, out, dout):
        return (dout * self.w,), {self.w: dout * x}
net = Net()
print(grad(net, 0, weights=[net.w])(Tensor([2.0])))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]), "
            "(Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00]),))",
            "bprop may return gradients of the Cell's Parameters, in a dict behind those of the "
            "inputs. One that is left out is warned about, by name.",
        ),
        Row(
            "A bprop decorated with `jit`.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    @ms.jit
    def bprop(self, x, out, dout):
        return (dout * 2 * x,)
print(grad(Net())(Tensor([3.0])))""",
            "[6.]",
            "A rule is a function like others.",
        ),
        Row(
            "In graph mode, a Parameter in bprop.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([3.0]), name="w")
    def construct(self, x):
        return x * self.w
    def bprop(self, x, out, dout):
        return (dout * self.w,)
ms.set_context(mode=ms.GRAPH_MODE)
print(grad(Net())(Tensor([2.0])))""",
            "[3.]",
            "It may be read there, as without graph mode.",
        ),
        Row(
            "In graph mode, a gradient too few, where all inputs are numbers.",
            """
class Net(nn.Cell):
    def construct(self, x, k):
        return x * k
    def bprop(self, x, k, out, dout):
        return (dout * k,)
ms.set_context(mode=ms.GRAPH_MODE)
print(ops.GradOperation(get_all=True)(Net())(ms.mutable(2.0), 3.0))""",
            "()",
            "No input is a Tensor, so bprop is not asked: as both answer without graph mode.",
        ),
        Row(
            "Its input for an output, after `set_grad`.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x
    def bprop(self, x, out, dout):
        return (dout * 5,)
net, x = Net(), Tensor([2.0])
net.set_grad()
print(net(x) is x)""",
            "True",
            "Outside a gradient call only construct runs; MindSpore wraps what it returns.",
        ),
    ],
    "A Function with backward": [
        Row(
            "A gradient too few, from a Function.",
            """
class Times(_Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, g):
        return g
grad(Times.apply)(Tensor([2.0]), Tensor([3.0]))""",
            "ValueError: Times.backward returned 1 gradient, but has 2 inputs (inputs[0], "
            "inputs[1]): return one for each, None where there is none",
            "The same error as of a bprop.",
        ),
        Row(
            "A number for the gradient of a Tensor.",
            """
class Sum(_Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()
    @staticmethod
    def backward(ctx, g):
        return 1
grad(Sum.apply)(Tensor([2.0, 3.0]))""",
            "ValueError: Sum.backward returned a gradient of shape () for its input inputs[0], "
            "which has shape (2,): a gradient has the shape of what it is the gradient of",
            "A number is the gradient of a scalar; here its shape is wrong, and the error is that"
            " of a shape.",
        ),
        Row(
            "A gradient that would have to be summed.",
            """
class Shift(_Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1
    @staticmethod
    def backward(ctx, g):
        return ops.ones((3, 2))
print(grad(Shift.apply)(Tensor([2.0, 3.0])))""",
            "ValueError: Shift.backward returned a gradient of shape (3, 2) for its input "
            "inputs[0], which has shape (2,): a gradient has the shape of what it is the gradient"
            " of",
            "A wrong shape is a mistake, and is named, as with a bprop.",
        ),
        Row(
            "A gradient that does not even sum to the shape.",
            """
class Shift(_Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1
    @staticmethod
    def backward(ctx, g):
        return ops.ones((3, 4))
print(grad(Shift.apply)(Tensor([2.0, 3.0])))""",
            "ValueError: Shift.backward returned a gradient of shape (3, 4) for its input "
            "inputs[0], which has shape (2,): a gradient has the shape of what it is the gradient"
            " of",
            "All wrong shapes are one error.",
        ),
        Row(
            "A note on a Tensor.",
            """
x = Tensor([1.0])
try:
    x.note = "from forward"
    print(x.note)
except AttributeError:
    print("AttributeError")""",
            "AttributeError",
            "A Tensor is its numbers. What forward hands to backward is an attribute of ctx.",
        ),
        Row(
            "`_requires_grad` of a Tensor.",
            """
print(Tensor([1.0])._requires_grad)""",
            "AttributeError: 'Tensor' object has no attribute '_requires_grad'",
            "Which inputs want a gradient says the gradient call; forward reads "
            "ctx.needs_input_grad.",
        ),
    ],
    "Inputs": [
        Row(
            "A position that the call does not have.",
            """
grad(lambda x: x, 3)(Tensor([1.0]))""",
            "IndexError: grad_position 3 is out of range: <lambda> was called with 1 argument, "
            "counted from 0",
            "The class is that of an index, and the message counts.",
        ),
        Row(
            "A Python number.",
            """
print(grad(lambda x: x * x)(2.0))""",
            "4.0",
            "What is asked for by its position has a gradient.",
        ),
        Row(
            "A numpy array.",
            """
print(grad(lambda x: x * x)(np.array([2.0], np.float32)))""",
            "[4.]",
            "What is asked for by its position has a gradient.",
        ),
        Row(
            "A list, tuple or dict of Tensors.",
            """
print(grad(lambda pair: pair[0] * pair[1])([Tensor([2.0]), Tensor([3.0])]))""",
            "[Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]), "
            "Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00])]",
            "The gradient has the structure of the input.",
        ),
        Row(
            "Integers, by position.",
            """
print(grad(lambda x: x * 2.5)(Tensor([1, 2])))""",
            "TypeError: argument 0 of <lambda> is a Tensor of Int64, which has no gradient; pass "
            "x.astype(minigrad.float32), or leave it out of grad_position",
            "MindSpore cuts the digits behind the point off the gradient.",
        ),
        Row(
            "One Tensor as two inputs.",
            """
x = Tensor([3.0])
print(grad(lambda x, y: x * y, (0, 1))(x, x))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]), "
            "Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00]))",
            "Each position has a gradient of its own.",
        ),
        Row(
            "`grad` inside `_no_grad`.",
            """
with ms.common.api._no_grad():
    print(grad(lambda x: x * x)(Tensor([3.0])))""",
            "[6.]",
            "What a call differentiates is its own; the calls around it see a constant.",
        ),
        Row(
            "All arguments by keyword, in another order.",
            """
print(grad(lambda x, y: x * x * y, (0, 1))(y=Tensor([3.0]), x=Tensor([2.0])))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 1.20000000e+01]), "
            "Tensor(shape=[1], dtype=Float32, value= [ 4.00000000e+00]))",
            "A position counts the arguments of the function, not those of the call.",
        ),
        Row(
            "Aux that is no Tensor.",
            """
print(grad(lambda x: (x * x, "note"), 0, has_aux=True)(Tensor([2.0])))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 4.00000000e+00]), ('note',))",
            "It is passed through.",
        ),
        Row(
            "A Python integer, by position.",
            """
print(grad(lambda x: x * 2.5)(2))""",
            "TypeError: argument 0 of <lambda> is the integer 2, and an integer has no gradient; "
            "pass 2.0",
            "A gradient call wants floats: a slope of 2.5 is no integer.",
        ),
        Row(
            "A dict of Tensors, under `GradOperation`.",
            """
print(ops.GradOperation()(lambda d: d["a"] * 3)({"a": Tensor([2.0])}))""",
            "{'a': Tensor(shape=[1], dtype=Float32, value= [ 3.00000000e+00])}",
            "The gradient has the structure of the input.",
        ),
        Row(
            "A generator as what `jit` returns.",
            """
@ms.jit
def squares(x):
    return (k * k for k in range(3))
print(type(squares(Tensor([1.0]))).__name__)""",
            "generator",
            "It is Python's own; a list is written `[k * k for k in range(3)]`.",
        ),
        Row(
            "A CellList whose Cells write Parameters, in `vmap`.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([0.0, 0.0]), name="w")
        self.assign = ops.Assign()
    def construct(self, x):
        self.assign(self.w, x)
        return self.w * 2
print(ms.vmap(nn.CellList([Net(), Net()]), 0)(Tensor([[1.0, 2.0], [3.0, 4.0]])))""",
            "TypeError: Parameter 0.w is written inside vmap, where each sample may write "
            "something else: return the value, and write it outside",
            "In vmap no Parameter is written: there is one call for all samples. Return the "
            "value, and write it outside.",
        ),
    ],
    "Writes and views": [
        Row(
            "`assign_add` between two uses.",
            """
w = Parameter(Tensor([2.0]), name="w")
def f(x):
    y = x * w
    ops.assign_add(w, Tensor([1.0]))
    return y + x * w
print(grad(f)(Tensor([1.0])))""",
            "[5.]",
            "Each use counts with the value that it had: 2 + 3.",
        ),
        Row(
            "A Parameter is written between two uses.",
            """
w = Parameter(Tensor([2.0]), name="w")
def f(x):
    y = x * w
    w.set_data(Tensor([10.0]))
    return y + x * w
print(grad(f)(Tensor([1.0])))""",
            "[12.]",
            "Each use counts with the value that it had: 2 + 10.",
        ),
        Row(
            "An input is written inside a gradient call.",
            """
def f(x):
    x[0] = x[1] * x[1]
    return x.sum()
x = Tensor([1.0, 3.0])
print(grad(f)(x), x)""",
            "[0. 7.] [9. 3.]",
            "The old entry plays no part; x1 * x1 + x1 does. The caller's Tensor is written, as by "
            "f(x) alone.",
        ),
        Row(
            "An input is given new values by `assign`.",
            """
def f(x):
    ops.assign(x, Tensor([10.0, 1.0]))
    return (x * x).sum()
x = Tensor([1.0, 2.0])
print(grad(f)(x), x)""",
            "[0. 0.] [10.  1.]",
            "The old values play no part.",
        ),
        Row(
            "A buffer is assigned in `construct`.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", Tensor(0.0))
    def construct(self, x):
        self.calls = self.calls + 1
        return x * self.calls
net = Net()
net(Tensor([1.0])), net(Tensor([1.0]))
print(net.calls, [name for name, _ in net.named_buffers()])""",
            "2.0 ['calls']",
            "A Tensor that takes the place of a buffer is the buffer.",
        ),
        Row(
            "A write into a slice.",
            """
a = Tensor([1.0, 2.0, 3.0])
b = a[0:2]
b[0] = 9.0
print(a)""",
            "TypeError: a write into a slice, as in x[0][1] = v, would change the slice and not x: "
            "write x[0, 1] = v. To change the slice alone, copy it first: y = x[0].copy()",
            "Whether it writes to the whole depends on how the slice was made, so it is refused.",
        ),
        Row(
            "`asnumpy()` is changed.",
            """
x = Tensor([1.0])
x.asnumpy()[0] = 9.0
print(x)""",
            "[1.]",
            "It is a copy: a Tensor does not change behind the back of its gradients.",
        ),
        Row(
            "`add_` and other methods that write.",
            """
x = Tensor([2.0])
x.add_(Tensor([1.0]))
print(x)""",
            "AttributeError: 'Tensor' object has no attribute 'add_'; there are no methods that "
            "write: x[:] = x.add(...) does",
            "MindSpore's do nothing on the CPU. Write `x[:] = x + 1`, or `ops.assign_add(x, 1)`.",
        ),
    ],
    "Derivatives of derivatives": [
        Row(
            "Of a function that takes an entry, `x[0]`.",
            """
print(grad(grad(lambda x: x[0] ** 3))(Tensor([2.0, 1.0])))""",
            "[12.  0.]",
            "An index is an op like others.",
        ),
        Row(
            "Of `norm`.",
            """
x, w = Tensor([3.0, 4.0]), Tensor([1.0, 10.0])
print(grad(lambda x: (grad(lambda x: ops.norm(x))(x) * w).sum())(x))""",
            "[-0.83199996  0.6240001 ]",
            "(w - u (u . w)) / 5, with u = x / 5.",
        ),
        Row(
            "Of `std`.",
            """
x, w = Tensor([1.0, 2.0, 6.0]), Tensor([0.0, 0.0, 1.0])
dx = grad(lambda x: (grad(lambda x: x.std())(x) * w).sum())(x)
print([round(v, 4) for v in dx.asnumpy().tolist()])""",
            "[0.0147, -0.0184, 0.0037]",
            "(w - 1/3 - d (d . w) / (d . d)) / (3 std), with d = x - 3.",
        ),
        Row(
            "Of `logsumexp`.",
            """
x, w = Tensor([0.0, 1.0986123]), Tensor([1.0, 0.0])
dx = grad(lambda x: (grad(lambda x: ops.logsumexp(x, 0))(x) * w).sum())(x)
print([round(v, 4) for v in dx.asnumpy().tolist()])""",
            "[0.1875, -0.1875]",
            "p (w - p . w), with p = (1/4, 3/4).",
        ),
        Row(
            "Of `prod`, where an entry is 0.",
            """
x, w = Tensor([2.0, 0.0, 5.0]), Tensor([1.0, 0.0, 0.0])
print(grad(lambda x: (grad(ops.prod)(x) * w).sum())(x))""",
            "[0. 5. 0.]",
            "The first derivative by x0 is x1 * x2.",
        ),
        Row(
            "Of `cross_entropy`.",
            """
x, w, label = Tensor([[0.0, 0.0]]), Tensor([[1.0, 0.0]]), Tensor([1], ms.int32)
print(grad(lambda x: (grad(lambda x: ops.cross_entropy(x, label))(x) * w).sum())(x))""",
            "[[ 0.25 -0.25]]",
            "p (w - p . w), with p = (1/2, 1/2).",
        ),
        Row(
            "Of a function that uses `softmax`.",
            """
x, w = Tensor([0.0, 1.0986123]), Tensor([1.0, 0.0])
dx = grad(lambda x: (grad(lambda x: (ops.softmax(x, 0) * w * 4).sum())(x) * w).sum())(x)
print([round(v, 4) for v in dx.asnumpy().tolist()])""",
            "[0.375, -0.375]",
            "4 p0 (1 - p0) (1 - 2 p0), with p0 = 1/4.",
        ),
    ],
    "Layers, optimizers and `numpy`": [
        Row(
            "`Momentum` with `use_nesterov`.",
            """
w = Parameter(Tensor([1.0]), name="w")
optimizer = nn.Momentum([w], 0.1, 0.9, use_nesterov=True)
optimizer((Tensor([1.0]),))
print(w.asnumpy())""",
            "[0.81]",
            "1 - 0.1 * (1 + 0.9 * 1); MindSpore takes no notice of it on the CPU.",
        ),
        Row(
            "`ClipByNorm` along an axis.",
            """
x = Tensor([[3.0, 4.0], [6.0, 8.0]])
print(nn.ClipByNorm(axis=1)(x, Tensor([5.0])))""",
            "[[3. 4.]\n [3. 4.]]",
            "Each row has the length 5 then.",
        ),
        Row(
            "`clip_by_norm` of an odd order.",
            """
print(ops.clip_by_norm(Tensor([-3.0, 3.0]), 3.0, 1.0))""",
            "[-1.4999998  1.4999998]",
            "The norm is |-3| + |3| = 6 (and 1e-6); MindSpore adds -3 and 3.",
        ),
        Row(
            "The mean, spread and variance of whole numbers in `numpy`.",
            """
x = mnp.array([1, 2])
print(mnp.mean(x), mnp.std(x), mnp.var(x))""",
            "1.5 0.5 0.25",
            "They are floats: cut to a whole number, a mean is none.",
        ),
        Row(
            "`numpy.nanmin` of nothing but nan.",
            """
print(mnp.nanmin(Tensor([np.nan, np.nan], ms.float32)))""",
            "nan",
            "As numpy.",
        ),
        Row(
            "A dtype asked of `numpy.clip`.",
            """
print(mnp.clip(Tensor([1.0, 9.0]), 1, 3, dtype=ms.float64).dtype)""",
            "Float64",
            "It is the dtype that was asked for.",
        ),
        Row(
            "Numbers and lists for Tensors in `numpy`.",
            """
print(mnp.sin(0), mnp.concatenate(([1, 2], [3])))""",
            "0.0 [1 2 3]",
            "All functions take them, as some of MindSpore's do.",
        ),
    ],
    "Numbers": [
        Row(
            "A Tensor times a numpy array.",
            """
print(Tensor([1.0, 2.0]) * np.array([2.0, 3.0], np.float32))""",
            "[2. 6.]",
            "In either order: there, the array must be the one on the left.",
        ),
        Row(
            "`softmax` of a row that is masked as a whole.",
            """
print(ops.softmax(Tensor([-np.inf, -np.inf])))""",
            "[nan nan]",
            "There are no shares of nothing. A row of zeros would be no probabilities, and would "
            "hide the mistake; `trace_nan` shows where it came from.",
        ),
        Row(
            "`RealDiv` of whole numbers.",
            """
print(ops.RealDiv()(Tensor([1, 7]), Tensor([2, 2])))""",
            "[0.5 3.5]",
            "As `Div` and `ops.div`.",
        ),
        Row(
            "The gradient of the value of `index_fill`.",
            """
f = lambda v: ops.index_fill(Tensor([1.0, 2.0, 3.0]), 0, Tensor([0, 2], ms.int32), v)
print(grad(f)(Tensor(7.0)))""",
            "2.0",
            "It stands in two places.",
        ),
        Row(
            "Floats and whole numbers joined by `concat`.",
            """
x = ops.concat((Tensor([1.5]), Tensor([2])))
print(x, x.dtype)""",
            "[1.5 2. ] Float32",
            "As by `numpy.concatenate`.",
        ),
        Row(
            "The gradient of the pos_weight of `binary_cross_entropy_with_logits`.",
            """
x, y, one = Tensor([0.0]), Tensor([1.0]), Tensor([1.0])
f = lambda p: ops.binary_cross_entropy_with_logits(x, y, one, p, reduction="sum")
print(grad(f)(one))""",
            "[0.6931472]",
            "The loss is p * log 2.",
        ),
        Row(
            "The square of the norm of zeros.",
            """
print(grad(lambda x: ops.norm(x) ** 2)(Tensor([0.0, 0.0])))""",
            "[0. 0.]",
            "The square is smooth there.",
        ),
        Row(
            "A NaN is born in a pass.",
            """
f = lambda x: ops.where(x > 0, ops.sqrt(x), 0.0).sum()
print(grad(f)(Tensor([0.0, 4.0])), hasattr(ms, "check") and bool(ms.check.nan_origin(f, Tensor([0.0, 4.0]))))""",
            "[ nan 0.25] True",
            "The number is the same; here `minigrad.check.nan_origin` names the op and the line.",
        ),
        Row(
            "A cast to whole numbers and back.",
            """
f = lambda x: x.astype(ms.int32).astype(ms.float32) * 3
print(grad(f)(Tensor([2.5])))""",
            "[0.]",
            "The cast is a staircase, and flat between its steps. What shall pass the gradient on is "
            "a Cell with a bprop.",
        ),
        Row(
            "The mean of whole numbers.",
            """
print(Tensor([1, 2]).mean(), Tensor(np.array([100, 100, 101], np.int8)).mean())""",
            "1.5 100.333336",
            "It is a float: cut to a whole number, or counted in int8, it is no mean.",
        ),
        Row(
            "`leaky_relu` of whole numbers.",
            """
print(ops.leaky_relu(Tensor([-10, 10]), 0.5))""",
            "[-5. 10.]",
            "The slope is not cut to 0.",
        ),
        Row(
            "A whole number to a negative power.",
            """
print(Tensor([2, 3]) ** -1)""",
            "ValueError: power: Integers to negative integer powers are not allowed. (given x of shape "
            "(2,) and n=-1)",
            "The result is no whole number, and numpy has none to give.",
        ),
        Row(
            "A number that a narrow dtype does not hold.",
            """
print(Tensor(np.array([1], np.int8)) + 1000)""",
            "OverflowError: add: Python integer 1000 out of bounds for int8 (given x of shape (1,) and "
            "y=1000)",
            "It does not wrap around in silence.",
        ),
        Row(
            "`softsign` at infinity.",
            """
print(ops.softsign(Tensor([np.inf, -np.inf], ms.float32)))""",
            "[ 1. -1.]",
            "The limit.",
        ),
        Row(
            "`xlogy` where x is 0 and y is not positive.",
            """
x, y = Tensor([0.0, 0.0]), Tensor([0.0, -1.0])
print(ops.xlogy(x, y), grad(ops.xlogy, 1)(x, y))""",
            "[0. 0.] [0. 0.]",
            "0 times anything is 0: the limit for y = 0, a convention below.",
        ),
        Row(
            "`full` with a number that is no integer.",
            """
print(ops.full((2,), 1.5))""",
            "[1.5 1.5]",
            "Nothing is cut off.",
        ),
        Row(
            "Repeated places in `tensor_scatter_mul`.",
            """
x, i, u = Tensor([2.0, 5.0]), Tensor([[0], [0]]), Tensor([3.0, 4.0])
print(grad(lambda x, u: ops.tensor_scatter_mul(x, i, u), (0, 1))(x, u))""",
            "(Tensor(shape=[2], dtype=Float32, value= [ 1.20000000e+01,  1.00000000e+00]), "
            "Tensor(shape=[2], dtype=Float32, value= [ 8.00000000e+00,  6.00000000e+00]))",
            "The result is 2 * 3 * 4: each factor's gradient holds the others.",
        ),
        Row(
            "`hypot` at 0.",
            """
print(grad(ops.hypot, (0, 1))(Tensor([0.0]), Tensor([0.0])))""",
            "(Tensor(shape=[1], dtype=Float32, value= [ 0.00000000e+00]), "
            "Tensor(shape=[1], dtype=Float32, value= [ 0.00000000e+00]))",
            "0 is a subgradient there, and does no harm further back.",
        ),
        Row(
            "`inverse` of a matrix that has none.",
            """
print(ops.inverse(Tensor([[1.0, 2.0], [2.0, 4.0]])))""",
            "ValueError: inverse: Singular matrix (given x of shape (2, 2))",
            "Numbers that mean nothing would go on unseen.",
        ),
        Row(
            "`cumprod` across a zero.",
            """
print(grad(lambda x: ops.cumprod(x, 0))(Tensor([2.0, 3.0, 0.0])))""",
            "[4. 2. 6.]",
            "No division by the zero is needed: 1 + 3 + 0, 2 + 0, 6.",
        ),
        Row(
            "The norm of zeros.",
            """
print(grad(lambda x: ops.norm(x))(Tensor([0.0, 0.0])))""",
            "[0. 0.]",
            "0 is a subgradient there, and does no harm further back.",
        ),
        Row(
            "`std` of a constant.",
            """
print(grad(lambda x: x.std())(Tensor([1.0, 1.0])))""",
            "[0. 0.]",
            "0 is a subgradient there, and does no harm further back.",
        ),
        Row(
            "x to the power 0, at 0.",
            """
print(grad(lambda x: x ** 0)(Tensor([0.0])))""",
            "[0.]",
            "x ** 0 is 1 everywhere.",
        ),
        Row(
            "`logsumexp` of nothing but minus infinity.",
            """
x = Tensor([-np.inf, -np.inf], ms.float32)
print(ops.logsumexp(x, 0), grad(lambda x: ops.logsumexp(x, 0))(x))""",
            "-inf [0. 0.]",
            "The logarithm of 0; no entry moves it.",
        ),
        Row(
            "`selu` below 0.",
            """
print(grad(ops.selu)(Tensor([-1.0])))""",
            "[0.64676857]",
            "1.0507 * 1.6733 * exp(-1).",
        ),
        Row(
            "The gradient of a weight of `binary_cross_entropy_with_logits`.",
            """
x, y, w = Tensor([0.0]), Tensor([1.0]), Tensor([1.0])
f = lambda w: ops.binary_cross_entropy_with_logits(x, y, w, w, reduction="sum")
print(grad(f)(w))""",
            "[1.3862944]",
            "The loss is w * w * log 2, and has a gradient; MindSpore gives 0.",
        ),
        Row(
            "The gradient of the target of `kl_div`.",
            """
x, y = Tensor([[-1.0, -0.5]]), Tensor([[0.5, 0.5]])
print(grad(lambda x, y: ops.kl_div(x, y, "sum"), 1)(x, y))""",
            "[[1.3068528 0.8068528]]",
            "log y + 1 - x; MindSpore gives 0.",
        ),
        Row(
            "The mean of nothing.",
            """
print(Tensor(np.zeros(0, np.float32)).mean())""",
            "nan",
            "As numpy.",
        ),
        Row(
            "`ops.scalar_cast`.",
            """
print(ops.scalar_cast(8.5, ms.int64))""",
            "AttributeError: module 'minigrad.ops' has no attribute 'scalar_cast'",
            "MindSpore says that it will be removed; write `int(8.5)`.",
        ),
    ],
    "Hooks and checkpoints": [
        Row(
            "A forward hook on a Cell with a bprop.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
    def bprop(self, x, out, dout):
        return (dout * 2 * x,)
net = Net()
handle = net.register_forward_hook(lambda cell, inputs, output: print("called"))
print(grad(net)(Tensor([3.0])))""",
            "called\n[6.]",
            "It is called as on any other Cell.",
        ),
        Row(
            "A hook of a Tensor returns another shape.",
            """
def f(x):
    y = x * 1
    y.register_hook(lambda g: Tensor([7.0]))
    return y
print(grad(f)(Tensor([1.0, 2.0])))""",
            "ValueError: f.<locals>.<lambda>, a hook of a Tensor of shape (2,), returned a "
            "gradient of shape (1,): a gradient has the shape of what it is the gradient of",
            "MindSpore gives the wrong shape for the gradient of x.",
        ),
        Row(
            "A hook of a Tensor returns no Tensor.",
            """
def f(x):
    y = x * x
    y.register_hook(lambda g: 7.0)
    return y
grad(f)(Tensor([1.0]))""",
            "TypeError: f.<locals>.<lambda>, a hook of a Tensor, must return a Tensor or None, but "
            "returned a float",
            "The class says that it is a matter of types.",
        ),
        Row(
            "A hook returns a list.",
            """
class Net(nn.Cell):
    def construct(self, x):
        return x * x
net = Net()
net.register_backward_hook(lambda cell, dx, dy: [dx[0] * 10])
print(grad(net)(Tensor([3.0])))""",
            "[60.]",
            "A list of gradients is as good as a tuple.",
        ),
        Row(
            "Two hooks of one Cell, of which the first returns another shape.",
            """
net = nn.MatMul()
net.register_backward_hook(lambda cell, dx, dy: (ops.ones((1,)), ops.ones((1,))))
net.register_backward_hook(lambda cell, dx, dy: dx + dy)
grad(net)(ops.ones((3, 3)), ops.ones((3, 3)))""",
            "ValueError: <lambda>, a backward hook of MatMul, returned a gradient of shape (1,) "
            "and Float32 in the place of grad_input[0], which has shape (3, 3) and Float32; they "
            "must be alike",
            "What a hook returns is looked at before the next one runs.",
        ),
        Row(
            "`queue_backward_final_callback`, for what is to happen after a gradient call.",
            """
print(hasattr(ms.common.api._pynative_executor, "queue_backward_final_callback"))""",
            "False",
            "It is a private name. What is to happen after a gradient call is written behind it.",
        ),
    ],
    "Graph mode and `jit`": [
        Row(
            "A Tensor from outside is written into, between two calls of what `jit` made.",
            """
k = Tensor([2.0])
@ms.jit
def f(x):
    return x * k
print(f(Tensor([1.0])))
k[0] = 3.0
print(f(Tensor([1.0])))""",
            "[2.]\n[2.]",
            "It is part of the program, as it was, like a number; `print(f.program)` lists what is. "
            "What changes is an argument, or a Parameter.",
        ),
        Row(
            "A Parameter has a new value at the next call of what `jit` made.",
            """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name="w")
    @ms.jit
    def construct(self, x):
        return x * self.w
net = Net()
print(net(Tensor([1.0])))
net.w.set_data(Tensor([3.0]))
print(net(Tensor([1.0])))""",
            "[2.]\n[3.]",
            "A program reads its Parameters at each call; MindSpore keeps the old value here.",
        ),
        Row(
            "What `jit` makes writes into a Tensor from outside.",
            """
k = Tensor([0.0])
@ms.jit
def f(x):
    k[0] = 5.0
    return x + k
print(f(Tensor([1.0])), k)""",
            "[6.] [5.]",
            "With a warning it runs line by line, so k is written, as without `jit`.",
        ),
        Row(
            "A list from outside grows, under `jit`.",
            """
seen = []
@ms.jit
def f(x):
    seen.append("called")
    return x * 2
y, y = f(Tensor([1.0])), f(Tensor([2.0]))
print(seen)""",
            "['called']",
            "What a function does to Python's things, printing too, is done once: while it is "
            "recorded.",
        ),
        Row(
            "`try` under `jit`.",
            """
@ms.jit
def f(x):
    try:
        return x * 2
    except ValueError:
        return x
print(f(Tensor([1.0])))""",
            "[2.]",
            "The function itself runs once, so all of Python may be in it.",
        ),
        Row(
            "An option that `jit` does not have.",
            """
@ms.jit(quick=True)
def f(x):
    return x * 2
print(f(Tensor([1.0])))""",
            "TypeError: jit has no option quick; it has backend, capture_mode, compile_once, "
            "dynamic, fullgraph, hash_args, infer_boost, input_signature, jit_config, jit_level, "
            "mode",
            "An option with a slip of the pen in its name is none.",
        ),
    ],
}
