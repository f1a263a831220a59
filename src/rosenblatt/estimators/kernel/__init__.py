"""The kernel perceptron: a linear classifier in the feature space of a kernel."""
