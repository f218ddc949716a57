# Implied by the text: the imports.
import mindspore
from mindspore import nn, ops

# The tutorial's program.
class relusigmoid(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sigmoid = ops.Sigmoid()
        self.greater = ops.Greater()
    def construct(self, x):
        spike = self.greater(x, 0)
        return spike.astype(mindspore.float32)
    def bprop(self, x, out, dout):
        sgax = self.sigmoid(x * 5.0)
        grad_x = dout * (1 - sgax) * sgax * 5.0
        return (grad_x,)
class IFNode(nn.Cell):
    def __init__(self, v_threshold=1.0, fire=True, surrogate_function=relusigmoid()):
        super().__init__()
        self.v_threshold = v_threshold
        self.fire = fire
        self.surrogate_function = surrogate_function
    def construct(self, x, v):
        v = v + x
        if self.fire:
            spike = self.surrogate_function(v - self.v_threshold) * self.v_threshold
            v -= spike
            return spike, v
        return v, v

# Added, since the tutorial only defines: run it forward, differentiate it, then let it live for
# four steps and differentiate the spikes through time.
x = mindspore.Tensor([-0.1, 0.1, 0.3], mindspore.float32)
print(relusigmoid()(x))
print(mindspore.grad(relusigmoid())(x))
print(mindspore.grad(mindspore.grad(relusigmoid()))(x))

node = IFNode()
v = mindspore.Tensor([0.6, 0.5, 1.0], mindspore.float32)
print(node(x, v))
print(mindspore.grad(lambda x, v: node(x, v)[0], (0, 1))(x, v))
print(mindspore.grad(lambda x, v: node(x, v)[1], (0, 1))(x, v))
print(mindspore.grad(node, (0, 1))(x, v))
print(IFNode(fire=False)(x, v))
print(mindspore.grad(IFNode(v_threshold=0.5), (0, 1))(x, v))

def spikes(x, v):
    total = 0.0
    for _ in range(4):
        spike, v = node(x, v)
        total = total + spike
    return total
print(mindspore.value_and_grad(spikes, (0, 1))(x, v))
