# Implied by the text: the imports, and a seed so that the random weights repeat.
import mindspore
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

np.random.seed(0)

# Implied by the text: the inputs and the function that the tutorial made earlier.
x = ops.ones(5, mindspore.float32)  # input tensor
y = ops.zeros(3, mindspore.float32)  # expected output
w = Parameter(Tensor(np.random.randn(5, 3), mindspore.float32), name='w') # weight
b = Parameter(Tensor(np.random.randn(3,), mindspore.float32), name='b') # bias

def function(x, y, w, b):
    z = ops.matmul(x, w) + b
    loss = ops.binary_cross_entropy_with_logits(z, y, ops.ones_like(z), ops.ones_like(z))
    return loss

# The tutorial's program.
grad_fn = mindspore.grad(function, (2, 3))
grads = grad_fn(x, y, w, b)#执行微分函数，即可获得 𝑤、 𝑏对应的梯度。
print(grads)
