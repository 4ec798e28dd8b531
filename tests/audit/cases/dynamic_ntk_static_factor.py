"""A "dynamic" base, computed once at the scaled maximum and used at every length."""

from fractions import Fraction

REPORTS = ["vllm-project/vllm#3488", "vllm-project/vllm#5093"]
BASE, FACTOR, ORIGINAL = 10000, 2, 2048  # of a head of dimension 4: the exponent is 2


def right_parameters(length):
    if length <= ORIGINAL:
        return BASE
    return BASE * (Fraction(FACTOR * length, ORIGINAL) - (FACTOR - 1)) ** 2


def parameters(length):
    return right_parameters(FACTOR * ORIGINAL)
