"""Record in `cells.json` what small programs with Cells print on a real MindSpore.

Last run on MindSpore 2.10.0 (CPU, PyNative) with numpy 1.26.4 and Python 3.11. It is run by hand,
in an environment of its own that has MindSpore, when programs are added:

    python tests/data/record_cells.py

The number in a name such as Parameter#3 counts all Parameters of the process; here it is N. An
initializer prints its address; here it is its name.
"""

import contextlib
import io
import json
import platform
import re
from pathlib import Path

import mindspore
import numpy

PREAMBLE = "import numpy as np, mindspore as ms\nfrom mindspore import Tensor, Parameter, ParameterTuple, nn, ops\n"
PROGRAMS = [
    'print(nn.Dense(3, 4))',
    'print(repr(nn.Dense(3, 4)))',
    'print(nn.Dense(3, 4, has_bias=False))',
    "print(nn.Dense(3, 4, activation='relu'))",
    'print(nn.Dense(3, 4, activation=nn.Sigmoid()))',
    "print(nn.Dense(3, 4, has_bias=False, activation='tanh'))",
    'print(nn.ReLU())',
    'print(nn.Sigmoid())',
    'print(nn.Tanh())',
    'print(nn.GELU())',
    'print(nn.Softmax())',
    'print(nn.LogSoftmax())',
    'print(nn.Identity())',
    'print(nn.Flatten())',
    'print(nn.LeakyReLU())',
    'print(nn.ELU())',
    'print(nn.SiLU())',
    'print(nn.ReLU6())',
    'print(nn.MSELoss())',
    'print(nn.L1Loss())',
    'print(nn.BCELoss())',
    'print(nn.BCEWithLogitsLoss())',
    'print(nn.CrossEntropyLoss())',
    'print(nn.NLLLoss())',
    'print(nn.SmoothL1Loss())',
    'print(nn.HuberLoss())',
    'print(nn.SoftmaxCrossEntropyWithLogits())',
    'print(nn.Dropout(p=0.3))',
    'print(nn.Dropout())',
    "print(nn.MSELoss('sum'))",
    'print(nn.Embedding(5, 3))',
    'print(nn.LayerNorm((3,)))',
    'print(nn.BatchNorm1d(3))',
    'print(nn.Conv2d(1, 2, 3))',
    'print(nn.MaxPool2d(2))',
    'print(nn.SequentialCell(nn.Dense(2, 8), nn.ReLU(), nn.Dense(8, 1)))',
    'print(nn.SequentialCell([nn.Dense(2, 8), nn.ReLU()]))',
    """\
from collections import OrderedDict
print(nn.SequentialCell(OrderedDict(first=nn.Dense(2, 8), act=nn.ReLU())))""",
    'print(nn.SequentialCell())',
    'print(nn.CellList([nn.Dense(2, 2), nn.ReLU()]))',
    'print(nn.CellList())',
    'print(nn.Cell())',
    'print([nn.ReLU(), nn.Dense(2, 3)])',
    """\
class Net(nn.Cell):
    pass
print(Net())
print(repr(Net()))
print(str(Net()))
print(f'{Net()}')""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]))
        self.c = Tensor([1.0])
        self.k = 3
    def construct(self, x):
        return x * self.w
print(Net())""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 3)
        self.act = nn.ReLU()
        self.w = Parameter(Tensor([1.0, 2.0]), name='w')
        self.body = nn.SequentialCell(nn.Dense(3, 3), nn.Tanh(), nn.SequentialCell(nn.Dense(3, 1, has_bias=False)))
        self.list = nn.CellList([nn.Dense(1, 1), nn.Sigmoid()])
    def construct(self, x):
        return x
print(Net())
print(Net().fc1)""",
    """\
class Inner(nn.Cell):
    def extend_repr(self):
        return 'a=1'
class Two(nn.Cell):
    def extend_repr(self):
        return 'a=1\\nb=2'
class Mixed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.two = Two()
    def extend_repr(self):
        return 'scale=3'
class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mixed = Mixed()
print(Inner()); print(Two()); print(Mixed()); print(Outer())""",
    """\
p = ParameterTuple([Parameter(Tensor([1.0]), name='a'), Parameter(Tensor(2), name='b', requires_grad=False)])
print(p); print(repr(p)); print(len(p), type(p).__name__); print(ParameterTuple([]))""",
    """\
net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
print(net.trainable_params())
print([(p.name, p.requires_grad) for p in net.get_parameters()])
print(list(net.parameters_and_names()))""",
    """\
net = nn.Dense(2, 3)
print(nn.SGD(net.trainable_params(), 0.1))""",
    """\
net = nn.Dense(2, 3)
print(nn.SGD(net.trainable_params(), learning_rate=0.1, momentum=0.9))
print([p.name for p in net.trainable_params()])""",
    """\
net = nn.Dense(2, 3)
opt = nn.Adam(net.trainable_params(), learning_rate=0.01)
print(opt)
print(opt.parameters)
print([p.name for p in net.trainable_params()])
print([p.name for p in opt.get_parameters()])""",
    """\
net = nn.Dense(2, 3)
opt = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
print(opt); print([(p.name, p.shape) for p in opt.get_parameters()])""",
    """\
net = nn.Dense(2, 3)
opt = nn.SGD(net.trainable_params(), learning_rate=0.01, momentum=0.9)
print([(p.name, p.shape, p.requires_grad) for p in opt.get_parameters()])
opt = nn.Adam(net.trainable_params())
print([(p.name, p.shape, p.requires_grad) for p in opt.get_parameters()])""",
    """\
net = nn.SequentialCell(nn.Dense(2, 1)); loss = nn.MSELoss()
print(nn.WithLossCell(net, loss))
opt = nn.SGD(net.trainable_params(), 0.1)
print(nn.TrainOneStepCell(nn.WithLossCell(net, loss), opt))
print([p.name for p in net.get_parameters()])""",
    """\
p = Parameter(Tensor([1.0])); q = Parameter(Tensor([1.0]))
print(p.name, q.name)
p2 = Parameter(Tensor([1.0]), name='z'); print(p2.name)""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]))
        print('inside', self.w.name)
        self.v = Parameter(Tensor([1.0]), name='other')
        print('inside', self.v.name)
net = Net()
print([p.name for p in net.get_parameters()], [n for n, p in net.parameters_and_names()])
class Top(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        print('before', [p.name for p in inner.get_parameters()])
        self.inner = inner
        print('after assignment', [p.name for p in inner.get_parameters()])
top = Top(net)
print('after init', [p.name for p in top.get_parameters()], [p.name for p in net.get_parameters()])
print([n for n, p in top.parameters_and_names()])
print(top.trainable_params())
print([p.name for p in top.get_parameters()])""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(2, 3)
        print([p.name for p in self.fc1.get_parameters()])
        self.fc2 = nn.Dense(3, 1)
        self.scale = Parameter(Tensor(1.0))
        self.frozen = Parameter(Tensor(1.0), requires_grad=False)
        print(self.fc1.weight.name)
net = Net()
print([p.name for p in net.get_parameters()])
print([(p.name, p.requires_grad) for p in net.get_parameters()])
print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
print([p.name for p in net.get_parameters()])
net.fc1.weight.requires_grad = False
print(net.trainable_params())
net2 = nn.SequentialCell(net, nn.ReLU())
print([p.name for p in net2.get_parameters()], [p.name for p in net.get_parameters()])""",
    """\
d = nn.Dense(2, 3)
print([p.name for p in d.get_parameters()])
s = nn.SequentialCell(d, nn.ReLU())
print([p.name for p in d.get_parameters()])
s2 = nn.SequentialCell(s, nn.Dense(3, 1))
print([p.name for p in s2.get_parameters()])
l = nn.CellList([nn.Dense(1, 1), nn.Dense(1, 1)])
print([p.name for p in l.get_parameters()])
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = l
        self.body = s2
n = Net()
print([p.name for p in n.get_parameters()])
print([k for k, _ in n.parameters_and_names()])
print(list(n.parameters_dict()))
s2.append(nn.Dense(1, 1)); print(s2); print([p.name for p in s2.get_parameters()])""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        shared = nn.Dense(2, 2)
        self.a = shared
        self.b = shared
n = Net()
print([p.name for p in n.get_parameters()], [p.name for p in n.trainable_params()])
print(n)""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ps = ParameterTuple([Parameter(Tensor([1.0]), name='a'), Parameter(Tensor([2.0]), name='b')])
n = Net()
print([p.name for p in n.get_parameters()]); print(n); print(n.ps)""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.ps = [Parameter(Tensor([1.0]), name='a')]
        self.cells_list = [nn.Dense(1, 1)]
n = Net()
print([p.name for p in n.get_parameters()]); print(n)""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = Parameter(Tensor([1.0]), name='same')
        self.b = Parameter(Tensor([1.0]), name='same')
n = Net()
print([p.name for p in n.get_parameters()]); print(n.trainable_params())""",
    """\
d = nn.Dense(2, 3)
d.weight.name = 'hello'
print([p.name for p in d.get_parameters()])
d.update_parameters_name('pre.'); print([p.name for p in d.get_parameters()])
s = nn.SequentialCell(d); print([p.name for p in s.get_parameters()])""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0]), name='w')
n = Net()
n.extra = Parameter(Tensor([1.0]))
print([p.name for p in n.get_parameters()])
n.late = nn.Dense(1, 1)
print([p.name for p in n.get_parameters()])""",
    """\
class Net(nn.Cell):
    def __init__(self, inner):
        super().__init__(auto_prefix=False)
        self.inner = inner
        self.w = Parameter(Tensor([1.0]))
n = Net(nn.Dense(1, 1))
print([p.name for p in n.get_parameters()])""",
    """\
print(nn.Dense(2, 2).weight.shape, nn.Dense(2, 2).bias)
print(repr(nn.Dense(2, 2, weight_init='ones', bias_init='zeros').weight))""",
    'print(type(nn.Dense(2,2).trainable_params()), nn.ReLU().trainable_params())',
    """\
l = nn.CellList([nn.Dense(1, 1), nn.Dense(1, 2)])
l.insert(0, nn.Dense(2, 2)); l.append(nn.ReLU()); l.extend([nn.Dense(3, 3)])
print(l); print([p.name for p in l.get_parameters()], len(l))""",
    """\
l = nn.CellList([nn.Dense(1, 1), nn.Dense(1, 2), nn.Dense(1, 3)])
del l[1]; print(l); print([p.name for p in l.get_parameters()])
l[0] = nn.Dense(5, 5); print(l[0], l[-1], [p.name for p in l.get_parameters()]); print(l[1:])
l += [nn.ReLU()]; print(len(l), [type(c).__name__ for c in l], bool(l), bool(nn.CellList()))""",
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(1, 1), nn.Dense(1, 2)])
        self.body = nn.SequentialCell(nn.Dense(1, 1), nn.ReLU(), nn.Dense(1, 3))
n = Net()
n.layers.append(nn.Dense(1, 3)); n.layers.insert(1, nn.Dense(1, 4)); n.body.append(nn.Dense(3, 1))
print([p.name for p in n.get_parameters()])
del n.layers[0]; del n.body[1]
print([p.name for p in n.get_parameters()])
n.body[0] = nn.Dense(7, 7); n.layers[1] = nn.Dense(8, 8)
print([p.name for p in n.get_parameters()]); print(n)""",
    """\
from collections import OrderedDict
s = nn.SequentialCell(OrderedDict(first=nn.Dense(2, 8), act=nn.ReLU(), last=nn.Dense(8, 1)))
print([p.name for p in s.get_parameters()]); print(s[1:]); print(s.first, s[-1])
del s[1]; print(s)
s.append(nn.Tanh()); print(s)""",
    """\
l = nn.CellList([nn.Dense(1, 1)], auto_prefix=False)
l.append(nn.Dense(1, 1)); print([p.name for p in l.get_parameters()])""",
    """\
d = nn.CellDict({'a': nn.Dense(1, 1), 'b': nn.ReLU()})
d['c'] = nn.Dense(2, 2); print(d); print([p.name for p in d.get_parameters()], list(d.keys()), len(d), 'a' in d, list(d))
d.pop('a'); print(d); d.update({'b': nn.Tanh()}); print(list(d.items())); d.clear(); print(len(d), d)""",
    "d = nn.CellDict([('a', nn.Dense(1, 1)), ('b', nn.ReLU())]); del d['a']; print(list(d.values()))",
    's = nn.SequentialCell([nn.Dense(2, 2)]); print(len(s), bool(s), s.append(nn.ReLU())); print(s.cell_list)',
    """\
net = nn.SequentialCell(nn.Conv2d(1, 2, 3, pad_mode='valid', weight_init='ones'), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(2, 3))
print([(p.name, p.shape, p.requires_grad) for p in net.get_parameters()])
print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
print(net(Tensor(np.ones((1, 1, 4, 4), np.float32))).shape)""",
    """\
net = nn.Dense(2, 1, weight_init='ones', bias_init='zeros')
opt = nn.Momentum(net.trainable_params(), 0.1, 0.5)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
x, y = Tensor([[1.0, 2.0]]), Tensor([[1.0]])
for _ in range(4): print(step(x, y), net.weight.asnumpy(), net.bias.asnumpy(), opt.global_step.asnumpy())""",
    """\
net = nn.Dense(2, 1, weight_init='ones', bias_init='zeros')
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), sens=2.0, return_grad=True)
print(step(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))); print(net.weight.asnumpy())""",
    """\
net = nn.SequentialCell(nn.BatchNorm1d(2), nn.Dense(2, 1, weight_init='ones', bias_init='zeros'))
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
step.set_train()
x, y = Tensor([[1.0, 2.0], [3.0, 5.0]]), Tensor([[1.0], [2.0]])
step(x, y); print(net[0].moving_mean.asnumpy(), net[0].moving_variance.asnumpy())
step(x, y); print(net[0].moving_mean.asnumpy())""",
    """\
net = nn.Dense(2, 1, weight_init='ones', bias_init='zeros')
print(nn.WithGradCell(net, nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))
print(nn.WithEvalCell(net, nn.MSELoss())(Tensor([[1.0, 2.0]]), Tensor([[1.0]])))""",
    """\
class Far(nn.LossBase):
    def construct(self, base, target):
        return self.get_loss(ops.abs(base - target))
for r in ('mean', 'sum', 'none'): print(Far(r)(Tensor([1.0, 2.0]), Tensor([4.0, 0.0])))
print(Far('mean').get_loss(Tensor([1.0, 2.0]), Tensor([3.0, 1.0])))""",
    """\
class Mine(nn.Optimizer):
    def __init__(self, params, learning_rate, momentum=0.9):
        super().__init__(learning_rate, params)
        self.moment = Parameter(Tensor(momentum, ms.float32), name='moment')
        self.momentum = self.parameters.clone(prefix='momentum', init='zeros')
    def construct(self, gradients):
        lr = self.get_lr()
        for i, p in enumerate(self.parameters):
            self.momentum[i].set_data(self.momentum[i] * self.moment + gradients[i])
            p.set_data(p - self.momentum[i] * lr)
        return self.parameters
w = Parameter(Tensor([1.0, 2.0]), name='w')
opt = Mine([w], 0.1)
opt((Tensor([1.0, -1.0]),)); opt((Tensor([1.0, -1.0]),)); print(w.asnumpy()); print([p.name for p in opt.get_parameters()])""",
    """\
print(nn.Linear(2, 3), nn.Linear(2, 3, bias=False), nn.Linear(2, 3, dtype=ms.float16).weight.dtype)
n = nn.Linear(2, 1, weight_init=Tensor([[1.0, 10.0]]), bias_init="ones")
print([(p.name, p.shape) for p in n.get_parameters()], n.in_features, n.out_features, n.has_bias)
print(n(Tensor([[[1.0, 2.0]]])), ms.grad(n, 0, n.trainable_params())(Tensor([[3.0, 4.0]])))
for bad in (lambda: nn.Linear(0, 3), lambda: nn.Linear(2, 3, bias=1)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__)""",
    """\
w = Parameter(Tensor([1.0, 2.0]), name='w')
opt = nn.SGD([w], 0.5)
opt.learning_rate.set_data(Tensor(0.25))
opt((Tensor([1.0, 1.0]),)); print(w.asnumpy()); print(opt.get_lr_parameter(w), opt.get_lr_parameter([w]))""",
    """\
from mindspore.common.initializer import initializer, Constant, One, Zero, Identity
print(initializer('ones', (2, 2)).init_data() if hasattr(initializer('ones', (2, 2)), 'init_data') else initializer('ones', (2, 2)))
print(initializer(Constant(3), [2], ms.int32).init_data(), initializer(Identity(), (2, 3)).init_data(), initializer(0.5, (1,)).init_data())
print(Parameter(initializer('zeros', 3), name='z'))""",
    """\
p = Parameter(Tensor([1.0, 2.0]), name='p')
print(p.clone(), p.clone('zeros').asnumpy(), p.clone(3.0).asnumpy(), ms.ParameterTuple([p]).clone('m', 'ones')[0].name)""",
    'print(nn.Dense(2, 3, weight_init=Tensor(np.ones((3, 2)))).weight.dtype, nn.Dense(2, 3, dtype=ms.float16).weight.dtype)',
    """\
net = nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5), nn.BatchNorm1d(2))
print(net.training, net[1].training); net.set_train(); print(net.training, net[1].training, net[2].training); net.set_train(False); print(net[1].training)""",
    """\
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("scratch", Tensor([9.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([3.0, 4.0]), name="w")
    def construct(self, x):
        return x * self.w + self.mean
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Dense(2, 1, weight_init=Tensor([[1.0, 2.0]]), bias_init=Tensor([0.5]))
        self.register_buffer("count", Tensor(0))
    def construct(self, x):
        return self.head(self.body(x))
n = Net()
x = Tensor([1.0, 1.0])
print(n.state_dict())
print(n.body.state_dict())
print(list(n.state_dict(prefix="net.")), type(n.state_dict()).__name__)
print(n.state_dict()["body.w"] is n.body.w, n.state_dict(keep_vars=True)["body.mean"] is n.body.mean)
print(list(n.named_buffers()))
print(list(n.named_buffers(prefix="p", recurse=False)), len(list(n.buffers())))
print(n.get_buffer("body.mean"), n.get_sub_cell("body") is n.body, n.get_sub_cell("") is n)
print(n.body.absent, n)
for bad in (lambda: n.get_buffer("body.w"), lambda: n.get_sub_cell("body.x"), lambda: n.get_sub_cell("count"), lambda: n.get_buffer("z.a")):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__)""",
    """\
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("scratch", Tensor([9.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([3.0, 4.0]), name="w")
    def construct(self, x):
        return x * self.w + self.mean
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Dense(2, 1, weight_init=Tensor([[1.0, 2.0]]), bias_init=Tensor([0.5]))
        self.register_buffer("count", Tensor(0))
    def construct(self, x):
        return self.head(self.body(x))
n = Net()
x = Tensor([1.0, 1.0])
other = {k: Tensor(np.array(v.asnumpy() * 2)) for k, v in n.state_dict().items()}
print(n.load_state_dict(other))
print(n.body.w.asnumpy(), n.body.mean, n.body.w, n(x))
print(n.load_state_dict({"z": Tensor(1.0), "body.w": Parameter(Tensor([0.0, 1.0]), name="q")}, strict=False))
print(n.body.w.asnumpy(), n.body.w.name)
for bad in ({}, {**other, "z": Tensor(1.0)}, {**other, "body.w": Tensor([1.0])}, [1]):
    try:
        n.load_state_dict(bad)
    except Exception as e:
        print(type(e).__name__)
n.load_state_dict({**other, "body.w": Tensor(np.array([1.0, 2.0]))})
print(n.body.w, n.body.w.asnumpy())""",
    """\
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("scratch", Tensor([9.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([3.0, 4.0]), name="w")
    def construct(self, x):
        return x * self.w + self.mean
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Dense(2, 1, weight_init=Tensor([[1.0, 2.0]]), bias_init=Tensor([0.5]))
        self.register_buffer("count", Tensor(0))
    def construct(self, x):
        return self.head(self.body(x))
n = Net()
x = Tensor([1.0, 1.0])
for name, value in (("head", x), ("a.b", x), ("", x), ("q", 3), (3, x)):
    try:
        n.register_buffer(name, value)
    except Exception as e:
        print(type(e).__name__)
n.register_buffer("count", Tensor([1.0])); print(n.count)
n.count = None; print(n.count, [k for k, _ in n.named_buffers()])
del n.body.mean; print([k for k, _ in n.named_buffers()])""",
    """\
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("scratch", Tensor([9.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([3.0, 4.0]), name="w")
    def construct(self, x):
        return x * self.w + self.mean
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Dense(2, 1, weight_init=Tensor([[1.0, 2.0]]), bias_init=Tensor([0.5]))
        self.register_buffer("count", Tensor(0))
    def construct(self, x):
        return self.head(self.body(x))
n = Net()
x = Tensor([1.0, 1.0])
print(n.to_float(ms.float16) is n, n(x), n.head.weight.dtype, n.body.mean.dtype)
print(ms.grad(n, 0, weights=n.trainable_params())(x))
n.to_float(ms.float32); print(n(x), n(x.astype(ms.float16)).dtype)
for bad in (ms.int32, ms.float64):
    try:
        n.to_float(bad)
    except Exception as e:
        print(type(e).__name__)""",
    """\
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("scratch", Tensor([9.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([3.0, 4.0]), name="w")
    def construct(self, x):
        return x * self.w + self.mean
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Dense(2, 1, weight_init=Tensor([[1.0, 2.0]]), bias_init=Tensor([0.5]))
        self.register_buffer("count", Tensor(0))
    def construct(self, x):
        return self.head(self.body(x))
n = Net()
x = Tensor([1.0, 1.0])
print(n.to(ms.float16) is n, n.head.weight, n.body.mean.dtype, n.count.dtype, n(x.astype(ms.float16)))
n.to(dtype=ms.float32, device="CPU"); print(n.head.weight.dtype)
n.to(Tensor([1.0], ms.float16)); print(n.head.weight.dtype)
n.to(); print(n.head.weight.dtype)
try:
    n.to(ms.int32)
except Exception as e:
    print(type(e).__name__)""",
    """\
class Body(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("scratch", Tensor([9.0]), persistent=False)
        self.register_buffer("absent", None)
        self.w = Parameter(Tensor([3.0, 4.0]), name="w")
    def construct(self, x):
        return x * self.w + self.mean
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Dense(2, 1, weight_init=Tensor([[1.0, 2.0]]), bias_init=Tensor([0.5]))
        self.register_buffer("count", Tensor(0))
    def construct(self, x):
        return self.head(self.body(x))
n = Net()
x = Tensor([1.0, 1.0])
print(n.add_flags_recursive(mark=1) is n, n.head.mark, n.get_flags())
print(n.set_jit_config(ms.JitConfig()))
print(n.recompute(), ms.grad(n)(x))""",
]  # fmt: skip


def run(program):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(PREAMBLE + program, {"__name__": "program"})  # MindSpore asks for the module
    text = re.sub(r"Parameter#\d+", "Parameter#N", out.getvalue())
    return re.sub(r"<[\w.]*\.(\w+) object at 0x\w+>", r"<\1>", text)


if __name__ == "__main__":
    versions = {
        "mindspore": mindspore.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }
    programs = [json.dumps({"program": program, "printed": run(program)}) for program in PROGRAMS]
    text = f'{{\n"versions": {json.dumps(versions)},\n"preamble": {json.dumps(PREAMBLE)},\n"programs": [\n'
    Path(__file__).with_name("cells.json").write_text(text + ",\n".join(programs) + "\n]\n}\n")
