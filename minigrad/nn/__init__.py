"""Cells: layers, networks, losses, optimizers and learning rates, by MindSpore's names."""

from ..compat import add_paths
from .activations import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    RReLU,
    SeLU,
    Sigmoid,
    SiLU,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)
from .cell import Cell
from .containers import CellDict, CellList, SequentialCell
from .convolution import Conv1d, Conv1dTranspose, Conv2d, Conv2dTranspose
from .gradients import ForwardValueAndGrad, Jvp, Vjp
from .linear import Dense, Embedding, Flatten, Identity, Linear, MatMul, Unflatten
from .losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LossBase,
    MAELoss,
    MSELoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from .margin_losses import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from .normalization import (
    BatchNorm1d,
    BatchNorm2d,
    Dropout,
    Dropout1d,
    Dropout2d,
    GroupNorm,
    LayerNorm,
)
from .optimizer import Optimizer
from .optimizers import SGD, Adagrad, Adam, AdamWeightDecay, Momentum, RMSProp
from .pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from .recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from .schedules import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from .softmaxes import LogSoftmax, Softmax, Softmax2d, Softmin
from .training import ClipByNorm, TrainOneStepCell, WithEvalCell, WithGradCell, WithLossCell

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LSTM", "RNN", "SGD", "Adagrad", "Adam",
    "AdamWeightDecay", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss",
    "BatchNorm1d", "BatchNorm2d", "Cell", "CellDict", "CellList", "ClipByNorm", "Conv1d",
    "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "CosineDecayLR", "CosineEmbeddingLoss",
    "CrossEntropyLoss", "Dense", "Dropout", "Dropout1d", "Dropout2d", "Embedding",
    "ExponentialDecayLR", "FastGelu", "Flatten", "ForwardValueAndGrad", "GRUCell",
    "GaussianNLLLoss", "GroupNorm",
    "HShrink", "HSigmoid", "HSwish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity",
    "InverseDecayLR", "Jvp", "KLDivLoss", "L1Loss", "LSTMCell", "LayerNorm", "LeakyReLU",
    "LearningRateSchedule", "Linear", "LogSigmoid", "LogSoftmax", "LossBase", "MAELoss", "MSELoss",
    "MarginRankingLoss", "MatMul", "MaxPool1d", "MaxPool2d", "Mish", "Momentum",
    "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NaturalExpDecayLR", "Optimizer",
    "PReLU", "PoissonNLLLoss", "PolynomialDecayLR", "RMSELoss", "RMSProp", "RNNCell", "RReLU",
    "ReLU", "ReLU6", "SeLU", "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss",
    "SoftMarginLoss", "SoftShrink", "Softmax", "Softmax2d", "SoftmaxCrossEntropyWithLogits",
    "Softmin", "Softsign", "Tanh", "Tanhshrink", "Threshold", "TrainOneStepCell",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unflatten", "Vjp", "WarmUpLR",
    "WithEvalCell", "WithGradCell", "WithLossCell", "cosine_decay_lr", "exponential_decay_lr",
    "get_activation", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
    "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip

add_paths(__name__)
