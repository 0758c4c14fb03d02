"""A small network in compiled code: one hidden layer, one number out, the chance to win. It knows no game.

Its weights are one row of float32: for each input its HIDDEN weights, then the hidden biases, the weights of the
output, and the output's bias.
"""

import math

import numpy as np

from aachen.core.kernel import compiled
from aachen.core.schema import Array

HIDDEN = 64


def size_of(inputs: int) -> int:
    """How many weights a network with so many inputs has."""
    return (inputs + 2) * HIDDEN + 1


def fresh_weights(inputs: int, rng: np.random.Generator) -> Array:
    """Weights to begin a training with."""
    weights = np.zeros(size_of(inputs), np.float32)
    weights[: inputs * HIDDEN] = rng.normal(0, (2 / inputs) ** 0.5, inputs * HIDDEN)
    weights[(inputs + 1) * HIDDEN : -1] = rng.normal(0, 0.1, HIDDEN)
    return weights


@compiled(inline=False)
def forward(weights: Array, x: Array, hidden: Array) -> float:
    """The chance to win; `hidden` is left with the hidden layer's output."""
    inputs = len(x)
    for j in range(HIDDEN):
        hidden[j] = weights[inputs * HIDDEN + j]
    for i in range(inputs):
        if x[i] != 0:
            row = weights[i * HIDDEN : (i + 1) * HIDDEN]
            for j in range(HIDDEN):
                hidden[j] += x[i] * row[j]
    out = weights[(inputs + 2) * HIDDEN]
    last = weights[(inputs + 1) * HIDDEN : (inputs + 2) * HIDDEN]
    for j in range(HIDDEN):
        hidden[j] = max(hidden[j], np.float32(0))
        out += hidden[j] * last[j]
    return 1.0 / (1.0 + math.exp(-out))


@compiled(inline=False)
def add_gradient(weights: Array, x: Array, target: float, hidden: Array, gradient: Array) -> float:
    """Adds the gradient of the cross-entropy at `x` against `target`; gives the loss."""
    inputs = len(x)
    value = forward(weights, x, hidden)
    error = np.float32(value - target)
    gradient[(inputs + 2) * HIDDEN] += error
    for j in range(HIDDEN):
        gradient[(inputs + 1) * HIDDEN + j] += error * hidden[j]
        hidden[j] = error * weights[(inputs + 1) * HIDDEN + j] if hidden[j] > 0 else np.float32(0)
        gradient[inputs * HIDDEN + j] += hidden[j]
    for i in range(inputs):
        if x[i] != 0:
            row = gradient[i * HIDDEN : (i + 1) * HIDDEN]
            for j in range(HIDDEN):
                row[j] += x[i] * hidden[j]
    value = min(max(value, 1e-6), 1 - 1e-6)
    return -(target * math.log(value) + (1 - target) * math.log(1 - value))


@compiled(inline=False)
def adam(weights: Array, gradient: Array, first: Array, second: Array, step: int, rate: float) -> None:
    """One step of Adam along the gradient."""
    for i in range(len(weights)):
        g = gradient[i]
        first[i] += np.float32(0.1) * (g - first[i])
        second[i] += np.float32(0.001) * (g * g - second[i])
        mean = first[i] / (1 - 0.9**step)
        spread = second[i] / (1 - 0.999**step)
        weights[i] -= np.float32(rate * mean / (math.sqrt(spread) + 1e-8))
