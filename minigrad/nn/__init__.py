"""Cells: layers, networks, losses and optimizers, by MindSpore's names."""

from .cell import Cell
from .layers import Dense, Flatten, Identity, ReLU, SequentialCell, Sigmoid, Softmax, Tanh
from .losses import BCEWithLogitsLoss, CrossEntropyLoss, LossBase, MSELoss
from .optimizers import SGD, Adam, Optimizer

__all__ = [
    "SGD", "Adam", "BCEWithLogitsLoss", "Cell", "CrossEntropyLoss", "Dense", "Flatten", "Identity",
    "LossBase", "MSELoss", "Optimizer", "ReLU", "SequentialCell", "Sigmoid", "Softmax", "Tanh",
]  # fmt: skip
