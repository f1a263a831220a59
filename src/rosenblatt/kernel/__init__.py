"""The kernel perceptron: linear in the space of a kernel."""
