"""Kernel machines as data: kernels, support rows and functions of them; nothing is learned here."""
