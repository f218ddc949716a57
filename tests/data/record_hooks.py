"""Record in `hooks.json` what small programs with hooks and checkpoints print on a real MindSpore.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand,
in an environment of its own that has MindSpore, when programs are added:

    python tests/data/record_hooks.py
"""

import json
import platform
from pathlib import Path

import mindspore
import numpy
from record_cells import PREAMBLE, run

CELLS = """\
class Mul(nn.Cell):
    def construct(self, x, y): return x * y
class Two(nn.Cell):
    def construct(self, x): return x * 2, x * 3
class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([5.0]), name='w')
    def construct(self, x=2.0): return self.w * x
class Rule(nn.Cell):
    def construct(self, x): return x * x
    def bprop(self, x, out, dout):
        print('bprop', dout)
        return (dout * 100,)
def backward(cell, name=''):
    cell.register_backward_hook(lambda c, dx, dy: print(name, 'h', dx, dy))
    cell.register_backward_pre_hook(lambda c, dy: print(name, 'p', dy))
    return cell
X, Y = Tensor([2.0]), Tensor([3.0])
"""
PROGRAMS = [
    # A Cell's backward hooks: what they get, in which order, and what becomes of what they return.
    "m = Mul(); m.register_backward_hook(lambda c, dx, dy: print(type(c).__name__, dx, dy)); print(ms.grad(m, (0, 1))(X, Y))",
    "m = Mul(); m.register_backward_pre_hook(lambda c, dy: print(type(c).__name__, dy)); print(ms.grad(m, (0, 1))(X, Y))",
    "m = backward(Mul()); print(ms.grad(m)(X, Y)); print(ms.grad(lambda x: m(x, Y))(X)); print(ms.grad(lambda x: m(x, 3.0))(X)); print(ms.grad(lambda x: m(3.0, x))(X))",
    "m = backward(Mul()); print(ms.grad(lambda x: m(3.0, y=x))(X)); print(ms.grad(lambda x: m(x=x, y=x))(X))",
    "m = Mul(); m.register_backward_hook(lambda c, dx, dy: (dx[0] * 10, dx[1] * 100)); print(ms.grad(m, (0, 1))(X, Y)); print(ms.grad(lambda x: m(x, x))(X))",
    "m = Mul(); m.register_backward_pre_hook(lambda c, dy: (dy[0] * 10,)); print(ms.grad(m, (0, 1))(X, Y))",
    "m = Mul(); m.register_backward_pre_hook(lambda c, dy: dy[0] * 10); print(ms.grad(m, (0, 1))(X, Y))",
    "m = backward(Two()); print(ms.grad(m)(X))",
    "m = Two(); m.register_backward_pre_hook(lambda c, dy: (dy[0] * 10, dy[1] * 100)); print(ms.grad(m)(X))",
    """\
m = Mul()
for i in range(2):
    m.register_backward_hook(lambda c, dx, dy, i=i: (print('h', i, dx, dy), (dx[0] * 2, dx[1] * 2))[1])
    m.register_backward_pre_hook(lambda c, dy, i=i: (print('p', i, dy), dy[0] * 10)[1])
    m.register_forward_pre_hook(lambda c, a, i=i: print('fp', i, a))
    m.register_forward_hook(lambda c, a, o, i=i: print('f', i, a, o))
print(ms.grad(m, (0, 1))(X, Y))""",
    """\
m = backward(Mul())
m.register_forward_pre_hook(lambda c, a: (a[0] * 10, a[1]))
m.register_forward_hook(lambda c, a, o: (print('f', a), o * 7)[1])
print(ms.grad(m, (0, 1))(X, Y)); print(m(X, Y))""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = backward(Mul(), 'a'), backward(Mul(), 'b')
        backward(self, 'net')
    def construct(self, x, y): return self.b(self.a(x, y), x)
print(ms.grad(Net(), (0, 1))(X, Y))""",
    "m = backward(Mul()); print(ms.grad(lambda x: m(m(x, x), x))(X))",
    """\
class Plain(nn.Cell):
    def construct(self, x): return x
m = backward(Plain()); print(ms.grad(lambda x: m(x) * x)(X))""",
    """\
class Twice(nn.Cell):
    def construct(self, x): return x * 2
m = backward(Twice())
def f(x):
    y = m(x)
    return y * y + y
print(ms.grad(f)(X))""",
    """\
class Odd(nn.Cell):
    def construct(self, x): return x, 5
m = backward(Odd()); print(ms.grad(lambda x: m(x)[0] * x)(X))""",
    """\
class Largest(nn.Cell):
    def construct(self, x): return x * 2, x.argmax()
m = backward(Largest()); print(ms.grad(lambda x: m(x)[0] * x)(X))""",
    "m = Mul(); m.register_backward_hook(lambda c, dx, dy: print('h', dx)); print(ms.grad(lambda x: m(x, Tensor([2])))(X))",
    "w = backward(Scale()); print(ms.grad(w, None, w.trainable_params())(3.0)); print(ms.grad(w, None, w.trainable_params())())",
    "w = Scale(); w.register_backward_hook(lambda c, dx, dy: (dy[0] * 2,)); print(ms.grad(w, None, w.trainable_params())())",
    "w = backward(Scale()); print(ms.grad(w, None, w.trainable_params())(X)); print(ms.grad(lambda x: w(Y) * x, None, w.trainable_params())(X))",
    "m, w = backward(Mul()), backward(Scale()); print(ms.grad(lambda z: z * m(Tensor([7.0]), Y))(X)); print(ms.grad(lambda z: z * w(Tensor([7.0])))(X))",
    "w = Scale(); w.register_backward_hook(lambda c, dx, dy: dx[0] * 100); print(ms.grad(w, 0, w.trainable_params())(X))",
    """\
net = backward(nn.Dense(2, 1, weight_init='ones', bias_init='zeros'))
print(ms.value_and_grad(net, None, net.trainable_params())(Tensor([[1.0, 2.0]])))""",
    # With a bprop.
    """\
m = backward(Rule()); m.register_forward_pre_hook(lambda c, a: print('fp', a))
print(m(X)); print(ms.grad(m)(X))""",
    """\
m = Rule()
m.register_backward_hook(lambda c, dx, dy: (dx[0] * 2,)); m.register_backward_pre_hook(lambda c, dy: dy[0] * 3)
m.register_forward_pre_hook(lambda c, a: a[0] * 5)
print(m(X)); print(ms.grad(m)(X))""",
    """\
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.m = backward(Mul())
        self.m.register_forward_hook(lambda c, a, o: print('f', a, o))
    def construct(self, x): return self.m(x, x)
    def bprop(self, x, out, dout): return (dout * 100,)
print(ms.grad(Outer())(X))""",
    # To second order.
    "m = backward(Mul()); print(ms.grad(ms.grad(lambda x: m(x, x) * x))(X))",
    "m = Mul(); m.register_backward_hook(lambda c, dx, dy: (dx[0] * 10, dx[1] * 10)); print(ms.grad(ms.grad(lambda x: m(x, x) * x))(X))",
    "m = Mul(); m.register_backward_pre_hook(lambda c, dy: dy[0] * dy[0]); f = lambda x: m(x, x) * x; print(ms.grad(f)(X), ms.grad(ms.grad(f))(X))",
    # Removed, and added while a function runs.
    """\
m = Mul()
handles = [m.register_backward_hook(lambda c, dx, dy: print('h')), m.register_forward_hook(lambda c, a, o: o * 2),
           m.register_forward_pre_hook(lambda c, a: print('fp')), m.register_backward_pre_hook(lambda c, dy: print('p'))]
print(ms.grad(m)(X, Y))
for handle in handles: print(handle.remove(), handle.remove())
print(ms.grad(m)(X, Y))""",
    """\
m = Mul(); handle = m.register_backward_hook(lambda c, dx, dy: print('h'))
def f(x):
    out = m(x, x)
    handle.remove()
    return out
print(ms.grad(f)(X))""",
    """\
m = Mul()
def f(x):
    out = m(x, x)
    m.register_backward_hook(lambda c, dx, dy: print('h'))
    return out
print(ms.grad(f)(X)); print(ms.grad(f)(X))""",
    "m = Mul(); handle = m.register_forward_hook(lambda c, a, o: None); del m; print(handle.remove())",
    # Forward hooks.
    "for r in (lambda o: (o,), lambda o: [o], lambda o: 5, lambda o: {'a': o}): m = Mul(); m.register_forward_hook(lambda c, a, o: r(o)); print(m(X, Y))",
    "m = Mul(); m.register_forward_pre_hook(lambda c, a: (1.0, 2.0)); print(m(X, Y))",
    """\
m = Mul()
m.register_forward_pre_hook(lambda c, a: print('fp', a))
m.register_forward_pre_hook(lambda c, a, k: print('fpk', a, k), with_kwargs=True)
m.register_forward_hook(lambda c, a, o: print('f', a, o))
m.register_forward_hook(lambda c, a, k, o: print('fk', a, k, o), with_kwargs=True)
print(m(X, y=Y)); print(m(y=Y, x=X))
m.register_forward_pre_hook(lambda c, a, k: ((X,), {'y': k['y'] * 5}), with_kwargs=True, prepend=True)
print(m(X, y=Y))""",
    """\
m = Mul()
for i in range(3): m.register_forward_hook(lambda c, a, o, i=i: print('f', i), prepend=i == 2)
for i in range(3): m.register_forward_pre_hook(lambda c, a, i=i: print('fp', i), prepend=True)
m(X, Y)""",
    """\
class Bad(nn.Cell):
    def construct(self, x): raise ValueError('bad')
m = Bad()
m.register_forward_hook(lambda c, a, o: print('always', a, o), always_call=True)
m.register_forward_hook(lambda c, a, o: print('never'))
try: m(X)
except ValueError as error: print(error)""",
    "import copy; m = Mul(); m.register_forward_hook(lambda c, a, o: print('f')); copy.copy(m)(X, Y); copy.deepcopy(m)(X, Y)",
    # Hooks of Tensors.
    """\
def f(x, y):
    z = x * y
    z.register_hook(lambda g: g * 2)
    return z * y
print(ms.grad(f, (0, 1))(X, Y))""",
    """\
def f(x):
    z = x * x
    z.register_hook(lambda g: print(g))
    return z * x
print(ms.grad(f)(X))""",
    """\
def f(x):
    z = x * x
    w = z * 5
    z.register_hook(lambda g: (print(g), g * 10)[1])
    return w + z
print(ms.grad(f)(X))""",
    """\
def f(x):
    z = x * x
    z.register_hook(lambda g: (print(1, g), g * 10)[1])
    z.register_hook(lambda g: (print(2, g), g + 1)[1])
    return z
print(ms.grad(f)(X))""",
    """\
x = Tensor([2.0])
handle = x.register_hook(lambda g: (print('leaf', g), g * 10)[1])
f = lambda x: x * x + x
print(ms.grad(f)(x)); print(ms.grad(f)(x)); print(ms.grad(lambda y, x: x * y)(X, x)); print(ms.grad(lambda y: x * y)(X))
print(ms.grad(ms.grad(f))(x)); print(ms.grad(lambda x, y: y * 2, (0, 1))(x, X))
handle.remove(); handle.remove(); print(ms.grad(f)(x))""",
    """\
w = Parameter(Tensor([5.0]), name='w')
handle = w.register_hook(lambda g: (print('w', g), g * 10)[1])
f = lambda x: w * x * w
print(ms.grad(f, 0, [w])(X)); print(ms.grad(f)(X)); print(ms.grad(lambda x: ms.grad(f, None, w)(x), 0, w)(X))
handle.remove(); print(ms.grad(f, 0, [w])(X))""",
    """\
w = Parameter(Tensor([5.0]), name='w')
handle = w.register_hook(lambda g: g * 10)
def f(x):
    y = x * w
    handle.remove()
    return y
print(ms.grad(f, None, w)(X))""",
    """\
def f(x):
    z = x * x
    handle = z.register_hook(lambda g: g * 10)
    y = z * 1
    handle.remove()
    return y
print(ms.grad(f)(X))""",
    """\
def f(x):
    z = x * x
    z.register_hook(lambda g: (print(g), g * 10)[1])
    return z * x
print(ms.grad(f)(X)); print(ms.grad(ms.grad(f))(X))""",
    """\
def f(x):
    z = x * x
    z.register_hook(lambda g: (print(g), g * 10)[1])
    return z
print(ms.grad(f)(X)); print(ms.vjp(f, X)[1](Tensor([7.0])))""",
    """\
def f(x):
    z = x * 1
    z.register_hook(lambda g: (print(g), g * 10)[1])
    z[0] = 5.0
    return z + x
print(ms.grad(f)(Tensor([2.0, 3.0])))""",
    """\
def f(x):
    z = x * x
    z.register_hook(lambda g: print('never'))
    return ops.stop_gradient(z) * x
print(ms.grad(f)(X))""",
    """\
def f(x):
    a, b = ops.split(x, 1)
    a.register_hook(lambda g: (print(g), g * 10)[1])
    return a * b
print(ms.grad(f)(Tensor([2.0, 3.0])))""",
    """\
import copy
w = Parameter(Tensor([5.0]), name='w'); w.register_hook(lambda g: g * 10)
v, u = w.clone(), copy.deepcopy(w)
print(ms.grad(lambda x: v * x, None, v)(X), ms.grad(lambda x: u * x, None, u)(X))""",
    # HookBackward.
    """\
h = ops.HookBackward(lambda g: print('hb', g))
print(h(X), h, h()); print(ms.grad(lambda x: h(x * x) * x)(X)); print(ms.grad(ms.grad(lambda x: h(x * x) * x))(X))""",
    "for r in (lambda g: g[0] * 10, lambda g: (g[0] * 10,)): h = ops.HookBackward(r); print(ms.grad(lambda x: h(x * x) * x)(X))",
    """\
h = ops.HookBackward(lambda g: print('hb', g)); print(h(X, Y))
print(ms.grad(lambda x, y: h(x, y)[0] * y, (0, 1))(X, Y)); print(ms.grad(lambda x, y: h(x, y)[0] * h(x, y)[1], (0, 1))(X, Y))
h = ops.HookBackward(lambda g: (g[0] * 10, g[1] * 100))
print(ms.grad(lambda x, y: h(x, y)[0] * h(x, y)[1], (0, 1))(X, Y))""",
    # What a Cell holds.
    """\
n = nn.SequentialCell(nn.Dense(2, 3), nn.SequentialCell(nn.Dense(3, 1), nn.ReLU()))
print(type(n.parameters_dict()).__name__, n.cells(), n.name_cells(), n.cls_name, sep='\\n')
print([(a, p.name) for a, p in n.parameters_and_names('pre')], [(a, type(b).__name__) for a, b in n.cells_and_names(name_prefix='pre')])
print([a for a, b in n.cells_and_names({n[1]})]); n.apply(lambda c: print(type(c).__name__))
n.update_parameters_name('pre.'); print(list(n.parameters_dict())); n.update_parameters_name('x.', recurse=False); print(list(n.parameters_dict()))""",
    """\
n = nn.SequentialCell(nn.ReLU())
n.insert_child_to_cell('extra', nn.Dense(1, 1)); print(n); print([p.name for p in n.get_parameters()], n.extra)
m = Scale(); m.insert_param_to_cell('p', Parameter(Tensor([1.0]), name='other')); m.insert_param_to_cell('q', Parameter(Tensor([1.0])))
m.insert_param_to_cell('p', Parameter(Tensor([1.0]), name='third')); m.insert_param_to_cell('a.b', Parameter(Tensor([1.0]), name='z'), check_name_contain_dot=False)
print([p.name for p in m.get_parameters()], m.p)""",
    """\
class Shared(nn.Cell):
    def __init__(self):
        super().__init__()
        w = Parameter(Tensor([1.0]), name='x'); self.a = w; self.b = w
        self.d1 = nn.Dense(1, 1); self.d2 = nn.Dense(1, 1); self.d2.weight = self.d1.weight
        self.d3 = self.d1
n = Shared(); print([(a, p.name) for a, p in n.parameters_and_names()]); print(n); print(n.cells())""",
    """\
n = nn.Cell(True, {'a': 1}); print(n.a, n.get_flags()); print(n.add_flags(b=2).b, n.get_flags())
print(n.set_train() is n, n.training, n.set_grad() is n, n.requires_grad, n.set_grad(False).requires_grad)""",
    # Checkpoints.
    """\
import os, tempfile
os.chdir(tempfile.mkdtemp())
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0]), name='w'); self.fc = nn.Dense(2, 3); self.fc.bias.name = 'renamed'
n = Net(); n.w.requires_grad = False
ms.save_checkpoint(n, 'a'); ms.save_checkpoint(n, 'b.ckpt'); ms.save_checkpoint(n, 'c.npz'); print(sorted(os.listdir('.')))
print(ms.load_checkpoint('a.ckpt'))
for kind in (dict(filter_prefix='fc'), dict(filter_prefix=['fc', 'ren']), dict(specify_prefix='fc'), dict(specify_prefix=('fc', 'w')), dict(choice_func=lambda name: 'e' in name),
             dict(choice_func=lambda name: False, filter_prefix='w')):
    print(list(ms.load_checkpoint('a.ckpt', **kind)))
ms.save_checkpoint(n, 'd', choice_func=lambda name: name == 'w'); print(list(ms.load_checkpoint('d.ckpt')))
ms.save_checkpoint([{'name': 'x/y.z', 'data': Tensor([1.0])}], 'e'); print(ms.load_checkpoint('e.ckpt'))
ms.save_checkpoint([Parameter(Tensor([1]), name='p')], 'f'); print(ms.load_checkpoint('f.ckpt'))
ms.save_checkpoint({'q': Parameter(Tensor([1]), name='p')}, 'g'); print(ms.load_checkpoint('g.ckpt'))
ms.save_checkpoint(n, 'h', append_dict={'epoch': 5, 'lr': 0.5, 's': 'abc', 'flag': True, 't': Tensor([1.0])}); d = ms.load_checkpoint('h.ckpt')
print(list(d), int(d['epoch']), float(d['lr']), bool(d['flag']), d['s'], d['t'], d['t'].asnumpy())
for kind in (ms.float16, ms.float64, ms.int32, ms.bool_, ms.uint8): ms.save_checkpoint([{'name': 'x', 'data': Tensor(np.array([1, 0]), kind)}], 'i'); print(ms.load_checkpoint('i.ckpt'))""",
    """\
import os, tempfile
os.chdir(tempfile.mkdtemp())
n = Scale(); ms.save_checkpoint(n, 'a'); n.w.set_data(Tensor([9.0])); d = ms.load_checkpoint('a.ckpt', n); print(n.w.asnumpy())
print(ms.load_param_into_net(n, d), ms.load_param_into_net(n, {}), ms.load_param_into_net(n, {**d, 'more': Parameter(Tensor([1.0]))}, strict_load=True))
print(ms.load_param_into_net(n, {'w': Parameter(Tensor(np.array([7.5])), name='w')}), n.w, n.w.asnumpy())
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = Scale()
print(ms.load_param_into_net(Outer(), d))
ms.save_checkpoint(Outer(), 'o'); n.w.set_data(Tensor([9.0])); print(ms.load_param_into_net(n, ms.load_checkpoint('o.ckpt'))[0], n.w.asnumpy())
print(ms.load_param_into_net(n, ms.load_checkpoint('o.ckpt'), strict_load=True))
o = nn.Momentum(n.trainable_params(), 0.1, 0.9); ms.save_checkpoint(o, 'm'); print(list(ms.load_checkpoint('m.ckpt')))""",
    "print(ms.mutable((1, 2.5)), ms.mutable([Tensor([1.0]), {'a': True}]), ms.mutable(3), ms.mutable([1], True))",
]  # fmt: skip

if __name__ == "__main__":
    versions = {
        "mindspore": mindspore.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }
    lines = [json.dumps({"program": p, "printed": run(CELLS + p)}) for p in PROGRAMS]
    text = f'{{\n"versions": {json.dumps(versions)},\n"preamble": {json.dumps(PREAMBLE + CELLS)},\n"programs": [\n'
    Path(__file__).with_name("hooks.json").write_text(text + ",\n".join(lines) + "\n]\n}\n")
