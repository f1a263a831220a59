"""The kernel perceptron: linear in the space of a kernel, and still only a list of mistakes."""
