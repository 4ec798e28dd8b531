"""Subjects in PyTorch: arguments come as tensors, answers in bfloat16 are read without loss."""

import torch
from torch import nn

THETA = 10000.0 ** (-torch.arange(0, 16, 2) / 16)


def features(positions, dtype=torch.float32):
    phase = torch.outer(positions.float(), THETA)
    return phase.cos().to(dtype), phase.sin().to(dtype)


def narrow_features(positions, dtype=torch.bfloat16):
    phase = torch.outer(positions.to(dtype), THETA.to(dtype))
    return phase.cos(), phase.sin()


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("inv_freq", THETA.clone())

    def features(self, positions):
        phase = positions.float()[None, :, None] * self.inv_freq.float()
        return phase.cos(), phase.sin()


def mask(n):
    return torch.triu(torch.full((n, n), float("-inf"), dtype=torch.bfloat16), diagonal=1)


def decide(logits, mask):
    return logits.masked_fill(~mask, float("-inf")).argmax(dim=-1)


def rotate(x, positions):
    cosines, sines = (t.repeat(1, 2) for t in features(positions))
    first, second = x.chunk(2, dim=1)
    return x * cosines + torch.cat([-second, first], dim=1) * sines
